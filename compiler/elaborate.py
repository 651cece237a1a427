"""Expressions: from the syntax tree to typed machine expressions.

In: an expression, the scope that it stands in and, where known, the type that is wanted. Out: a
machine expression whose constants are folded. Names resolve to locals, then to declarations, then
to members of domains (the wanted type decides between members of one name).
"""

from __future__ import annotations

from attrs import evolve

from compiler.machine.builtins import Fault
from compiler.machine.evaluate import evaluate
from compiler.machine.exprs import Binary, Builtin, Cond, Const, Expr, Lookup, Make, Read, Unary
from compiler.machine.values import (
    BoolType,
    IntType,
    ListType,
    MemberType,
    SetType,
    TextType,
    Type,
    VectorType,
)
from compiler.scope import (
    BoardSymbol,
    ConstSymbol,
    DefineSymbol,
    DomainSymbol,
    FieldSymbol,
    PatchSymbol,
    PlaceSymbol,
    Scope,
)
from compiler.types import EMPTY, NONE, as_key, fits, integer, join, mismatch, of_member, show
from dsl import tree as t


def elaborate(node: t.Expr, scope: Scope, want: Type | None = None) -> Expr:
    """A typed expression; with `want`, one that fits that type."""
    made = folded(_elaborate(node, scope, want), scope)
    return made if want is None else fits(scope.draft, made, want, node.span)


def condition(node: t.Expr, scope: Scope) -> Expr:
    """A yes or no expression."""
    return elaborate(node, scope, BoolType())


def number(node: t.Expr, scope: Scope) -> Expr:
    """An integer expression, of any range."""
    made = elaborate(node, scope)
    if not isinstance(made.type, IntType):
        raise mismatch(scope.draft, IntType(0, 0), made.type, node.span)
    return made


def constant(node: t.Expr, scope: Scope) -> int:
    """An integer that must be known when the game is compiled."""
    made = number(node, scope)
    if not isinstance(made, Const) or not isinstance(made.value, int):
        raise scope.draft.fail("E0405", "this must be known when the game is compiled", node.span)
    return made.value


def folded(made: Expr, scope: Scope) -> Expr:
    """The constant that an expression of constants is."""
    if isinstance(made, Const) or not _constant_parts(made):
        return made
    try:
        value = evaluate(made, scope.draft.world(), {})
    except (Fault, KeyError, IndexError, AttributeError):
        return made
    kind = made.type
    if isinstance(kind, IntType):
        kind = IntType(value, value)
    if isinstance(kind, MemberType) and kind.optional and value >= 0:
        kind = MemberType(kind.domain)
    return Const(value, kind)


def _constant_parts(made: Expr) -> bool:
    match made:
        case Unary(_, value):
            return isinstance(value, Const)
        case Binary(_, left, right):
            return isinstance(left, Const) and isinstance(right, Const)
        case Lookup(_, index):
            return not isinstance(made.type, VectorType) and all(
                isinstance(i, Const) for i in index
            )
        case Builtin(name, args):
            pure = not name.startswith("place_")
            return pure and all(isinstance(a, Const) for a in args)
        case Make(items):
            return all(isinstance(i, Const) for i in items)
    return False


def _elaborate(node: t.Expr, scope: Scope, want: Type | None) -> Expr:
    from compiler import calls, operators

    match node:
        case t.Int(value) | t.Time(value):
            return integer(value)
        case t.Text(value):
            return Const((value,), TextType())
        case t.Nothing():
            return Const(-1, want if isinstance(want, MemberType) and want.optional else NONE)
        case t.Name(name):
            return _name(name, node, scope, want)
        case t.Unary(op, value):
            return operators.unary(op, value, scope)
        case t.Binary(op, left, right):
            return operators.binary(op, left, right, node, scope, want)
        case t.Is(value, state):
            return calls.state_test(value, state, node, scope)
        case t.Range():
            raise scope.draft.fail("E0406", "a range can only stand after 'in'", node.span)
        case t.IfElse(test, then, other):
            return _if_else(test, then, other, node, scope, want)
        case t.Attr(value, name):
            return calls.attribute(value, name, node, scope)
        case t.Index(value, keys):
            return _index(value, keys, node, scope)
        case t.Call():
            return calls.call(node, scope, want)
        case t.SetOf(items):
            return _set(items, node, scope, want)
        case t.SetWhere(binder, image):
            return calls.comprehension(binder, image, scope)
        case t.MapOf(rows, other):
            return calls.map_value(rows, other, node, scope, want)
        case t.ListOf(items):
            return _list(items, scope, want)
    raise AssertionError(node)


