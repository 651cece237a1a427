"""Replay: a log played again, step by step, under the rules at hand.

In: an engine and a log. Out: a `Replay`: the match as far as it could be played, and the problem
that stopped it, if any. A log of other rules is played too: if each step is legal the game may go
on with a warning, else the problem says where it parts and which requirement refuses the step.
"""

from __future__ import annotations

from attrs import frozen

from dsl.problems import Problem, Refused, Severity
from runtime import logs
from runtime.candidates import parse_choice
from runtime.engine import Engine
from runtime.labels import DECLINE, find_chance
from runtime.legal import DECLINED, NOTHING, Raw
from runtime.logs import Entry, Log
from runtime.match import Match, Reason


@frozen
class Replay:
    """A match replayed to where it could be; `problem` is None for a whole replay."""

    match: Match
    problem: Problem | None

    @property
    def usable(self) -> bool:
        """Whether the game may go on."""
        return self.problem is None or self.problem.severity is not Severity.ERROR


def replay(engine: Engine, log: Log, settings: tuple[str, ...] = ()) -> Replay:
    """Play a log again; `settings` are those of the engine's configuration."""
    machine = engine.machine
    if log.game != machine.name:
        raise Refused(Problem("R0203", f"the log is of '{log.game}', not of '{machine.name}'"))
    if settings and sorted(settings) != sorted(log.settings):
        raise Refused(
            Problem(
                "R0203",
                "the log was played in another configuration",
                notes=(f"the log: {', '.join(log.settings)}", f"now: {', '.join(settings)}"),
                help="resume without these options: the log's own are taken",
            )
        )
    if len(log.seats) != machine.players:
        raise Refused(
            Problem(
                "R0201", f"the log names {len(log.seats)} seats; the game has {machine.players}"
            )
        )
    match = Match(engine, log.settings, log.seed, log.seats)
    for number, entry in enumerate(log.entries, 1):
        reasons = _play(match, entry)
        if reasons:
            return Replay(match, _refused(match, log, number, entry, reasons))
    return Replay(match, _sealed(match, log))


def _play(match: Match, entry: Entry) -> list[Reason]:
    """Play one entry; why it cannot be, or nothing."""
    actor = match.actor
    who = f"seat{actor.seat}" if actor.kind == "seat" else actor.kind
    if actor.kind == "end":
        return [Reason("the game is over before it")]
    if (who, actor.path) != (entry.who, entry.path):
        return [Reason(f"these rules ask {who} at {actor.path} here")]
    raw = _raw(match, entry)
    if raw is None:
        return [Reason("there is no such choice or result here")]
    if actor.kind == "seat" and raw not in match.state.legal:
        return match.reasons(raw)
    try:
        match.choose(raw)
    except Refused as bad:
        return [Reason(bad.problem.title)]
    return []


def _raw(match: Match, entry: Entry) -> Raw | None:
    machine = match.engine.machine
    if match.actor.kind != "seat":
        return find_chance(machine, machine.sites[match.actor.number], entry.text)
    if entry.text == DECLINE:
        return next((r for r in match.state.legal if r in (DECLINED, NOTHING)), DECLINED)
    return parse_choice(match.engine.machine, match.actor.number, entry.text)


def _refused(match: Match, log: Log, number: int, entry: Entry, reasons: list[Reason]) -> Problem:
    """The problem of a step that cannot be played."""
    other = log.machine != match.machine_hash
    title = f"step {number} of {len(log.entries)}, '{entry}', is not legal"
    notes = tuple(f"refused by: {r}" + (f"  ({r.path})" if r.path else "") for r in reasons)
    if other:
        notes = (*_versions(match, log), *notes)
        title = f"the log was made by another version of the rules, under which {title}"
        title = title.replace("under which step", "and they part: step")
    cites = tuple(dict.fromkeys(c for r in reasons for c in r.cites))
    shown = f"the position after step {number - 1} is shown; the file was not touched"
    return Problem("R0202" if other else "R0204", title, notes=notes, help=shown, cites=cites)


def _versions(match: Match, log: Log) -> tuple[str, str]:
    return f"the log's rules: {log.machine[:16]}", f"these rules: {match.machine_hash[:16]}"


def _sealed(match: Match, log: Log) -> Problem | None:
    """What the last line of a log that was replayed whole is held against."""
    if log.machine != match.machine_hash:
        return Problem(
            "R0202",
            "the log was made by another version of the rules; each of its steps is legal now too",
            severity=Severity.WARNING,
            notes=_versions(match, log),
        )
    if log.state != match.engine.hash(match.state):
        return Problem(
            "R0201",
            "the log was changed by hand: its steps are legal, but they lead to another position",
            notes=(f"by the log {log.state}", f"by its steps {match.engine.hash(match.state)}"),
        )
    return None


def load(engine: Engine, text: str, name: str = "log", settings: tuple[str, ...] = ()) -> Match:
    """The match of a saved log; raises `Refused` when it cannot go on."""
    made = replay(engine, logs.loads(text, name), settings)
    if made.problem is not None and not made.usable:
        raise Refused(made.problem)
    return made.match
