"""Which hidden cells a choice or a chance result is written to: what may not be told to all.

In: a machine. Out: for each field that takes a choice or a result, and for each option of a menu,
the fields that not everyone sees and that it is copied to. Closed by default: whatever a value
passes through on its way (parameters, `let`, results of rules) counts, and so does an `if` on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from compiler.machine import effects as e
from compiler.machine.exprs import Read
from compiler.machine.record import Field, Machine

Uses = tuple[frozenset[int], frozenset[int]]


def children(node: Any) -> Iterator[Any]:
    """The parts of a node of the machine."""
    if isinstance(node, tuple):
        yield from node
    elif attrs.has(type(node)):
        for made in attrs.fields(type(node)):
            yield getattr(node, made.name)


def reads(node: Any) -> frozenset[int]:
    """The fields that an expression or an effect reads by itself."""
    if isinstance(node, Read):
        return frozenset((node.field,)).union(*(reads(i) for i in node.index))
    return frozenset().union(*(reads(x) for x in children(node)))


def writes(node: Any) -> frozenset[int]:
    """The fields that effects write values to."""
    own = frozenset((node.field,)) if isinstance(node, e.Assign | e.Change) else frozenset()
    return own.union(*(writes(x) for x in children(node))) if not isinstance(node, Read) else own


def secret(made: Field) -> bool:
    """Whether a value in this field may be unknown to somebody."""
    return made.kind in ("var", "patch") and (
        made.visible.kind != "everyone" or made.visible.while_ is not None
    )


class Sight:
    """Follows values through a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.links: list[Uses] = []
        for procedure in machine.procedures:
            self._effects(procedure.body)
        for block in machine.blocks:
            self._effects(block.effects)
            if isinstance(block.exit, e.Branch):
                near = writes(machine.blocks[block.exit.yes].effects) | writes(
                    machine.blocks[block.exit.no].effects
                )
                self.links.append((reads(block.exit.test), near))
        self.known: dict[int, frozenset[int]] = {}

    def _effects(self, made: tuple[e.Effect, ...]) -> None:
        for effect in made:
            self._effect(effect, reads(effect))
        bound = [x for x in made if isinstance(x, e.Bind)]
        if bound:
            self.links.append((reads(tuple(bound)), writes(made)))

    def _effect(self, made: e.Effect, seen: frozenset[int]) -> None:
        match made:
            case e.Run(procedure):
                self.links.append((seen, writes(self.machine.procedures[procedure].body)))
            case e.Loop(body=body) | e.Repeat(body=body) | e.AtOnce(body=body):
                self.links.append((seen, writes(body)))
            case _:
                self.links.append((seen, writes(made)))

    def hidden_by(self, field: int) -> frozenset[int]:
        """The fields that not everyone sees and that a value of this field may reach."""
        if field not in self.known:
            reached, fresh = {field}, {field}
            while fresh:
                more = {w for r, ws in self.links if r & fresh for w in ws} - reached
                reached |= more
                fresh = {w for w in more if self.machine.fields[w].kind in ("frame", "system")}
            found = frozenset(w for w in reached if secret(self.machine.fields[w]))
            self.known[field] = found
        return self.known[field]

    def hidden_by_option(self, block: int) -> frozenset[int]:
        """The fields that not everyone sees and that the block of an option writes."""
        found = writes(self.machine.blocks[block].effects)
        return frozenset(w for w in found if secret(self.machine.fields[w]))