def _name(name: str, node: t.Expr, scope: Scope, want: Type | None) -> Expr:
    from compiler.definitions import invoke

    if name in scope.locals:
        return scope.locals[name]
    draft = scope.draft
    members = draft.members.get(name, [])
    symbol = draft.symbols.get(name)
    if members and (symbol is None or isinstance(want, MemberType)):
        return _member(name, members, node, scope, want)
    match symbol:
        case ConstSymbol(value):
            return value
        case DomainSymbol(domain) | BoardSymbol(domain):
            return full_set(domain, scope)
        case FieldSymbol(number) | PatchSymbol(_, number):
            return read_field(number, (), scope)
        case PlaceSymbol(place):
            return place_value(place, (), node, scope)
        case DefineSymbol():
            return invoke(name, (), node, scope)
    raise draft.unknown(name, node.span)


def _member(
    name: str, members: list[tuple[int, int]], node: t.Expr, scope: Scope, want: Type | None
) -> Expr:
    wanted = getattr(want, "domain", None)
    fitting = [m for m in members if m[0] == wanted] or members
    if len(fitting) > 1:
        where = " and ".join(scope.draft.domains[d].name for d, _ in fitting)
        raise scope.draft.fail(
            "E0303", f"'{name}' is a member of {where}: it is not clear which is meant", node.span
        )
    return of_member(*fitting[0])


def full_set(domain: int, scope: Scope) -> Expr:
    """All members of a domain."""
    size = scope.draft.domains[domain].size
    return Const((1 << size) - 1, SetType(domain))


def read_field(number: int, index: tuple[Expr, ...], scope: Scope) -> Expr:
    """A cell of a field, or a row with fewer indices."""
    found = scope.draft.fields[number]
    kind = found.type
    for dim in reversed(found.dims[len(index) :]):
        kind = VectorType(dim, kind)
    return Read(number, index, kind)


def place_value(place: int, index: tuple[Expr, ...], node: t.Expr, scope: Scope) -> Expr:
    """The contents of a place: a set of pieces, or the optional piece of a place for one."""
    made = scope.draft.places[place]
    if len(index) != len(made.dims):
        raise scope.draft.fail(
            "E0407", f"'{made.name}' wants {len(made.dims)} index(es), not {len(index)}", node.span
        )
    domain = scope.draft.kinds[made.kind].domain
    if made.shape == "one":
        return Read(made.field, index, MemberType(domain, True))
    if made.shape == "set":
        return Read(made.field, index, SetType(domain))
    return Builtin("place_mask", (integer(place), *index), SetType(domain))


def _if_else(
    test: t.Expr, then: t.Expr, other: t.Expr, node: t.Expr, scope: Scope, want: Type | None
) -> Expr:
    asked = condition(test, scope)
    if isinstance(asked, Const):
        return elaborate(then if asked.value else other, scope, want)
    first = elaborate(then, scope, want)
    hint = first.type if want is None and isinstance(first.type, MemberType | SetType) else want
    if isinstance(hint, MemberType):
        hint = MemberType(hint.domain, True)
    second = elaborate(other, scope, want) if want else elaborate_with(other, scope, hint)
    kind = join(scope.draft, first.type, second.type, node.span)
    return Cond(asked, first, second, kind)


def elaborate_with(node: t.Expr, scope: Scope, hint: Type | None) -> Expr:
    """Elaborate with a hint that decides between members, but need not be met."""
    return folded(_elaborate(node, scope, hint), scope)


def _index(value: t.Expr, keys: tuple[t.Expr, ...], node: t.Expr, scope: Scope) -> Expr:
    from compiler import calls

    draft = scope.draft
    if isinstance(value, t.Name) and value.name not in scope.locals:
        symbol = draft.symbols.get(value.name)
        if isinstance(symbol, PlaceSymbol):
            made = draft.places[symbol.place]
            return place_value(symbol.place, _keys(made.dims, keys, node, scope), node, scope)
        if symbol is not None and not isinstance(symbol, FieldSymbol | PatchSymbol):
            found = calls.index_symbol(value.name, symbol, keys, node, scope)
            if found is not None:
                return found
    base = elaborate(value, scope)
    for key in keys:
        base = subscript(base, key, node, scope)
    return base


