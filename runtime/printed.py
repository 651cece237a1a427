"""What is printed on a card, a piece, a section: the data of a member in words, open to all.

In: a machine and a label. Out: lines of text.
"""

from __future__ import annotations

from compiler.machine.record import Machine, Table
from compiler.machine.values import ListType, PatternType, TextType
from runtime.labels import braces, value_label
from runtime.legal import Raw


def printed(machine: Machine, name: str) -> list[str]:
    """What the data say of a card, a piece, a section or an offer; data are open to all."""
    out = []
    for number, domain in enumerate(machine.domains):
        if name not in domain.labels:
            continue
        at = domain.labels.index(name)
        out.append(f"{name} ({domain.name})")
        for table in machine.tables:
            owner, _, field = table.name.partition(".")
            if table.type is None or owner != domain.name or table.dims[:1] != (number,):
                continue
            out.append(f"  {field:<10} {_cell(machine, table, at)}")
    return out or [f"nothing is called {name}" if name else "show NAME"]


def _cell(machine: Machine, table: Table, at: int) -> str:
    assert table.type is not None
    if len(table.dims) == 2:
        keys = machine.domains[table.dims[1]].labels
        row = table.cells[at * len(keys) : (at + 1) * len(keys)]
        pairs = [(k, value_label(machine, table.type, v)) for k, v in zip(keys, row, strict=True)]
        return braces(f"{k} -> {v}" for k, v in pairs if v != "0")
    value = table.cells[at]
    if isinstance(table.type, ListType) and isinstance(value, tuple):
        return "[" + ", ".join(value_label(machine, table.type.item, v) for v in value) + "]"
    if isinstance(table.type, TextType) and isinstance(value, tuple):
        return str(value[0])
    if isinstance(table.type, PatternType) and isinstance(value, tuple):
        return _pattern(machine, table.type, value)
    return value_label(machine, table.type, value)


def _pattern(machine: Machine, kind: PatternType, value: Raw) -> str:
    """`a above b, c left of d: any, any, red`"""
    labels = machine.domains[kind.label].labels
    letters = "abcdefghij"
    nodes = [f"{letters[i]} {'any' if c < 0 else labels[c]}" for i, c in enumerate(value[0])]
    words = ("above", "left of")
    edges = [f"{letters[i]} {words[r]} {letters[j]}" for i, r, j in value[1]]
    return f"{', '.join(nodes)}: {', '.join(edges)}"
