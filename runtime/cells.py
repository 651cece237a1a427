"""Writes to cells that both engines share: bounded changes, moves of pieces, simultaneous batches.

In: a list of cells and numbers that the machine fixes. Out: the list changed, or a `Fault`; the
caller throws the list away after a fault, so that a position is never half changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field, frozen

from compiler.machine.builtins import Fault
from compiler.machine.record import Machine, PieceKind

BOX, ONE, SET, PILE = 0, 1, 2, 3


@frozen
class Instance:
    """One place instance: contents from `base`; a pile's size in `size`; `name` for messages."""

    shape: int
    base: int
    size: int
    capacity: int
    name: str


@frozen
class Kind:
    """A kind of pieces: the first cell of `where`, and its instances by number (0 is the box)."""

    where: int
    count: int
    instances: tuple[Instance, ...]


def kind_of(machine: Machine, kind: PieceKind, number: int) -> Kind:
    """The instances of a kind of pieces in numbers of cells."""
    found: dict[int, Instance] = {0: Instance(BOX, 0, 0, 0, "box")}
    for place in machine.places:
        if place.kind != number:
            continue
        count = 1
        for dim in place.dims:
            count *= machine.domains[dim].size
        base = machine.fields[place.field].base
        size = machine.fields[place.size].base if place.size >= 0 else 0
        shape = {"one": ONE, "set": SET, "pile": PILE, "row": PILE}[place.shape]
        step = place.capacity if shape == PILE else 1
        for i in range(count):
            found[place.first + i] = Instance(
                shape, base + i * step, size + i, place.capacity, place.name
            )
    where = machine.fields[kind.where].base
    instances = tuple(found[i] for i in range(len(found)))
    return Kind(where, machine.domains[kind.domain].size, instances)


def remove(cells: list[int], kind: Kind, piece: int) -> None:
    """Take a piece out of where it is."""
    here = kind.instances[cells[kind.where + piece]]
    if here.shape == SET:
        cells[here.base] &= ~(1 << piece)
    elif here.shape == ONE:
        cells[here.base] = -1
    elif here.shape == PILE:
        size = cells[here.size]
        at = cells.index(piece, here.base, here.base + size)
        cells[at : here.base + size - 1] = cells[at + 1 : here.base + size]
        cells[here.base + size - 1] = -1
        cells[here.size] = size - 1


def put(cells: list[int], kind: Kind, piece: int, to: int, under: bool = False) -> None:
    """Put a piece that is nowhere into an instance; on top of a pile, or under it."""
    here = kind.instances[to]
    if here.shape == SET:
        mask = cells[here.base] | 1 << piece
        if mask.bit_count() > here.capacity:
            raise Fault(f"'{here.name}' holds {here.capacity} at the most")
        cells[here.base] = mask
    elif here.shape == ONE:
        if cells[here.base] >= 0:
            raise Fault(f"'{here.name}' is taken")
        cells[here.base] = piece
    elif here.shape == PILE:
        size = cells[here.size]
        if size >= here.capacity:
            raise Fault(f"'{here.name}' holds {here.capacity} at the most")
        if under:
            cells[here.base + 1 : here.base + size + 1] = cells[here.base : here.base + size]
            cells[here.base] = piece
        else:
            cells[here.base + size] = piece
        cells[here.size] = size + 1
    cells[kind.where + piece] = to


def move(cells: list[int], kind: Kind, piece: int, to: int, under: bool = False) -> None:
    """Move one piece."""
    remove(cells, kind, piece)
    put(cells, kind, piece, to, under)


def move_set(
    cells: list[int], kind: Kind, pieces: Sequence[int], to: int, under: bool = False
) -> None:
    """Move pieces in order, all leaving before the first arrives."""
    for piece in pieces:
        remove(cells, kind, piece)
    for piece in pieces:
        put(cells, kind, piece, to, under)


def move_top(cells: list[int], kind: Kind, count: int, source: int, to: int, partial: bool) -> int:
    """Move from the top of a pile, one after the other; returns how many moved."""
    here = kind.instances[source]
    for done in range(count):
        size = cells[here.size]
        if size == 0:
            if partial:
                return done
            raise Fault(f"'{here.name}' is empty")
        move(cells, kind, cells[here.base + size - 1], to)
    return count


def turn_over(cells: list[int], kind: Kind, source: int, to: int) -> None:
    """Turn a pile over onto another: its top goes first, so its bottom ends on top."""
    here = kind.instances[source]
    size = cells[here.size]
    pieces = cells[here.base : here.base + size][::-1]
    move_set(cells, kind, pieces, to)


def bounded(value: int, delta: int, low: int, high: int, mode: str, limit: int, name: str) -> int:
    """A changed value under a mode; leaving the range is a fault unless the mode says otherwise."""
    new = value + delta
    match mode:
        case "fit":
            return max(low, min(high, new))
        case "at_most":
            new = min(new, limit) if delta >= 0 else new
        case "at_least":
            new = max(new, limit) if delta <= 0 else new
        case "wrap":
            return low + (new - low) % (high - low + 1)
    if not low <= new <= high:
        raise Fault(f"'{name}' would become {new}, outside {low}..{high}")
    return new


def in_range(value: int, low: int, high: int, name: str) -> int:
    """A value that is about to be written."""
    if not low <= value <= high:
        raise Fault(f"'{name}' would become {value}, outside {low}..{high}")
    return value


@define
class Batch:
    """What a simultaneous batch will write: assignments and summed changes by cell."""

    sets: dict[int, int] = field(factory=dict)
    adds: dict[int, list[int]] = field(factory=dict)
    modes: dict[int, tuple[int, int, str, int, str]] = field(factory=dict)

    def assign(self, cell: int, value: int, name: str) -> None:
        """An assignment; another value for the same cell is a fault."""
        if self.sets.setdefault(cell, value) != value or cell in self.adds:
            raise Fault(f"'{name}' is written twice in one instant")

    def change(
        self, cell: int, delta: int, low: int, high: int, mode: str, limit: int, name: str
    ) -> None:
        """A change; changes of one cell are added up."""
        if cell in self.sets:
            raise Fault(f"'{name}' is written twice in one instant")
        self.adds.setdefault(cell, [0])[0] += delta
        self.modes[cell] = (low, high, mode, limit, name)

    def commit(self, cells: list[int], before: Sequence[int]) -> None:
        """Write everything."""
        for cell, value in self.sets.items():
            cells[cell] = value
        for cell, (delta,) in self.adds.items():
            low, high, mode, limit, name = self.modes[cell]
            cells[cell] = bounded(before[cell], delta, low, high, mode, limit, name)
