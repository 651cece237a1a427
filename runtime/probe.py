"""Checks that need to play: does the setup find what it needs, do random games get stuck.

In: a machine. Out: problems with a witness: the seed and the choices that lead there. The door runs
these after the static checks; `setup` plays to the first decision of a seat, which no choice of a
player can influence, so what it finds is proved for the configuration.
"""

from __future__ import annotations

from compiler.machine.builtins import Fault
from compiler.machine.record import Machine
from dsl.problems import NOWHERE, Problem, Refused, Span
from runtime.engine import Engine, State
from runtime.labels import choice_label
from runtime.rng import Stream

MAX_STEPS = 20_000


def _place(machine: Machine, state: State | None) -> Span:
    if state is None:
        rule = next((r for r in machine.rules if r.name == "play"), None)
        return machine.clauses[rule.clause].span if rule and rule.clause >= 0 else NOWHERE
    block = machine.blocks[state.cells[0]]
    clause = machine.rules[block.rule].clause if machine.rules else -1
    return machine.clauses[clause].span if clause >= 0 else NOWHERE


def setup(engine: Engine) -> list[Problem]:
    """Play to the first decision of a seat: the supply must hold what the setup takes."""
    machine = engine.machine
    state: State | None = None
    try:
        state = engine.start()
        for _ in range(MAX_STEPS):
            if engine.to_act(state).kind not in ("chance", "table"):
                return []
            state = engine.apply(state, engine.draw(state, 0))
    except Fault as bad:
        return [
            Problem(
                "E0709",
                f"the setup asks for more than there is: {bad}",
                _place(machine, state),
                tier="witness",
                notes=("found by playing the setup with seed 0",),
            )
        ]
    except Refused as bad:
        return [bad.problem]
    return []


def games(engine: Engine, count: int) -> list[Problem]:
    """Play random games; a fault or a decision without a legal choice comes with its witness."""
    out: list[Problem] = []
    for seed in range(count):
        found = _game(engine, seed)
        if found is not None and all(found.title != p.title for p in out):
            out.append(found)
    return out


def _game(engine: Engine, seed: int) -> Problem | None:
    log: list[str] = []
    state: State | None = None
    stream = Stream(seed, "probe", 0)
    try:
        state = engine.start()
        for _ in range(MAX_STEPS):
            actor = engine.to_act(state)
            if actor.kind == "end":
                return None
            if actor.kind == "seat":
                raw = stream.pick(state.legal)
                decision = engine.machine.decisions[actor.number]
                log.append(
                    f"seat{actor.seat} {actor.path} {choice_label(engine.machine, decision, raw)}"
                )
            else:
                raw = engine.draw(state, seed)
            state = engine.apply(state, raw)
            broken = engine.broken(state)
            if broken:
                return _problem("R0106", f"'{broken[0]}' does not hold", seed, log, engine, state)
    except Fault as bad:
        return _problem("R0107", f"a rule asks for the impossible: {bad}", seed, log, engine, state)
    except Refused as bad:
        return _problem(bad.problem.code, bad.problem.title, seed, log, engine, state)
    return None


def _problem(
    code: str, title: str, seed: int, log: list[str], engine: Engine, state: State | None
) -> Problem:
    return Problem(
        code,
        title,
        _place(engine.machine, state),
        tier="witness",
        notes=(f"seed {seed}, after {len(log)} choices", *(f"  {x}" for x in log[-5:])),
    )
