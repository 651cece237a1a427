"""Interpreter speed, for trends: run with `pytest -o addopts=--import-mode=importlib tests/bench`.

Nothing here asserts a time.
"""

from __future__ import annotations

from typing import Any

import pytest

from compiler.config import Configuration
from compiler.pipeline import compile_spec
from dsl.problems import Report
from tests.support import engine, playout, spec


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "kuhn_poker"])
def test_a_random_game(benchmark: Any, name: str) -> None:
    """Whole random games of the small ones; decisions a second are in the extra info."""
    made = engine(name)
    steps = [0]

    def game() -> None:
        steps[0] = 0
        playout(made, 1, lambda a, r, s: steps.__setitem__(0, steps[0] + 1))

    benchmark(game)
    benchmark.extra_info["decisions"] = steps[0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_random_game_of_sand_art(benchmark: Any, players: int) -> None:
    """Whole random games of Sand Art."""
    made = engine("sand_art", players)
    seeds = iter(range(10_000))
    benchmark.pedantic(lambda: playout(made, next(seeds)), rounds=10)


def test_compiling_sand_art(benchmark: Any) -> None:
    """From the syntax tree to a checked machine."""
    made = spec("sand_art")
    benchmark.pedantic(lambda: compile_spec(made, Configuration(), Report()), rounds=3)
