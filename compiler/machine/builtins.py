"""The machine's own functions: what the builtins mean, on integers, masks and tuples.

Both engines call these; a native back end must do the same. Masks have bit i for member i.
"""

from __future__ import annotations

from collections.abc import Sequence

MAX_PACKED = 64
_BITS: dict[int, tuple[int, ...]] = {}
_KEPT = 1 << 16


class Fault(Exception):
    """A rule asked for something impossible: a range left, an empty place drawn from, ..."""


def members(mask: int) -> tuple[int, ...]:
    """The members of a mask in ascending order."""
    found = _BITS.get(mask)
    if found is None:
        if len(_BITS) > _KEPT:
            _BITS.clear()
        found = _BITS[mask] = tuple(_members(mask))
    return found


def _members(mask: int) -> list[int]:
    out = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out


def to_mask(items: Sequence[int]) -> int:
    """The mask of some members; -1 (none) is left out."""
    out = 0
    for item in items:
        if item >= 0:
            out |= 1 << item
    return out


def the(value: int) -> int:
    """An optional that must have a value."""
    if value < 0:
        raise Fault("nothing is there")
    return value


def after(mask: int, start: int, count: int) -> int:
    """The first member of a mask at or after `start` in a ring of `count`; -1 if it is empty."""
    ahead = mask >> start
    if ahead:
        return start + (ahead & -ahead).bit_length() - 1
    return (mask & -mask).bit_length() - 1 if mask else -1


def before(mask: int, start: int, count: int) -> int:
    """As `after`, counter-clockwise."""
    for step in range(count):
        at = (start - step) % count
        if mask >> at & 1:
            return at
    return -1


def reach(mask: int, relation: Sequence[int]) -> int:
    """The union of a relation's image over a mask."""
    out = 0
    for node in members(mask):
        out |= relation[node]
    return out


def grown(seed: int, within: int, relation: Sequence[int]) -> int:
    """All of `within` that can be reached from a seed along a relation."""
    seen = seed
    front = seed
    while front:
        step = 0
        while front:
            low = front & -front
            step |= relation[low.bit_length() - 1]
            front ^= low
        front = step & within & ~seen
        seen |= front
    return seen


def connected(mask: int, relation: Sequence[int]) -> bool:
    """Whether a mask is one piece (an empty one is)."""
    return mask == 0 or grown(mask & -mask, mask, relation) == mask


def components(mask: int, relation: Sequence[int]) -> tuple[int, ...]:
    """The connected pieces of a mask, by their lowest member."""
    out = []
    while mask:
        piece = grown(mask & -mask, mask, relation)
        out.append(piece)
        mask ^= piece
    return tuple(out)


def run_matches(path: Sequence[int], row: Sequence[int], word: Sequence[int]) -> tuple[int, ...]:
    """Masks of the stretches of a path whose runs of equal values spell a word.

    A run is as long as the value lasts; a run of none (-1) spells nothing.
    """
    runs: list[tuple[int, int]] = []
    for node in path:
        value = row[node]
        if runs and runs[-1][0] == value:
            runs[-1] = (value, runs[-1][1] | 1 << node)
        else:
            runs.append((value, 1 << node))
    size = len(word)
    out = []
    for at in range(len(runs) - size + 1):
        window = runs[at : at + size]
        if all(value == word[i] for i, (value, _) in enumerate(window)):
            mask = 0
            for _, part in window:
                mask |= part
            out.append(mask)
    return tuple(out)


def matches(
    pattern: tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]],
    row: Sequence[int],
    relations: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...],
) -> tuple[int, ...]:
    """Masks of the places where a labelled pattern lies on a board, ascending.

    An edge (i, r, j) says that node i stands in relation r to node j; pairs without an edge must
    not stand in it (the pattern is induced). Label -1 is one variable for the whole pattern. Each
    relation is given as (image of j, inverse image).
    """
    labels, edges = pattern
    wanted = frozenset(edges)
    by_label: dict[int, int] = {}
    for node, value in enumerate(row):
        by_label[value] = by_label.get(value, 0) | 1 << node
    found: set[int] = set()
    variables = [v for v in by_label if v >= 0] if -1 in labels else [-1]
    for variable in variables:
        allowed = [by_label.get(variable if v < 0 else v, 0) for v in labels]
        if all(allowed):
            _place(allowed, wanted, relations, [], found)
    return tuple(sorted(found))


def matches_any_way(
    pattern: tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]],
    row: Sequence[int],
    relations: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...],
) -> tuple[int, ...]:
    """As `matches`, for the pattern turned by quarters and mirrored (relations: above, left)."""
    labels, edges = pattern
    found: set[int] = set()
    for swap in (False, True):
        for flip_above in (False, True):
            for flip_left in (False, True):
                turned = []
                for i, relation, j in edges:
                    other = 1 - relation if swap else relation
                    flip = flip_above if other == 0 else flip_left
                    turned.append((j, other, i) if flip else (i, other, j))
                found.update(matches((labels, tuple(turned)), row, relations))
    return tuple(sorted(found))


def _place(
    allowed: list[int],
    wanted: frozenset[tuple[int, int, int]],
    relations: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...],
    chosen: list[int],
    found: set[int],
) -> None:
    at = len(chosen)
    if at == len(allowed):
        found.add(to_mask(chosen))
        return
    candidates = allowed[at]
    for i, node in enumerate(chosen):
        candidates &= ~(1 << node)
        for r, (image, inverse) in enumerate(relations):
            candidates &= image[node] if (at, r, i) in wanted else ~image[node]
            candidates &= inverse[node] if (i, r, at) in wanted else ~inverse[node]
    for node in members(candidates):
        _place(allowed, wanted, relations, [*chosen, node], found)


def packing(masks: Sequence[int], weights: Sequence[int]) -> int:
    """The largest total weight of pairwise disjoint masks, exact, over actual occurrences only."""
    items = sorted(((w, m) for m, w in zip(masks, weights, strict=True) if w > 0), reverse=True)
    if len(items) > MAX_PACKED:
        raise Fault(f"packing is stated for up to {MAX_PACKED} occurrences")
    return _pack(items, 0, 0)


def _pack(items: list[tuple[int, int]], at: int, used: int) -> int:
    free = [(w, m) for w, m in items[at:] if not m & used]
    clash = next((i for i, (_, m) in enumerate(free) if any(m & n for _, n in free[i + 1 :])), None)
    if clash is None:
        return sum(w for w, _ in free)
    lone = sum(w for w, _ in free[:clash])
    weight, mask = free[clash]
    rest = free[clash + 1 :]
    with_it = weight + _pack([(w, m) for w, m in rest if not m & mask], 0, 0)
    return lone + max(with_it, _pack(rest, 0, 0))


def divide_up(left: int, right: int) -> int:
    """Quotient rounded up."""
    if right == 0:
        raise Fault("a division by zero")
    return -(-left // right)


def divide_down(left: int, right: int) -> int:
    """Quotient rounded down."""
    if right == 0:
        raise Fault("a division by zero")
    return left // right


def modulo(left: int, right: int) -> int:
    """Remainder, with the sign of the divisor."""
    if right == 0:
        raise Fault("a division by zero")
    return left % right
