"""Folds and comprehensions: all, any, sum, count, max, min, best, first, sets and lists.

In: binders with their conditions. Out: machine folds with a bounded type.
"""

from __future__ import annotations

from attrs import frozen

from compiler.elaborate import condition, elaborate, number
from compiler.machine.exprs import Binary, Builtin, Expr, Fold, Local, Unary
from compiler.machine.values import (
    BoolType,
    IntType,
    ListType,
    MemberType,
    SetType,
    Type,
    VectorType,
)
from compiler.scope import Scope
from compiler.types import integer, mismatch, show, walkable
from dsl import tree as t
from dsl.build_expr import binder_from

NAMES = ("all", "any", "sum", "count", "max", "min", "best", "first", "list")


@frozen
class Over:
    """What a fold runs over: a set or list, or integers low..high; and the bound name's value."""

    over: Expr | None
    low: Expr | None
    high: Expr | None
    slot: int
    value: Expr
    most: int


def over(domain: t.Expr, scope: Scope) -> Over:
    """The domain of a binder, with a fresh local."""
    slot = scope.new_slot()
    if isinstance(domain, t.Range):
        low, high = number(domain.low, scope), number(domain.high, scope)
        assert isinstance(low.type, IntType) and isinstance(high.type, IntType)
        whole = IntType(low.type.low, max(high.type.high, low.type.low))
        kind = walkable(scope.draft, whole, domain.span)
        most = max(0, kind.high - kind.low + 1)
        return Over(None, low, high, slot, Local(slot, kind), most)
    made = elaborate(domain, scope)
    draft = scope.draft
    match made.type:
        case SetType(index) if index >= 0:
            found = draft.domains[index]
            if found.kind == "range":
                return Over(made, None, None, slot, _number(slot, index, scope), found.size)
            return Over(made, None, None, slot, Local(slot, MemberType(index)), found.size)
        case SetType():
            return Over(made, None, None, slot, Local(slot, MemberType(-1)), 0)
        case ListType(item, limit):
            return Over(made, None, None, slot, Local(slot, item), limit)
        case VectorType(index, item):
            return Over(made, None, None, slot, Local(slot, item), draft.domains[index].size)
    raise draft.fail(
        "E0401", f"{show(draft, made.type)} cannot be gone through one by one", domain.span
    )


def _number(slot: int, domain: int, scope: Scope) -> Expr:
    found = scope.draft.domains[domain]
    local = Local(slot, IntType(0, found.size - 1))
    if not found.start:
        return local
    last = found.start + found.size - 1
    return Binary("+", local, integer(found.start), IntType(found.start, last))


def is_fold(node: t.Call) -> bool:
    """Whether a call of a fold's name binds a name (`count(s)` of a set does not)."""
    return node.folds or (bool(node.args) and binder_from(node.args[0]) is not None)


def fold(name: str, node: t.Call, scope: Scope) -> Expr:
    """A fold as written: `sum(x in S where P: e)`."""
    binders = [binder_from(a) for a in node.args]
    if not binders or any(b is None for b in binders):
        raise scope.draft.fail(
            "E0414", f"'{name}' goes through something: write {name}(x in ...: ...)", node.span
        )
    first = binders[0]
    assert first is not None
    if len(binders) > 1:
        return _nested(name, node, scope)
    ran = over(first.domain, scope)
    inner = scope.child(**{first.name: ran.value})
    where = None if node.where is None else condition(node.where, inner)
    return _make(name, node, ran, where, inner)


def _nested(name: str, node: t.Call, scope: Scope) -> Expr:
    """Several binders: the inner ones are a fold of their own."""
    if name not in ("all", "any", "sum", "count"):
        raise scope.draft.fail("E0414", f"'{name}' takes one binder", node.span)
    rest = t.Call(node.function, node.args[1:], node.where, node.body, span=node.span)
    outer = "sum" if name == "count" else name
    one = t.Call(t.Name(outer), node.args[:1], None, rest, span=node.span)
    return fold(outer, one, scope)


