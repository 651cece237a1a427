"""The engine: `start`, `to_act`, `legal`, `apply`, `outcome` over immutable states.

Everything that plays is built on these five. A state is a tuple of integers; who may act and what
is legal follow from it and the machine. Chance is an actor: `draw` gives its next result from a
seed, and `apply` takes that as it takes a choice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from attrs import field, frozen

from compiler.machine import effects as e
from compiler.machine.builtins import Fault, members
from compiler.machine.record import Machine, Site
from dsl.problems import Problem, Refused
from runtime import cells as c
from runtime import python_core, walker
from runtime.core import Code
from runtime.legal import DECLINED, NOTHING, Legal, Raw
from runtime.rng import Stream


@frozen
class State:
    """A position: `cells` by the machine's layout (cell 0 is the block that waits)."""

    cells: tuple[int, ...]
    legal: tuple[Raw, ...] = field(default=(), eq=False, repr=False)


@frozen
class Actor:
    """Who acts: `kind` is seat, chance, table or end; `path` is the decision's or site's id."""

    kind: str
    seat: int = -1
    number: int = -1
    path: str = ""


@frozen
class Outcome:
    """How a game ended.

    `winners` and `losers` are seats; `ranks` gives each seat's place from 1 (0 where there is no
    ranking); `values` the criteria by seat; `separated` names the criterion that put each seat
    below the winners; `returns` is what the game is worth to each seat; `stalled` marks a play cut
    short, not ended by the rules.
    """

    how: str
    winners: tuple[int, ...]
    losers: tuple[int, ...]
    ranks: tuple[int, ...]
    criteria: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]
    separated: tuple[str, ...]
    returns: tuple[float, ...]
    stalled: bool
    clause: int


