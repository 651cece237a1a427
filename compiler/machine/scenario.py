"""Scenarios as the runtime sees them: positions, events and facts over one machine.

Expressions may use local 0 for the set of winners and local 1 for the vector of ranks (both empty
while the game goes on).
"""

from __future__ import annotations

from attrs import frozen

from compiler.machine.effects import Effect
from compiler.machine.exprs import Expr
from dsl.problems import Span

WINNERS, RANKS = 0, 1


@frozen
class Point:
    """A place in the rules: a rule that is about to begin with these arguments."""

    rule: int
    args: tuple[Expr, ...]
    text: str


@frozen
class SetUp:
    """Effects that build a position."""

    effects: tuple[Effect, ...]
    text: str
    span: Span


@frozen
class Event:
    """`kind` is chooses, declines, chance, table or play; `choice` is the choice in words."""

    kind: str
    seat: Expr | None
    choice: str
    at: str
    until: Point | None
    text: str
    span: Span


@frozen
class Seen:
    """What a seat is said to see: contents of a place or value of a variable."""

    field: int
    place: int
    index: tuple[Expr, ...]


@frozen
class Fact:
    """`kind` is as in the syntax tree; `test` a condition, `choices` choices in words."""

    kind: str
    seat: Expr | None
    test: Expr | None
    choices: tuple[str, ...]
    seen: Seen | None
    word: str
    text: str
    span: Span
    cites: tuple[str, ...]


@frozen
class Plan:
    """One scenario, ready to run."""

    name: str
    text: str
    cites: tuple[str, ...]
    seed: int
    at: Point | None
    steps: tuple[SetUp | Event | Fact, ...]
    span: Span
