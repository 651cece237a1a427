"""The syntax tree, part three: declarations, patches and scenarios."""

from __future__ import annotations

from attrs import frozen

from dsl.statements import Form, MenuOption, Require, Stmt
from dsl.tree import Binder, Expr, Node, Type


@frozen(eq=False, repr=False)
class Decl(Node):
    """The base of declarations."""

    cites: tuple[str, ...] = ()


@frozen(eq=False, repr=False)
class Game(Decl):
    title: str = ""


@frozen(eq=False, repr=False)
class Players(Decl):
    range: Expr = Expr()


@frozen(eq=False, repr=False)
class Param(Node):
    name: str
    type: Type | None = None


@frozen(eq=False, repr=False)
class Option(Decl):
    name: str = ""
    type: Type = Type()
    default: Expr = Expr()
    text: str = ""


@frozen(eq=False, repr=False)
class Assume(Decl):
    """A hole of the book filled; without a name it is a statement in words only."""

    id: str = ""
    name: str = ""
    params: tuple[Param, ...] = ()
    type: Type | None = None
    value: Expr | None = None
    text: str = ""
    because: str = ""
    others: tuple[Expr, ...] = ()


@frozen(eq=False, repr=False)
class Alternative(Node):
    """One candidate of a reading, with the patches that make it so."""

    name: str
    text: str
    chosen: bool
    patches: tuple[Decl, ...]
    cites: tuple[str, ...] = ()


@frozen(eq=False, repr=False)
class Reading(Decl):
    id: str = ""
    text: str = ""
    alternatives: tuple[Alternative, ...] = ()
    because: str = ""


@frozen(eq=False, repr=False)
class EnumDecl(Decl):
    name: str = ""
    members: tuple[str, ...] = ()


@frozen(eq=False, repr=False)
class Visibility(Node):
    """`kind` is everyone, nobody, owner, others, top, order, hidden or seats (then `seats`)."""

    kind: str
    seats: Expr | None = None
    while_: Expr | None = None


@frozen(eq=False, repr=False)
class FieldDecl(Decl):
    """A field of data, pieces or board nodes; `key` makes it a vector."""

    name: str = ""
    key: Type | None = None
    type: Type = Type()
    default: Expr | None = None
    visibility: Visibility | None = None


@frozen(eq=False, repr=False)
class Check(Decl):
    text: str = ""
    test: Expr = Expr()


@frozen(eq=False, repr=False)
class Data(Decl):
    name: str = ""
    file: str = ""
    table: str = ""
    fields: tuple[FieldDecl | Check, ...] = ()


@frozen(eq=False, repr=False)
class Pieces(Decl):
    """A kind of pieces: from a data file, so many, or one (or `count`) for each of a domain."""

    name: str = ""
    file: str = ""
    table: str = ""
    count: Expr | None = None
    each: Expr | None = None
    fields: tuple[FieldDecl | Check, ...] = ()


@frozen(eq=False, repr=False)
class Board(Decl):
    """A board; `shape` is map (rows), a generator with arguments, or slots."""

    name: str = ""
    node: str = ""
    shape: str = ""
    args: tuple[Expr, ...] = ()
    slots: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    fields: tuple[FieldDecl | Check, ...] = ()


@frozen(eq=False, repr=False)
class Refill(Node):
    """`how` is shuffle or flip; `now` refills as soon as the place is empty."""

    how: str
    source: Expr
    now: bool = False


@frozen(eq=False, repr=False)
class Place(Decl):
    """`kind` is one, set, pile or row."""

    name: str = ""
    dims: tuple[Type, ...] = ()
    kind: str = "set"
    of: str = ""
    limit: Expr | None = None
    visibility: Visibility | None = None
    refill: Refill | None = None


@frozen(eq=False, repr=False)
class Var(Decl):
    name: str = ""
    dims: tuple[Type, ...] = ()
    type: Type = Type()
    default: Expr | None = None
    visibility: Visibility | None = None
    during: str = ""


@frozen(eq=False, repr=False)
class Define(Decl):
    name: str = ""
    params: tuple[Param, ...] = ()
    type: Type | None = None
    value: Expr | None = None
    cases: tuple[tuple[Expr | None, Expr], ...] = ()


@frozen(eq=False, repr=False)
class Table(Decl):
    """Rows of a book's table; a cell that is None is unknown in the book."""

    name: str = ""
    keys: tuple[Param, ...] = ()
    columns: tuple[Param, ...] = ()
    rows: tuple[tuple[tuple[Expr, ...], tuple[Expr | None, ...], tuple[str, ...]], ...] = ()


