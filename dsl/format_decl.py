"""Printing declarations: from the tree to rows."""

from __future__ import annotations

from collections.abc import Iterator

from dsl import declarations as d
from dsl import statements as s
from dsl.format_doc import STEP, WIDTH, Doc, Row, joined
from dsl.format_expr import (
    ANY,
    SUM,
    binder_doc,
    binders_doc,
    bracketed,
    inner,
    listed,
    top,
    type_doc,
)
from dsl.format_scenario import scenario_rows
from dsl.format_stmt import MOMENTS, block, form_doc, option_rows, walk_doc
from dsl.tree import Expr, Type

VIEWERS = {
    "everyone": "everyone",
    "nobody": "nobody",
    "owner": "owner",
    "others": "all but owner",
    "top": "nobody but the top",
    "order": "nobody but the order",
}
VIEWER_WORDS = frozenset(("all", "everyone", "nobody", "owner"))
SOURCE_WORDS = frozenset(("for", "from"))
CELL_WORDS = frozenset(("unknown",))
CLOSES = {"first": "closes after the first answer", "all": "closes after all pass"}


def decl_rows(one: d.Decl, level: int = 0) -> Iterator[Row]:
    """The rows of any declaration."""
    match one:
        case d.Scenario():
            yield from scenario_rows(one)
        case d.Edit():
            yield from _edit(one, level)
        case d.Patch() if one.kind == "instead":
            edit = one.lines[0]
            path = edit.path if isinstance(edit, d.Edit) else ""
            yield _row(one, level, "instead of ", path, _while(one.while_))
            yield from block(edit.body if isinstance(edit, d.Edit) else (), level + 1)
        case _:
            yield _row(one, level, _head(one))
            yield from _lines(one, level + 1)


def _row(one: d.Decl, level: int, *docs: Doc) -> Row:
    return Row(level, docs, one.cites, one.span)


def _head(one: d.Decl) -> Doc:
    """The first line of a declaration."""
    match one:
        case d.Game(_, title):
            return f'game "{title}"'
        case d.Players(_, seats):
            return ("players ", top(seats))
        case d.Valued(_, kind, name, value):
            return (f"{kind} {name} = ", top(value))
        case d.Always(_, text, test):
            return (f'always "{text}" ', top(test))
        case d.Instant():
            return "same instant"
        case d.Measure(_, value, path):
            return ("measure ", top(value), " falls after ", path)
        case d.Order(_, first, second):
            return f"order {first} before {second}"
        case d.Social(_, kind, text, while_):
            return (kind.replace("_", " "), f' "{text}"', _while(while_))
        case d.Reading() | d.Assume() | d.Patch():
            return _noted(one)
        case d.Rule() | d.When() | d.Choice() | d.Event() | d.Window() | d.Define() | d.Table():
            return _named(one)
        case _:
            return _component(one)


def _noted(one: d.Reading | d.Assume | d.Patch) -> Doc:
    match one:
        case d.Reading():
            return f'reading {one.id} "{one.text}"'
        case d.Assume() if one.value is None:
            return f'assume {one.id} "{one.text}"'
        case d.Assume():
            return (f"assume {one.id} ", _defined(one))
        case d.Patch():
            text = f' "{one.text}"' if one.text or one.kind == "variant" else ""
            return (f"{one.kind} {one.name}", params_doc(one.params), text, _while(one.while_))


def _named(
    one: d.Rule | d.When | d.Choice | d.Event | d.Window | d.Define | d.Table,
) -> Doc:
    match one:
        case d.Define():
            return ("define ", _defined(one))
        case d.Table():
            keys = bracketed("[", listed(map(_param, one.keys)), "]")
            return ("table ", one.name, keys, ": ", joined(map(_param, one.columns), ", "))
        case d.Rule():
            gives: Doc = "" if one.gives is None else (" gives ", type_doc(one.gives))
            return ("rule ", one.name, params_doc(one.params), gives)
        case d.When():
            moment = MOMENTS.get(one.moment, "becomes true")
            return ("when ", top(one.event), f" {moment}", binders_doc(one.binders))
        case d.Choice():
            return ("choice ", one.name, params_doc(one.params), ": ", form_doc(one.form))
        case d.Event():
            return ("event ", one.name, params_doc(one.params))
        case d.Window():
            return ("window ", one.name, params_doc(one.params))