class Engine:
    """Plays one machine. `core` is python (generated, the reference) or walker (the oracle)."""

    def __init__(
        self, machine: Machine, core: str = "python", trace: set[int] | None = None
    ) -> None:
        self.machine = machine
        self.trace = trace
        self.walker: walker.Walker | None = None
        if core == "walker" or trace is not None:
            code, maker = walker.load(machine, trace)
            self.code: Code = code
            self.legal_of = Legal(code)
            maker.possible.append(self.legal_of.possible)
            self.walker = maker
        else:
            code, generated = python_core.load(machine)
            self.code = code
            self.legal_of = Legal(code)
            generated.possible.append(self.legal_of.possible)
        self.kinds = tuple(c.kind_of(machine, k, i) for i, k in enumerate(machine.kinds))

    # -- the five ---------------------------------------------------------------------------------
    def start(self) -> State:
        """The first position in which somebody must act."""
        cells = [0] * self.machine.cells
        for made in self.machine.fields:
            cells[made.base : made.base + len(made.default)] = made.default
        for kind in self.machine.kinds:
            base = self.machine.fields[kind.where].base
            for piece in range(self.machine.domains[kind.domain].size):
                cells[base + piece] = 0
        cells[0] = self.machine.start
        return self.settle(cells)

    def to_act(self, state: State) -> Actor:
        """Who must act now."""
        exit_ = self.machine.blocks[state.cells[0]].exit
        match exit_:
            case e.Ask(decision) | e.AskMenu(decision):
                made = self.machine.decisions[decision]
                seat = self.code.decisions[decision].seat(state.cells)
                return Actor("seat", seat, decision, made.path)
            case e.Draw(site):
                found = self.machine.sites[site]
                kind = "table" if found.kind == "table" else "chance"
                return Actor(kind, -1, site, found.path)
        return Actor("end")

    def legal(self, state: State) -> tuple[Raw, ...]:
        """The legal raw choices in canonical order; declining comes last."""
        return state.legal

    def apply(self, state: State, raw: Raw) -> State:
        """The position after a choice of a seat, chance or the table; refuses what is not legal."""
        exit_ = self.machine.blocks[state.cells[0]].exit
        cells = list(state.cells)
        match exit_:
            case e.Ask():
                self._check(state, raw)
                self._take(exit_, cells, raw)
            case e.AskMenu():
                self._check(state, raw)
                self._take_option(exit_, cells, raw)
            case e.Draw(site, to):
                self._drawn(self.machine.sites[site], cells, raw)
                cells[0] = to
            case _:
                raise Refused(Problem("R0103", "the game is over"))
        return self.settle(cells)

    def outcome(self, state: State) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        exit_ = self.machine.blocks[state.cells[0]].exit
        if not isinstance(exit_, e.End):
            return None
        from runtime.outcomes import outcome

        return outcome(self, exit_.ending, state.cells)

    # -- chance -----------------------------------------------------------------------------------
    def outcomes(self, state: State) -> tuple[int, ...]:
        """The possible results of a chance or table site over members, all equally likely."""
        actor = self.to_act(state)
        code = self.code.sites[actor.number]
        if code.domain is None:
            raise Fault("the results of a shuffle are not listed")
        return members(code.domain(state.cells))

    def draw(self, state: State, seed: int) -> Raw:
        """What chance gives here for a seed: a member, or the new order of a pile, bottom first."""
        site = self.machine.sites[self.to_act(state).number]
        stream = Stream(seed, site.path, state.cells[self.machine.fields[site.count].base])
        if site.kind == "shuffle":
            pile = self.pile(site, state.cells)
            return tuple(pile[i] for i in stream.permutation(len(pile)))
        if site.kind == "dice":
            number, faces = self.dice(site, state.cells)
            return tuple(stream.below(faces) + 1 for _ in range(number))
        found = self.outcomes(state)
        if not found:
            raise Refused(Problem("R0105", f"chance has nothing to choose from at {site.path}"))
        return stream.pick(found)

    def dice(self, site: Site, cells: Sequence[int]) -> tuple[int, int]:
        """How many dice a site rolls, and their faces."""
        code = self.code.sites[self.machine.sites.index(site)]
        assert code.dice is not None and code.faces is not None
        return int(code.dice(cells)), int(code.faces(cells))

    def pile(self, site: Site, cells: Sequence[int]) -> tuple[int, ...]:
        """The pieces of the pile that a site shuffles, bottom first."""
        instance = self._instance(site, cells)
        size = cells[instance.size]
        return tuple(cells[instance.base : instance.base + size])

    def _instance(self, site: Site, cells: Sequence[int]) -> c.Instance:
        place = self.machine.places[site.place]
        keys = [i(cells) for i in self.code.sites[self.machine.sites.index(site)].index]
        at = 0
        for dim, key in zip(place.dims, keys, strict=True):
            at = at * self.machine.domains[dim].size + key
        return self.kinds[place.kind].instances[place.first + at]

    def _drawn(self, site: Site, cells: list[int], raw: Raw) -> None:
        count = self.machine.fields[site.count].base
        if site.kind == "shuffle":
            pile = self.pile(site, cells)
            if not isinstance(raw, tuple) or sorted(raw) != sorted(pile):
                raise Refused(Problem("R0104", f"this is no order of the pile at {site.path}"))
            base = self._instance(site, cells).base
            cells[base : base + len(raw)] = raw
        elif site.kind == "dice":
            number, faces = self.dice(site, cells)
            if (
                not isinstance(raw, tuple)
                or len(raw) != number
                or not all(1 <= x <= faces for x in raw)
            ):
                raise Refused(Problem("R0104", f"dice cannot show this at {site.path}"))
            cells[self.machine.fields[site.field].base] = sum(raw)
        else:
            code = self.code.sites[self.machine.sites.index(site)]
            assert code.domain is not None
            if not isinstance(raw, int) or raw < 0 or not code.domain(cells) >> raw & 1:
                raise Refused(Problem("R0104", f"chance cannot give this at {site.path}"))
            cells[self.machine.fields[site.field].base] = raw
        cells[count] += 1

    # -- the way on -------------------------------------------------------------------------------
    def settle(self, cells: list[int]) -> State:
        """Run on until somebody must act; a decision that may be passed is, if nothing is legal."""
        self.code.run(cells)
        return self.refresh(cells)

    def refresh(self, cells: list[int]) -> State:
        """The position of cells that wait: what is legal there, without running the block again."""
        while True:
            exit_ = self.machine.blocks[cells[0]].exit
            if not isinstance(exit_, e.Ask | e.AskMenu):
                return State(tuple(cells))
            found = self.legal_of.decision(exit_.decision, cells)
            if found:
                return State(tuple(cells), self._offered(exit_.decision, found))
            if exit_.skip < 0:
                path = self.machine.decisions[exit_.decision].path
                title = f"nothing is legal at {path}, and the rules do not say what happens then"
                raise Refused(Problem("R0101", title))
            cells[0] = exit_.skip
            self.code.run(cells)

    def _offered(self, number: int, found: tuple[Raw, ...]) -> tuple[Raw, ...]:
        """The legal choices with declining, where that is allowed."""
        made = self.machine.decisions[number]
        if self.trace is not None:
            self.trace.add(made.clause)
        if not made.may:
            return found
        plain = made.chooser >= 0 and not isinstance(found[0], tuple)
        return (*found, DECLINED if plain else NOTHING)

    def _check(self, state: State, raw: Raw) -> None:
        if raw not in state.legal:
            raise Refused(Problem("R0102", "this choice is not legal here"))

    def _take(self, exit_: e.Ask, cells: list[int], raw: Raw) -> None:
        if raw in (DECLINED, NOTHING):
            cells[0] = exit_.declined
            return
        made = self.machine.decisions[exit_.decision]
        field_ = self.machine.fields[made.field]
        chooser = self.machine.choosers[made.chooser]
        if isinstance(raw, tuple):
            cells[field_.base : field_.base + len(raw)] = raw
        else:
            low = getattr(chooser.type, "low", 0)
            cells[field_.base] = raw + low
        cells[0] = exit_.next

    def _take_option(self, exit_: e.AskMenu, cells: list[int], raw: Raw) -> None:
        if raw == NOTHING:
            cells[0] = exit_.declined
            return
        made = self.machine.decisions[exit_.decision]
        option = made.options[raw[0]]
        for number, value in zip(option.fields, raw[1:], strict=True):
            cells[self.machine.fields[number].base] = value
        if self.trace is not None:
            self.trace.add(option.clause)
        cells[0] = exit_.next[raw[0]]

    # -- values -----------------------------------------------------------------------------------
    def measure(self, kind: str, cells: Sequence[int]) -> tuple[int, ...] | None:
        """A declared measure (score, progress, payoff) of every seat, or None."""
        for made, function in zip(self.machine.measures, self.code.measures, strict=True):
            if made.kind == kind:
                return tuple(int(function(cells, p)) for p in range(self.machine.players))
        return None

    def measure_of(self, kind: str, cells: Sequence[int], seat: int) -> int | None:
        """A declared measure of one seat, or None."""
        for made, function in zip(self.machine.measures, self.code.measures, strict=True):
            if made.kind == kind:
                return int(function(cells, seat))
        return None

    def hash(self, state: State) -> str:
        """A short hash of a position, the same on every machine."""
        text = ",".join(str(int(x)) for x in state.cells)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def broken(self, state: State) -> list[str]:
        """The texts of the invariants that do not hold."""
        pairs: list[tuple[Any, Any]] = list(
            zip(self.machine.invariants, self.code.invariants, strict=True)
        )
        return [made.text for made, test in pairs if not test(state.cells)]
