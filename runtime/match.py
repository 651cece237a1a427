"""A match: one game being played, with one log of all actors, undo, saving, replay and reasons.

In: an engine, the settings of its configuration, a seed and who plays each seat. Out: positions and
a log; a save is the log, and a replay is exact. Everything that a seat may be told goes through
`seat_log`, `options` and `views`; the whole log, with its seed, is for whoever keeps the match.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from attrs import asdict, frozen

from compiler.machine.builtins import Fault
from compiler.machine.record import Decision, Site
from dsl.problems import Problem, Refused
from runtime import logs
from runtime.candidates import parse_choice
from runtime.engine import Actor, Engine, Outcome, State
from runtime.labels import chance_label, choice_label, find_chance
from runtime.legal import DECLINED, NOTHING, Raw
from runtime.logs import Entry, Log
from runtime.telling import SECRET, Teller
from runtime.views import Seat, View, learned, views

OUTSIDE = "it is not among what may be chosen here"
LATER = "an option of an earlier group is legal, so this one is not"


@frozen
class Reason:
    """Why a choice is refused: the requirement's text, its path and what it cites."""

    text: str
    path: str = ""
    cites: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.text, *("@" + c for c in self.cites)))


@frozen
class Step:
    """What happened: who acted, the raw choice or result, and its entry in the log."""

    actor: Actor
    raw: Raw
    entry: Entry


def _natural(pair: tuple[str, Raw]) -> tuple[str | int, ...]:
    """Words in order, the numbers in them by value."""
    return tuple(int(x) if x.isdigit() else x for x in re.split(r"(\d+)", pair[0]))


