"""The machine's effects and control graph: a closed list; described in docs/machine.md."""

from __future__ import annotations

from attrs import frozen

from compiler.machine.exprs import Expr


@frozen
class Assign:
    """Write a cell (or a row: fewer indices than dimensions and a tuple value)."""

    field: int
    index: tuple[Expr, ...]
    value: Expr
    clause: int


@frozen
class Change:
    """Add `delta` to a cell; `mode` says what happens at the range's ends: strict (an error),
    fit (as much as fits), at_most / at_least (bounded by `limit`), wrap."""

    field: int
    index: tuple[Expr, ...]
    delta: Expr
    mode: str
    limit: Expr | None
    clause: int


@frozen
class Bind:
    """Give a local its value."""

    slot: int
    value: Expr


@frozen
class MoveSet:
    """Move every piece of a mask to a place; into a pile or row in ascending (or given) order,
    the last one on top; `under` puts them beneath. `keys` orders pieces by a value."""

    kind: int
    what: Expr
    to: Target
    under: bool
    key: Expr | None
    key_slot: int
    lowest: bool
    clause: int


@frozen
class MoveTop:
    """Move the top `count` pieces of a pile, the first to go first; `partial` allows fewer."""

    kind: int
    count: Expr
    source: Target
    to: Target
    partial: bool
    clause: int


@frozen
class TurnOver:
    """Move a whole pile onto another, turned over: the first that came is the first to go."""

    kind: int
    source: Target
    to: Target
    clause: int


@frozen
class When:
    """If / else without a decision inside."""

    test: Expr
    then: tuple[Effect, ...]
    other: tuple[Effect, ...]
    clause: int


@frozen
class Loop:
    """For each member of a set, a list or a range; `key` orders (lowest or highest first)."""

    slot: int
    over: Expr | None
    low: Expr | None
    high: Expr | None
    key: Expr | None
    lowest: bool
    body: tuple[Effect, ...]
    clause: int


@frozen
class Repeat:
    """Repeat while the test holds; at most `limit` times, else it is an error."""

    test: Expr
    limit: Expr
    body: tuple[Effect, ...]
    clause: int


@frozen
class AtOnce:
    """All reads see the state before; sums are added up; two different writes are an error."""

    body: tuple[Effect, ...]
    clause: int


@frozen
class Run:
    """Call a procedure (a rule without decisions)."""

    procedure: int
    args: tuple[Expr, ...]
    clause: int


@frozen
class Reveal:
    """An observation: the value becomes known to a set of seats (all of them when None)."""

    value: Expr
    seats: Expr | None
    clause: int


Effect = (
    Assign
    | Change
    | Bind
    | MoveSet
    | MoveTop
    | TurnOver
    | When
    | Loop
    | Repeat
    | AtOnce
    | Run
    | Reveal
)


@frozen
class Target:
    """A place instance: the place and its indices."""

    place: int
    index: tuple[Expr, ...]


@frozen
class Goto:
    block: int


@frozen
class Branch:
    test: Expr
    yes: int
    no: int
    clause: int


@frozen
class Ask:
    """Wait for a decision; `skip` is the block to go to when nothing is legal and it may be so."""

    decision: int
    next: int
    declined: int
    skip: int


@frozen
class AskMenu:
    """Wait for a decision among options: one next block an option."""

    decision: int
    next: tuple[int, ...]
    declined: int
    skip: int


@frozen
class Draw:
    """Wait for chance (or the table)."""

    site: int
    next: int


@frozen
class Return:
    """Go back to where the rule was called from: the return field picks one of `to`."""

    rule: int


@frozen
class End:
    """The game is over."""

    ending: int


Terminator = Goto | Branch | Ask | AskMenu | Draw | Return | End


@frozen
class Block:
    """Effects without a decision, then where to go."""

    path: str
    effects: tuple[Effect, ...]
    exit: Terminator
    rule: int
    entry: bool = False
