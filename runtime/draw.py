"""Drawing: a position as coloured cells and tables, from declarations alone.

In: a machine, the views of a position that somebody may see, and measures. Out: rich renderables.
What is indexed by a board is drawn on that board; what is indexed by a seat stands in one table
with a column a seat; the rest stands in a list. Colours follow names: a label that is the name of
a colour is painted so, a seat has a colour of its own. Every picture reads without colours too.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from rich import box
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from compiler.machine.record import Board, Machine
from runtime.views import NOTHING_SEEN, View

PAINT = {
    "red": "black on bright_red",
    "yellow": "black on bright_yellow",
    "blue": "white on blue",
    "green": "black on green",
    "orange": "black on dark_orange",
    "purple": "white on purple",
    "violet": "white on purple",
    "pink": "black on pink1",
    "brown": "white on orange4",
    "black": "white on black",
    "white": "black on white",
    "grey": "black on grey50",
    "gray": "black on grey50",
    "cyan": "black on cyan",
    "magenta": "black on magenta",
    "gold": "black on gold1",
    "silver": "black on grey74",
}
SEATS = (
    "bright_cyan",
    "bright_yellow",
    "bright_magenta",
    "bright_green",
    "bright_red",
    "bright_blue",
)
EMPTY = ("none", "no", "0", "")
PATCH = {"0": "", "1": "soon", "2": "on"}
SHADES = ("on grey11", "on grey19", "on grey27", "on grey15")


@frozen
class Place:
    """One picture: a board, for which other index (a seat, say), and what lies on each node."""

    board: Board
    index: tuple[str, ...]
    names: tuple[str, ...]
    nodes: dict[int, tuple[View, ...]]


def position(
    machine: Machine,
    seen: Sequence[View],
    measures: Sequence[tuple[str, tuple[int, ...]]],
    seats: Sequence[str],
) -> RenderableType:
    """A whole position; `seats` are the heads of the seats' columns."""
    pictures, rest = _sorted(machine, seen)
    parts: list[RenderableType] = []
    flat = [p for p in pictures if p.board.shape in ("row", "track")]
    drawn = [_picture(machine, p) for p in pictures if p not in flat]
    if drawn:
        parts.append(Columns(drawn, padding=(0, 3)))
    parts += [_picture(machine, p) for p in flat]
    seat_dim = [v for v in rest if _seat(machine, v) >= 0]
    parts += _by_seat(machine, seat_dim, measures, seats)
    parts += _listed([v for v in rest if _seat(machine, v) < 0])
    return Group(*parts)


# -- sorting what is seen -------------------------------------------------------------------------


def _sorted(machine: Machine, seen: Sequence[View]) -> tuple[list[Place], list[View]]:
    """The pictures, and what lies on no board."""
    boards = {b.domain: b for b in machine.boards if b.rows}
    found: dict[tuple[int, tuple[str, ...]], list[tuple[int, View]]] = {}
    rest = []
    for view in seen:
        at = next((i for i, d in enumerate(view.dims) if d in boards), -1)
        if at < 0:
            rest.append(view)
            continue
        key = (view.dims[at], view.index[:at] + view.index[at + 1 :])
        found.setdefault(key, []).append((view.at[at], view))
    pictures = []
    for (domain, index), pairs in found.items():
        nodes: dict[int, tuple[View, ...]] = {}
        for node, view in pairs:
            nodes[node] = (*nodes.get(node, ()), view)
        names = tuple(dict.fromkeys(v.name for _, v in pairs))
        pictures.append(Place(boards[domain], index, names, nodes))
    return pictures, rest


def _seat(machine: Machine, view: View) -> int:
    """Which index of a view is a seat, or -1."""
    return next((i for i, d in enumerate(view.dims) if machine.domains[d].kind == "seat"), -1)


def said(view: View) -> str:
    """The contents of a view in a few words; empty where there is nothing."""
    if view.kind == "patch":
        return PATCH.get(view.labels[0], view.labels[0]) if view.labels else "?"
    if view.kind == "var":
        word = view.labels[0] if view.labels else "?"
        if word == "yes":
            return view.name
        return "" if word in EMPTY else word
    if view.sight == NOTHING_SEEN:
        return "?"
    unseen = view.size - len(view.labels)
    words = list(view.labels) + ([f"{unseen} unseen"] if unseen else [])
    return ", ".join(words)


def style_of(words: str) -> str:
    """The style that a label asks for by its name; empty when none."""
    if words.startswith("seat") and words[4:].isdigit():
        return f"black on {SEATS[int(words[4:]) % len(SEATS)]}"
    for part in reversed(words.replace("-", "_").lower().split("_")):
        if part in PAINT:
            return PAINT[part]
    return ""


# -- boards ---------------------------------------------------------------------------------------


def _picture(machine: Machine, made: Place) -> RenderableType:
    title = Text(f"{made.board.name} {' '.join(made.index)}".strip(), style="bold")
    if len(made.names) > 1 or made.board.shape == "row":
        title.append(f"  ({', '.join(made.names)})", style="dim")
    labels = machine.domains[made.board.domain].labels
    if made.board.shape == "map":
        return Group(title, *_map(made, labels))
    return Group(title, _grid(made, labels))


