"""The machine's expressions: a closed list, each with its type; described in docs/machine.md."""

from __future__ import annotations

from attrs import frozen

from compiler.machine.values import Type


@frozen
class Const:
    """A constant: an integer, a mask, or a tuple for lists, vectors and patterns."""

    value: int | tuple[object, ...]
    type: Type


@frozen
class Local:
    """A value bound inside one evaluation: a parameter, a fold's binder, a candidate."""

    slot: int
    type: Type


@frozen
class Read:
    """A cell of the state: field and an index for each dimension (or for fewer: then a row)."""

    field: int
    index: tuple[Expr, ...]
    type: Type


@frozen
class Lookup:
    """A cell of a constant table, which is flat with the last index running fastest."""

    table: int
    index: tuple[Expr, ...]
    type: Type


@frozen
class Unary:
    """`op` is neg, not, count (members of a set), full (complement), some (optional has a value),
    the (fails when none), single (the set of one member), size (of a list)."""

    op: str
    value: Expr
    type: Type


@frozen
class Binary:
    """`op` is + - * mod /up /down = != < <= > >= and or in union minus meet."""

    op: str
    left: Expr
    right: Expr
    type: Type


@frozen
class Cond:
    """if / then / else; only the taken side is evaluated."""

    test: Expr
    then: Expr
    other: Expr
    type: Type


@frozen
class Fold:
    """A fold over a set, a list or a range.

    `op` is all, any, sum, count, max, min, best (mask of members with the best `by`), first
    (member with the best `by`, the lowest index among equals, -1 if none), filter (mask), image
    (mask of `body`), list (tuple of `body`). `low`/`high` iterate over integers when `over` is
    None. Members come in ascending order.
    """

    op: str
    slot: int
    over: Expr | None
    low: Expr | None
    high: Expr | None
    where: Expr | None
    body: Expr | None
    lowest: bool
    type: Type


@frozen
class Invoke:
    """A call of a definition, by index."""

    function: int
    args: tuple[Expr, ...]
    type: Type


@frozen
class Builtin:
    """A call of one of the machine's own functions; `name` is from the list of `builtins`."""

    name: str
    args: tuple[Expr, ...]
    type: Type


@frozen
class Possible:
    """Whether a named choice has any legal value for these arguments."""

    choice: int
    args: tuple[Expr, ...]
    type: Type


@frozen
class Make:
    """A list or a vector made of its items."""

    items: tuple[Expr, ...]
    type: Type


Expr = (
    Const
    | Local
    | Read
    | Lookup
    | Unary
    | Binary
    | Cond
    | Fold
    | Invoke
    | Builtin
    | Possible
    | Make
)

UNARY = ("neg", "not", "count", "full", "some", "the", "single", "size")
BINARY = (
    *("+", "-", "*", "mod", "/up", "/down"),
    *("=", "!=", "<", "<=", ">", ">=", "and", "or"),
    *("in", "union", "minus", "meet", "subset"),
)
FOLDS = ("all", "any", "sum", "count", "max", "min", "best", "first", "filter", "image", "list")
BUILTINS = (
    *("abs", "after", "before", "higher", "lower", "power"),
    *("components", "connected", "grown", "reach"),
    *("concat", "item", "mask", "matches", "matches_any_way", "packing", "run_matches", "union"),
    *("place_items", "place_mask", "place_size", "place_top"),
)
