"""Logs as text: the header of a match, one line an entry, a last line that seals it.

In: text, or a `Log`. Out: the other. Only the form is looked at here; whether the steps are legal
is for `match` to say. The form:

    rulec-log 1
    game kuhn_poker
    machine 5f0c...             SHA-256 of what the machine does
    players 2                   then option, variant, reading and assume lines
    seed 7
    seats human random
    chance play.shuffle_deck [card_jack, card_king, card_queen]
    seat0 speak.word bet
    state 2 91ab...             how many entries, and the hash of the position after them
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from attrs import frozen

from compiler.machine.jsonio import canonical
from compiler.machine.record import Machine
from dsl.problems import Problem, Refused, Span

FIRST = "rulec-log 1"
MAX_CHARS = 20_000_000
SETTINGS = ("players", "option", "variant", "reading", "assume")
SEATS = ("human", "random", "greedy")
WORDS = ("game", "machine", *SETTINGS, "seed", "seats")
ENTRY = re.compile(r"(seat\d{1,2}|chance|table) (\S+) (\S.*)\Z")
LAST = re.compile(r"state (\d{1,9}) ([0-9a-f]{16})\Z")
SEED = re.compile(r"-?\d{1,20}\Z")


@frozen
class Entry:
    """One step: who (`seat0`, chance or table), at which decision or site, what."""

    who: str
    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.who} {self.path} {self.text}"


@frozen
class Log:
    """A whole log; `settings` are the header lines of the configuration."""

    game: str
    machine: str
    settings: tuple[str, ...]
    seed: int
    seats: tuple[str, ...]
    entries: tuple[Entry, ...]
    state: str


def fingerprint(machine: Machine) -> str:
    """The hash of what a machine does; comments, texts and citations do not count."""
    return hashlib.sha256(canonical(machine).encode()).hexdigest()


def header(log: Log, seed: bool = True) -> list[str]:
    """The lines before the entries."""
    lines = [FIRST, f"game {log.game}", f"machine {log.machine}", *log.settings]
    lines += [f"seed {log.seed}"] if seed else []
    return [*lines, f"seats {' '.join(log.seats)}"]


def dumps(log: Log) -> str:
    """A log as text."""
    lines = [*header(log), *map(str, log.entries), f"state {len(log.entries)} {log.state}"]
    return "\n".join(lines) + "\n"


def _bad(name: str, line: int, title: str, help_: str = "") -> Refused:
    return Refused(Problem("R0201", title, Span(name, line), help=help_))


def loads(text: str, name: str = "log") -> Log:
    """A log from text; raises `Refused` (R0201) when it is cut short or no log at all."""
    if len(text) > MAX_CHARS:
        raise _bad(name, 1, f"the log has more than {MAX_CHARS:,} characters")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0] != FIRST:
        raise _bad(name, 1, f"this is no log: it does not begin with '{FIRST}'")
    body = [(i + 1, line) for i, line in enumerate(lines) if line and not line.startswith("#")][1:]
    facts, rest = _header(name, body)
    entries = _entries(name, rest)
    number, last = rest[-1] if rest else (len(lines), "")
    sealed = LAST.match(last)
    if sealed is None:
        raise _bad(
            name,
            number,
            f"the log is cut short after {len(entries)} whole entries: it has no 'state' line",
            "the choices before the cut, without seat and path, can be played with --script",
        )
    if int(sealed[1]) != len(entries):
        raise _bad(
            name, number, f"the log has {len(entries)} entries, its last line says {sealed[1]}"
        )
    settings = tuple(f"{w} {v}" for w, v in facts if w in SETTINGS)
    named = dict(facts)
    seats = tuple(named["seats"].split())
    for kind in seats:
        if kind not in SEATS:
            raise _bad(name, 1, f"'{kind[:40]}' is no kind of seat: {', '.join(SEATS)}")
    return Log(
        named["game"], named["machine"], settings, int(named["seed"]), seats, entries, sealed[2]
    )


def _header(
    name: str, body: Sequence[tuple[int, str]]
) -> tuple[list[tuple[str, str]], Sequence[tuple[int, str]]]:
    """The header's words with their values, and the lines after it."""
    facts: list[tuple[str, str]] = []
    at = 0
    for at, (_, line) in enumerate(body):
        word, _, value = line.partition(" ")
        if word not in WORDS:
            break
        if word in ("game", "machine", "seed", "seats") and word in dict(facts):
            raise _bad(name, body[at][0], f"the header names '{word}' twice")
        facts.append((word, value))
    named = dict(facts)
    for word in ("game", "machine", "seed", "seats"):
        if not named.get(word):
            raise _bad(
                name, body[at][0] if body else 1, f"the header of the log has no '{word}' line"
            )
    if not SEED.match(named["seed"]):
        raise _bad(name, 1, f"'{named['seed'][:40]}' is no seed")
    return facts, body[len(facts) :]


def _entries(name: str, rest: Sequence[tuple[int, str]]) -> tuple[Entry, ...]:
    out = []
    for at, (number, line) in enumerate(rest):
        found = ENTRY.match(line)
        if found is not None:
            out.append(Entry(found[1], found[2], found[3]))
        elif at < len(rest) - 1:
            raise _bad(name, number, f"this is no entry of a log: '{line[:60]}'")
    return tuple(out)
