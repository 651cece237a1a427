"""Whole games by bots: they end, they are the same everywhere, and a saved log replays exactly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime import bots
from runtime.match import Match
from runtime.replay import load
from tests.support import ROOT, engine

GOLDEN = Path(__file__).with_name("golden") / "sand_art.log"
SCRIPT = "from tests.test_bot_games import play; print(play('sand_art', 2, 11, 'random').text())"


def play(name: str, players: int, seed: int, kind: str) -> Match:
    """One game of bots of a kind."""
    match = Match(engine(name, players), (f"players {players}",), seed, (kind,) * players)
    while not match.over:
        if match.actor.kind == "seat":
            match.choose(bots.choose(match, kind))
        else:
            match.chance()
    return match


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("kind", ["random", "greedy"])
def test_games_of_every_player_count_end(players: int, kind: str) -> None:
    """By the rules, or with a stall that is called one."""
    outcome = play("sand_art", players, 5, kind).outcome()
    assert outcome is not None
    assert outcome.winners


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy_games_end(players: int) -> None:
    """Twenty-five a player count."""
    for seed in range(100, 125):
        outcome = play("sand_art", players, seed, "greedy").outcome()
        assert outcome is not None


def test_a_saved_log_replays_to_the_same_hash() -> None:
    """P14, over several seeds and player counts."""
    for players in (2, 3):
        made = engine("sand_art", players)
        for seed in range(3):
            match = play("sand_art", players, seed, "random")
            again = load(made, match.text(), "log", (f"players {players}",))
            assert made.hash(again.state) == made.hash(match.state)


def test_the_golden_log() -> None:
    """The same seed gives the committed log, on any machine and with any version of Python."""
    found = play("sand_art", 2, 11, "random").text()
    if os.environ.get("BLESS"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(found, encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("hash_seed", ["0", "1", "12345"])
def test_the_log_does_not_depend_on_the_hash_seed(hash_seed: str) -> None:
    """In processes of their own, under several hash seeds."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        check=True,
    )
    assert done.stdout.rstrip("\n") == GOLDEN.read_text(encoding="utf-8").rstrip("\n")
