"""Types: from what is written to what the machine knows, and how two of them meet.

In: type nodes and machine expressions. Out: machine types, or a problem in the report.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from compiler.machine.exprs import Binary, Const, Expr, Unary
from compiler.machine.values import (
    BoolType,
    Domain,
    IntType,
    ListType,
    MemberType,
    PatternType,
    SetType,
    TextType,
    Type,
    VectorType,
)
from compiler.scope import BoardSymbol, DomainSymbol, Draft, Failed
from dsl import tree as t
from dsl.problems import Span

NONE = MemberType(-1, True)
EMPTY = SetType(-1)
Constant = Callable[[t.Expr], int]
MAX_RANGE = 1 << 40
MAX_DOMAIN = 100_000
YES = Const(1, BoolType())
NO = Const(0, BoolType())


def integer(value: int) -> Const:
    """A constant integer."""
    return Const(value, IntType(value, value))


def of_member(domain: int, index: int) -> Const:
    """A constant member of a domain."""
    return Const(index, MemberType(domain))


def show(draft: Draft, kind: Type) -> str:
    """A type in the words of the language."""
    match kind:
        case IntType(low, high):
            return f"a number {low}..{high}"
        case BoolType():
            return "yes or no"
        case MemberType(domain, optional):
            return ("optional " if optional else "") + _domain(draft, domain)
        case SetType(domain):
            return f"set of {_domain(draft, domain)}"
        case VectorType(domain, item):
            return f"{show(draft, item)} for each {_domain(draft, domain)}"
        case ListType(item):
            return f"list of {show(draft, item)}"
        case PatternType(_, label):
            return f"pattern of {_domain(draft, label)}"
        case TextType():
            return "text"


def _domain(draft: Draft, domain: int) -> str:
    return "nothing" if domain < 0 else draft.domains[domain].name


def join(draft: Draft, one: Type, two: Type, span: Span) -> Type:
    """The smallest type that holds both."""
    found = _join(one, two)
    if found is None:
        raise mismatch(draft, one, two, span)
    return found


def _join(one: Type, two: Type) -> Type | None:
    match one, two:
        case IntType(a, b), IntType(c, d):
            return IntType(min(a, c), max(b, d))
        case BoolType(), BoolType():
            return one
        case MemberType(a, p), MemberType(b, q) if a == b or -1 in (a, b):
            return MemberType(max(a, b), p or q)
        case SetType(a), SetType(b) if a == b or -1 in (a, b):
            return SetType(max(a, b))
        case VectorType(a, x), VectorType(b, y) if a == b:
            item = _join(x, y)
            return None if item is None else VectorType(a, item)
        case ListType(x, m), ListType(y, n):
            item = _join(x, y)
            return None if item is None else ListType(item, max(m, n))
        case PatternType(), PatternType():
            return one if one == two else None
        case TextType(), TextType():
            return one
    return None


def mismatch(draft: Draft, wanted: Type, found: Type, span: Span) -> Failed:
    """Report that one type stands where another is wanted."""
    return draft.fail(
        "E0401",
        f"this is {show(draft, found)}, but {show(draft, wanted)} is wanted here",
        span,
    )


def fits(draft: Draft, value: Expr, wanted: Type, span: Span) -> Expr:
    """A value as the wanted type: an optional is unwrapped, a constant out of range refused."""
    kind = value.type
    match wanted, kind:
        case IntType(low, high), IntType(a, b):
            if b < low or a > high:
                raise draft.fail(
                    "E0402",
                    f"{_range(a, b)} can never be in {low}..{high}",
                    span,
                )
            return value
        case MemberType(d, False), MemberType(e, True) if d == e:
            return Unary("the", value, MemberType(d))
        case MemberType(d, True), MemberType(e, _) if d == e or e == -1:
            return evolve(value, type=wanted) if isinstance(value, Const) else value
        case SetType(d), SetType(-1):
            return Const(0, SetType(d))
        case SetType(d), MemberType(e, False) if d == e:
            return Unary("single", value, wanted)
    if _join(wanted, kind) is None or (wanted != kind and not _widens(wanted, kind)):
        raise mismatch(draft, wanted, kind, span)
    return value


def _widens(wanted: Type, kind: Type) -> bool:
    match wanted, kind:
        case VectorType(), VectorType():
            return True
        case ListType(), ListType():
            return True
    return wanted == kind


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"a number {low}..{high}"


def resolve(draft: Draft, node: t.Type, constant: Constant) -> Type:
    """The machine type of a written type; `constant` evaluates an expression to an integer."""
    match node:
        case t.OptionalType(of):
            inner = resolve(draft, of, constant)
            if not isinstance(inner, MemberType):
                raise draft.fail("E0403", f"{show(draft, inner)} cannot be optional", node.span)
            return MemberType(inner.domain, True)
        case t.SetType(of):
            inner = resolve(draft, of, constant)
            if isinstance(inner, IntType):
                return SetType(draft.range_domain(inner.low, inner.high))
            if not isinstance(inner, MemberType) or inner.optional:
                raise draft.fail("E0403", f"no set of {show(draft, inner)}", node.span)
            return SetType(inner.domain)
        case t.ListType(of, limit):
            return ListType(resolve(draft, of, constant), constant(limit))
        case t.PatternType(board, of):
            symbol = draft.symbols.get(board)
            inner = resolve(draft, of, constant)
            if not isinstance(symbol, BoardSymbol) or not isinstance(inner, MemberType):
                raise draft.unknown(board, node.span, "board")
            return PatternType(symbol.domain, inner.domain)
        case t.ValueType(value):
            return _value_type(draft, value, constant)
    raise AssertionError(node)


def _value_type(draft: Draft, value: t.Expr, constant: Constant) -> Type:
    match value:
        case t.Name("YesNo"):
            return BoolType()
        case t.Name("Number"):
            return IntType(-(10**9), 10**9)
        case t.Name("Time"):
            return IntType(0, 10**9)
        case t.Name("Text"):
            return TextType()
        case t.Name(name):
            symbol = draft.symbols.get(name)
            if isinstance(symbol, DomainSymbol | BoardSymbol):
                return MemberType(symbol.domain)
            raise draft.unknown(name, value.span, "type")
        case t.Range(low, high):
            first, last = constant(low), constant(high)
            if last < first:
                raise draft.fail("E0404", f"the range {first}..{last} is empty", value.span)
            if last - first > MAX_RANGE:
                raise draft.fail(
                    "E0404", f"the range {first}..{last} is larger than {MAX_RANGE:,}", value.span
                )
            return IntType(first, last)
    raise draft.fail("E0403", "a type is a range, a name, optional, set of or list of", value.span)


def walkable(draft: Draft, kind: IntType, span: Span) -> IntType:
    """A range that is gone through number by number, which has to be short."""
    if kind.high - kind.low >= MAX_DOMAIN:
        raise draft.fail(
            "E0404",
            f"{kind.low}..{kind.high} is too long to go through",
            span,
            help=f"{MAX_DOMAIN:,} numbers at the most",
        )
    return kind


def dimension(draft: Draft, node: t.Type, constant: Constant) -> int:
    """The domain of an index: a type name or a short range."""
    kind = resolve(draft, node, constant)
    if isinstance(kind, MemberType) and not kind.optional:
        return kind.domain
    if isinstance(kind, IntType):
        if kind.high - kind.low >= MAX_DOMAIN:
            raise draft.fail(
                "E0404", f"an index may have {MAX_DOMAIN:,} values at the most", node.span
            )
        return draft.range_domain(kind.low, kind.high)
    if isinstance(kind, BoolType):
        return draft.domain(Domain("no..yes", "range", ("no", "yes"), (), 0))
    raise draft.fail("E0403", "an index is a name of a type or a range", node.span)


def as_key(draft: Draft, domain: int, value: Expr, span: Span) -> Expr:
    """A value as an index into a dimension: integers are counted from the range's start."""
    made = draft.domains[domain]
    if made.kind != "range":
        return fits(draft, value, MemberType(domain), span)
    if isinstance(value.type, BoolType):
        return value
    wanted = IntType(made.start, made.start + made.size - 1)
    fits(draft, value, wanted, span)
    if not made.start:
        return value
    shifted = IntType(wanted.low - made.start, wanted.high - made.start)
    if isinstance(value, Const) and isinstance(value.value, int):
        return Const(value.value - made.start, shifted)
    return Binary("-", value, integer(made.start), shifted)