def _keys(
    dims: tuple[int, ...], keys: tuple[t.Expr, ...], node: t.Expr, scope: Scope
) -> tuple[Expr, ...]:
    if len(dims) != len(keys):
        raise scope.draft.fail(
            "E0407", f"{len(dims)} index(es) are wanted here, not {len(keys)}", node.span
        )
    return tuple(key_for(d, k, scope) for d, k in zip(dims, keys, strict=True))


def key_for(domain: int, key: t.Expr, scope: Scope) -> Expr:
    """An index expression for one dimension."""
    draft = scope.draft
    kind = draft.domains[domain].kind
    made = elaborate(key, scope) if kind == "range" else elaborate(key, scope, MemberType(domain))
    return folded(as_key(draft, domain, made, key.span), scope)


def subscript(base: Expr, key: t.Expr, node: t.Expr, scope: Scope) -> Expr:
    """One more index on a vector or a list."""
    match base.type:
        case VectorType(domain, item):
            at = key_for(domain, key, scope)
            if isinstance(base, Read | Lookup):
                return folded(evolve(base, index=(*base.index, at), type=item), scope)
            return folded(Builtin("item", (base, at), item), scope)
        case ListType(item):
            place = number(key, scope)
            from compiler.operators import interval

            assert isinstance(place.type, IntType)
            kind = interval("-", place.type, IntType(1, 1))
            at = folded(Binary("-", place, integer(1), kind), scope)
            return folded(Builtin("item", (base, at), item), scope)
    raise scope.draft.fail("E0407", f"{show(scope.draft, base.type)} cannot be indexed", node.span)


def _set(items: tuple[t.Expr, ...], node: t.Expr, scope: Scope, want: Type | None) -> Expr:
    draft = scope.draft
    kind: Type = want if isinstance(want, SetType) else EMPTY
    made: Expr = Const(0, kind)
    for item in items:
        hint = MemberType(kind.domain) if isinstance(kind, SetType) and kind.domain >= 0 else None
        one = _item(item, scope, hint)
        if isinstance(one.type, IntType):
            return _numbers(items, node, scope)
        if not isinstance(one.type, MemberType) or isinstance(item, t.Nothing):
            raise mismatch(
                draft, MemberType(max(getattr(kind, "domain", -1), 0)), one.type, item.span
            )
        kind = SetType(one.type.domain)
        member = fits(draft, one, MemberType(one.type.domain), item.span)
        single = folded(Unary("single", member, kind), scope)
        base = Const(0, kind) if isinstance(made, Const) and made.value == 0 else made
        join(draft, base.type, kind, item.span)
        made = folded(Binary("union", base, single, kind), scope)
    return made


def _item(item: t.Expr, scope: Scope, hint: MemberType | None) -> Expr:
    if (
        hint is not None
        and isinstance(item, t.Name)
        and scope.draft.domains[hint.domain].kind != "range"
    ):
        return elaborate_with(item, scope, hint)
    return elaborate(item, scope)


def _numbers(items: tuple[t.Expr, ...], node: t.Expr, scope: Scope) -> Expr:
    values = [constant(i, scope) for i in items]
    low, high = min(values), max(values)
    if high - low > 1000:
        raise scope.draft.fail("E0404", "the numbers of a set may span 1000 at the most", node.span)
    mask = 0
    for value in values:
        mask |= 1 << (value - low)
    return Const(mask, SetType(scope.draft.range_domain(low, high)))


def _list(items: tuple[t.Expr, ...], scope: Scope, want: Type | None) -> Expr:
    item = want.item if isinstance(want, ListType) else None
    made = tuple(elaborate(i, scope, item) for i in items)
    kind = made[0].type if made else (item or IntType(0, 0))
    for one, node in zip(made[1:], items[1:], strict=True):
        kind = join(scope.draft, kind, one.type, node.span)
    return Make(made, ListType(kind, len(made)))
