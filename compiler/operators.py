"""Operators: from the syntax tree to typed machine expressions, with the range of every result.

In: an operator with its operands as syntax. Out: a machine expression. A bare member name takes its
type from the other side of a comparison; a division must say how it rounds.
"""

from __future__ import annotations

from compiler.elaborate import condition, elaborate, elaborate_with, folded, number
from compiler.machine.exprs import Binary, Builtin, Const, Expr, Unary
from compiler.machine.values import (
    BoolType,
    IntType,
    ListType,
    MemberType,
    SetType,
    Type,
    VectorType,
)
from compiler.scope import (
    Scope,
)
from compiler.types import as_key, fits, join, mismatch, show
from dsl import tree as t

COMPARE = ("=", "!=", "<", "<=", ">", ">=")


def unary(op: str, value: t.Expr, scope: Scope) -> Expr:
    """`not x` and `-x`."""
    if op == "not":
        return Unary("not", condition(value, scope), BoolType())
    made = number(value, scope)
    assert isinstance(made.type, IntType)
    low, high = made.type.low, made.type.high
    return Unary("neg", made, IntType(-high, -low))


def binary(
    op: str, left: t.Expr, right: t.Expr, node: t.Expr, scope: Scope, want: Type | None
) -> Expr:
    """An operator between two values; the type of one side may decide the other's members."""
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
    return elaborate_with(node, scope, hint)


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
    return elaborate_with(node, scope, hint if hint.domain >= 0 else None)


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