def _node(made: Place, node: int) -> tuple[str, str]:
    """What stands on a node, and in which style."""
    words = [said(v) for v in made.nodes.get(node, ())]
    words = [w for w in words if w]
    style = next((s for s in map(style_of, reversed(words)) if s), "")
    return "/".join(words), style


def _grid(made: Place, labels: tuple[str, ...]) -> Table:
    """A board of single cells, framed; an empty cell shows its name."""
    texts = {n: _node(made, n) for row in made.board.rows for n in row if n >= 0}
    width = min(14, max([len(labels[n]) for n in texts] + [len(w) for w, _ in texts.values()]))
    table = Table(box=box.SQUARE, show_header=False, show_lines=True, padding=0)
    for _ in made.board.rows[0]:
        table.add_column(width=width + 2, justify="center", no_wrap=made.board.shape != "row")
    for row in made.board.rows:
        table.add_row(*(_cell(node, labels, texts, width, made.board.shape) for node in row))
    return table


def _cell(
    node: int, labels: tuple[str, ...], texts: dict[int, tuple[str, str]], width: int, shape: str
) -> Text:
    if node < 0:
        return Text("")
    words, style = texts[node]
    if not words:
        return Text(labels[node], style="dim")
    if shape == "row":
        return Text.assemble((labels[node] + "\n", "dim"), (words, style or "bold"))
    return Text(words.center(width + 2), style=style or "bold")


def _map(made: Place, labels: tuple[str, ...]) -> list[Text]:
    """A drawn map: a node covers cells; `|` begins it, its name stands in its top row."""
    width = max(len(label) for label in labels) + 2
    rows = made.board.rows
    shade = _shades(rows, len(labels))
    lines = []
    for y, row in enumerate(rows):
        line = Text(no_wrap=True)
        x = 0
        while x < len(row):
            end = x
            while end < len(row) and row[end] == row[x]:
                end += 1
            if row[x] < 0:
                line.append(" " * width * (end - x))
            else:
                top = y == 0 or row[x] not in rows[y - 1]
                words, style = _node(made, row[x])
                text = _run(labels[row[x]] if top else "", words, width * (end - x))
                line.append(text, style=style or f"grey70 {SHADES[shade[row[x]]]}")
            x = end
        lines.append(line)
    return lines


def _run(name: str, words: str, width: int) -> str:
    """The cells of a node in one row: its name, and its contents as far as there is room."""
    text = (
        f"|{name} {words}" if name and words and width >= len(name) + len(words) + 2 else f"|{name}"
    )
    fill = words[:1] or " "
    return text + fill * (width - len(text)) if len(text) <= width else text[:width]


def _shades(rows: tuple[tuple[int, ...], ...], count: int) -> list[int]:
    """A shade a node, so that neighbours differ."""
    near: list[set[int]] = [set() for _ in range(count)]
    for y, row in enumerate(rows):
        for x, node in enumerate(row):
            for other in (
                row[x + 1] if x + 1 < len(row) else -1,
                rows[y + 1][x] if y + 1 < len(rows) else -1,
            ):
                if node >= 0 and other >= 0 and other != node:
                    near[node].add(other)
                    near[other].add(node)
    out = [-1] * count
    for node in range(count):
        taken = {out[n] for n in near[node]}
        out[node] = next((s for s in range(len(SHADES)) if s not in taken), 0)
    return out


# -- tables ---------------------------------------------------------------------------------------


def _by_seat(
    machine: Machine,
    seen: Sequence[View],
    measures: Sequence[tuple[str, tuple[int, ...]]],
    seats: Sequence[str],
) -> list[Table]:
    """One table with a column a seat."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    table.add_column("", style="dim")
    for i, head in enumerate(seats):
        table.add_column(head, header_style=f"bold {SEATS[i % len(SEATS)]}", overflow="fold")
    names = tuple(dict.fromkeys(v.name for v in seen))
    for name in names:
        cells = [
            _of_seat(machine, [v for v in seen if v.name == name], i) for i in range(len(seats))
        ]
        if any(c.plain for c in cells):
            table.add_row(name, *cells)
    for kind, values in measures:
        table.add_row(kind, *(Text(str(v), style="bold") for v in values))
    return [table] if table.row_count else []


def _of_seat(machine: Machine, found: Sequence[View], seat: int) -> Text:
    """All of one variable or place that belongs to a seat."""
    words: list[Text] = []
    for view in found:
        at = _seat(machine, view)
        if view.at[at] == seat:
            others = view.index[:at] + view.index[at + 1 :]
            words += _worded(view, " ".join(others))
    return Text(", ").join(words)


def _worded(view: View, index: str) -> list[Text]:
    """One view as an item of a list; nothing when it is empty."""
    text = said(view)
    if not text:
        plain = view.kind == "var" and not index and view.labels
        return [Text(view.labels[0], style="dim")] if plain else []
    styled = Text(text, style=style_of(index if index else text))
    return [Text.assemble((index + " ", style_of(index)), text)] if index else [styled]


def _listed(seen: Sequence[View]) -> list[Table]:
    """What belongs to nobody and lies on no board."""
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name in dict.fromkeys(v.name for v in seen):
        words: list[Text] = []
        for view in seen:
            if view.name == name and not (view.kind != "var" and view.sight == NOTHING_SEEN):
                words += _worded(view, " ".join(view.index))
        if words:
            table.add_row(name, Text("; ").join(words))
    return [table] if table.row_count else []
