"""Telling: a step of a game in words, as a seat (or a spectator) may hear it.

In: the states before and after a step, who acted and what came of it. Out: words. A piece that the
hearer saw neither before nor after is `a card`; an order made by a shuffle is told to nobody; a
value that is kept where the hearer does not see it is `a secret choice`. A seat hears its own
choices whole, except for pieces that it does not see itself: those are told apart by where they
lie, such as `hand[seat1].2`, and within a set by numbers that a keyed shuffle gave them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from compiler.machine import effects as e
from compiler.machine.builtins import members
from compiler.machine.record import Decision, Place
from compiler.machine.values import IntType, MemberType, SetType, Type, VectorType
from runtime.engine import Actor, Engine, State
from runtime.labels import DECLINE, braces, chance_label, site_domain, value_label
from runtime.legal import DECLINED, NOTHING, Raw
from runtime.rng import Stream
from runtime.sight import Sight
from runtime.views import Seat, can_see, contents, seen_pieces

SECRET = "a secret choice"
UNTOLD = "-"
Pieces = Callable[[int, int], str]


class Teller:
    """Says what happens in one machine; `seed` numbers the unseen pieces of sets."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine = engine
        self.machine = engine.machine
        self.seed = seed
        self.sight = Sight(engine.machine)
        self.kinds = {k.domain: n for n, k in enumerate(self.machine.kinds)}

    # -- choices ----------------------------------------------------------------------------------
    def choice(self, before: State, after: State, actor: Actor, raw: Raw, seat: Seat) -> str:
        """A choice of a seat as another seat or a spectator hears it."""
        made = self.machine.decisions[actor.number]
        if raw in (DECLINED, NOTHING):
            return DECLINE
        if any(
            not can_see(self.engine, after, seat, f, -1, ()) for f in self._kept(before, made, raw)
        ):
            return SECRET
        seen = seen_pieces(self.engine, before, seat) | seen_pieces(self.engine, after, seat)
        return self._words(made, raw, lambda domain, piece: self._other(seen, domain, piece))

    def own(self, state: State, actor: Actor, raw: Raw, step: int) -> str:
        """A choice in the words of the seat that may make it."""
        made = self.machine.decisions[actor.number]
        if raw in (DECLINED, NOTHING):
            return DECLINE
        if not self.kinds:
            return self._words(made, raw, self._plain)
        seen = seen_pieces(self.engine, state, actor.seat)

        def label(domain: int, piece: int) -> str:
            kind = self.kinds[domain]
            boxed = state.cells[self.engine.kinds[kind].where + piece] == 0
            if boxed or (kind, piece) in seen:
                return self._plain(domain, piece)
            return self.slot(state, kind, piece, step)

        return self._words(made, raw, label)

    def _kept(self, before: State, made: Decision, raw: Raw) -> frozenset[int]:
        """The fields, not seen by everyone, where a choice is kept."""
        if made.chooser >= 0:
            return self.sight.hidden_by(made.field)
        option = made.options[raw[0]]
        exit_ = self.machine.blocks[before.cells[0]].exit
        assert isinstance(exit_, e.AskMenu)
        found = self.sight.hidden_by_option(exit_.next[raw[0]])
        return found.union(*(self.sight.hidden_by(f) for f in option.fields))

    def _plain(self, domain: int, piece: int) -> str:
        return self.machine.domains[domain].labels[piece]

    def _other(self, seen: frozenset[tuple[int, int]], domain: int, piece: int) -> str:
        kind = self.kinds[domain]
        if (kind, piece) in seen:
            return self._plain(domain, piece)
        return "a " + self.machine.kinds[kind].name.lower()

    def _words(self, made: Decision, raw: Raw, pieces: Pieces) -> str:
        if made.chooser >= 0:
            kind = self.machine.choosers[made.chooser].type
            low = kind.low if isinstance(kind, IntType) else 0
            return self._value(kind, raw if isinstance(raw, tuple) else raw + low, pieces)
        option = made.options[raw[0]]
        if len(raw) == 1:
            return str(option.name)
        words = [self._value(k, v, pieces) for k, v in zip(option.types, raw[1:], strict=True)]
        return f"{option.name}({', '.join(words)})"

    def _value(self, kind: Type, value: Raw, pieces: Pieces) -> str:
        match kind:
            case MemberType(domain) if domain in self.kinds and value >= 0:
                return pieces(domain, value)
            case SetType(domain) if domain in self.kinds:
                return braces(pieces(domain, m) for m in members(value))
            case VectorType(domain) if domain in self.kinds:
                return braces(f"{pieces(domain, i)} -> {v}" for i, v in enumerate(value) if v)
        return value_label(self.machine, kind, value)

    # -- unseen pieces ----------------------------------------------------------------------------
    def slot(self, state: State, kind: int, piece: int, step: int) -> str:
        """Where an unseen piece lies: the place and a number from 1, bottom first in a pile."""
        for place in self.machine.places:
            if place.kind != kind:
                continue
            for at in product(*(range(self.machine.domains[d].size) for d in place.dims)):
                found = contents(self.machine, state, place, at)
                if piece in found:
                    return self._numbered(place, at, found.index(piece), len(found), step)
        return "a " + self.machine.kinds[kind].name.lower()

    def _numbered(self, place: Place, at: tuple[int, ...], rank: int, size: int, step: int) -> str:
        labels = (self.machine.domains[d].labels[k] for d, k in zip(place.dims, at, strict=True))
        name = f"{place.name}[{', '.join(labels)}]" if place.dims else place.name
        if place.shape == "one":
            return name
        if place.shape == "set":
            rank = Stream(self.seed, f"unseen {name}", step).permutation(size)[rank]
        return f"{name}.{rank + 1}"

    # -- chance -----------------------------------------------------------------------------------
    def chance(self, before: State, after: State, actor: Actor, raw: Raw, seat: Seat) -> str:
        """A result of chance or of the table as somebody hears it."""
        site = self.machine.sites[actor.number]
        if site.kind == "shuffle":
            return UNTOLD
        kept = self.sight.hidden_by(site.field)
        if any(not can_see(self.engine, after, seat, f, -1, ()) for f in kept):
            return UNTOLD
        if site.kind == "dice" or site_domain(self.machine, site) not in self.kinds:
            return chance_label(self.machine, site, raw)
        seen = seen_pieces(self.engine, before, seat) | seen_pieces(self.engine, after, seat)
        return self._other(seen, site_domain(self.machine, site), int(raw))
