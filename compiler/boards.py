"""Boards: labelled graphs from generators, and the relations and attributes that come with them.

In: a board's shape and arguments. Out: node labels, relations (one mask a node) and integer
attributes (one number a node). Relations of every board: `neighbours` (shares a side), and by
shape also above, below, left, right, sides (left and right), corners (touch in a point only).
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field, frozen

MAX_NODES = 4096


@frozen
class Graph:
    """A board as data: rows for drawing, relations as masks, attributes as numbers."""

    shape: str
    labels: tuple[str, ...]
    relations: dict[str, tuple[int, ...]] = field(factory=dict)
    attributes: dict[str, tuple[int, ...]] = field(factory=dict)
    rows: tuple[tuple[int, ...], ...] = ()


def _mask(nodes: Iterable[int]) -> int:
    out = 0
    for node in nodes:
        out |= 1 << node
    return out


def _from_rows(shape: str, labels: tuple[str, ...], rows: tuple[tuple[int, ...], ...]) -> Graph:
    """Relations of a drawn map: rows run from the top; a node may cover several cells."""
    high = len(rows)
    above: list[set[int]] = [set() for _ in labels]
    left: list[set[int]] = [set() for _ in labels]
    diagonal: list[set[int]] = [set() for _ in labels]
    for y, row in enumerate(rows):
        for x, node in enumerate(row):
            if node < 0:
                continue
            for dx, dy, into in (
                (0, -1, above),
                (-1, 0, left),
                (-1, -1, diagonal),
                (1, -1, diagonal),
            ):
                if 0 <= y + dy < high and 0 <= x + dx < len(rows[y + dy]):
                    other = rows[y + dy][x + dx]
                    if other >= 0 and other != node:
                        into[node].add(other)
    below = [{n for n, up in enumerate(above) if m in up} for m in range(len(labels))]
    right = [{n for n, lf in enumerate(left) if m in lf} for m in range(len(labels))]
    beside = [left[n] | right[n] for n in range(len(labels))]
    sides = [beside[n] | above[n] | below[n] for n in range(len(labels))]
    tips = [
        (diagonal[n] | {m for m, d in enumerate(diagonal) if n in d}) - sides[n]
        for n in range(len(labels))
    ]
    named = {
        "above": above,
        "below": below,
        "left": left,
        "right": right,
        "beside": beside,
        "sides": sides,
        "neighbours": sides,
        "corners": tips,
    }
    relations = {k: tuple(_mask(s) for s in v) for k, v in named.items()}
    spots = [
        [(x, y) for y, r in enumerate(rows) for x, m in enumerate(r) if m == n]
        for n in range(len(labels))
    ]
    attributes = {
        "column": tuple(min(x for x, _ in s) + 1 for s in spots),
        "row": tuple(high - max(y for _, y in s) for s in spots),
        "top_row": tuple(high - min(y for _, y in s) for s in spots),
    }
    return Graph(shape, labels, relations, attributes, rows)


def grid(width: int, height: int) -> Graph:
    """Columns 1..width from the left, rows 1..height from the bottom; labels such as c3r1."""
    labels = tuple(f"c{x}r{y}" for y in range(1, height + 1) for x in range(1, width + 1))
    rows = tuple(tuple((y - 1) * width + x for x in range(width)) for y in range(height, 0, -1))
    return _from_rows("grid", labels, rows)


def drawn(rows: tuple[str, ...]) -> Graph:
    """A map of cells: words are nodes, `..` is outside; nodes are numbered from the bottom left."""
    cells = [row.strip("|").split() for row in rows]
    order: dict[str, int] = {}
    for line in reversed(cells):
        for word in line:
            if not set(word) <= {".", "-"}:
                order.setdefault(word, len(order))
    placed = tuple(tuple(order.get(w, -1) for w in line) for line in cells)
    return _from_rows("map", tuple(order), placed)


def track(count: int) -> Graph:
    """A path of nodes t1..tn; `position` counts from 1."""
    labels = tuple(f"t{i}" for i in range(1, count + 1))
    graph = _from_rows("track", labels, (tuple(range(count)),))
    graph.attributes["position"] = tuple(range(1, count + 1))
    return graph


def row(count: int, slots: tuple[str, ...], ends: tuple[str, ...]) -> Graph:
    """A row of `count` cards with named slots each, between two end places: left_end, top1, ...

    `position` is 0 at the first end, 1..count in the row, count + 1 at the last end; `slot` is the
    number of the slot from 0, and 0 at an end; `is_end` is 1 at an end.
    """
    labels, position, slot, is_end = [], [], [], []
    if ends:
        labels.append(ends[0])
        position.append(0)
    for at in range(1, count + 1):
        labels += [f"{s}{at}" for s in slots]
        position += [at] * len(slots)
    if ends:
        labels.append(ends[1])
        position.append(count + 1)
    for label, at in zip(labels, position, strict=True):
        end = bool(ends) and at in (0, count + 1)
        is_end.append(int(end))
        slot.append(0 if end else [f"{s}{at}" for s in slots].index(label))
    beside = tuple(
        _mask(j for j, q in enumerate(position) if q == p and j != i)
        for i, p in enumerate(position)
    )
    near = tuple(_mask(j for j, q in enumerate(position) if abs(q - p) == 1) for p in position)
    lines = []
    for s in range(len(slots)):
        line = [0] if ends and s == 0 else ([-1] if ends else [])
        line += [labels.index(f"{slots[s]}{at}") for at in range(1, count + 1)]
        line += [len(labels) - 1] if ends and s == 0 else ([-1] if ends else [])
        lines.append(tuple(line))
    return Graph(
        "row",
        tuple(labels),
        {"twins": beside, "neighbours": near},
        {"position": tuple(position), "slot": tuple(slot), "is_end": tuple(is_end)},
        tuple(lines),
    )


HEX = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


def hexes(width: int, height: int) -> Graph:
    """A field of hexes in axial coordinates, six directions from 0 clockwise; labels q1r1.

    `neighbours` and one relation a direction (dir0..dir5).
    """
    spots = [(q - (r // 2), r) for r in range(height) for q in range(width)]
    index = {s: i for i, s in enumerate(spots)}
    labels = tuple(f"q{q + r // 2 + 1}r{r + 1}" for q, r in spots)
    steps = tuple(tuple(index.get((q + dq, r + dr), -1) for q, r in spots) for dq, dr in HEX)
    relations = {
        f"dir{d}": tuple(0 if n < 0 else 1 << n for n in step) for d, step in enumerate(steps)
    }
    relations["neighbours"] = tuple(
        _mask(step[i] for step in steps if step[i] >= 0) for i in range(len(spots))
    )
    rows = tuple(tuple(r * width + q for q in range(width)) for r in range(height))
    attributes = {"q": tuple(q for q, _ in spots), "r": tuple(r for _, r in spots)}
    return Graph("hex", labels, relations, attributes, rows)


def lines(graph: Graph, length: int) -> tuple[int, ...]:
    """Every straight line of so many nodes on a grid: across, up and both diagonals."""
    rows = graph.rows
    high = len(rows)
    out = []
    for y in range(high):
        for x in range(len(rows[y])):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                spots = [(x + dx * k, y + dy * k) for k in range(length)]
                if all(
                    0 <= b < high and 0 <= a < len(rows[b]) and rows[b][a] >= 0 for a, b in spots
                ):
                    out.append(_mask(rows[b][a] for a, b in spots))
    return tuple(out)


def distances(graph: Graph) -> tuple[tuple[int, ...], ...]:
    """Steps from every node to every other along `neighbours`; unreachable is the node count."""
    near = graph.relations["neighbours"]
    size = len(graph.labels)
    out = []
    for start in range(size):
        dist = [size] * size
        dist[start] = 0
        queue = [start]
        for node in queue:
            for other in range(size):
                if near[node] >> other & 1 and dist[other] == size:
                    dist[other] = dist[node] + 1
                    queue.append(other)
        out.append(tuple(dist))
    return tuple(out)