class Match:
    """A game in play; `settings` are lines such as `players 2` or `option first=seat0`."""

    def __init__(
        self,
        engine: Engine,
        settings: tuple[str, ...] = (),
        seed: int = 0,
        seats: tuple[str, ...] = (),
    ) -> None:
        self.engine = engine
        self.settings = settings or (f"players {engine.machine.players}",)
        self.seed = seed
        self.seats = seats or ("human",) * engine.machine.players
        self.teller = Teller(engine, seed)
        self.machine_hash = logs.fingerprint(engine.machine)
        self.states: list[State] = [_guarded(engine.start)]
        self.steps: list[Step] = []

    # -- now --------------------------------------------------------------------------------------
    @property
    def state(self) -> State:
        """The present position."""
        return self.states[-1]

    @property
    def actor(self) -> Actor:
        """Who must act now."""
        return self.engine.to_act(self.state)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.actor.kind == "end"

    @property
    def decision(self) -> Decision:
        """The decision that a seat must make now."""
        return self.engine.machine.decisions[self.actor.number]

    def outcome(self) -> Outcome | None:
        """How the game ended, or None."""
        return self.engine.outcome(self.state)

    def view(self, seat: Seat) -> tuple[View, ...]:
        """The position as a seat sees it."""
        return views(self.engine, self.state, seat)

    def options(self) -> list[tuple[str, Raw]]:
        """The legal choices in the words of the seat that must act, by those words where pieces
        are unseen, so that their order tells nothing."""
        if self.actor.kind != "seat":
            machine = self.engine.machine
            site = machine.sites[self.actor.number]
            return [(chance_label(machine, site, r), r) for r in self.engine.outcomes(self.state)]
        here = len(self.steps)
        found = [(self.teller.own(self.state, self.actor, r, here), r) for r in self.state.legal]
        machine, made = self.engine.machine, self.decision
        if self.teller.kinds and any(choice_label(machine, made, r) != w for w, r in found):
            declines = [x for x in found if x[1] in (DECLINED, NOTHING)]
            return sorted((x for x in found if x not in declines), key=_natural) + declines
        return found

    def find(self, text: str) -> Raw | None:
        """The legal choice that a text names, or None."""
        words = "".join(text.split())
        if self.actor.kind == "table":
            raw = find_chance(self.engine.machine, self._site(), text)
            return raw if raw in self.engine.outcomes(self.state) else None
        if words == "decline":
            return next((r for r in self.state.legal if r in (DECLINED, NOTHING)), None)
        raw = parse_choice(self.engine.machine, self.actor.number, text)
        if raw is not None and raw in self.state.legal and not self._unseen(raw):
            return raw
        if not self.teller.kinds:
            return None
        return next((r for w, r in self.options() if "".join(w.split()) == words), None)

    def _unseen(self, raw: Raw) -> bool:
        """Whether a choice names a piece that its chooser does not see."""
        plain = choice_label(self.engine.machine, self.decision, raw)
        return self.teller.own(self.state, self.actor, raw, len(self.steps)) != plain

    def _site(self) -> Site:
        return self.engine.machine.sites[self.actor.number]

    # -- moving on --------------------------------------------------------------------------------
    def choose(self, raw: Raw) -> Step:
        """Apply a choice of the seat, or an answer of the table, that must act now."""
        return self._step(raw)

    def chance(self) -> Step | None:
        """Let chance give its next result by the seed; None when it is not chance's turn."""
        if self.actor.kind != "chance":
            return None
        return self._step(self.engine.draw(self.state, self.seed))

    def agree(self) -> Step:
        """An answer of the table drawn by the seed, where no person is there to give it."""
        return self._step(self.engine.draw(self.state, self.seed))

    def _step(self, raw: Raw) -> Step:
        actor = self.actor
        if actor.kind == "end":
            raise Refused(Problem("R0103", "the game is over"))
        after = _guarded(lambda: self.engine.apply(self.state, raw))
        machine = self.engine.machine
        if actor.kind == "seat":
            text = choice_label(machine, machine.decisions[actor.number], raw)
            entry = Entry(f"seat{actor.seat}", actor.path, text)
        else:
            entry = Entry(
                actor.kind, actor.path, chance_label(machine, machine.sites[actor.number], raw)
            )
        step = Step(actor, raw, entry)
        self.steps.append(step)
        self.states.append(after)
        return step

    # -- back -------------------------------------------------------------------------------------
    def undo(self, seat: int | None = None) -> Step:
        """Take back the last step, if it was a choice of this seat after which nothing was learned.

        A result of chance, an act of anybody else, or contents that came to be seen stand in the
        way: going back would then give away, or take back, what somebody knows.
        """
        why = self.no_undo(seat)
        if why:
            raise Refused(Problem("R0205", f"this cannot be undone: {why}"))
        self.states.pop()
        return self.steps.pop()

    def no_undo(self, seat: int | None = None) -> str:
        """Why the last step cannot be taken back; empty when it can."""
        if not self.steps:
            return "nothing has happened yet"
        last = self.steps[-1].actor
        if last.kind != "seat":
            return f"{last.kind} has acted since"
        if seat is not None and last.seat != seat:
            return f"seat{last.seat} has acted since"
        if learned(self.engine, self.states[-2], self.states[-1]):
            return "something came to be seen by it"
        return ""

    # -- reasons ----------------------------------------------------------------------------------
    def why(self, text: str) -> list[Reason]:
        """Why a choice is refused; empty when it is legal. Raises `Refused` for no such choice."""
        if self.actor.kind != "seat":
            raise Refused(Problem("R0102", "no seat is asked now"))
        if self.find(text) is not None:
            return []
        raw = parse_choice(self.engine.machine, self.actor.number, text)
        if raw is None:
            raise Refused(
                Problem(
                    "R0102",
                    f"'{text[:60]}' is no choice of this decision",
                    help=f"one that could be written here: {self.options()[0][0]}",
                )
            )
        if self._unseen(raw):
            return [Reason(OUTSIDE)]
        return self.reasons(raw)

    def reasons(self, raw: Raw) -> list[Reason]:
        """The requirements that refuse a raw choice of the present decision."""
        if raw in (DECLINED, NOTHING):
            return [Reason("this decision must be made; it cannot be declined")]
        try:
            found = self.engine.legal_of.refusals(self.actor.number, self.state.cells, raw)
        except Fault as bad:
            return [Reason(f"the rules cannot apply to it: {bad}")]
        out = []
        for clause in found or [-1]:
            if clause < 0:
                out.append(Reason(LATER if clause == -2 else OUTSIDE))
                continue
            made = self.engine.machine.clauses[clause]
            out.append(Reason(made.text, made.path, made.cites))
        return out

    # -- logs -------------------------------------------------------------------------------------
    def log(self) -> Log:
        """The whole log, with its seed; it is a save."""
        return Log(
            self.engine.machine.name,
            self.machine_hash,
            self.settings,
            self.seed,
            self.seats,
            tuple(s.entry for s in self.steps),
            self.engine.hash(self.state),
        )

    def text(self) -> str:
        """The whole log as text."""
        return logs.dumps(self.log())

    def told(self, number: int, seat: Seat) -> str:
        """The line of one step as a seat or a spectator (None) may read it."""
        step = self.steps[number]
        if self.over:
            return str(step.entry)
        before, after = self.states[number], self.states[number + 1]
        if step.actor.kind != "seat":
            words = self.teller.chance(before, after, step.actor, step.raw, seat)
        elif step.actor.seat == seat:
            words = self.teller.own(before, step.actor, step.raw, number)
        elif self._sealed(number):
            words = SECRET
        else:
            words = self.teller.choice(before, after, step.actor, step.raw, seat)
        return str(Entry(step.entry.who, step.entry.path, words))

    def result(self) -> dict[str, object]:
        """How the match stands, as plain data for programs that keep it."""
        outcome = self.outcome()
        return {
            "game": self.engine.machine.name,
            "settings": list(self.settings),
            "seed": self.seed,
            "seats": list(self.seats),
            "steps": len(self.steps),
            "state": self.engine.hash(self.state),
            "outcome": None if outcome is None else asdict(outcome),
        }

    def seat_log(self, seat: Seat) -> str:
        """The log as a seat may read it: no seed and nothing hidden before the end."""
        head = logs.header(self.log(), seed=self.over)
        return "\n".join((*head, *(self.told(i, seat) for i in range(len(self.steps))))) + "\n"

    def _sealed(self, number: int) -> bool:
        """Whether a secret choice waits for others that are made at the same decision."""
        step = self.steps[number]
        if not self.engine.machine.decisions[step.actor.number].secret:
            return False
        chosen = {step.actor.seat}
        for later in (*(s.actor for s in self.steps[number + 1 :]), self.actor):
            if later.path != step.actor.path or later.kind != "seat" or later.seat in chosen:
                return False
            chosen.add(later.seat)
        return True


def _guarded(work: Callable[[], State]) -> State:
    """Run the engine; what a rule may not do is a problem, not a crash."""
    try:
        return work()
    except Fault as bad:
        raise Refused(Problem("R0107", f"a rule asks for the impossible: {bad}")) from None
