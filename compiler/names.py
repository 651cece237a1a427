"""The names pass: declarations to symbols, domains, fields and places.

In: the declarations of all files of a game and a configuration. Out: a `Draft` in which every name
has its meaning; rules and triggers are still syntax. Order: seats, enums, options, assumptions and
definitions first (boards may be sized by them), then boards, data, pieces, places, variables.
"""

from __future__ import annotations

from typing import TypeVar

from compiler import data_checks, fields, patches, settings
from compiler.boards import MAX_NODES, Graph, drawn, grid, hexes, row, track
from compiler.elaborate import constant
from compiler.machine.values import Domain, IntType
from compiler.scope import (
    BoardSymbol,
    ChoiceSymbol,
    ConstSymbol,
    DefineSymbol,
    DomainSymbol,
    Draft,
    EventSymbol,
    PatchSymbol,
    RuleSymbol,
    Scope,
    TableSymbol,
    guarded,
)
from compiler.types import NO, YES, dimension, integer
from dsl import declarations as d
from dsl import tree as t
from dsl.problems import NOWHERE

D = TypeVar("D", bound=d.Decl)
MAX_PLAYERS = 16


def only(decls: tuple[d.Decl, ...], kind: type[D]) -> list[D]:
    """The declarations of one kind, in order."""
    return [x for x in decls if isinstance(x, kind)]


def collect(draft: Draft, decls: tuple[d.Decl, ...]) -> tuple[d.Decl, ...]:
    """Fill the draft; returns the declarations with those that active patches bring."""
    draft.declared = {str(getattr(x, "name", "")) for x in decls} - {""}
    _game(draft, decls)
    _seats(draft, decls)
    _enums(draft, decls)
    decls = _switches(draft, decls)
    for board in only(decls, d.Board):
        with guarded(draft, board.name):
            _board(draft, board)
    for data in only(decls, d.Data):
        with guarded(draft, data.name):
            fields.data(draft, data)
    for pieces in only(decls, d.Pieces):
        with guarded(draft, pieces.name):
            fields.pieces(draft, pieces)
    fields.fill(draft, decls)
    _dynamic_patches(draft, decls)
    for clock in only(decls, d.Clock):
        with guarded(draft, clock.name):
            fields.clock(draft, clock)
    for var in only(decls, d.Var):
        with guarded(draft, var.name):
            fields.var(draft, var)
    for place in only(decls, d.Place):
        with guarded(draft, place.name):
            fields.place(draft, place)
    fields.replacements(draft, decls)
    data_checks.checks(draft, decls)
    patches.sort(draft, only(decls, d.Order))
    patches.conflicts(draft, only(decls, d.Order))
    return decls


