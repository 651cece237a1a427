"""The first static checks: each a small function whose docstring is its rule.

In: a machine, its declarations and the report. Out: problems with a certainty: `proved` for this
configuration, or `suspected` where only play could tell. Checks that need to play (setup supply,
witnesses) are run by the door with an engine; see `runtime.probe`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import networkx as nx

from compiler import control
from compiler.machine import effects as e
from compiler.machine.exprs import Builtin, Const, Read
from compiler.machine.record import Decision, Machine
from compiler.suspends import nodes
from dsl import declarations as d
from dsl import tree as t
from dsl.problems import NOWHERE, Problem, Report, Severity, Span

Check = Callable[[Machine, "nx.DiGraph[int]", tuple[d.Decl, ...]], Iterator[Problem]]


def _span(machine: Machine, clause: int) -> Span:
    return machine.clauses[clause].span if clause >= 0 else NOWHERE


def _cites(machine: Machine, clause: int) -> tuple[str, ...]:
    return machine.clauses[clause].cites if clause >= 0 else ()


def unreachable(
    machine: Machine, graph: nx.DiGraph[int], decls: tuple[d.Decl, ...]
) -> Iterator[Problem]:
    """A rule that play never comes to is a warning: nobody calls it, or its caller is dead."""
    made = {r.name for r in machine.rules} | {p.name for p in machine.procedures}
    for decl in decls:
        if isinstance(decl, d.Rule) and decl.name not in made:
            yield Problem(
                "W0701",
                f"unreachable: nothing calls the rule '{decl.name}'",
                decl.span,
                Severity.WARNING,
            )
    seen = control.reachable(graph, machine.start)
    for number, block in enumerate(machine.blocks):
        if control.waits(machine, number) and number not in seen:
            exit_ = block.exit
            assert isinstance(exit_, e.Ask | e.AskMenu)
            decision = machine.decisions[exit_.decision]
            if any(_same(machine, other, decision.path) for other in seen):
                continue
            yield Problem(
                "W0701",
                f"unreachable: play never comes to the decision {decision.path}",
                _span(machine, decision.clause),
                Severity.WARNING,
            )


def _same(machine: Machine, block: int, path: str) -> bool:
    exit_ = machine.blocks[block].exit
    return isinstance(exit_, e.Ask | e.AskMenu) and machine.decisions[exit_.decision].path == path


def trap(machine: Machine, graph: nx.DiGraph[int], decls: tuple[d.Decl, ...]) -> Iterator[Problem]:
    """A point of the rules from which no end of the game can be reached is an error."""
    ends = [i for i, b in enumerate(machine.blocks) if isinstance(b.exit, e.End)]
    good: set[int] = set(ends)
    for end in ends:
        good |= nx.ancestors(graph, end)
    bad = [b for b in sorted(control.reachable(graph, machine.start)) if b not in good]
    if bad:
        block = machine.blocks[bad[0]]
        clause = machine.rules[block.rule].clause
        yield Problem(
            "E0702",
            f"trap: from {block.path} the game can never end",
            _span(machine, clause),
            notes=(f"way there: {control.path_words(machine, graph, machine.start, bad[0])}",),
        )


def stuck(machine: Machine, graph: nx.DiGraph[int], decls: tuple[d.Decl, ...]) -> Iterator[Problem]:
    """A compulsory decision should say what happens when nothing is legal, unless something
    always is: a constant domain without a requirement. Only play or proof could tell the rest."""
    for number in sorted(control.reachable(graph, machine.start)):
        exit_ = machine.blocks[number].exit
        if not isinstance(exit_, e.Ask | e.AskMenu) or exit_.skip >= 0:
            continue
        decision = machine.decisions[exit_.decision]
        never = _never_legal(machine, decision)
        if never:
            yield Problem(
                "E0708",
                f"stuck: nothing can ever be legal at {decision.path}",
                _span(machine, decision.clause),
                cites=_cites(machine, decision.clause),
            )
        elif not _always_legal(machine, decision):
            yield Problem(
                "N0708",
                f"nothing says what happens if nothing is legal at {decision.path}",
                _span(machine, decision.clause),
                Severity.NOTE,
                help="if it can happen, write 'if able', an 'otherwise', or a later tier",
                cites=_cites(machine, decision.clause),
                tier="suspected",
            )


def _always_legal(machine: Machine, decision: Decision) -> bool:
    if decision.chooser < 0:
        return any(not o.domains and not o.demands for o in decision.options)
    made = machine.choosers[decision.chooser]
    if made.demands or made.each is not None:
        return False
    if made.form == "one" and isinstance(made.domain, Const):
        return bool(made.domain.value)
    if made.form == "one" and isinstance(made.low, Const) and isinstance(made.high, Const):
        least, most = made.low.value, made.high.value
        return isinstance(least, int) and isinstance(most, int) and least <= most
    return made.form == "subset" and made.low is None


def _never_legal(machine: Machine, decision: Decision) -> bool:
    if decision.chooser < 0:
        return False
    made = machine.choosers[decision.chooser]
    empty = isinstance(made.domain, Const) and made.domain.value == 0 and made.form == "one"
    return empty or any(isinstance(x.test, Const) and not x.test.value for x in made.demands)


def exhaustion(
    machine: Machine, graph: nx.DiGraph[int], decls: tuple[d.Decl, ...]
) -> Iterator[Problem]:
    """Drawing from a pile after the first decision must say what an empty pile means: `as much as
    there is`, a refill, or a test of the pile in the same rule. What is drawn before any decision
    is checked by playing the setup."""
    before = _before_decisions(machine, graph)
    tested = {
        place
        for block in machine.blocks
        if isinstance(block.exit, e.Branch)
        for place in _sizes(block.exit.test)
    }
    for number in sorted(control.reachable(graph, machine.start) - before):
        for draw in _draws(machine, machine.blocks[number].effects):
            if draw.partial or draw.source.place in tested:
                continue
            name = machine.places[draw.source.place].name
            yield Problem(
                "W0710",
                f"exhaustion: '{name}' may be empty when this draws from it",
                _span(machine, draw.clause),
                Severity.WARNING,
                help="write 'as much as there is', refill the place, or test it first",
                cites=_cites(machine, draw.clause),
                tier="suspected",
            )


def _sizes(test: object) -> set[int]:
    out = set()
    for node in nodes(test):
        if isinstance(node, Builtin) and node.name.startswith("place_"):
            place = node.args[0]
            if isinstance(place, Const) and isinstance(place.value, int):
                out.add(place.value)
    return out


def _draws(machine: Machine, made: object) -> list[e.MoveTop]:
    out = [n for n in nodes(made) if isinstance(n, e.MoveTop)]
    for run in (n for n in nodes(made) if isinstance(n, e.Run)):
        if run.procedure < len(machine.procedures):
            body = machine.procedures[run.procedure].body
            out += [n for n in nodes(body) if isinstance(n, e.MoveTop)]
    return out


def _before_decisions(machine: Machine, graph: nx.DiGraph[int]) -> set[int]:
    """The blocks that are only ever passed before the first decision of a seat."""
    open_ = [machine.start]
    first = {machine.start}
    while open_:
        block = open_.pop()
        if control.waits(machine, block):
            continue
        for to in graph.successors(block):
            if to not in first:
                first.add(to)
                open_.append(to)
    asked = [b for b in first if control.waits(machine, b)]
    later: set[int] = set()
    for block in asked:
        later |= nx.descendants(graph, block)
    return first - later


def conservation(
    machine: Machine, graph: nx.DiGraph[int], decls: tuple[d.Decl, ...]
) -> Iterator[Problem]:
    """Components are only moved: nothing but a move may write where a piece is."""
    held = {k.where for k in machine.kinds}
    for place in machine.places:
        held |= {place.field, place.size}
    parts: list[object] = [b.effects for b in machine.blocks]
    parts += [p.body for p in machine.procedures]
    for part in parts:
        for node in nodes(part):
            if isinstance(node, e.Assign | e.Change) and node.field in held:
                yield Problem(
                    "E0711",
                    f"components are lost or made: '{machine.fields[node.field].name}' is written",
                    _span(machine, node.clause),
                )


def unplaced(
    machine: Machine, graph: nx.DiGraph[int], decls: tuple[d.Decl, ...]
) -> Iterator[Problem]:
    """Every kind of pieces is moved somewhere; every place takes something and is looked at."""
    parts: list[object] = [b.effects for b in machine.blocks]
    parts += [p.body for p in machine.procedures]
    moves = [
        n
        for part in parts
        for n in nodes(part)
        if isinstance(n, e.MoveSet | e.MoveTop | e.TurnOver)
    ]
    moved = {m.kind for m in moves}
    for number, kind in enumerate(machine.kinds):
        if number not in moved:
            yield Problem(
                "W0712",
                f"unplaced: no rule ever moves a {kind.name} out of the box",
                _span(machine, kind.clause),
                Severity.WARNING,
                cites=_cites(machine, kind.clause),
            )
    filled = {m.to.place for m in moves}
    for at, place in enumerate(machine.places):
        if at not in filled and place.kind in moved:
            yield Problem(
                "W0713",
                f"unused: nothing is ever put into '{place.name}'",
                _span(machine, place.clause),
                Severity.WARNING,
            )


def unused(
    machine: Machine, graph: nx.DiGraph[int], decls: tuple[d.Decl, ...]
) -> Iterator[Problem]:
    """A variable that no rule writes, a definition that nothing mentions: a warning each."""
    written: set[int] = set()
    parts: list[object] = [b.effects for b in machine.blocks]
    parts += [p.body for p in machine.procedures]
    for part in parts:
        written |= {n.field for n in nodes(part) if isinstance(n, e.Assign | e.Change)}
    read = {
        n.field
        for n in nodes((machine.blocks, machine.procedures, machine.choosers))
        if isinstance(n, Read)
    }
    for number, made in enumerate(machine.fields):
        if made.kind == "var" and number not in written:
            what = "is read, but no rule ever changes it" if number in read else "is never used"
            yield Problem(
                "W0714", f"'{made.name}' {what}", _span(machine, made.clause), Severity.WARNING
            )
    names = [n.name for decl in decls for n in nodes(decl) if isinstance(n, t.Name)]
    for decl in decls:
        if isinstance(decl, d.Define | d.Choice) and decl.name not in names:
            yield Problem("W0715", f"nothing uses '{decl.name}'", decl.span, Severity.WARNING)


def endless(
    machine: Machine, graph: nx.DiGraph[int], decls: tuple[d.Decl, ...]
) -> Iterator[Problem]:
    """Liveness: a round of decisions without a declared measure may go on for ever."""
    if any(isinstance(x, d.Measure) for x in decls):
        return
    seen = control.reachable(graph, machine.start)
    for part in nx.strongly_connected_components(graph.subgraph(seen)):
        if len(part) > 1 and any(control.waits(machine, b) for b in part):
            first = min(part)
            clause = machine.rules[machine.blocks[first].rule].clause
            yield Problem(
                "N0720",
                "the game may not end: its rounds have no measure that falls",
                _span(machine, clause),
                Severity.NOTE,
                notes=(f"the round begins at {machine.blocks[first].path}",),
                tier="suspected",
            )


CHECKS: tuple[Check, ...] = (
    unreachable,
    trap,
    stuck,
    exhaustion,
    conservation,
    unplaced,
    unused,
    endless,
)


def run(machine: Machine, decls: tuple[d.Decl, ...], report: Report) -> None:
    """Run every check on a machine."""
    graph = control.graph(machine)
    for check in CHECKS:
        for problem in check(machine, graph, decls):
            report.add(problem)
