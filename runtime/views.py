"""What a seat may see: the only way from a state to the eyes of a player or a spectator.

In: an engine, a state and a seat (None is a spectator). Out: one `View` for each cell of a variable
or a patch and for each place. Everything is closed unless its declaration opens it: a hidden place
still shows how many pieces lie there, unless it is declared `hidden`; pieces in the box are shown
to nobody. Logs, prompts, bots, drawings and undo look at a position through this module alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any
from weakref import WeakKeyDictionary

from attrs import frozen

from compiler.machine.builtins import members
from compiler.machine.evaluate import World, evaluate, instance_offset
from compiler.machine.exprs import Builtin, Const, Expr, Invoke, Possible, Read
from compiler.machine.record import Field, Machine, Measure, Place, Visible
from runtime.engine import Engine, State
from runtime.labels import value_label
from runtime.sight import children

ALL, TOP, UNORDERED, COUNT, NOTHING_SEEN = "all", "top", "unordered", "count", "nothing"
Seat = int | None


@frozen
class View:
    """One variable's cell or one place as somebody sees it.

    `kind` is var, patch, one, set, pile or row; `sight` is all, top, unordered (contents, not
    their order), count or nothing; `labels` are the values or pieces that are seen, bottom first;
    `size` is the number of pieces, -1 where it is not known or makes no sense. `at` are the index
    members behind the `index` labels, `dims` their domains.
    """

    name: str
    kind: str
    dims: tuple[int, ...]
    at: tuple[int, ...]
    index: tuple[str, ...]
    sight: str
    labels: tuple[str, ...]
    size: int

    @property
    def title(self) -> str:
        """`name[a, b]`"""
        return f"{self.name}[{', '.join(self.index)}]" if self.index else self.name


# -- who sees what --------------------------------------------------------------------------------


def _holds(engine: Engine, state: State, seen: Visible) -> bool:
    if seen.while_ is None:
        return True
    machine = engine.machine
    world = World(
        machine.domains,
        machine.tables,
        machine.functions,
        machine.fields,
        machine.places,
        state.cells,
        lambda n, args: engine.legal_of.possible(n, state.cells, *args),
    )
    return bool(evaluate(seen.while_, world, {}))


def _owner(machine: Machine, dims: Sequence[int], at: Sequence[int]) -> int:
    """The index that is a seat, or -1."""
    for dim, key in zip(dims, at, strict=False):
        if machine.domains[dim].kind == "seat":
            return key
    return -1


def sight(
    engine: Engine, state: State, seat: Seat, seen: Visible, dims: Sequence[int], at: Sequence[int]
) -> str:
    """How much of something declared so a seat sees."""
    if seen.kind == "hidden":
        return NOTHING_SEEN
    if not _holds(engine, state, seen):
        return COUNT
    owner = _owner(engine.machine, dims, at)
    match seen.kind:
        case "everyone":
            return ALL
        case "owner":
            return ALL if seat is not None and seat == owner else COUNT
        case "others":
            return ALL if seat is not None and owner >= 0 and seat != owner else COUNT
        case "top":
            return TOP
        case "order":
            return UNORDERED
        case "seats":
            return ALL if seat is not None and seen.seats >> seat & 1 else COUNT
    return COUNT


def can_see(
    engine: Engine, state: State, seat: Seat, field: int, place: int, index: Sequence[int]
) -> bool:
    """Whether a seat sees the contents of a variable (`field`) or a place, at an index.

    A row of a variable (fewer indices than it has) is seen when each of its cells is.
    """
    machine = engine.machine
    if place >= 0:
        made = machine.places[place]
        return sight(engine, state, seat, made.visible, made.dims, index) in (ALL, UNORDERED)
    found = machine.fields[field]
    if found.kind not in ("var", "patch", "place"):
        return False
    rest = [range(machine.domains[d].size) for d in found.dims[len(index) :]]
    return all(
        sight(engine, state, seat, found.visible, found.dims, (*index, *more)) == ALL
        for more in product(*rest)
    )


# -- the whole position ---------------------------------------------------------------------------


def views(engine: Engine, state: State, seat: Seat) -> tuple[View, ...]:
    """Everything on the table as a seat sees it: variables and patches, then places."""
    out: list[View] = []
    for made in engine.machine.fields:
        if made.kind in ("var", "patch"):
            out += _cells(engine, state, seat, made)
    for place in engine.machine.places:
        out += _zones(engine, state, seat, place)
    return tuple(out)


def _indices(
    machine: Machine, dims: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], tuple[str, ...]]]:
    for at in product(*(range(machine.domains[d].size) for d in dims)):
        yield at, tuple(machine.domains[d].labels[k] for d, k in zip(dims, at, strict=True))


def _cells(engine: Engine, state: State, seat: Seat, made: Field) -> Iterator[View]:
    machine = engine.machine
    for number, (at, index) in enumerate(_indices(machine, made.dims)):
        found = sight(engine, state, seat, made.visible, made.dims, at)
        found = ALL if found == ALL else NOTHING_SEEN
        value = state.cells[made.base + number]
        labels = (value_label(machine, made.type, value),) if found == ALL else ()
        yield View(made.name, made.kind, made.dims, at, index, found, labels, -1)


def contents(machine: Machine, state: State, place: Place, at: Sequence[int]) -> tuple[int, ...]:
    """The pieces of a place, bottom first; a set in ascending order."""
    offset = instance_offset(place, at, machine.domains)
    base = machine.fields[place.field].base
    if place.shape == "set":
        return members(state.cells[base + offset])
    if place.shape == "one":
        piece = state.cells[base + offset]
        return (piece,) if piece >= 0 else ()
    size = state.cells[machine.fields[place.size].base + offset]
    start = base + offset * place.capacity
    return tuple(state.cells[start : start + size])


def _zones(engine: Engine, state: State, seat: Seat, place: Place) -> Iterator[View]:
    machine = engine.machine
    names = machine.domains[machine.kinds[place.kind].domain].labels
    for at, index in _indices(machine, place.dims):
        pieces = contents(machine, state, place, at)
        found = sight(engine, state, seat, place.visible, place.dims, at)
        shown = _shown(found, pieces)
        size = -1 if found == NOTHING_SEEN else len(pieces)
        labels = tuple(names[p] for p in shown)
        yield View(place.name, place.shape, place.dims, at, index, found, labels, size)


def _shown(found: str, pieces: tuple[int, ...]) -> tuple[int, ...]:
    """The pieces that are told apart at this sight."""
    match found:
        case "all":
            return pieces
        case "unordered":
            return tuple(sorted(pieces))
        case "top":
            return pieces[-1:]
    return ()


def seen_pieces(engine: Engine, state: State, seat: Seat) -> frozenset[tuple[int, int]]:
    """All pieces (kind, piece) whose whereabouts a seat sees."""
    machine = engine.machine
    out: set[tuple[int, int]] = set()
    for place in machine.places:
        for at, _ in _indices(machine, place.dims):
            found = sight(engine, state, seat, place.visible, place.dims, at)
            if found in (ALL, UNORDERED, TOP):
                shown = _shown(found, contents(machine, state, place, at))
                out |= {(place.kind, p) for p in shown}
    return frozenset(out)


def _open_cells(engine: Engine, state: State, seat: Seat) -> frozenset[tuple[int, tuple[int, ...]]]:
    """The cells of conditionally visible variables that a seat sees now."""
    machine = engine.machine
    return frozenset(
        (n, at)
        for n, made in enumerate(machine.fields)
        if made.kind in ("var", "patch") and made.visible.while_ is not None
        for at, _ in _indices(machine, made.dims)
        if sight(engine, state, seat, made.visible, made.dims, at) == ALL
    )


def learned(engine: Engine, before: State, after: State) -> bool:
    """Whether some seat, or a spectator, came to see in a step what was hidden from it before."""
    return any(learned_by(engine, before, after, s) for s in (*range(engine.machine.players), None))


def learned_by(engine: Engine, before: State, after: State, seat: Seat) -> bool:
    """Whether this seat came to see in a step what was hidden from it before."""
    if open_to_all(engine.machine):
        return False
    fresh = seen_pieces(engine, after, seat) - seen_pieces(engine, before, seat)
    if fresh - _boxed(engine, before):
        return True
    return bool(_open_cells(engine, after, seat) - _open_cells(engine, before, seat))


def open_to_all(machine: Machine) -> bool:
    """Whether nothing is hidden from anybody."""
    declared = [f.visible for f in machine.fields if f.kind in ("var", "patch")]
    declared += [p.visible for p in machine.places]
    return all(v.kind == "everyone" and v.while_ is None for v in declared)


def _boxed(engine: Engine, state: State) -> frozenset[tuple[int, int]]:
    """The pieces that lie in the box: what comes from there was not hidden, only out of play."""
    return frozenset(
        (number, piece)
        for number, kind in enumerate(engine.kinds)
        for piece in range(kind.count)
        if state.cells[kind.where + piece] == 0
    )


# -- measures -------------------------------------------------------------------------------------


def measure(engine: Engine, state: State, kind: str, seat: Seat) -> tuple[int, ...] | None:
    """A declared measure of every seat; None where there is none or hidden things count in it."""
    for made in engine.machine.measures:
        if made.kind == kind and (
            engine.to_act(state).kind == "end" or _plain(engine, state, made, seat)
        ):
            return engine.measure(kind, state.cells)
    return None


def own_measure(engine: Engine, state: State, kind: str, seat: int) -> int | None:
    """A declared measure of one seat, as `measure`."""
    for made in engine.machine.measures:
        if made.kind == kind and (
            engine.to_act(state).kind == "end" or _plain(engine, state, made, seat)
        ):
            return engine.measure_of(kind, state.cells, seat)
    return None


_LOOKED: WeakKeyDictionary[Engine, dict[str, tuple[frozenset[int], frozenset[int]]]] = (
    WeakKeyDictionary()
)


def _plain(engine: Engine, state: State, made: Measure, seat: Seat) -> bool:
    """Whether a measure looks only at what a seat sees, wherever it looks."""
    known = _LOOKED.setdefault(engine, {})
    if made.kind not in known:
        known[made.kind] = _looked_at(engine.machine, made.value)
    fields, places = known[made.kind]
    return all(_whole(engine, state, seat, f, -1) for f in fields) and all(
        _whole(engine, state, seat, -1, p) for p in places
    )


def _whole(engine: Engine, state: State, seat: Seat, field: int, place: int) -> bool:
    machine = engine.machine
    if place < 0:
        if machine.fields[field].kind == "system":
            return False
        made = next((n for n, p in enumerate(machine.places) if field in (p.field, p.size)), -1)
        if made < 0:
            return can_see(engine, state, seat, field, -1, ())
        place = made
    dims = machine.places[place].dims
    return all(can_see(engine, state, seat, -1, place, at) for at, _ in _indices(machine, dims))


def _looked_at(machine: Machine, node: Expr) -> tuple[frozenset[int], frozenset[int]]:
    fields: set[int] = set()
    places: set[int] = set()
    called: set[int] = set()

    def look(x: Any) -> None:
        if isinstance(x, Read):
            fields.add(x.field)
        if isinstance(x, Builtin) and x.name.startswith("place_") and isinstance(x.args[0], Const):
            assert isinstance(x.args[0].value, int)
            places.add(x.args[0].value)
        if isinstance(x, Possible):
            fields.update(range(len(machine.fields)))
        if isinstance(x, Invoke) and x.function not in called:
            called.add(x.function)
            look(machine.functions[x.function].body)
        for part in children(x):
            look(part)

    look(node)
    return frozenset(fields), frozenset(places)
