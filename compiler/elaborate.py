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
from compiler.types import NONE, as_key, fits, integer, join, mismatch, of_member, show
from dsl import tree as t

COMPARE = ("=", "!=", "<", "<=", ">", ">=")


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
    from compiler import calls

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
            return _unary(op, value, scope)
        case t.Binary(op, left, right):
            return _binary(op, left, right, node, scope, want)
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


def _unary(op: str, value: t.Expr, scope: Scope) -> Expr:
    if op == "not":
        return Unary("not", condition(value, scope), BoolType())
    made = number(value, scope)
    low, high = made.type.low, made.type.high  # type: ignore[union-attr]  # number() returns integers
    return Unary("neg", made, IntType(-high, -low))


def _binary(
    op: str, left: t.Expr, right: t.Expr, node: t.Expr, scope: Scope, want: Type | None
) -> Expr:
    if op in ("and", "or"):
        return _logic(op, left, right, scope)
    if op == "in":
        return _membership(left, right, scope)
    if op in COMPARE:
        return _comparison(op, left, right, node, scope)
    hint = want if isinstance(want, SetType) else None
    first = _elaborate_hinted(left, scope, hint)
    second = _elaborate_hinted(right, scope, first.type if _is_set(first) else hint)
    if isinstance(first.type, ListType) and isinstance(second.type, ListType) and op == "+":
        both = join(scope.draft, first.type, second.type, node.span)
        assert isinstance(both, ListType)
        limit = first.type.limit + second.type.limit
        return Builtin("concat", (first, second), ListType(both.item, limit))
    if _is_set(first) or _is_set(second):
        return _sets(op, first, second, node, scope)
    return _arithmetic(op, first, second, node, scope)


def _elaborate_hinted(node: t.Expr, scope: Scope, hint: Type | None) -> Expr:
    """Elaborate with a hint that decides between members, but does not have to be met."""
    if hint is None or not isinstance(node, t.SetOf | t.Name):
        return elaborate(node, scope)
    return folded(_elaborate(node, scope, hint), scope)


def _is_set(made: Expr) -> bool:
    return isinstance(made.type, SetType | MemberType)


def _logic(op: str, left: t.Expr, right: t.Expr, scope: Scope) -> Expr:
    first = condition(left, scope)
    if isinstance(first, Const):
        decided = bool(first.value) == (op == "or")
        return first if decided else condition(right, scope)
    return Binary(op, first, condition(right, scope), BoolType())


def _membership(left: t.Expr, right: t.Expr, scope: Scope) -> Expr:
    if isinstance(right, t.Range):
        value = number(left, scope)
        low, high = number(right.low, scope), number(right.high, scope)
        return Binary(
            "and",
            folded(Binary(">=", value, low, BoolType()), scope),
            folded(Binary("<=", value, high, BoolType()), scope),
            BoolType(),
        )
    over = elaborate(right, scope)
    draft = scope.draft
    match over.type:
        case SetType(domain):
            made = elaborate(left, scope, None if domain < 0 else _hint(domain, left, scope))
            if domain >= 0 and draft.domains[domain].kind == "range":
                return Binary("in", as_key(draft, domain, made, left.span), over, BoolType())
            if not isinstance(made.type, MemberType):
                raise mismatch(draft, MemberType(domain), made.type, left.span)
            join(draft, MemberType(domain, True), made.type, left.span)
            return Binary("in", made, over, BoolType())
        case ListType(item) | VectorType(_, item):
            made = elaborate(left, scope)
            join(draft, item, made.type, left.span)
            return Binary("in", made, over, BoolType())
    raise draft.fail("E0401", f"{show(draft, over.type)} has no members", right.span)


def _hint(domain: int, left: t.Expr, scope: Scope) -> Type | None:
    plain = isinstance(left, t.Name) and left.name not in scope.locals
    if plain and scope.draft.domains[domain].kind != "range":
        return MemberType(domain, True)
    return None


def _comparison(op: str, left: t.Expr, right: t.Expr, node: t.Expr, scope: Scope) -> Expr:
    first = _side(left, scope, None)
    second = _side(right, scope, first)
    if first is None:
        first = _side(left, scope, second)
    if first is None or second is None:
        first = elaborate(left, scope)
        second = elaborate(right, scope)
    kind = join(scope.draft, first.type, second.type, node.span)
    if op not in ("=", "!=") and not isinstance(kind, IntType | MemberType):
        raise scope.draft.fail("E0401", f"{show(scope.draft, kind)} has no order", node.span)
    if isinstance(kind, IntType) and op in ("=", "!="):
        _possible_equal(first, second, node, scope)
    return Binary(op, first, second, BoolType())


