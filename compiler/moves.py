"""Moves: pieces from where they are to a place, in a stated order.

In: a `move` statement. Out: machine effects. A set that goes into a pile or row must say in which
order, unless at most one piece can move; a draw from a pile that refills itself is made of steps
in the control graph (see `flow`).
"""

from __future__ import annotations

from compiler.elaborate import elaborate, folded, key_for, number
from compiler.machine import effects as e
from compiler.machine.exprs import Builtin, Const, Expr, Fold, Local, Make, Read, Unary
from compiler.machine.values import ListType, MemberType, SetType
from compiler.scope import DomainSymbol, PlaceSymbol, Scope
from compiler.types import fits, integer, mismatch, show
from dsl import statements as s
from dsl import tree as t

BOX = -1


def place_target(node: t.Expr, scope: Scope) -> e.Target:
    """A place with its indices; `box` is where pieces are that are out of the game."""
    draft = scope.draft
    name = node.value if isinstance(node, t.Index) else node
    if isinstance(name, t.Name) and name.name == "box" and "box" not in draft.symbols:
        return e.Target(BOX, ())
    symbol = draft.symbols.get(name.name) if isinstance(name, t.Name) else None
    if not isinstance(symbol, PlaceSymbol):
        word = name.name if isinstance(name, t.Name) else "this"
        if symbol is None:
            raise draft.unknown(word, node.span, "place")
        raise draft.fail("E0422", f"'{word}' is not a place", node.span)
    place = draft.places[symbol.place]
    keys = node.keys if isinstance(node, t.Index) else ()
    if len(keys) != len(place.dims):
        raise draft.fail(
            "E0407", f"'{place.name}' wants {len(place.dims)} index(es), not {len(keys)}", node.span
        )
    return e.Target(
        symbol.place, tuple(key_for(d, k, scope) for d, k in zip(place.dims, keys, strict=True))
    )


def move(stmt: s.Move, scope: Scope) -> list[e.Effect]:
    """The effects of a move."""
    draft = scope.draft
    to = place_target(stmt.to, scope)
    clause = draft.clause(scope.path, "effect", "", stmt.cites, stmt.span)
    if stmt.form == "top":
        return [move_top(stmt, to, clause, scope)]
    if stmt.form == "every" and stmt.arrange == "turned_over":
        source = place_target(stmt.what, scope)
        if source.place == BOX or to.place == BOX:
            raise draft.fail("E0422", "only a pile is turned over onto another", stmt.span)
        kind = same_kind(source, to, stmt, scope)
        return [e.TurnOver(kind, source, to, clause)]
    what = pieces(stmt.what, scope)
    assert isinstance(what.type, SetType)
    if stmt.form == "one":
        what = Unary("single", _any_of(what, stmt, scope), what.type)
    domain = getattr(what.type, "domain", -1)
    kind = kind_of(domain, stmt.what, scope)
    _fits_place(to, kind, stmt, scope)
    _ordered(stmt, to, what, scope)
    key, slot = None, -1
    if stmt.key is not None:
        slot = scope.new_slot()
        inner = scope.child(it=Local(slot, MemberType(domain)))
        key = number(stmt.key, inner)
    return [e.MoveSet(kind, what, to, stmt.arrange == "under", key, slot, stmt.lowest, clause)]


def _any_of(what: Expr, stmt: s.Move, scope: Scope) -> Expr:
    """One of a set of pieces that nobody can tell apart: the first."""
    slot = scope.new_slot()
    assert isinstance(what.type, SetType)
    first = Fold(
        "first",
        slot,
        what,
        None,
        None,
        None,
        integer(0),
        True,
        MemberType(what.type.domain, True),
    )
    return fits(scope.draft, first, MemberType(what.type.domain), stmt.span)


def move_top(stmt: s.Move, to: e.Target, clause: int, scope: Scope) -> e.Effect:
    """`move top n of pile to place`."""
    assert stmt.count is not None
    source = place_target(stmt.what, scope)
    count = number(stmt.count, scope)
    kind = same_kind(source, to, stmt, scope)
    if scope.draft.places[source.place].shape not in ("pile", "row"):
        raise scope.draft.fail("E0422", "only a pile or a row has a top", stmt.what.span)
    return e.MoveTop(kind, count, source, to, stmt.partial, clause)


def same_kind(source: e.Target, to: e.Target, stmt: s.Move, scope: Scope) -> int:
    """The kind of pieces of a source, which the destination must take."""
    if source.place == BOX:
        raise scope.draft.fail("E0422", "the box has no order", stmt.what.span)
    kind = scope.draft.places[source.place].kind
    _fits_place(to, kind, stmt, scope)
    return kind


def _fits_place(to: e.Target, kind: int, stmt: s.Move, scope: Scope) -> None:
    draft = scope.draft
    if to.place != BOX and draft.places[to.place].kind != kind:
        place = draft.places[to.place]
        raise draft.fail(
            "E0423",
            f"'{place.name}' is for {draft.kinds[place.kind].name}, not {draft.kinds[kind].name}",
            stmt.to.span,
        )


def kind_of(domain: int, node: t.Expr, scope: Scope) -> int:
    """The kind of pieces whose domain this is."""
    for number_, kind in scope.draft.kinds.items():
        if kind.domain == domain:
            return number_
    raise scope.draft.fail("E0423", "only pieces can be moved", node.span)


def pieces(node: t.Expr, scope: Scope) -> Expr:
    """What moves, as a set: one piece, a set of pieces, or the contents of a place."""
    draft = scope.draft
    if isinstance(node, t.Name) and isinstance(draft.symbols.get(node.name), DomainSymbol):
        return elaborate(node, scope)
    made = elaborate(node, scope)
    match made.type:
        case SetType():
            return made
        case MemberType(domain, optional):
            kind = SetType(domain)
            if not optional:
                return folded(Unary("single", made, kind), scope)
            if isinstance(made, Read):
                return Builtin("mask", (_as_list(made),), kind)
            return Unary("single", fits(draft, made, MemberType(domain), node.span), kind)
    raise mismatch(draft, SetType(-1), made.type, node.span)


def _as_list(made: Expr) -> Expr:
    return Make((made,), ListType(made.type, 1))


def _ordered(stmt: s.Move, to: e.Target, what: Expr, scope: Scope) -> None:
    draft = scope.draft
    if to.place == BOX or draft.places[to.place].shape not in ("pile", "row"):
        return
    single = isinstance(what, Unary) and what.op == "single"
    if single or stmt.arrange or _at_most_one(what):
        return
    raise draft.fail(
        "E0424",
        f"in which order do these go to '{draft.places[to.place].name}'?",
        stmt.span,
        help="add 'shuffled', 'turned over', 'under', or 'ordered by ...'",
        notes=(f"what moves is {show(draft, what.type)}",),
    )


def _at_most_one(what: Expr) -> bool:
    if isinstance(what, Const) and isinstance(what.value, int):
        return what.value.bit_count() <= 1
    return isinstance(what, Builtin) and what.name == "mask"
