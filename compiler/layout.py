"""Layout: fields to cells, and the machine from its draft.

In: a finished draft and flow. Out: the frozen machine. Cell 0 is the program counter (a block);
then come system fields, places, variables, patches and frames, each field in one stretch.
"""

from __future__ import annotations

from attrs import evolve

from compiler.flow import Flow
from compiler.machine import record as m
from compiler.machine.effects import Block, Goto
from compiler.scope import BoardSymbol, Draft

ORDER = ("system", "place", "var", "patch", "frame")


def finish(
    draft: Draft, flow: Flow, start: int, measures: list[m.Measure], invariants: list[m.Invariant]
) -> m.Machine:
    """The machine of a draft."""
    blocks, renumber = _blocks(flow)
    fields, cells = _fields(draft)
    kinds = tuple(evolve(k, box=0) for _, k in sorted(draft.kinds.items()))
    fields = [_where(f, draft) for f in fields]
    rules = tuple(
        m.Rule(
            r.decl.name,
            renumber[r.entry],
            tuple(r.params),
            tuple(r.frame),
            r.back,
            tuple(renumber[b] for b in r.returns),
            r.clause,
        )
        for r in flow.rules.values()
    )
    return m.Machine(
        title=draft.title,
        name=draft.name,
        players=draft.players,
        domains=tuple(draft.domains),
        fields=tuple(fields),
        places=tuple(draft.places),
        kinds=kinds,
        tables=tuple(draft.tables),
        functions=tuple(f for f in draft.functions if f is not None),
        procedures=tuple(p for p in draft.procedures if p is not None),
        rules=rules,
        choosers=tuple(draft.choosers),
        decisions=tuple(draft.decisions),
        sites=tuple(draft.sites),
        endings=tuple(draft.endings),
        blocks=blocks,
        measures=tuple(measures),
        invariants=tuple(invariants),
        boards=_boards(draft),
        clauses=tuple(draft.clauses),
        settings=tuple(draft.settings),
        primes=tuple(x.prime for x in draft.triggers),
        start=renumber[start],
        cells=cells,
    )


def _blocks(flow: Flow) -> tuple[tuple[Block, ...], dict[int, int]]:
    """Blocks in order of making; every exit is set (dead code goes back to itself)."""
    renumber = {i: i for i in range(len(flow.blocks))}
    made = tuple(
        Block(b.path, tuple(b.effects), b.exit or Goto(i), b.rule, b.entry)
        for i, b in enumerate(flow.blocks)
    )
    return made, renumber


def _fields(draft: Draft) -> tuple[list[m.Field], int]:
    at = 1
    placed: dict[int, m.Field] = {}
    for kind in ORDER:
        for number, made in enumerate(draft.fields):
            if made.kind != kind:
                continue
            size = 1
            for dim in made.dims:
                size *= draft.domains[dim].size
            default = made.default if len(made.default) == size else made.default * size
            placed[number] = evolve(made, base=at, default=default[:size])
            at += size
    return [placed[i] for i in range(len(draft.fields))], at


def _where(made: m.Field, draft: Draft) -> m.Field:
    """The range of a piece's whereabouts is the number of places that take it."""
    for kind in draft.kinds.values():
        if draft.fields[kind.where].name == made.name:
            return evolve(made, high=max(1, kind.box - 1))
    return made


def _boards(draft: Draft) -> tuple[m.Board, ...]:
    out = []
    for name, symbol in draft.symbols.items():
        if isinstance(symbol, BoardSymbol):
            out.append(m.Board(name, symbol.domain, symbol.graph.shape, symbol.graph.rows))
    return tuple(out)
