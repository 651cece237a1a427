"""The generator: keyed, counter-based, the same in every back end.

A number depends on (seed, site, occurrence, draw) alone, so a die added to one rule does not
reshuffle another rule's deck. Specification: with splitmix64's finaliser

    mix(z): z ^= z >> 30; z *= 0xBF58476D1CE4E5B9; z ^= z >> 27;
            z *= 0x94D049BB133111EB; z ^= z >> 31
    key     = mix(mix(mix(seed + G) ^ site) + G * (occurrence + 1))       G = 0x9E3779B97F4A7C15
    word(d) = mix(key + G * (d + 1))

all modulo 2**64; `site` is the first eight bytes (big endian) of the SHA-256 of the site's path. A
number below n is word mod n, where words at or above the largest multiple of n are drawn again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    """The finaliser of splitmix64."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


@cache
def site_key(path: str) -> int:
    """The number of a site's path."""
    return int.from_bytes(hashlib.sha256(path.encode()).digest()[:8], "big")


class Stream:
    """The numbers of one occurrence of one site."""

    def __init__(self, seed: int, path: str, occurrence: int) -> None:
        base = mix(mix((seed + GOLDEN) & MASK) ^ site_key(path))
        self.key = mix((base + GOLDEN * (occurrence + 1)) & MASK)
        self.draws = 0

    def word(self) -> int:
        """The next 64 bits."""
        self.draws += 1
        return mix((self.key + GOLDEN * self.draws) & MASK)

    def below(self, count: int) -> int:
        """A uniform number 0..count-1; `count` is at least 1."""
        limit = (1 << 64) - (1 << 64) % count
        while True:
            word = self.word()
            if word < limit:
                return word % count

    def permutation(self, count: int) -> tuple[int, ...]:
        """A uniform order of 0..count-1 (Fisher and Yates, from the end)."""
        order = list(range(count))
        for i in range(count - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return tuple(order)

    def pick(self, items: Sequence[int]) -> int:
        """One of some items."""
        return items[self.below(len(items))]
