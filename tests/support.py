"""What the tests share: games compiled once, and playouts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from compiler.config import Configuration
from compiler.machine.record import Machine
from compiler.pipeline import Spec, compile_spec, parse
from dsl.problems import Report, render
from runtime.engine import Actor, Engine, State
from runtime.rng import Stream

ROOT = Path(__file__).resolve().parent.parent
GAMES = ROOT / "games"
Step = Callable[[Actor, object, State], None]


def reader(folder: Path) -> Callable[[str], bytes | None]:
    """Files of a folder by relative name."""

    def read(name: str) -> bytes | None:
        try:
            return (folder / name).read_bytes()
        except OSError:
            return None

    return read


def text_reader(text: str, **files: str) -> Callable[[str], bytes | None]:
    """A spec given as text, with data files beside it."""
    named = {"spec.game": text, **files}
    return lambda name: named[name].encode() if name in named else None


def problems(text: str, config: Configuration | None = None) -> list[str]:
    """The codes that a spec given as text draws, in order of place."""
    report = Report()
    spec = parse("spec.game", text_reader(text), report)
    compile_spec(spec, config or Configuration(), report)
    return [p.code for p in report]


def compile_text(text: str, config: Configuration | None = None, **files: str) -> Machine:
    """The machine of a spec given as text; fails the test on an error."""
    report = Report()
    spec = parse("spec.game", text_reader(text, **files), report)
    machine = compile_spec(spec, config or Configuration(), report)
    assert machine is not None, "\n".join(render(p, report.sources) for p in report)
    return machine


@cache
def spec(name: str) -> Spec:
    """A shipped game, parsed."""
    report = Report()
    made = parse(f"{name}.game", reader(GAMES), report)
    assert not report.failed, "\n".join(render(p, report.sources) for p in report)
    return made


@cache
def machine(name: str, players: int | None = None, **settings: str) -> Machine:
    """A shipped game, compiled; settings are options."""
    report = Report()
    made = compile_spec(spec(name), Configuration.of(players, settings), report)
    assert made is not None, "\n".join(render(p, report.sources) for p in report)
    return made


@cache
def engine(name: str, players: int | None = None, core: str = "python") -> Engine:
    """An engine for a shipped game."""
    return Engine(machine(name, players), core)


def playout(made: Engine, seed: int, step: Step | None = None, cap: int = 100_000) -> State:
    """A game of uniform choices; `step` sees each actor, raw choice and the state after it."""
    state = made.start()
    stream = Stream(seed, "test", 0)
    for _ in range(cap):
        actor = made.to_act(state)
        if actor.kind == "end":
            return state
        raw = made.draw(state, seed) if actor.kind != "seat" else stream.pick(state.legal)
        state = made.apply(state, raw)
        if step is not None:
            step(actor, raw, state)
    raise AssertionError(f"the game did not end within {cap} steps")
