"""The syntax tree, part two: statements and choices."""

from __future__ import annotations

from attrs import frozen

from dsl.tree import Binder, Expr, Node


@frozen(eq=False, repr=False)
class Stmt(Node):
    """The base of statements; `cites` are ledger, assumption and reading ids without the `@`."""

    cites: tuple[str, ...] = ()


@frozen(eq=False, repr=False)
class Let(Stmt):
    name: str = ""
    value: Expr = Expr()


@frozen(eq=False, repr=False)
class Bound(Node):
    """`kind` is at_most, at_least, as_fits or wrap."""

    kind: str
    limit: Expr | None = None


@frozen(eq=False, repr=False)
class Change(Stmt):
    """`op` is set, add or subtract."""

    op: str = "set"
    target: Expr = Expr()
    value: Expr = Expr()
    bound: Bound | None = None


@frozen(eq=False, repr=False)
class Move(Stmt):
    """`what` is a piece or a set; `form` is all, every, one or top (then `count` of `what`)."""

    form: str = "all"
    what: Expr = Expr()
    count: Expr | None = None
    to: Expr = Expr()
    arrange: str = ""
    key: Expr | None = None
    lowest: bool = False
    partial: bool = False


@frozen(eq=False, repr=False)
class Act(Stmt):
    """One-word effects: `op` is shuffle, turn_over, flip, announce, open, lift, give, call, ..."""

    op: str = "call"
    value: Expr | None = None
    to: Expr | None = None


@frozen(eq=False, repr=False)
class Lasting(Node):
    """How long an applied patch lasts; each part is optional, `next_of` names a rule or step."""

    start: Expr | None = None
    until: Expr | None = None
    moment: str = ""
    during: Expr | None = None
    next_of: str = ""


@frozen(eq=False, repr=False)
class Apply(Stmt):
    patch: Expr = Expr()
    lasting: Lasting = Lasting()


@frozen(eq=False, repr=False)
class RankKey(Node):
    value: Expr
    lowest: bool


@frozen(eq=False, repr=False)
class EndGame(Stmt):
    """`how` is win, lose, no_winner, draw, rank or by_score; `stalled` marks a play cut short."""

    how: str = "draw"
    who: Expr | None = None
    keys: tuple[RankKey, ...] = ()
    shared: bool = False
    stalled: bool = False


@frozen(eq=False, repr=False)
class Stop(Stmt):
    path: str = ""


@frozen(eq=False, repr=False)
class If(Stmt):
    test: Expr = Expr()
    then: tuple[Stmt, ...] = ()
    other: tuple[Stmt, ...] = ()


@frozen(eq=False, repr=False)
class Walk(Node):
    """The order of a loop: clockwise, counterclockwise, by_value or any_order."""

    kind: str
    value: Expr | None = None
    lowest: bool = False


@frozen(eq=False, repr=False)
class ForEach(Stmt):
    name: str = ""
    domain: Expr = Expr()
    walk: Walk | None = None
    body: tuple[Stmt, ...] = ()


@frozen(eq=False, repr=False)
class Repeat(Stmt):
    """`kind` is forever, while, until or times."""

    kind: str = "forever"
    value: Expr | None = None
    body: tuple[Stmt, ...] = ()


@frozen(eq=False, repr=False)
class AtOnce(Stmt):
    body: tuple[Stmt, ...] = ()


@frozen(eq=False, repr=False)
class Step(Stmt):
    name: str = ""
    body: tuple[Stmt, ...] = ()


@frozen(eq=False, repr=False)
class Case(Node):
    """One case of a match; no patterns means `otherwise`."""

    patterns: tuple[Expr, ...]
    body: tuple[Stmt, ...]
    cites: tuple[str, ...] = ()


@frozen(eq=False, repr=False)
class Match(Stmt):
    value: Expr = Expr()
    cases: tuple[Case, ...] = ()


@frozen(eq=False, repr=False)
class Require(Stmt):
    """A named requirement, or with `prefer` a narrowing that gives way where nothing is left."""

    name: str = ""
    text: str = ""
    test: Expr = Expr()
    prefer: bool = False


@frozen(eq=False, repr=False)
class Form(Node):
    """The base of the forms of a choice."""


@frozen(eq=False, repr=False)
class One(Form):
    binder: Binder
    if_able: bool = False


@frozen(eq=False, repr=False)
class Size(Node):
    """Bounds on a subset's size; `most` for as many as possible; None is unbounded."""

    low: Expr | None = None
    high: Expr | None = None
    most: bool = False


@frozen(eq=False, repr=False)
class Subset(Form):
    name: str
    domain: Expr
    size: Size = Size()
    if_able: bool = False


@frozen(eq=False, repr=False)
class Amounts(Form):
    """An integer vector over a domain: each entry 0..each, the sum within `total`."""

    name: str
    binder: Binder
    each: Expr | None = None
    total: Expr | None = None
    if_able: bool = False


@frozen(eq=False, repr=False)
class YesNo(Form):
    name: str


@frozen(eq=False, repr=False)
class Named(Form):
    """A pick by a `choice` declared elsewhere."""

    name: str
    choice: Expr
    if_able: bool = False


@frozen(eq=False, repr=False)
class Pick(Stmt):
    """A decision of one seat; `then` and `otherwise` are what follows a taken or declined pick."""

    actor: Expr = Expr()
    may: bool = False
    secret: bool = False
    form: Form = Form()
    prompt: str = ""
    demands: tuple[Require, ...] = ()
    then: tuple[Stmt, ...] | None = None
    otherwise: tuple[Stmt, ...] | None = None


@frozen(eq=False, repr=False)
class MenuOption(Node):
    """One option of a menu with its binders; `body` is what taking it does."""

    name: str
    binders: tuple[Binder, ...] = ()
    prompt: str = ""
    cites: tuple[str, ...] = ()
    demands: tuple[Require, ...] = ()
    body: tuple[Stmt, ...] = ()


@frozen(eq=False, repr=False)
class Menu(Stmt):
    """A decision among options; each later tier opens only where no earlier option is legal."""

    actor: Expr = Expr()
    may: bool = False
    name: str = ""
    prompt: str = ""
    tiers: tuple[tuple[MenuOption, ...], ...] = ()


@frozen(eq=False, repr=False)
class Chance(Stmt):
    """`kind` is picks, rolls or agrees (by the table)."""

    kind: str = "picks"
    binder: Binder | None = None
    name: str = ""
    count: Expr | None = None
    faces: Expr | None = None
    weight: Expr | None = None
    prompt: str = ""
