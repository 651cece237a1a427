"""Listing legal subsets without trying all: growth, support and weight, with memory.

A subset choice has demands over the whole set; a prefix of a legal set need not be legal, so sets
are never built by legal steps. What a plan knows narrows the search: members whose support can
never be paid for are left out first; a connected set is grown from its lowest member, each set
once; otherwise members are taken or left one by one while the weight allows it. What the plan does
not know is tested on whole sets. Sets are listed in ascending order of their masks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compiler.machine.builtins import Fault, members

MAX_SETS = 200_000
MAX_STEPS = 2_000_000


def candidates(
    domain: int, weights: Sequence[int] | None, high: int, needs: Sequence[int] | None, base: int
) -> int:
    """The members that can be in a legal set: their support is there or can be paid for."""
    if needs is None:
        if weights is None:
            return domain
        return sum(1 << m for m in members(domain) if weights[m] <= high)
    reachable = base | domain
    kept = 0
    for member in members(domain):
        closure = _closure(member, needs, base)
        if closure & ~reachable:
            continue
        if weights is None or sum(weights[m] for m in members(closure)) <= high:
            kept |= 1 << member
    return kept


def _closure(member: int, needs: Sequence[int], base: int) -> int:
    """A member with all that must come along."""
    closure = front = 1 << member
    while front:
        step = 0
        for node in members(front):
            step |= needs[node]
        front = step & ~base & ~closure
        closure |= front
    return closure


def supported(subset: int, needs: Sequence[int], base: int) -> bool:
    """Whether every member's needs lie in the subset or the base."""
    held = subset | base
    return all(not needs[m] & ~held for m in members(subset))


def grow(kept: int, adjacent: Sequence[int], weights: Sequence[int] | None, high: int) -> list[int]:
    """Every connected subset within the weight, each once."""
    out: list[int] = []
    banned = 0
    for seed in members(kept):
        bit = 1 << seed
        weight = 0 if weights is None else weights[seed]
        if weight <= high:
            _extend(
                bit,
                weight,
                adjacent[seed] & kept & ~banned & ~bit,
                banned | bit,
                kept,
                adjacent,
                weights,
                high,
                out,
            )
        banned |= bit
    return out


def _extend(
    subset: int,
    weight: int,
    front: int,
    banned: int,
    kept: int,
    adjacent: Sequence[int],
    weights: Sequence[int] | None,
    high: int,
    out: list[int],
) -> None:
    out.append(subset)
    if len(out) > MAX_SETS:
        raise Fault(f"more than {MAX_SETS:,} subsets could be chosen here")
    front &= ~banned
    while front:
        bit = front & -front
        front ^= bit
        banned |= bit
        node = bit.bit_length() - 1
        more = weight if weights is None else weight + weights[node]
        if more <= high:
            wider = front | (adjacent[node] & kept & ~banned)
            _extend(subset | bit, more, wider, banned, kept, adjacent, weights, high, out)


def choose(kept: int, weights: Sequence[int] | None, high: int, most: int) -> list[int]:
    """Every subset within weight and size."""
    out: list[int] = [0]
    sums = [0]
    for node in members(kept):
        bit, weight = 1 << node, 0 if weights is None else weights[node]
        for i in range(len(out)):
            if sums[i] + weight <= high and out[i].bit_count() < most:
                out.append(out[i] | bit)
                sums.append(sums[i] + weight)
        if len(out) > MAX_SETS:
            raise Fault(f"more than {MAX_SETS:,} subsets could be chosen here")
    return out


Key = tuple[int, ...]


class Lister:
    """Lists the subsets of one chooser, remembering by everything that the list depends on."""

    def __init__(
        self,
        weights: Sequence[int] | None,
        adjacent: Sequence[int] | None,
        needs: Sequence[int] | None,
        kept: int = 4096,
    ) -> None:
        self.weights = weights
        self.adjacent = adjacent
        self.needs = needs
        self.memory: dict[Key, tuple[int, ...]] = {}
        self.kept = kept

    def list(
        self,
        domain: int,
        size: tuple[int, int],
        weight: tuple[int, int],
        base: int,
        test: Callable[[int], bool] | None = None,
    ) -> tuple[int, ...]:
        """The subsets; `test` may depend on nothing but the subset."""
        key = (domain, *size, *weight, base)
        found = self.memory.get(key)
        if found is None:
            if len(self.memory) >= self.kept:
                self.memory.clear()
            found = self.memory[key] = self._list(domain, size, weight, base, test)
        return found

    def _list(
        self,
        domain: int,
        size: tuple[int, int],
        weight: tuple[int, int],
        base: int,
        test: Callable[[int], bool] | None,
    ) -> tuple[int, ...]:
        low, high = weight
        least, most = size
        kept = candidates(domain, self.weights, high, self.needs, base)
        if self.adjacent is not None:
            found = grow(kept, self.adjacent, self.weights, high)
            if least == 0 and high >= 0:
                found.append(0)
        else:
            found = choose(kept, self.weights, high, most) if high >= 0 else []
        out = []
        for subset in sorted(found):
            if not least <= subset.bit_count() <= most:
                continue
            weights = self.weights
            if weights is not None and sum(weights[m] for m in members(subset)) < low:
                continue
            if self.needs is not None and not supported(subset, self.needs, base):
                continue
            if test is None or test(subset):
                out.append(subset)
        return tuple(out)
