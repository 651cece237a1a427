"""The functions of the language, each from a call to a machine expression.

In: a call by name and its scope. Out: a typed machine expression. `FUNCTIONS` is the whole list;
what each means stands in docs/language.md.
"""

from __future__ import annotations

from collections.abc import Callable

from compiler import folds, maps
from compiler.boards import distances, lines
from compiler.elaborate import elaborate, folded, number
from compiler.machine.exprs import Binary, Builtin, Cond, Const, Expr, Lookup, Possible, Read
from compiler.machine.values import (
    BoolType,
    IntType,
    ListType,
    MemberType,
    PatternType,
    SetType,
    Type,
    VectorType,
)
from compiler.scope import (
    BoardSymbol,
    ChoiceSymbol,
    PlaceSymbol,
    Scope,
)
from compiler.types import NONE, fits, integer, mismatch, show
from dsl import tree as t

MAX_MATCHES = 64


def args_of(node: t.Call, count: int, scope: Scope) -> tuple[t.Expr, ...]:
    """The arguments of a call, as many as the function takes."""
    if len(node.args) != count:
        assert isinstance(node.function, t.Name)
        raise scope.draft.fail(
            "E0411",
            f"'{node.function.name}' takes {count} argument(s), not {len(node.args)}",
            node.span,
        )
    return node.args


def _neighbour(step: int) -> Callable[[t.Call, Scope], Expr]:
    def function(node: t.Call, scope: Scope) -> Expr:
        (arg,) = args_of(node, 1, scope)
        seat = elaborate(arg, scope, MemberType(0))
        count = scope.draft.players
        cells = tuple((i + step) % count for i in range(count))
        name = f"seat{step:+d}"
        table = next((i for i, made in enumerate(scope.draft.tables) if made.name == name), None)
        table = scope.draft.table(name, (0,), cells) if table is None else table
        return folded(Lookup(table, (seat,), MemberType(0)), scope)

    return function


def _top(node: t.Call, scope: Scope) -> Expr:
    (arg,) = args_of(node, 1, scope)
    made = elaborate(arg, scope)
    if not isinstance(made, Builtin) or made.name != "place_mask":
        raise scope.draft.fail("E0407", "only a pile or a row has a top", node.span)
    assert isinstance(made.type, SetType)
    return Builtin("place_top", made.args, MemberType(made.type.domain, True))


def _adjacency(kind: Type, node: t.Call, scope: Scope) -> Expr:
    domain = getattr(kind, "domain", -1)
    table = scope.draft.relations.get((domain, "neighbours"))
    if not isinstance(kind, SetType) or table is None:
        raise scope.draft.fail("E0416", "only nodes of a board are connected", node.span)
    return Lookup(table, (), VectorType(domain, kind))


def _connected(node: t.Call, scope: Scope) -> Expr:
    (arg,) = args_of(node, 1, scope)
    made = elaborate(arg, scope)
    return Builtin("connected", (made, _adjacency(made.type, node, scope)), BoolType())


def _components(node: t.Call, scope: Scope) -> Expr:
    (arg,) = args_of(node, 1, scope)
    made = elaborate(arg, scope)
    size = scope.draft.domains[getattr(made.type, "domain", 0)].size
    rows = _adjacency(made.type, node, scope)
    return Builtin("components", (made, rows), ListType(made.type, size))


def _run_matches(node: t.Call, scope: Scope) -> Expr:
    path, row, word = (elaborate(a, scope) for a in args_of(node, 3, scope))
    if not isinstance(path.type, ListType) or not isinstance(path.type.item, MemberType):
        raise mismatch(scope.draft, ListType(MemberType(-1), 0), path.type, node.args[0].span)
    domain = path.type.item.domain
    if not isinstance(row.type, VectorType) or row.type.domain != domain:
        raise mismatch(scope.draft, VectorType(domain, NONE), row.type, node.args[1].span)
    kind = ListType(SetType(domain), path.type.limit)
    return Builtin("run_matches", (path, row, word), kind)