def _component(one: d.Decl) -> Doc:
    match one:
        case d.Option():
            text = f' "{one.text}"' if one.text else ""
            return ("option ", one.name, _typed(one.type), _default(one.default), text)
        case d.EnumDecl():
            return f"enum {one.name} = {', '.join(one.members)}"
        case d.FieldDecl():
            key: Doc = "" if one.key is None else dims_doc((one.key,))
            seen = visibility_doc(one.visibility)
            return (one.name, key, _typed(one.type), _default(one.default), seen)
        case d.Check():
            return (f'check "{one.text}" ', top(one.test))
        case d.Data():
            return f'data {one.name} from "{one.file}" {one.table}'
        case d.Pieces():
            return (f"pieces {one.name} ", _source(one))
        case d.Board():
            return (f"board {one.name} of {one.node}: ", _shape(one))
        case d.Place():
            return _place(one)
        case d.Var():
            during = f" during {one.during}" if one.during else ""
            tail = (_default(one.default), visibility_doc(one.visibility), during)
            return ("var ", one.name, dims_doc(one.dims), _typed(one.type), tail)
        case d.Clock():
            return ("clock ", one.name, dims_doc(one.dims), ": ", top(one.capacity))
        case _:
            raise AssertionError(f"no declaration is printed like {type(one).__name__}")


def _lines(one: d.Decl, level: int) -> Iterator[Row]:
    """The lines under the first line of a declaration."""
    match one:
        case d.Rule() | d.When():
            yield from block(one.body, level)
        case d.Choice():
            yield from block(one.demands, level)
        case d.Patch():
            for line in one.lines:
                yield from decl_rows(line, level)
        case d.Assume():
            yield from _because(one.because, level)
            for other in one.others:
                yield Row(level, ("or ", top(other)), span=other.span)
        case d.Reading():
            yield from _reading(one, level)
        case d.Data() | d.Pieces() | d.Board():
            rows = one.rows if isinstance(one, d.Board) else ()
            yield from (Row(level, text) for text in aligned(rows))
            for line in one.fields:
                yield from decl_rows(line, level)
        case _:
            yield from _entries(one, level)


def _entries(one: d.Decl, level: int) -> Iterator[Row]:
    match one:
        case d.Define():
            for test, value in one.cases:
                last: Doc = " otherwise" if test is None else (" if ", top(test))
                yield Row(level, (top(value), last), span=value.span)
        case d.Table():
            for keys, cells, cites in one.rows:
                row = (joined(map(top, keys), ", "), " -> ", joined(map(_cell, cells), ", "))
                yield Row(level, row, cites, keys[0].span)
        case d.Window():
            yield from _window(one, level)
        case d.Instant():
            for path, test in one.events:
                yield Row(level, (path, "" if test is None else (" where ", top(test))))
        case _:
            return


def _while(test: Expr | None) -> Doc:
    return "" if test is None else (" while ", top(test))


def _typed(of: Type | None) -> Doc:
    return "" if of is None else (": ", type_doc(of))


def _default(value: Expr | None) -> Doc:
    return "" if value is None else (" = ", top(value))


def _param(one: d.Param) -> Doc:
    return (one.name, _typed(one.type))


def params_doc(params: tuple[d.Param, ...]) -> Doc:
    """`(a, b: 0..3)`, or nothing."""
    return bracketed("(", listed(map(_param, params)), ")") if params else ""


def dims_doc(dims: tuple[Type, ...]) -> Doc:
    """`[Seat, 0..3]`, or nothing."""
    return bracketed("[", listed(map(type_doc, dims)), "]") if dims else ""


def _defined(one: d.Assume | d.Define) -> Doc:
    return (one.name, params_doc(one.params), _typed(one.type), _default(one.value))


def _cell(value: Expr | None) -> Doc:
    return "unknown" if value is None else top(value, ANY, CELL_WORDS)