def _make(name: str, node: t.Call, ran: Over, where: Expr | None, inner: Scope) -> Expr:
    body: Expr | None = None
    kind: Type
    match name:
        case "all" | "any":
            body, kind = condition(_body(name, node, inner), inner), BoolType()
        case "count":
            kind = IntType(0, ran.most)
        case "sum":
            body = number(_body(name, node, inner), inner)
            kind = _total(body.type, ran.most)
        case "max" | "min":
            body = number(_body(name, node, inner), inner)
            kind = body.type
        case "best" | "first":
            body = integer(0) if node.by is None else number(node.by, inner)
            if node.by is None and name == "first" and node.body is not None:
                body = number(node.body, inner)
            kind = _chosen(name, node, ran, inner)
        case _:
            body = elaborate(_body(name, node, inner), inner)
            kind = ListType(body.type, ran.most)
    made = Fold(name, ran.slot, ran.over, ran.low, ran.high, where, body, node.lowest, kind)
    if name == "first" and isinstance(ran.value, Binary):
        raise inner.draft.fail("E0414", "'first' goes through members, not numbers", node.span)
    return made


def _chosen(name: str, node: t.Call, ran: Over, inner: Scope) -> Type:
    kind = ran.value.type
    if isinstance(kind, SetType) and name == "first":
        return kind
    if not isinstance(kind, MemberType):
        raise mismatch(inner.draft, MemberType(-1), kind, node.span)
    return SetType(kind.domain) if name == "best" else MemberType(kind.domain, True)


def _body(name: str, node: t.Call, inner: Scope) -> t.Expr:
    if node.body is None:
        raise inner.draft.fail(
            "E0414", f"'{name}' wants something to take for each: {name}(x in ...: ...)", node.span
        )
    return node.body


def _total(kind: Type, most: int) -> IntType:
    assert isinstance(kind, IntType)
    return IntType(min(0, kind.low * most), max(0, kind.high * most))


def comprehension(binder: t.Binder, image: t.Expr | None, scope: Scope) -> Expr:
    """`{x in S where P}` and `{f(x) for x in S where P}`."""
    draft = scope.draft
    if binder.name == "_":
        raise draft.fail("E0414", "a set is written {x in ... where ...}", binder.span)
    ran = over(binder.domain, scope)
    inner = scope.child(**{binder.name: ran.value})
    where = None if binder.where is None else condition(binder.where, inner)
    if image is None:
        kind = ran.over.type if ran.over is not None else None
        if not isinstance(kind, SetType):
            raise draft.fail("E0401", "a set is chosen from a set", binder.span)
        return Fold("filter", ran.slot, ran.over, None, None, where, None, False, kind)
    body = elaborate(image, inner)
    if isinstance(body.type, SetType):
        union = Fold(
            "list",
            ran.slot,
            ran.over,
            ran.low,
            ran.high,
            where,
            body,
            False,
            ListType(body.type, ran.most),
        )
        return Builtin("union", (union,), body.type)
    if not isinstance(body.type, MemberType):
        raise mismatch(draft, MemberType(-1), body.type, image.span)
    kind = SetType(body.type.domain)
    return Fold("image", ran.slot, ran.over, ran.low, ran.high, where, body, False, kind)


def count(node: t.Call, scope: Scope) -> Expr:
    """`count(s)`: how many members a set, or items a list, has."""
    made = elaborate(node.args[0], scope)
    draft = scope.draft
    match made.type:
        case SetType(domain):
            most = draft.domains[domain].size if domain >= 0 else 0
            if isinstance(made, Builtin) and made.name == "place_mask":
                return Builtin("place_size", made.args, IntType(0, most))
            return Unary("count", made, IntType(0, most))
        case ListType(_, limit):
            return Unary("size", made, IntType(0, limit))
    raise draft.fail("E0401", f"{show(draft, made.type)} cannot be counted", node.span)


def packing(node: t.Call, scope: Scope) -> Expr:
    """`packing(m in list by weight)`: the best total of pairwise disjoint sets."""
    first = binder_from(node.args[0]) if node.args else None
    if first is None:
        raise scope.draft.fail("E0414", "write packing(m in ... by weight)", node.span)
    masks = elaborate(first.domain, scope)
    if not isinstance(masks.type, ListType) or not isinstance(masks.type.item, SetType):
        raise mismatch(scope.draft, ListType(SetType(-1), 0), masks.type, first.span)
    slot = scope.new_slot()
    inner = scope.child(**{first.name: Local(slot, masks.type.item)})
    where = None if node.where is None else condition(node.where, inner)
    weight: Expr = integer(1) if node.by is None else number(node.by, inner)
    assert isinstance(weight.type, IntType)
    most = masks.type.limit
    item = Local(slot, masks.type.item)
    kept = Fold("list", slot, masks, None, None, where, item, False, masks.type)
    weights = Fold(
        "list", slot, masks, None, None, where, weight, False, ListType(weight.type, most)
    )
    total = IntType(0, max(0, weight.type.high) * most)
    return Builtin("packing", (kept, weights), total)