def _game(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    games = only(decls, d.Game)
    if not games:
        draft.report.error("E0304", "no game is declared", help='begin with: game "Title"')
        return
    draft.title = games[0].title
    for extra in games[1:]:
        draft.report.error("E0302", "a game is declared twice", extra.span)


def _seats(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    found = only(decls, d.Players)
    low = high = 2
    if found:
        written = found[0].range
        scope = Scope(draft)
        with guarded():
            if isinstance(written, t.Range):
                low, high = constant(written.low, scope), constant(written.high, scope)
            else:
                low = high = constant(written, scope)
    elif draft.title:
        draft.report.error("E0304", "the number of players is not declared", help="players 2..4")
    count = draft.config.players or low
    if not 1 <= low <= high <= MAX_PLAYERS:
        where = found[0].span if found else NOWHERE
        draft.report.error("E0404", f"a game has 1 to {MAX_PLAYERS} players", where)
        count = 2
    elif not low <= count <= high:
        draft.report.error(
            "E0305",
            f"{count} players: this game is for {low} to {high}",
            found[0].span if found else NOWHERE,
        )
        count = low
    draft.players = count
    labels = tuple(f"seat{i}" for i in range(count))
    index = draft.domain(Domain("Seat", "seat", labels))
    draft.symbols["Seat"] = DomainSymbol(index)
    draft.symbols["seats"] = DomainSymbol(index)
    draft.symbols["players"] = ConstSymbol(integer(count))
    draft.symbols["yes"] = ConstSymbol(YES)
    draft.symbols["no"] = ConstSymbol(NO)


def _enums(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    for made in only(decls, d.EnumDecl):
        if len(set(made.members)) < len(made.members):
            draft.report.error("E0302", f"'{made.name}' names a member twice", made.span)
        index = draft.domain(Domain(made.name, "enum", made.members))
        draft.declare(made.name, DomainSymbol(index), made.span)


def _switches(draft: Draft, decls: tuple[d.Decl, ...]) -> tuple[d.Decl, ...]:
    """Names that do not need boards, then options, assumptions, readings and variants."""
    settings.assumptions(draft, decls)
    _named(draft, decls)
    settings.options(draft, decls)
    draft.patches = settings.active_patches(draft, decls)
    brought = tuple(
        line for patch in draft.patches for line in patch.lines if not isinstance(line, d.Edit)
    )
    hooks = tuple(line for line in brought if isinstance(line, d.Patch))
    draft.patches += list(hooks)
    _named(draft, brought)
    return (*decls, *brought)


def _named(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    for made in decls:
        match made:
            case d.Define():
                draft.declare(made.name, DefineSymbol(made), made.span)
            case d.Choice():
                draft.declare(made.name, ChoiceSymbol(made), made.span)
            case d.Table():
                draft.declare(made.name, TableSymbol(made), made.span)
            case d.Rule():
                draft.declare(made.name, RuleSymbol(made), made.span)
            case d.Event() | d.Window():
                draft.declare(made.name, EventSymbol(made), made.span)


def _board(draft: Draft, made: d.Board) -> None:
    scope = Scope(draft)
    numbers = [constant(a, scope) for a in made.args]
    graph = _graph(draft, made, numbers)
    if not graph.labels:
        raise draft.fail("E0701", f"the board '{made.name}' has no nodes", made.span)
    index = draft.domain(Domain(made.node, "nodes", graph.labels))
    draft.graphs[index] = graph
    draft.declare(made.name, BoardSymbol(index, graph), made.span)
    if made.node != made.name:
        draft.declare(made.node, DomainSymbol(index), made.span)
    for name, cells in graph.relations.items():
        draft.relations[(index, name)] = draft.table(f"{made.name}.{name}", (index,), cells)
    for name, values in graph.attributes.items():
        table = draft.table(f"{made.name}.{name}", (index,), values)

        draft.attributes[(index, name)] = (table, IntType(min(values), max(values)))


def _graph(draft: Draft, made: d.Board, numbers: list[int]) -> Graph:
    wanted = {"map": 0, "grid": 2, "hex": 2, "track": 1, "row": 1}
    if made.shape not in wanted:
        raise draft.fail(
            "E0701",
            f"there is no board called '{made.shape}'",
            made.span,
            notes=("boards: map, grid(w, h), hex(w, h), track(n), row of n with ...",),
        )
    size = 1
    for value in numbers:
        size *= value
    if len(numbers) != wanted[made.shape] or any(n < 1 for n in numbers) or size > MAX_NODES:
        raise draft.fail(
            "E0701",
            f"'{made.shape}' takes {wanted[made.shape]} number(s) from 1, {MAX_NODES} at most",
            made.span,
        )
    match made.shape:
        case "grid":
            return grid(numbers[0], numbers[1])
        case "hex":
            return hexes(numbers[0], numbers[1])
        case "track":
            return track(numbers[0])
        case "row":
            return row(numbers[0], made.slots, made.ends)
    widths = {len(r.strip("|").split()) for r in made.rows}
    if len(widths) != 1:
        raise draft.fail("E0702", "the rows of this map are not equally long", made.span)
    return drawn(made.rows)


def _dynamic_patches(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    """Patches that an effect switches on get a field: off, waiting or active for each argument."""
    for made in only(decls, d.Patch):
        if made.kind != "patch" or (made.while_ is not None and not made.params):
            continue
        with guarded():
            dims = tuple(
                dimension(draft, p.type, lambda e: constant(e, Scope(draft)))
                for p in made.params
                if p.type is not None
            )
            if len(dims) != len(made.params):
                raise draft.fail("E0403", "a patch's parameters need types", made.span)
            clause = draft.clause(made.name, "patch", made.text, made.cites, made.span)
            number = draft.add_field(made.name, "patch", dims, _patch_type(), clause=clause)
            draft.declare(made.name, PatchSymbol(made, number), made.span)


def _patch_type() -> IntType:

    return IntType(0, 2)