def _possible_equal(first: Expr, second: Expr, node: t.Expr, scope: Scope) -> None:
    a, b = first.type, second.type
    if isinstance(a, IntType) and isinstance(b, IntType) and (a.high < b.low or b.high < a.low):
        if isinstance(first, Const) and isinstance(second, Const):
            return
        scope.draft.report.warn(
            "W0408",
            f"{show(scope.draft, a)} never equals {show(scope.draft, b)}",
            node.span,
        )


def _side(node: t.Expr, scope: Scope, other: Expr | None) -> Expr | None:
    """One side of a comparison; a bare member name waits for the type of the other side."""
    ambiguous = (
        isinstance(node, t.Name)
        and node.name not in scope.locals
        and len(scope.draft.members.get(node.name, [])) > 1
    )
    if other is None:
        return None if ambiguous else elaborate(node, scope)
    kind = other.type
    if isinstance(kind, MemberType):
        return _elaborate_member(node, scope, MemberType(kind.domain, True))
    if isinstance(kind, SetType):
        return _elaborate_hinted(node, scope, kind)
    return elaborate(node, scope)


def _elaborate_member(node: t.Expr, scope: Scope, hint: MemberType) -> Expr:
    return folded(_elaborate(node, scope, hint if hint.domain >= 0 else None), scope)


def _sets(op: str, first: Expr, second: Expr, node: t.Expr, scope: Scope) -> Expr:
    names = {"+": "union", "-": "minus", "&": "meet"}
    if op not in names:
        raise scope.draft.fail("E0401", f"'{op}' does not work on sets", node.span)
    draft = scope.draft
    domain = max(_domain(first), _domain(second))
    kind = SetType(domain)
    one = fits(draft, first, kind, node.span)
    two = fits(draft, second, kind, node.span)
    return Binary(names[op], one, two, kind)


def _domain(made: Expr) -> int:
    return made.type.domain if isinstance(made.type, SetType | MemberType) else -1


def _arithmetic(op: str, first: Expr, second: Expr, node: t.Expr, scope: Scope) -> Expr:
    a, b = first.type, second.type
    if op == "/":
        raise scope.draft.fail(
            "E0409",
            "this division does not say which way it rounds",
            node.span,
            help="write 'a / b rounded up' or 'a / b rounded down'",
        )
    if not isinstance(a, IntType) or not isinstance(b, IntType):
        wrong = b if isinstance(a, IntType) else a
        raise mismatch(scope.draft, IntType(0, 0), wrong, node.span)
    return Binary(op, first, second, interval(op, a, b))


def interval(op: str, a: IntType, b: IntType) -> IntType:
    """The range of a result from the ranges of the operands."""
    match op:
        case "+":
            return IntType(a.low + b.low, a.high + b.high)
        case "-":
            return IntType(a.low - b.high, a.high - b.low)
        case "*":
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return IntType(min(corners), max(corners))
        case "mod":
            top = max(abs(b.low), abs(b.high)) - 1
            return IntType(0 if b.low > 0 else -top, max(top, 0))
    divisors = [d for d in (b.low, b.high, -1, 1) if b.low <= d <= b.high and d]
    corners = [q for x in (a.low, a.high) for d in divisors for q in (x // d, -(-x // d))]
    return IntType(min(corners, default=0), max(corners, default=0))


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
    second = elaborate(other, scope, want) if want else _elaborate_with(other, scope, hint)
    kind = join(scope.draft, first.type, second.type, node.span)
    return Cond(asked, first, second, kind)


def _elaborate_with(node: t.Expr, scope: Scope, hint: Type | None) -> Expr:
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
            assert isinstance(place.type, IntType)
            kind = interval("-", place.type, IntType(1, 1))
            at = folded(Binary("-", place, integer(1), kind), scope)
            return folded(Builtin("item", (base, at), item), scope)
    raise scope.draft.fail("E0407", f"{show(scope.draft, base.type)} cannot be indexed", node.span)


def _set(items: tuple[t.Expr, ...], node: t.Expr, scope: Scope, want: Type | None) -> Expr:
    from compiler.types import EMPTY

    draft = scope.draft
    kind: Type = want if isinstance(want, SetType) else EMPTY
    made: Expr = Const(0, kind)
    for item in items:
        hint = MemberType(kind.domain) if isinstance(kind, SetType) and kind.domain >= 0 else None
        one = _item(item, scope, hint)
        if isinstance(one.type, IntType):
            return _numbers(items, node, scope)
        if not isinstance(one.type, MemberType):
            raise mismatch(draft, MemberType(-1), one.type, item.span)
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
        return _elaborate_with(item, scope, hint)
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
