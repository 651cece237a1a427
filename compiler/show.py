"""What a compilation made, in words and as data.

In: a machine and its configuration. Out: the summary that `rulec compile` prints, the layout of the
state, and both as plain data for JSON.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from compiler.config import Configuration
from compiler.machine.record import Field, Machine
from compiler.machine.values import (
    BoolType,
    IntType,
    ListType,
    MemberType,
    SetType,
    Type,
    VectorType,
    bits,
)
from dsl import declarations as d
from dsl import tree as t


@frozen
class Row:
    """One field of the state: how many cells of what, in how many bits each."""

    name: str
    kind: str
    type: str
    low: int
    high: int
    cells: int
    bits: int
    seen: str


def type_words(machine: Machine, kind: Type) -> str:
    """A type in the words of the language."""
    match kind:
        case IntType(low, high):
            return f"{low}..{high}"
        case BoolType():
            return "YesNo"
        case MemberType(domain, optional):
            return ("optional " if optional else "") + machine.domains[domain].name
        case SetType(domain):
            return f"set of {machine.domains[domain].name}"
        case VectorType(domain, item):
            return f"{type_words(machine, item)} for each {machine.domains[domain].name}"
        case ListType(item, limit):
            return f"list of {type_words(machine, item)} up to {limit}"
    return "constant"


def _cells(machine: Machine, made: Field) -> int:
    count = 1
    for dim in made.dims:
        count *= machine.domains[dim].size
    return count


def layout(machine: Machine) -> list[Row]:
    """Every field, the waiting block first."""
    block = max(0, len(machine.blocks) - 1)
    rows = [Row("(block)", "system", "where play waits", 0, block, 1, bits(0, block), "hidden")]
    for made in sorted(machine.fields, key=lambda f: f.base):
        dims = ", ".join(machine.domains[x].name for x in made.dims)
        name = f"{made.name}[{dims}]" if dims else made.name
        seen = made.visible.kind + (" while" if made.visible.while_ is not None else "")
        words = type_words(machine, made.type)
        width = bits(made.low, made.high)
        rows.append(
            Row(name, made.kind, words, made.low, made.high, _cells(machine, made), width, seen)
        )
    return rows


def state_bits(machine: Machine) -> int:
    """The size of a state, each cell in the fewest bits that hold its range."""
    return sum(r.cells * r.bits for r in layout(machine))


def summary(machine: Machine, config: Configuration) -> dict[str, object]:
    """The figures of a compilation as plain data."""
    cites = {c for clause in machine.clauses for c in clause.cites}
    size = state_bits(machine)
    return {
        "game": machine.name,
        "title": machine.title,
        "players": machine.players,
        "configuration": config.text(),
        "phases": [r.name for r in machine.rules],
        "decisions": len(machine.decisions),
        "chance": len(machine.sites),
        "blocks": len(machine.blocks),
        "clauses": len(machine.clauses),
        "citations": len(cites),
        "settings": [
            {"id": s.id, "kind": s.kind, "text": s.text, "value": s.value, "default": s.default}
            for s in machine.settings
        ],
        "cells": machine.cells,
        "bits": size,
        "bytes": (size + 7) // 8,
    }


def summary_text(machine: Machine, config: Configuration) -> str:
    """The figures of a compilation in words."""
    made = summary(machine, config)
    kinds = ("option", "variant", "reading", "assume")
    found = {k: [s for s in machine.settings if s.kind == k] for k in kinds}
    rules = ", ".join(r.name for r in machine.rules)
    lines = [
        f"{machine.title}, {machine.players} players, {config.text()}",
        f"  phases       {len(machine.rules)}: {rules}",
        f"  decisions    {made['decisions']}",
        f"  chance       {made['chance']}",
        f"  clauses      {made['clauses']}, of {made['citations']} citations",
        f"  state        {made['bytes']} bytes ({made['bits']} bits in {machine.cells} cells)",
    ]
    names = {
        "option": "options",
        "variant": "variants",
        "reading": "readings",
        "assume": "assumptions",
    }
    for kind in kinds:
        if found[kind]:
            words = ", ".join(f"{s.id}={s.value}" for s in found[kind])
            lines.append(f"  {names[kind]:<12} {len(found[kind])}: {words}")
    return "\n".join(lines)


def layout_text(machine: Machine) -> str:
    """The layout of the state as a table."""
    rows = [("field", "kind", "type", "range", "cells", "bits", "seen by")]
    for r in layout(machine):
        low_high = f"{r.low}..{r.high}" if r.high < 10**9 else f"{r.low}..2^{r.high.bit_length()}-1"
        rows.append((r.name, r.kind, r.type, low_high, str(r.cells), str(r.cells * r.bits), r.seen))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        c.rjust(w) if i in (4, 5) else c.ljust(w)
        for i, (c, w) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def player_counts(decls: tuple[d.Decl, ...], most: int = 12) -> tuple[int, ...]:
    """The numbers of players that a game may be declared for; all to try where it is computed."""
    for made in decls:
        if isinstance(made, d.Players):
            match made.range:
                case t.Range(t.Int(low), t.Int(high)):
                    return tuple(range(low, min(high, most) + 1))
                case t.Int(count):
                    return (count,)
    return tuple(range(1, most + 1))


# -- configurations in the headers of logs --------------------------------------------------------


def config_lines(config: Configuration) -> tuple[str, ...]:
    """A configuration as lines such as `players 2` and `option first=seat0`."""
    out = [f"players {config.players}", *(f"option {k}={v}" for k, v in config.options)]
    out += [f"variant {v}" for v in config.variants]
    out += [f"reading {k}={v}" for k, v in config.readings]
    return (*out, *(f"assume {k}={v}" for k, v in config.assumes))


def config_of(lines: Sequence[str]) -> Configuration:
    """A configuration from such lines."""
    found: dict[str, list[str]] = {}
    for line in lines:
        word, _, value = line.partition(" ")
        found.setdefault(word, []).append(value)
    count = found.get("players", [""])[0]
    return Configuration.of(
        int(count) if count.isdigit() and len(count) < 3 else None,
        _pairs(found.get("option", [])),
        tuple(found.get("variant", [])),
        _pairs(found.get("reading", [])),
        _pairs(found.get("assume", [])),
    )


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    return {name: value for name, _, value in (x.partition("=") for x in texts)}
