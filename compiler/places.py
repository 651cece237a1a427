"""Positions in scenarios: which cells and places a `given` or a `sees` means.

In: expressions that name variables and places. Out: indices, effects that put pieces where they
are said to be, and comparisons of contents.
"""

from __future__ import annotations

from itertools import product as cartesian

from compiler.elaborate import condition, elaborate, folded, place_value
from compiler.machine import effects as e
from compiler.machine.exprs import Binary, Builtin, Const, Expr, Make, Unary
from compiler.machine.scenario import Seen
from compiler.machine.values import BoolType, ListType, MemberType, SetType
from compiler.maps import key_indices
from compiler.moves import BOX, kind_of, place_target
from compiler.scope import FieldSymbol, PatchSymbol, PlaceSymbol, Scope
from dsl import tree as t


def field_of(name: str, node: t.Expr, scope: Scope) -> int:
    """The field of a variable or a patch by name."""
    symbol = scope.draft.symbols.get(name)
    if isinstance(symbol, FieldSymbol | PatchSymbol):
        return symbol.field
    if symbol is None:
        raise scope.draft.unknown(name or "this", node.span, "variable")
    raise scope.draft.fail(
        "E0420", f"'{name}' is not a variable", node.span, help="a place is set by 'holds'"
    )


def key_values(dim: int, key: t.Expr, scope: Scope) -> list[int]:
    """The indices that a key stands for."""
    if isinstance(key, t.SetOf):
        return [i for item in key.items for i in key_indices(item, dim, scope)]
    return key_indices(key, dim, scope)


def product(keys: list[list[int]]) -> list[tuple[int, ...]]:
    """All combinations of indices."""
    return list(cartesian(*keys))


def holds(left: t.Expr, value: t.Expr, scope: Scope) -> list[e.Effect]:
    """`place holds {a, b}`: these pieces and no others; a list gives the order, bottom first."""
    draft = scope.draft
    spread = _one_by_one(left, value, scope)
    if spread:
        return spread
    to = place_target(left, scope)
    if to.place == BOX:
        raise draft.fail("E0422", "say where the pieces are, not what is in the box", left.span)
    place = draft.places[to.place]
    domain = draft.kinds[place.kind].domain
    kind = SetType(domain)
    now = place_value(to.place, to.index, left, scope)
    if place.shape == "one":
        listed = Make((now,), ListType(MemberType(domain, True), 1))
        now = Builtin("mask", (listed,), kind)
    out: list[e.Effect] = [e.MoveSet(place.kind, now, e.Target(BOX, ()), False, None, -1, True, -1)]
    if isinstance(value, t.ListOf):
        for item in value.items:
            piece = elaborate(item, scope, MemberType(domain))
            out.append(_move(place.kind, piece, to, kind, scope))
        return out
    made = elaborate(value, scope, None if not _bare(value) else kind)
    if isinstance(made.type, MemberType):
        return [*out, _move(place.kind, made, to, kind, scope)]
    if not isinstance(made.type, SetType):
        kind_of(-1, value, scope)
    if not isinstance(made, Const) or made.value:
        out.append(e.MoveSet(place.kind, made, to, False, None, -1, True, -1))
    return out


def _one_by_one(left: t.Expr, value: t.Expr, scope: Scope) -> list[e.Effect]:
    """`place holds [a, b, c]` for a place with one index: one item for each member of it."""
    symbol = scope.draft.symbols.get(left.name) if isinstance(left, t.Name) else None
    if not isinstance(symbol, PlaceSymbol) or not isinstance(value, t.ListOf):
        return []
    dims = scope.draft.places[symbol.place].dims
    if len(dims) != 1:
        return []
    labels = scope.draft.domains[dims[0]].labels
    start = scope.draft.domains[dims[0]].kind == "range"
    if len(labels) != len(value.items):
        raise scope.draft.fail("E0407", f"{len(labels)} items are wanted", value.span)
    out: list[e.Effect] = []
    for label, item in zip(labels, value.items, strict=True):
        key: t.Expr = t.Int(int(label)) if start else t.Name(label)
        out += holds(t.Index(left, (key,), span=left.span), item, scope)
    return out


def _bare(value: t.Expr) -> bool:
    return isinstance(value, t.SetOf) and not value.items


def _move(kind: int, piece: Expr, to: e.Target, type_: SetType, scope: Scope) -> e.Effect:
    mask = folded(Unary("single", piece, type_), scope)
    return e.MoveSet(kind, mask, to, False, None, -1, True, -1)


def seen(node: t.Expr, scope: Scope) -> Seen:
    """A place or a variable that somebody sees or does not."""
    base = node.value if isinstance(node, t.Index) else node
    symbol = scope.draft.symbols.get(base.name) if isinstance(base, t.Name) else None
    if isinstance(symbol, PlaceSymbol):
        target = place_target(node, scope)
        return Seen(-1, target.place, target.index)
    if isinstance(symbol, FieldSymbol | PatchSymbol):
        made = elaborate(node, scope)
        index = getattr(made, "index", ())
        return Seen(symbol.field, -1, index)
    raise scope.draft.fail("E0422", "a seat sees places and variables", node.span)


def equals(node: t.Expr, other: t.Expr, scope: Scope) -> Expr:
    """Whether what is there is what is said to be seen."""
    made = elaborate(node, scope)
    if isinstance(made.type, SetType) and isinstance(other, t.SetOf):
        wanted = elaborate(other, scope, made.type)
        return Binary("=", made, wanted, BoolType())
    return condition(t.Binary("=", node, other, span=node.span), scope)
