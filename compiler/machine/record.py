"""The machine: one frozen value that holds all that a game means in one configuration."""

from __future__ import annotations

from attrs import frozen

from compiler.machine.effects import Block, Effect
from compiler.machine.exprs import Expr
from compiler.machine.values import Domain, Type
from dsl.problems import Span


@frozen
class Clause:
    """A piece of the spec that can be cited, fire and be explained.

    `kind` is rule, step, effect, requirement, define, choice, option, place, var, component,
    table, patch, trigger, end, score; `path` is its stable id.
    """

    path: str
    kind: str
    text: str
    cites: tuple[str, ...]
    span: Span


@frozen
class Visible:
    """Who sees a field: `kind` as in the language; `while_` makes it conditional."""

    kind: str
    seats: int = 0
    while_: Expr | None = None


@frozen
class Field:
    """Cells of the state: `dims` are domain indices; `kind` is system, var, frame, place, patch.

    `base` is the first cell; the last dimension runs fastest.
    """

    name: str
    kind: str
    dims: tuple[int, ...]
    type: Type
    low: int
    high: int
    default: tuple[int, ...]
    base: int
    visible: Visible
    clause: int


@frozen
class Place:
    """A zone: `shape` is one, set, pile or row; `first` is its first instance number.

    Contents live in `field` (a mask, an optional piece, or `capacity` pieces, bottom first) and,
    for piles and rows, the number of pieces in `size`.
    """

    name: str
    shape: str
    kind: int
    dims: tuple[int, ...]
    capacity: int
    field: int
    size: int
    first: int
    visible: Visible
    clause: int


@frozen
class PieceKind:
    """A kind of pieces: its domain and the field that says where each piece is (an instance)."""

    name: str
    domain: int
    where: int
    box: int
    clause: int


@frozen
class Table:
    """A constant table over domains; `type` is that of a cell, where people may look at it."""

    name: str
    dims: tuple[int, ...]
    cells: tuple[object, ...]
    type: Type | None = None


@frozen
class Function:
    """A definition: parameters are locals 0..n-1."""

    name: str
    params: tuple[Type, ...]
    type: Type
    body: Expr
    clause: int


@frozen
class Procedure:
    """A rule without decisions: parameters are locals 0..n-1."""

    name: str
    params: tuple[Type, ...]
    body: tuple[Effect, ...]
    clause: int


@frozen
class Rule:
    """A rule with decisions: its entry block, its parameters' fields, where it returns to."""

    name: str
    entry: int
    params: tuple[int, ...]
    frame: tuple[int, ...]
    back: int
    returns: tuple[int, ...]
    clause: int


@frozen
class Demand:
    """A named requirement of a choice; the candidate is local 0 (or the option's binders)."""

    name: str
    text: str
    test: Expr
    prefer: bool
    clause: int


@frozen
class Plan:
    """How the legal subsets of a choice can be listed without trying all of them.

    Every part follows from the demands and is implied by them: `weights`/`low`/`high` bound a sum
    of weights, `adjacent` asks for one connected piece, `needs`/`base` say that each member needs
    others that are in the subset or in the base. `rest` are the demands that remain to be tested.
    """

    weights: tuple[int, ...] | None
    low: Expr | None
    high: Expr | None
    adjacent: tuple[int, ...] | None
    needs: tuple[int, ...] | None
    base: Expr | None
    rest: tuple[int, ...]


@frozen
class Chooser:
    """What may be chosen: `form` is one, subset or amounts; parameters are locals 0..n-1 and the
    candidate is local n. `domain` is a mask, `low`/`high` bound size, total or integers."""

    name: str
    form: str
    params: tuple[Type, ...]
    type: Type
    domain: Expr | None
    low: Expr | None
    high: Expr | None
    each: Expr | None
    most: bool
    demands: tuple[Demand, ...]
    plan: Plan | None
    clause: int


@frozen
class Option:
    """An option of a menu: binders are locals in order, each over a mask."""

    name: str
    text: str
    slots: tuple[int, ...]
    domains: tuple[Expr, ...]
    wheres: tuple[Expr | None, ...]
    types: tuple[Type, ...]
    fields: tuple[int, ...]
    demands: tuple[Demand, ...]
    clause: int


@frozen
class Decision:
    """A decision point with a stable path id.

    A pick has a chooser with arguments and a field for the value; a menu has tiers of options.
    """

    path: str
    seat: Expr
    may: bool
    secret: bool
    prompt: str
    chooser: int
    args: tuple[Expr, ...]
    field: int
    tiers: tuple[tuple[Option, ...], ...]
    clause: int

    @property
    def options(self) -> tuple[Option, ...]:
        """All options of a menu in order."""
        return tuple(o for tier in self.tiers for o in tier)


@frozen
class Site:
    """A chance site: `kind` is one (uniform over a mask), weighted, dice, shuffle or table.

    `count` is the site's occurrence field; `field` takes the result; `place` is what is shuffled.
    """

    path: str
    kind: str
    domain: Expr | None
    weight: Expr | None
    slot: int
    faces: Expr | None
    field: int
    count: int
    place: int
    index: tuple[Expr, ...]
    prompt: str
    clause: int


@frozen
class Key:
    """A ranking criterion: a value for seat = local 0."""

    text: str
    value: Expr
    lowest: bool


@frozen
class Ending:
    """How a game ends: `how` is win, lose, draw, no_winner or rank; `who` is a mask of seats."""

    how: str
    who: Expr | None
    keys: tuple[Key, ...]
    shared: bool
    stalled: bool
    clause: int


@frozen
class Measure:
    """A value for each seat (local 0): score, progress or payoff; `parts` are its summands."""

    kind: str
    value: Expr
    parts: tuple[tuple[str, Expr], ...]


@frozen
class Invariant:
    """A condition that must hold after every decision."""

    text: str
    test: Expr
    clause: int


@frozen
class Board:
    """A board for drawing: rows of node indices (-1 is outside), empty when it is not a map."""

    name: str
    domain: int
    shape: str
    rows: tuple[tuple[int, ...], ...]


@frozen
class Choosing:
    """A recorded assumption, reading or option with what it was set to."""

    id: str
    kind: str
    text: str
    value: str
    default: str
    alternatives: tuple[str, ...]
    because: str
    cites: tuple[str, ...]


@frozen
class Machine:
    """All of a game in one configuration; see the classes above for the parts.

    `primes` are the procedures that tell triggers which conditions hold already; `start` is the
    first block; `cells` the length of the state.
    """

    title: str
    name: str
    players: int
    domains: tuple[Domain, ...]
    fields: tuple[Field, ...]
    places: tuple[Place, ...]
    kinds: tuple[PieceKind, ...]
    tables: tuple[Table, ...]
    functions: tuple[Function, ...]
    procedures: tuple[Procedure, ...]
    rules: tuple[Rule, ...]
    choosers: tuple[Chooser, ...]
    decisions: tuple[Decision, ...]
    sites: tuple[Site, ...]
    endings: tuple[Ending, ...]
    blocks: tuple[Block, ...]
    measures: tuple[Measure, ...]
    invariants: tuple[Invariant, ...]
    boards: tuple[Board, ...]
    clauses: tuple[Clause, ...]
    settings: tuple[Choosing, ...]
    primes: tuple[int, ...]
    start: int
    cells: int
