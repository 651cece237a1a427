"""The syntax tree, part one: expressions and types. Frozen values; spans stand outside equality."""

from __future__ import annotations

from attrs import field, frozen

from dsl.problems import NOWHERE, Span


@frozen
class Node:
    """The base of every node: a place in the source that does not count in comparisons."""

    span: Span = field(default=NOWHERE, eq=False, repr=False, kw_only=True)


@frozen
class Expr(Node):
    """The base of expressions."""


@frozen
class Name(Expr):
    name: str


@frozen
class Int(Expr):
    value: int


@frozen
class Time(Expr):
    """A time in milliseconds."""

    value: int


@frozen
class Text(Expr):
    value: str


@frozen
class Nothing(Expr):
    """`none`, the empty optional."""


@frozen
class Unary(Expr):
    """`op` is `not` or `-`."""

    op: str
    value: Expr


@frozen
class Binary(Expr):
    """`op` is one of + - * & mod /up /down / = != < <= > >= in and or."""

    op: str
    left: Expr
    right: Expr


@frozen
class Is(Expr):
    """`value is state`, where the state is a word such as none, set, empty, full, active."""

    value: Expr
    state: str


@frozen
class Range(Expr):
    low: Expr
    high: Expr


@frozen
class IfElse(Expr):
    test: Expr
    then: Expr
    other: Expr


@frozen
class Attr(Expr):
    value: Expr
    name: str


@frozen
class Index(Expr):
    value: Expr
    keys: tuple[Expr, ...]


@frozen
class Call(Expr):
    """A call; one with a tail (`where`, `:`, `by`) folds over the binders among its arguments."""

    function: Expr
    args: tuple[Expr, ...]
    where: Expr | None = None
    body: Expr | None = None
    by: Expr | None = None
    lowest: bool = False

    @property
    def folds(self) -> bool:
        """Whether the call has a tail."""
        return not (self.where is None and self.body is None and self.by is None)


@frozen
class SetOf(Expr):
    """`{a, b}`"""

    items: tuple[Expr, ...]


@frozen
class SetWhere(Expr):
    """`{x in S where P}`, and `{f(x) for x in S where P}` with an image."""

    binder: Binder
    image: Expr | None = None


@frozen
class MapOf(Expr):
    """`{a, b -> x, else -> y}`"""

    rows: tuple[tuple[tuple[Expr, ...], Expr], ...]
    other: Expr | None = None


@frozen
class ListOf(Expr):
    items: tuple[Expr, ...]


@frozen
class Binder(Node):
    """`x in S where P`"""

    name: str
    domain: Expr
    where: Expr | None = None


@frozen
class Type(Node):
    """The base of types as written."""


@frozen
class ValueType(Type):
    """A range, or the name of an enumeration, board, kind of pieces or data."""

    value: Expr


@frozen
class OptionalType(Type):
    of: Type


@frozen
class SetType(Type):
    of: Type


@frozen
class ListType(Type):
    of: Type
    limit: Expr


@frozen
class PatternType(Type):
    board: str
    of: Type
