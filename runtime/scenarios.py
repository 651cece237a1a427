"""Runs scenarios: builds the position, makes things happen, and holds the facts against it.

In: a machine and a plan. Out: a `Result` with what was expected beside what was found, the log of
what happened, and the clauses that fired with consequence. Chance follows the scenario's seed
unless a line says what it gives; what a scenario leaves open on the way to its position, or says
by `play goes on`, is chosen as the first legal choice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field, frozen

from compiler.machine.builtins import Fault
from compiler.machine.evaluate import evaluate
from compiler.machine.exprs import Expr
from compiler.machine.record import Machine
from compiler.machine.scenario import RANKS, WINNERS, Event, Fact, Plan, Point, SetUp
from dsl.problems import Refused, Span
from runtime.engine import Engine, State
from runtime.labels import chance_label, choice_label, find, find_chance
from runtime.legal import DECLINED, NOTHING

MAX_STEPS = 20_000


@frozen
class Failure:
    """One line that did not hold: what it says, what was expected and what was found."""

    text: str
    expected: str
    found: str
    span: Span


@frozen
class Result:
    """What came of a scenario; `fired` are clause numbers."""

    name: str
    text: str
    failures: tuple[Failure, ...]
    log: tuple[str, ...]
    fired: frozenset[int]
    facts: int

    @property
    def passed(self) -> bool:
        """Whether every fact held (a scenario without a fact does not pass)."""
        return not self.failures and self.facts > 0


class Stopped(Exception):
    """A line could not be carried out; the rest of the scenario is not run."""


@define
class Run:
    """One run of a plan.

    `settled` is no while a position is being built; `entering` is yes where a rule is about to
    begin, so that its first block has still to run.
    """

    machine: Machine
    plan: Plan
    engine: Engine
    fired: set[int]
    state: State
    log: list[str] = field(factory=list)
    failures: list[Failure] = field(factory=list)
    facts: int = 0
    settled: bool = True
    entering: bool = False
    position: list[int] = field(factory=list)

    # -- values -----------------------------------------------------------------------------------
    def value(self, expr: Expr) -> Any:
        """An expression in the present position."""
        walker = self.engine.walker
        assert walker is not None
        walker.world.cells = self.state.cells
        outcome = self.engine.outcome(self.state) if self.settled else None
        winners = sum(1 << p for p in outcome.winners) if outcome else 0
        ranks = outcome.ranks if outcome else (0,) * self.machine.players
        return evaluate(expr, walker.world, {WINNERS: winners, RANKS: ranks})

    def fail(self, line: Event | Fact | SetUp, expected: str, found: str) -> None:
        """Record that a line did not hold."""
        self.failures.append(Failure(line.text, expected, found, line.span))

    # -- the way to the position ------------------------------------------------------------------
    def reach(self, point: Point) -> None:
        """Play first legal choices until a rule is about to begin with these arguments."""
        rule = self.machine.rules[point.rule]
        wanted = [self.value(a) for a in point.args]
        bases = [self.machine.fields[p].base for p in rule.params]

        def here(cells: list[int]) -> bool:
            return cells[0] == rule.entry and [cells[b] for b in bases] == wanted

        self._until(here, point.text)

    def _until(self, here: Callable[[list[int]], bool] | None, text: str) -> None:
        walker = self.engine.walker
        assert walker is not None
        walker.halt = here
        try:
            self.settle()
            for _ in range(MAX_STEPS):
                if here is not None and here(list(self.state.cells)):
                    self.settled, self.entering = False, True
                    return
                if self.engine.to_act(self.state).kind == "end":
                    break
                self.first()
        finally:
            walker.halt = None
        if here is not None:
            raise Stopped(f"the game never comes to {text}")

    def first(self) -> None:
        """The first legal choice, or what the seed gives."""
        actor = self.engine.to_act(self.state)
        if actor.kind in ("chance", "table"):
            self.step(self.engine.draw(self.state, self.plan.seed))
        else:
            self.step(self.state.legal[0])

    def settle(self) -> None:
        """After a position was built: run on until somebody must act."""
        if not self.settled:
            cells = list(self.state.cells)
            walker = self.engine.walker
            assert walker is not None
            halt, walker.halt = walker.halt, None
            walker.world.cells = cells
            for prime in self.machine.primes:
                walker.execute(self.machine.procedures[prime].body, cells, {})
            walker.halt = halt and _once_past(halt, cells)
            go_on = self.engine.settle if self.entering else self.engine.refresh
            self.settled, self.entering = True, False
            self.state = go_on(cells)

    def chance(self) -> None:
        """Let chance act by the seed until a seat must."""
        self.settle()
        while self.engine.to_act(self.state).kind == "chance":
            self.step(self.engine.draw(self.state, self.plan.seed))

    def step(self, raw: Any) -> None:
        """Apply a raw choice and log it."""
        actor = self.engine.to_act(self.state)
        if actor.kind == "seat":
            made = self.machine.decisions[actor.number]
            words = f"seat{actor.seat} {actor.path} {choice_label(self.machine, made, raw)}"
        else:
            site = self.machine.sites[actor.number]
            words = f"{actor.kind} {actor.path} {chance_label(self.machine, site, raw)}"
        self.log.append(words)
        self.state = self.engine.apply(self.state, raw)

    # -- lines ------------------------------------------------------------------------------------
    def line(self, line: SetUp | Event | Fact) -> None:
        """Carry out one line."""
        match line:
            case SetUp():
                self.set_up(line)
            case Event():
                self.event(line)
            case Fact():
                self.facts += 1
                self.fact(line)

    def set_up(self, line: SetUp) -> None:
        """Build on the position; triggers do not fire for what is given."""
        walker = self.engine.walker
        assert walker is not None
        cells = list(self.state.cells)
        walker.world.cells = cells
        fired, walker.trace = walker.trace, None
        try:
            walker.execute(line.effects, cells, {})
        finally:
            walker.trace = fired
        self.state = State(tuple(cells))
        self.settled = False

    def event(self, line: Event) -> None:
        """Make something happen."""
        if line.kind == "play":
            if line.until is None:
                self._until(None, "")
            else:
                self.reach(line.until)
            return
        if line.kind in ("chance", "table"):
            self._chance_gives(line)
            return
        self.chance()
        self._choose(line)

    def _chance_gives(self, line: Event) -> None:
        self.settle()
        actor = self.engine.to_act(self.state)
        if actor.kind != line.kind:
            self.fail(line, f"{line.kind} acts", self.now())
            raise Stopped(line.text)
        raw = find_chance(self.machine, self.machine.sites[actor.number], line.choice)
        if raw is None:
            self.fail(line, f"a result such as {line.choice}", "no such result")
            raise Stopped(line.text)
        self.step(raw)

    def _choose(self, line: Event) -> None:
        actor = self.engine.to_act(self.state)
        assert line.seat is not None
        seat = self.value(line.seat)
        asked = line.at in ("", actor.path) or actor.path.endswith("." + line.at)
        if actor.kind != "seat" or actor.seat != seat or not asked:
            self.fail(line, f"seat{seat} is asked {line.at}".rstrip(), self.now())
            raise Stopped(line.text)
        made = self.machine.decisions[actor.number]
        choice = "decline" if line.kind == "declines" else line.choice
        raw = find(self.machine, made, self.state.legal, choice)
        if raw is None:
            self.fail(line, f"{choice} is legal", f"legal: {self.choices()}")
            raise Stopped(line.text)
        self.step(raw)

    def now(self) -> str:
        """Who acts now, in words."""
        actor = self.engine.to_act(self.state)
        if actor.kind == "end":
            return "the game is over"
        who = f"seat{actor.seat}" if actor.kind == "seat" else actor.kind
        return f"{who} is asked {actor.path}"

    def choices(self) -> str:
        """The legal choices in words."""
        return "{" + ", ".join(self.legal()) + "}"

    def legal(self) -> list[str]:
        """Each legal choice in words, declining left out."""
        actor = self.engine.to_act(self.state)
        if actor.kind != "seat":
            return []
        made = self.machine.decisions[actor.number]
        return [
            choice_label(self.machine, made, r)
            for r in self.state.legal
            if r not in (DECLINED, NOTHING)
        ]

    # -- facts ------------------------------------------------------------------------------------
    def fact(self, line: Fact) -> None:
        """Hold one fact against the position."""
        from runtime.facts import check

        if line.kind not in ("true", "sees", "blind") or self.settled:
            self.chance() if line.kind not in ("chance_asked",) else self.settle()
        check(self, line)


def _once_past(halt: Callable[[list[int]], bool], cells: list[int]) -> Callable[[list[int]], bool]:
    """A halt that does not stop at the very block where it starts."""
    passed = [cells[0]]

    def later(state: list[int]) -> bool:
        if passed and state[0] == passed[0]:
            passed.clear()
            return False
        return halt(state)

    return later


def run(machine: Machine, plan: Plan) -> Result:
    """Run one plan."""
    fired: set[int] = set()
    engine = Engine(machine, trace=fired)
    made = Run(machine, plan, engine, fired, State((0,) * machine.cells))
    try:
        made.state = engine.start()
        if plan.at is not None:
            made.state = _restart(made, plan.at)
        fired.clear()
        made.log.clear()
        for line in plan.steps:
            made.line(line)
    except (Stopped, Refused, Fault) as bad:
        if not made.failures:
            made.failures.append(
                Failure(plan.text, "the scenario runs to its end", str(bad), plan.span)
            )
    return Result(
        plan.name, plan.text, tuple(made.failures), tuple(made.log), frozenset(fired), made.facts
    )


def _restart(made: Run, point: Point) -> State:
    """From the start to a point in the rules."""
    walker = made.engine.walker
    assert walker is not None
    rule = made.machine.rules[point.rule]
    wanted = [made.value(a) for a in point.args]
    bases = [made.machine.fields[p].base for p in rule.params]

    def here(cells: list[int]) -> bool:
        return cells[0] == rule.entry and [cells[b] for b in bases] == wanted

    walker.halt = here
    made.state = made.engine.start()
    walker.halt = None
    if here(list(made.state.cells)):
        made.settled, made.entering = False, True
        return made.state
    made.reach(point)
    return made.state
