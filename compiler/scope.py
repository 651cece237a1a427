"""Symbols and the draft of a machine: what the passes share while they build it.

`Draft` collects the machine's parts; `Scope` resolves the names that one rule or definition sees.
Nothing here decides a type or lowers a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen

from compiler.boards import Graph
from compiler.config import Configuration
from compiler.machine import record as m
from compiler.machine.effects import Block
from compiler.machine.evaluate import World
from compiler.machine.exprs import Expr
from compiler.machine.values import Domain, Type, bounds
from dsl import declarations as d
from dsl.problems import NOWHERE, Problem, Report, Span, did_you_mean

if TYPE_CHECKING:
    from compiler.triggers import Anchor, Trigger


class Failed(Exception):
    """Ends the work on one statement or declaration whose problem is already reported."""


@frozen
class DomainSymbol:
    """A type name; as a value it is the set of all members."""

    domain: int


@frozen
class BoardSymbol:
    domain: int
    graph: Graph


@frozen
class ConstSymbol:
    value: Expr


@frozen
class FieldSymbol:
    field: int


@frozen
class PlaceSymbol:
    place: int


@frozen
class DefineSymbol:
    """A definition, an assumption with a value, or what a patch redefined (`base`)."""

    decl: d.Define
    kind: str = "define"


@frozen
class ChoiceSymbol:
    decl: d.Choice


@frozen
class TableSymbol:
    decl: d.Table


@frozen
class RuleSymbol:
    decl: d.Rule


@frozen
class EventSymbol:
    decl: d.Event | d.Window


@frozen
class PatchSymbol:
    """A dynamic patch: its activation field (0 off, 1 waiting, 2 active)."""

    decl: d.Patch
    field: int


Symbol = (
    DomainSymbol
    | BoardSymbol
    | ConstSymbol
    | FieldSymbol
    | PlaceSymbol
    | DefineSymbol
    | ChoiceSymbol
    | TableSymbol
    | RuleSymbol
    | EventSymbol
    | PatchSymbol
)


@define
class Draft:
    """The machine being built.

    Beside the machine's own parts: `instances` numbers the functions of definitions, `lowered` the
    procedures of rules, each by name and argument types; `chosen` the choosers of named choices;
    `rows` the data of a domain; `refills` what refills a place; `typed` the rules of events, which
    are typed and not executed; `ended` the field in which a trigger notes the end of the game.
    """

    report: Report
    config: Configuration
    reader: Callable[[str], bytes | None]
    players: int = 0
    title: str = ""
    name: str = ""
    domains: list[Domain] = field(factory=list)
    symbols: dict[str, Symbol] = field(factory=dict)
    members: dict[str, list[tuple[int, int]]] = field(factory=dict)
    attributes: dict[tuple[int, str], tuple[int, Type]] = field(factory=dict)
    relations: dict[tuple[int, str], int] = field(factory=dict)
    graphs: dict[int, Graph] = field(factory=dict)
    tables: list[m.Table] = field(factory=list)
    fields: list[m.Field] = field(factory=list)
    places: list[m.Place] = field(factory=list)
    kinds: dict[int, m.PieceKind] = field(factory=dict)
    rows: dict[int, list[dict[str, Any]]] = field(factory=dict)
    refills: dict[int, d.Refill] = field(factory=dict)
    functions: list[m.Function | None] = field(factory=list)
    instances: dict[tuple[str, int, tuple[Type, ...]], int] = field(factory=dict)
    procedures: list[m.Procedure | None] = field(factory=list)
    lowered: dict[tuple[str, tuple[Type, ...]], int] = field(factory=dict)
    rules: list[m.Rule] = field(factory=list)
    choosers: list[m.Chooser] = field(factory=list)
    chosen: dict[str, int] = field(factory=dict)
    decisions: list[m.Decision] = field(factory=list)
    sites: list[m.Site] = field(factory=list)
    endings: list[m.Ending] = field(factory=list)
    blocks: list[Block] = field(factory=list)
    clauses: list[m.Clause] = field(factory=list)
    settings: list[m.Choosing] = field(factory=list)
    patches: list[d.Patch] = field(factory=list)
    hooks: list[d.When] = field(factory=list)
    triggers: list[Trigger] = field(factory=list)
    anchors: list[Anchor] = field(factory=list)
    typed: list[str] = field(factory=list)
    score: m.Measure | None = None
    ended: int | None = None
    reads: dict[int, set[int]] = field(factory=dict)
    spans: dict[str, Span] = field(factory=dict)
    declared: set[str] = field(factory=set)
    broken: set[str] = field(factory=set)
    later: list[tuple[str, Span]] = field(factory=list)

    # -- problems -----------------------------------------------------------------------------
    def fail(self, code: str, title: str, span: Span = NOWHERE, **more: Any) -> Failed:
        """Report an error; raise what this returns to end the work on the construct."""
        self.report.add(Problem(code, title, span, **more))
        return Failed()

    # -- parts --------------------------------------------------------------------------------
    def clause(self, path: str, kind: str, text: str, cites: tuple[str, ...], span: Span) -> int:
        """A new clause; its path is made unique by a letter when a rule says two things alike."""
        self.clauses.append(m.Clause(path, kind, text, cites, span))
        return len(self.clauses) - 1

    def domain(self, made: Domain) -> int:
        """A new domain, or the equal one that is there."""
        if made.kind == "range" and made in self.domains:
            return self.domains.index(made)
        self.domains.append(made)
        index = len(self.domains) - 1
        if made.kind != "range":
            for i, label in enumerate(made.labels):
                self.members.setdefault(label, []).append((index, i))
        return index

    def range_domain(self, low: int, high: int) -> int:
        """The domain of the integers low..high, to index by."""
        labels = tuple(str(i) for i in range(low, high + 1))
        return self.domain(Domain(f"{low}..{high}", "range", labels, (), low))

    def table(
        self, name: str, dims: tuple[int, ...], cells: tuple[Any, ...], kind: Type | None = None
    ) -> int:
        """A new constant table; with a type it is data that people may look at."""
        self.tables.append(m.Table(name, dims, cells, kind))
        return len(self.tables) - 1

    def add_field(
        self,
        name: str,
        kind: str,
        dims: tuple[int, ...],
        type_: Type,
        default: tuple[int, ...] = (0,),
        visible: m.Visible | None = None,
        clause: int = -1,
        span: tuple[int, int] | None = None,
    ) -> int:
        """A new field; cells are laid out later. `span` narrows or sets the range."""
        low, high = span or bounds(type_, tuple(self.domains))
        seen = visible or m.Visible("everyone")
        self.fields.append(m.Field(name, kind, dims, type_, low, high, default, 0, seen, clause))
        return len(self.fields) - 1

    def declare(self, name: str, symbol: Symbol, span: Span) -> None:
        """Give a name its meaning; a second meaning is an error."""
        if name in self.symbols:
            self.report.error(
                "E0302",
                f"'{name}' is declared twice",
                span,
                notes=(
                    f"first declared at {self.spans[name]}"
                    if name in self.spans
                    else "the language itself has this name",
                ),
            )
            return
        self.symbols[name] = symbol
        self.spans[name] = span

    def world(self) -> World:
        """The draft as a world for constant evaluation."""
        return World(
            self.domains,
            self.tables,
            self.finished(),
            self.fields,
            self.places,
        )

    def finished(self) -> Any:
        """The functions so far; one that is being built is None, and a fold that meets it fails."""
        return self.functions

    def not_yet(self, what: str, span: Span) -> None:
        """Note a construct that is read and typed, but not executed by this version."""
        if (what, span) not in self.later:
            self.later.append((what, span))

    def unknown(self, name: str, span: Span, what: str = "name") -> Failed:
        """Report an unknown name with what it may have meant; silent where its own declaration
        already failed, so that one mistake is reported once."""
        if name in self.broken:
            return Failed()
        known = [*self.symbols, *self.members]
        return self.fail(
            "E0301", f"the {what} '{name}' is not known here", span, help=did_you_mean(name, known)
        )


@define
class Scope:
    """What one rule, definition or choice can see: locals by name, and where it stands.

    `path` is the path of clauses made here; `params` are what patches match by name; `original`
    is what a patch replaced; `slot` counts locals.
    """

    draft: Draft
    locals: dict[str, Expr] = field(factory=dict)
    path: str = ""
    params: dict[str, Expr] = field(factory=dict)
    slots: list[int] = field(factory=lambda: [0])
    original: Any = None
    stack: tuple[str, ...] = ()

    def new_slot(self) -> int:
        """A fresh local."""
        self.slots[0] += 1
        return self.slots[0] - 1

    def child(self, **names: Expr) -> Scope:
        """The same place with more names."""
        return evolve(self, locals={**self.locals, **names})

    def under(self, name: str) -> Scope:
        """The same names, one step deeper in the path."""
        return evolve(self, path=f"{self.path}.{name}" if self.path else name)


@contextmanager
def guarded(draft: Draft | None = None, name: str = "") -> Iterator[None]:
    """Swallow a failure that was reported, so that the next construct is looked at too; the name
    that it would have declared is remembered, so that it is not called unknown on top."""
    try:
        yield
    except Failed:
        if draft is not None:
            draft.broken.add(name)