def visibility_doc(seen: d.Visibility | None) -> Doc:
    """Who sees a place, a variable or a field, with a space before it."""
    if seen is None or seen.kind == "hidden":
        return "" if seen is None else " hidden"
    viewer: Doc = VIEWERS.get(seen.kind, "")
    if seen.seats is not None:
        viewer = top(seen.seats, ANY, VIEWER_WORDS)
    return (" seen by ", viewer, _while(seen.while_))


def _source(one: d.Pieces) -> Doc:
    if one.each is not None:
        times: Doc = "" if one.count is None else (" times ", top(one.count))
        return ("for each ", top(one.each), times)
    if one.count is not None:
        return top(one.count, ANY, SOURCE_WORDS)
    return f'from "{one.file}" {one.table}'


def _shape(one: d.Board) -> Doc:
    if one.slots:
        ends = f" between {one.ends[0]} and {one.ends[1]}" if one.ends else ""
        return ("row of ", top(one.args[0]), " with ", ", ".join(one.slots), ends)
    if one.shape == "map" and not one.args:
        return "map"
    if not one.args:
        return one.shape + "()"
    return (one.shape, bracketed("(", listed(map(inner, one.args)), ")"))


def aligned(rows: tuple[str, ...]) -> list[str]:
    """The rows of a map with the cells of each column equally wide."""
    cells = [row.strip("|").split() for row in rows]
    count = max((len(c) for c in cells), default=0)
    wide = [max((len(c[i]) for c in cells if i < len(c)), default=0) for i in range(count)]
    padded = [[w.ljust(wide[i]) for i, w in enumerate(c)] for c in cells]
    return ["| " + " ".join([*c, ""]) + "|" for c in padded]


def _place(one: d.Place) -> Doc:
    kind = f": one {one.of}" if one.kind == "one" else f": {one.kind} of {one.of}"
    limit: Doc = "" if one.limit is None else (" up to ", top(one.limit, SUM))
    refill: Doc = ""
    if one.refill is not None:
        when = " refilled at once by " if one.refill.now else " refilled by "
        how = "shuffling " if one.refill.how == "shuffle" else "turning over "
        refill = (when, how, top(one.refill.source))
    head = ("place ", one.name, dims_doc(one.dims), kind, limit)
    return (*head, visibility_doc(one.visibility), refill)


def _because(text: str, level: int) -> Iterator[Row]:
    """A reason, in as many lines as it needs; read back, they are joined by single spaces."""
    room = WIDTH - STEP * level - len('because ""')
    line = ""
    for i, word in enumerate(text.split(" ") if text else ()):
        if i and len(line) + 1 + len(word) > room:
            yield Row(level, f'because "{line}"')
            line = word
        else:
            line = f"{line} {word}" if i else word
    if text:
        yield Row(level, f'because "{line}"')


def _reading(one: d.Reading, level: int) -> Iterator[Row]:
    for way in one.alternatives:
        word = "chosen" if way.chosen else "or"
        yield Row(level, f'{word} {way.name} "{way.text}"', way.cites, way.span)
        for line in way.patches:
            yield from decl_rows(line, level + 1)
    yield from _because(one.because, level)


def _window(one: d.Window, level: int) -> Iterator[Row]:
    if one.asks is not None and isinstance(one.walk, s.Walk):
        alike = " alike" if one.alike else ""
        yield Row(level, ("ask ", top(one.asks), " ", walk_doc(one.walk), alike), (), one.asks.span)
    yield Row(level, CLOSES[one.closes])
    for name, binder, body, cites in one.answers:
        yield Row(level, ("answer ", name, " with ", binder_doc(binder)), cites, binder.span)
        yield from block(body, level + 1)


def _edit(one: d.Edit, level: int) -> Iterator[Row]:
    """One line of a patch that changes a rule."""
    match one.op:
        case "set" if one.value is not None:
            yield _row(one, level, f"set {one.path} to ", top(one.value))
        case "add":
            yield _row(one, level, f"add to {one.path}")
        case "redefine":
            head = ("redefine ", one.path, params_doc(one.params), _default(one.value))
            yield _row(one, level, *head)
        case "not":
            yield _row(one, level, f"incompatible with {one.path}")
        case _:
            yield _row(one, level, f"{one.op} {one.path}")
    yield from block(one.body, level + 1)
    yield from block(one.demands, level + 1)
    for option in one.options:
        yield from option_rows(option, level + 1)