def _matches(node: t.Call, scope: Scope) -> Expr:
    draft = scope.draft
    pattern, row = (elaborate(a, scope) for a in args_of(node, 2, scope))
    if not isinstance(pattern.type, PatternType):
        raise draft.fail("E0401", f"this is {show(draft, pattern.type)}, not a pattern", node.span)
    board = pattern.type.board
    if not isinstance(row.type, VectorType) or row.type.domain != board:
        raise mismatch(draft, VectorType(board, NONE), row.type, node.args[1].span)
    relations = Const(maps.pattern_relations(draft, board), ListType(IntType(0, 0), 2))
    return Builtin("matches", (pattern, row, relations), ListType(SetType(board), MAX_MATCHES))


def _matches_any_way(node: t.Call, scope: Scope) -> Expr:
    """As `matches`, turned by quarters and mirrored too."""
    made = _matches(node, scope)
    assert isinstance(made, Builtin)
    return Builtin("matches_any_way", made.args, made.type)


def _edge(side: str) -> Callable[[t.Call, Scope], Expr]:
    def function(node: t.Call, scope: Scope) -> Expr:
        symbol = _board(args_of(node, 1, scope)[0], scope)
        path: list[int] = []
        for row in reversed(symbol.graph.rows):
            inside = [n for n in row if n >= 0]
            found = inside[0 if side == "left" else -1] if inside else -1
            if found >= 0 and found not in path:
                path.append(found)
        return Const(tuple(path), ListType(MemberType(symbol.domain), len(path)))

    return function


def _possible(node: t.Call, scope: Scope) -> Expr:
    from compiler.choices import chooser

    (arg,) = args_of(node, 1, scope)
    inner = arg if isinstance(arg, t.Call) else t.Call(arg, (), span=arg.span)
    if isinstance(inner.function, t.Name):
        symbol = scope.draft.symbols.get(inner.function.name)
        if isinstance(symbol, ChoiceSymbol):
            number_, args = chooser(symbol.decl, inner.args, node, scope)
            return Possible(number_, args, BoolType())
    raise scope.draft.fail("E0418", "possible(...) wants a declared choice", node.span)


def _two(op: str) -> Callable[[t.Call, Scope], Expr]:
    def function(node: t.Call, scope: Scope) -> Expr:
        one, two = (number(a, scope) for a in args_of(node, 2, scope))
        a, b = one.type, two.type
        assert isinstance(a, IntType) and isinstance(b, IntType)
        pick = max if op == "higher" else min
        return Builtin(op, (one, two), IntType(pick(a.low, b.low), pick(a.high, b.high)))

    return function


def _abs(node: t.Call, scope: Scope) -> Expr:
    made = number(args_of(node, 1, scope)[0], scope)
    assert isinstance(made.type, IntType)
    low, high = made.type.low, made.type.high
    least = 0 if low <= 0 <= high else min(abs(low), abs(high))
    return Builtin("abs", (made,), IntType(least, max(abs(low), abs(high))))


def _board(node: t.Expr, scope: Scope) -> BoardSymbol:
    symbol = scope.draft.symbols.get(node.name) if isinstance(node, t.Name) else None
    if not isinstance(symbol, BoardSymbol):
        raise scope.draft.fail("E0416", "a board's name is wanted here", node.span)
    return symbol


def _lines(node: t.Call, scope: Scope) -> Expr:
    board, length = args_of(node, 2, scope)
    symbol = _board(board, scope)
    size = number(length, scope)
    if not isinstance(size, Const) or not isinstance(size.value, int):
        raise scope.draft.fail("E0405", "the length of lines must be known", length.span)
    found = lines(symbol.graph, size.value)
    return Const(found, ListType(SetType(symbol.domain), len(found)))


def _bands(attribute_: str) -> Callable[[t.Call, Scope], Expr]:
    def function(node: t.Call, scope: Scope) -> Expr:
        symbol = _board(args_of(node, 1, scope)[0], scope)
        values = symbol.graph.attributes[attribute_]
        masks = tuple(
            sum(1 << i for i, v in enumerate(values) if v == band) for band in sorted(set(values))
        )
        return Const(masks, ListType(SetType(symbol.domain), len(masks)))

    return function


