"""Matches: logs, saves and replays, undo, reasons, bots, and the names of versions."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dsl.problems import Refused, Severity
from runtime import bots, logs
from runtime.engine import Engine
from runtime.match import Match
from runtime.replay import load, replay
from tests.support import ROOT, compile_text, engine

NAMES = ("tic_tac_toe", "connect_four", "kuhn_poker")
KINDS = ("random", "greedy")
OLD = """
game "Race"
players 2..2
var spot[Seat]: 0..9 seen by everyone
rule play
  repeat
    for each p in seats
      p must pick one n in 1..3 "how far"
        require fits "that is past the end" spot[p] + n <= 9 @R-1
      add n to spot[p]
      if spot[p] = 9
        end game win p
"""
STEP = '        require small "threes are not allowed any more" n < 3 or spot[p] < 3 @R-9\n'
NEW = OLD.replace("      add n", STEP + "      add n")
SAME = OLD.replace("  repeat\n", "  # a comment\n  repeat\n\n").replace("@R-1", "@R-2 @R-3")


def play_out(match: Match) -> Match:
    """Bots to the end; seats of people are random here."""
    for _ in range(5000):
        if match.over:
            return match
        actor = match.actor
        if actor.kind == "seat":
            kind = match.seats[actor.seat]
            match.choose(bots.choose(match, "random" if kind == "human" else kind))
        elif actor.kind == "chance":
            match.chance()
        else:
            match.agree()
    raise AssertionError("the match does not end")


def begun(name: str, *texts: str, seed: int = 0) -> Match:
    """A match with some choices made; chance acts by the seed."""
    match = Match(engine(name), seed=seed)
    while match.chance():
        pass
    for text in texts:
        raw = match.find(text)
        assert raw is not None, text
        match.choose(raw)
    return match


def race(text: str, *texts: str) -> Match:
    """A race under some rules."""
    match = Match(Engine(compile_text(text)))
    for word in texts:
        match.choose(match.find(word))
    return match


def code(text: str, made: Engine) -> str:
    """The code of the problem that a log draws."""
    with pytest.raises(Refused) as bad:
        load(made, text)
    return bad.value.problem.code


# -- logs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*NAMES, "sand_art"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_replay_is_exact(name: str, kind: str) -> None:
    """A saved game replays to the same log and the same position."""
    match = play_out(Match(engine(name), seed=11, seats=(kind, "random")))
    again = load(engine(name), match.text())
    assert again.text() == match.text()
    assert again.state == match.state
    assert again.outcome() == match.outcome()


@pytest.mark.parametrize("name", NAMES)
def test_every_prefix_can_be_saved_and_gone_on_with(name: str) -> None:
    """A game that is left after any step ends as if it had not been left."""
    whole = play_out(Match(engine(name), seed=4, seats=("random", "random")))
    for count in range(len(whole.steps)):
        part = Match(engine(name), seed=4, seats=("random", "random"))
        for step in whole.steps[:count]:
            part.choose(step.raw)
        assert play_out(load(engine(name), part.text())).text() == whole.text()


def test_the_form_of_a_log() -> None:
    """Readable lines: header, entries, the sealing line."""
    match = begun("tic_tac_toe", "c2r2", "c1r1")
    lines = match.text().splitlines()
    assert lines[0] == "rulec-log 1"
    assert lines[1] == "game tic_tac_toe"
    assert lines[3:6] == ["players 2", "seed 0", "seats human human"]
    assert lines[6:8] == ["seat0 turn.c c2r2", "seat1 turn.c c1r1"]
    assert lines[8] == f"state 2 {match.engine.hash(match.state)}"
    assert logs.dumps(logs.loads(match.text())) == match.text()


def test_a_cut_log_is_refused_at_every_byte() -> None:
    """No prefix of a log passes for a log."""
    text = begun("tic_tac_toe", "c2r2", "c1r1").text()
    for end in range(len(text) - 1):
        assert code(text[:end], engine("tic_tac_toe")) in ("R0201", "R0202", "R0204")


def test_windows_line_ends_and_a_mark_do_not_matter() -> None:
    """A log that went through an editor is still that log."""
    text = begun("tic_tac_toe", "c2r2").text()
    made = load(engine("tic_tac_toe"), "\ufeff" + text.replace("\n", "\r\n"))
    assert made.text() == text


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("rulec-log 1", "rulec-log 9", "R0201"),
        ("c1r1", "c2r2", "R0204"),
        ("c1r1", "c9r9", "R0204"),
        ("seat1 turn.c", "seat0 turn.c", "R0204"),
        ("turn.c c1r1", "turn.x c1r1", "R0204"),
        ("c1r1", "c3r3", "R0201"),
        ("seat1 turn.c c1r1", "hello", "R0201"),
        ("state 2", "state 3", "R0201"),
        ("seed 0", "seed x", "R0201"),
        ("seats human human", "seats human", "R0201"),
        ("game tic_tac_toe", "game connect_four", "R0203"),
    ],
)
def test_an_edited_log_is_refused(old: str, new: str, expected: str) -> None:
    """Each change by hand is found, with its own code."""
    text = begun("tic_tac_toe", "c2r2", "c1r1").text()
    assert old in text
    assert code(text.replace(old, new), engine("tic_tac_toe")) == expected


def test_another_configuration_is_refused() -> None:
    """A log of two players is no game of three."""
    log = logs.loads(Match(engine("sand_art", 3), ("players 3",)).text())
    with pytest.raises(Refused, match="R0203"):
        replay(engine("sand_art", 2), log, ("players 2",))


# -- versions --------------------------------------------------------------------------------------


def test_comments_and_citations_make_no_other_version() -> None:
    """Only what a machine does counts."""
    prints = [logs.fingerprint(compile_text(t)) for t in (OLD, SAME, NEW)]
    assert prints[0] == prints[1] != prints[2]
    match = race(OLD, "3", "1", "3")
    assert load(Engine(compile_text(SAME)), match.text()).text() == match.text()


def test_a_log_of_other_rules_says_where_they_part() -> None:
    """The step, the choice, the requirement and its citation, both versions, the position."""
    match = race(OLD, "3", "1", "3", "1")
    made = replay(Engine(compile_text(NEW)), logs.loads(match.text()))
    assert made.problem is not None
    assert not made.usable
    assert made.problem.code == "R0202"
    assert "step 3 of 4, 'seat0 play.n 3'" in made.problem.title
    assert made.problem.cites == ("R-9",)
    notes = "\n".join(made.problem.notes)
    assert "threes are not allowed any more @R-9" in notes
    for text in (OLD, NEW):
        assert logs.fingerprint(compile_text(text))[:16] in notes
    assert len(made.match.steps) == 2


def test_a_log_of_other_rules_may_go_on_where_every_step_is_legal() -> None:
    """A warning, not a lost game."""
    made = replay(Engine(compile_text(NEW)), logs.loads(race(OLD, "1", "2").text()))
    assert made.usable
    assert made.problem is not None
    assert made.problem.severity is Severity.WARNING


# -- undo and reasons ------------------------------------------------------------------------------


def test_undo_takes_back_the_own_last_choice() -> None:
    """Nobody learned anything from a mark on an open board but the mark."""
    match = begun("tic_tac_toe", "c2r2")
    before = match.states[0]
    match.undo(0)
    assert match.state == before
    assert match.steps == []


def test_undo_stops_at_others_chance_and_what_was_learned() -> None:
    """Three walls."""
    match = begun("tic_tac_toe", "c2r2", "c1r1")
    with pytest.raises(Refused, match="seat1 has acted since"):
        match.undo(0)
    with pytest.raises(Refused, match="chance has acted since"):
        begun("kuhn_poker").undo()
    shown = begun("kuhn_poker", "check", "check")
    with pytest.raises(Refused, match="came to be seen"):
        shown.undo(1)
    hidden = begun("kuhn_poker", "check")
    hidden.undo(0)
    with pytest.raises(Refused, match="nothing has happened"):
        Match(engine("tic_tac_toe")).undo()


def test_why_names_the_requirement() -> None:
    """The text and the citation of what refuses a choice."""
    match = race(OLD, "3", "1", "3", "1", "2", "1")
    assert [str(r) for r in match.why("2")] == ["that is past the end @R-1"]
    assert match.why("1") == []
    with pytest.raises(Refused, match="no choice of this decision"):
        match.why("three")
    outside = begun("tic_tac_toe", "c2r2").why("c2r2")
    assert [r.text for r in outside] == ["there is a mark already"]


# -- bots ------------------------------------------------------------------------------------------


def test_greedy_beats_random() -> None:
    """One ply ahead is better than none."""
    wins = 0
    for seed in range(20):
        match = play_out(Match(engine("connect_four"), seed=seed, seats=("greedy", "random")))
        outcome = match.outcome()
        assert outcome is not None
        wins += outcome.winners == (0,)
    assert wins >= 16


def test_a_bot_does_not_act_on_what_it_does_not_see() -> None:
    """Seat 1 holds the queen; which card the other holds changes nothing that it does."""
    chosen = set()
    for order in ("card_king, card_queen, card_jack", "card_jack, card_queen, card_king"):
        match = Match(engine("kuhn_poker"), seed=1, seats=("random", "greedy"))
        raw = match.engine.draw(match.state, 1)
        names = [f"card_{r}" for r in ("jack", "queen", "king")]
        want = tuple(names.index(x) for x in order.split(", "))
        assert sorted(raw) == sorted(want)
        match.choose(want)
        match.choose(match.find("check"))
        assert dict_of(match, 1)["hand[seat1]"] == ("card_queen",)
        chosen.add(bots.choose(match, "greedy"))
    assert len(chosen) == 1


def dict_of(match: Match, seat: int) -> dict[str, tuple[str, ...]]:
    """What a seat sees, by title."""
    return {v.title: v.labels for v in match.view(seat)}


def test_logs_do_not_depend_on_the_process() -> None:
    """The same bytes under every hash seed."""
    program = (
        "from tests.support import engine; from tests.test_match import play_out, Match\n"
        "for name in ('connect_four', 'kuhn_poker', 'sand_art'):\n"
        "    print(play_out(Match(engine(name), seed=5, seats=('greedy', 'random'))).text())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": salt},
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for salt in ("0", "1", "12345")
    }
    assert len(found) == 1