@frozen(eq=False, repr=False)
class Choice(Decl):
    name: str = ""
    params: tuple[Param, ...] = ()
    form: Form = Form()
    demands: tuple[Require, ...] = ()


@frozen(eq=False, repr=False)
class Rule(Decl):
    name: str = ""
    params: tuple[Param, ...] = ()
    gives: Type | None = None
    body: tuple[Stmt, ...] = ()


@frozen(eq=False, repr=False)
class When(Decl):
    """A trigger; `moment` is true (the condition becomes true), begins, ends, runs_out, happens."""

    event: Expr = Expr()
    moment: str = "true"
    binders: tuple[Binder, ...] = ()
    body: tuple[Stmt, ...] = ()


@frozen(eq=False, repr=False)
class Event(Decl):
    name: str = ""
    params: tuple[Param, ...] = ()


@frozen(eq=False, repr=False)
class Window(Decl):
    name: str = ""
    params: tuple[Param, ...] = ()
    asks: Expr | None = None
    walk: Node | None = None
    alike: bool = False
    closes: str = "all"
    answers: tuple[tuple[str, Binder, tuple[Stmt, ...], tuple[str, ...]], ...] = ()


@frozen(eq=False, repr=False)
class Edit(Decl):
    """One line of a patch; `op` is replace, drop, before, after, set, add, redefine or not."""

    op: str = ""
    path: str = ""
    params: tuple[Param, ...] = ()
    value: Expr | None = None
    body: tuple[Stmt, ...] = ()
    demands: tuple[Require, ...] = ()
    options: tuple[MenuOption, ...] = ()


@frozen(eq=False, repr=False)
class Patch(Decl):
    """Changes to named rules; a variant or `instead` is a patch of its own kind."""

    name: str = ""
    params: tuple[Param, ...] = ()
    text: str = ""
    kind: str = "patch"
    while_: Expr | None = None
    lines: tuple[Decl, ...] = ()


@frozen(eq=False, repr=False)
class Always(Decl):
    text: str = ""
    test: Expr = Expr()


@frozen(eq=False, repr=False)
class Valued(Decl):
    """`kind` is score, progress or payoff: a number for each seat `name`."""

    kind: str = "score"
    name: str = ""
    value: Expr = Expr()


@frozen(eq=False, repr=False)
class Clock(Decl):
    name: str = ""
    dims: tuple[Type, ...] = ()
    capacity: Expr = Expr()


@frozen(eq=False, repr=False)
class Instant(Decl):
    events: tuple[tuple[str, Expr | None], ...] = ()


@frozen(eq=False, repr=False)
class Measure(Decl):
    value: Expr = Expr()
    path: str = ""


@frozen(eq=False, repr=False)
class Order(Decl):
    first: str = ""
    second: str = ""


@frozen(eq=False, repr=False)
class Social(Decl):
    """`kind` is talk or not_modelled."""

    kind: str = "talk"
    text: str = ""
    while_: Expr | None = None


@frozen(eq=False, repr=False)
class Given(Node):
    """`left = value`, or with `holds` the contents of a place."""

    left: Expr
    value: Expr
    holds: bool = False


@frozen(eq=False, repr=False)
class Happens(Node):
    """`kind` is chooses, declines, chance, table, play or time."""

    kind: str
    who: Expr | None = None
    value: Expr | None = None
    at: str = ""


@frozen(eq=False, repr=False)
class Fact(Node):
    """`kind` names the sort of fact; `value` and `text` are what it needs."""

    kind: str
    who: Expr | None = None
    value: Expr | None = None
    other: Expr | None = None
    text: str = ""


@frozen(eq=False, repr=False)
class Line(Node):
    """One `given`, `when` or `then` line with its citations."""

    what: Given | Happens | Fact
    cites: tuple[str, ...] = ()


@frozen(eq=False, repr=False)
class Scenario(Decl):
    name: str = ""
    text: str = ""
    players: Expr | None = None
    options: tuple[tuple[str, Expr], ...] = ()
    variants: tuple[str, ...] = ()
    readings: tuple[tuple[str, Expr], ...] = ()
    assumes: tuple[tuple[str, Expr], ...] = ()
    data: tuple[tuple[str, str, str], ...] = ()
    seed: int = 0
    defines: tuple[Define, ...] = ()
    at: Expr | None = None
    lines: tuple[Line, ...] = ()


@frozen(eq=False, repr=False)
class Citation(Node):
    """One citation as written, wherever in a line it stands."""

    id: str


@frozen(eq=False, repr=False)
class File(Node):
    """One parsed file; `citations` are all of it, each with the index of its declaration."""

    name: str
    decls: tuple[Decl, ...]
    citations: tuple[tuple[int, Citation], ...] = ()