def _distance(node: t.Call, scope: Scope) -> Expr:
    draft = scope.draft
    one, two = (elaborate(a, scope) for a in args_of(node, 2, scope))
    domain = getattr(one.type, "domain", -1)
    graph = draft.graphs.get(domain)
    if graph is None:
        raise draft.fail("E0416", "only nodes of a board have a distance", node.span)
    name = f"distance {domain}"
    table = next((i for i, made in enumerate(draft.tables) if made.name == name), None)
    if table is None:
        cells = tuple(d for row in distances(graph) for d in row)
        table = draft.table(name, (domain, domain), cells)
    keys = tuple(fits(draft, m, MemberType(domain), node.span) for m in (one, two))
    return folded(Lookup(table, keys, IntType(0, len(graph.labels))), scope)


def _spot(node: t.Call, scope: Scope) -> Expr:
    """`spot(piece, place)`: the index of the place at which a piece lies, or none."""
    draft = scope.draft
    piece, where = args_of(node, 2, scope)
    symbol = draft.symbols.get(where.name) if isinstance(where, t.Name) else None
    if not isinstance(symbol, PlaceSymbol) or len(draft.places[symbol.place].dims) != 1:
        raise draft.fail("E0407", "spot(...) wants a place with one index", where.span)
    place = draft.places[symbol.place]
    kind = draft.kinds[place.kind]
    made = elaborate(piece, scope, MemberType(kind.domain))
    dim = place.dims[0]
    size = draft.domains[dim].size
    at = Read(kind.where, (made,), IntType(0, 1 << 20))
    low, high = integer(place.first), integer(place.first + size - 1)
    inside = Binary(
        "and", Binary(">=", at, low, BoolType()), Binary("<=", at, high, BoolType()), BoolType()
    )
    found = Binary("-", at, low, MemberType(dim, True))
    return Cond(inside, found, Const(-1, MemberType(dim, True)), MemberType(dim, True))


def _order(node: t.Call, scope: Scope) -> Expr:
    """`place_in_order(p, first)`: 1 for the first seat, 2 for the next clockwise, ..."""
    one, two = (elaborate(a, scope, MemberType(0)) for a in args_of(node, 2, scope))
    count = scope.draft.players
    kind = IntType(-count, count)
    gap = Binary("mod", Binary("-", one, two, kind), integer(count), IntType(0, count - 1))
    return folded(Binary("+", gap, integer(1), IntType(1, count)), scope)


def _items(node: t.Call, scope: Scope) -> Expr:
    """`items(pile)`: the pieces of a pile or row as a list, bottom first."""
    made = elaborate(args_of(node, 1, scope)[0], scope)
    if not isinstance(made, Builtin) or made.name != "place_mask":
        raise scope.draft.fail("E0407", "only a pile or a row has items in order", node.span)
    assert isinstance(made.type, SetType)
    size = scope.draft.domains[made.type.domain].size
    return Builtin("place_items", made.args, ListType(MemberType(made.type.domain), size))


def _index_of(node: t.Call, scope: Scope) -> Expr:
    """`rank_in(x)`: the number of a member in the order of its declaration, from 1."""
    made = elaborate(args_of(node, 1, scope)[0], scope)
    if not isinstance(made.type, MemberType):
        raise mismatch(scope.draft, MemberType(-1), made.type, node.span)
    size = scope.draft.domains[made.type.domain].size
    return folded(Binary("+", made, integer(1), IntType(1, size)), scope)


def _size(node: t.Call, scope: Scope) -> Expr:
    return folds.count(node, scope)


FUNCTIONS: dict[str, Callable[[t.Call, Scope], Expr]] = {
    "abs": _abs,
    "columns": _bands("column"),
    "components": _components,
    "connected": _connected,
    "count": _size,
    "distance": _distance,
    "items": _items,
    "left_edge": _edge("left"),
    "lines": _lines,
    "matches": _matches,
    "matches_any_way": _matches_any_way,
    "max": _two("higher"),
    "min": _two("lower"),
    "next": _neighbour(1),
    "ordinal": _index_of,
    "place_in_order": _order,
    "possible": _possible,
    "previous": _neighbour(-1),
    "right_edge": _edge("right"),
    "rows": _bands("row"),
    "run_matches": _run_matches,
    "spot": _spot,
    "top": _top,
}
