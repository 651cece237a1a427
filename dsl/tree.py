"""The syntax tree, part one: expressions and types. Frozen values; spans stand outside equality."""

from __future__ import annotations

from typing import Any

from attrs import field, fields, frozen

from dsl.problems import NOWHERE, Span


@frozen(eq=False, repr=False)
class Node:
    """The base of every node: a place in the source that does not count in comparisons.

    Equality, hash and repr stand here once: written into each of a hundred classes they would cost
    every command a tenth of a second to build.
    """

    span: Span = field(default=NOWHERE, kw_only=True)

    def _parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, a.name) for a in fields(type(self)) if a.name != "span")

    def __eq__(self, other: object) -> bool:
        if self.__class__ is not other.__class__:
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((self.__class__, self._parts()))

    def __repr__(self) -> str:
        names = (a.name for a in fields(type(self)) if a.name != "span")
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"


@frozen(eq=False, repr=False)
class Expr(Node):
    """The base of expressions."""


@frozen(eq=False, repr=False)
class Name(Expr):
    name: str


@frozen(eq=False, repr=False)
class Int(Expr):
    value: int


@frozen(eq=False, repr=False)
class Time(Expr):
    """A time in milliseconds."""

    value: int


@frozen(eq=False, repr=False)
class Text(Expr):
    value: str


@frozen(eq=False, repr=False)
class Nothing(Expr):
    """`none`, the empty optional."""


@frozen(eq=False, repr=False)
class Unary(Expr):
    """`op` is `not` or `-`."""

    op: str
    value: Expr


@frozen(eq=False, repr=False)
class Binary(Expr):
    """`op` is one of + - * & mod /up /down / = != < <= > >= in and or."""

    op: str
    left: Expr
    right: Expr


@frozen(eq=False, repr=False)
class Is(Expr):
    """`value is state`, where the state is a word such as none, set, empty, full, active."""

    value: Expr
    state: str


@frozen(eq=False, repr=False)
class Range(Expr):
    low: Expr
    high: Expr


@frozen(eq=False, repr=False)
class IfElse(Expr):
    test: Expr
    then: Expr
    other: Expr


@frozen(eq=False, repr=False)
class Attr(Expr):
    value: Expr
    name: str


@frozen(eq=False, repr=False)
class Index(Expr):
    value: Expr
    keys: tuple[Expr, ...]


@frozen(eq=False, repr=False)
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


@frozen(eq=False, repr=False)
class SetOf(Expr):
    """`{a, b}`"""

    items: tuple[Expr, ...]


@frozen(eq=False, repr=False)
class SetWhere(Expr):
    """`{x in S where P}`, and `{f(x) for x in S where P}` with an image."""

    binder: Binder
    image: Expr | None = None


@frozen(eq=False, repr=False)
class MapOf(Expr):
    """`{a, b -> x, else -> y}`"""

    rows: tuple[tuple[tuple[Expr, ...], Expr], ...]
    other: Expr | None = None


@frozen(eq=False, repr=False)
class ListOf(Expr):
    items: tuple[Expr, ...]


@frozen(eq=False, repr=False)
class Binder(Node):
    """`x in S where P`"""

    name: str
    domain: Expr
    where: Expr | None = None


@frozen(eq=False, repr=False)
class Type(Node):
    """The base of types as written."""


@frozen(eq=False, repr=False)
class ValueType(Type):
    """A range, or the name of an enumeration, board, kind of pieces or data."""

    value: Expr


@frozen(eq=False, repr=False)
class OptionalType(Type):
    of: Type


@frozen(eq=False, repr=False)
class SetType(Type):
    of: Type


@frozen(eq=False, repr=False)
class ListType(Type):
    of: Type
    limit: Expr


@frozen(eq=False, repr=False)
class PatternType(Type):
    board: str
    of: Type
