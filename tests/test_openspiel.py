"""The small games against OpenSpiel: legal sets, what a seat sees of the cards, returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyspiel
import pytest

from runtime.engine import Engine, State
from runtime.labels import choice_label
from runtime.rng import Stream
from runtime.views import can_see
from tests.support import engine

GAMES = 2000
KUHN = {"check": 0, "fold": 0, "bet": 1, "call": 1}
Actions = Callable[[Engine, State], dict[int, Any]]


def plain(made: Engine, state: State) -> dict[int, Any]:
    """Raw choices by number: cells and columns count alike in both programs."""
    return {int(r): r for r in state.legal}


def menu(made: Engine, state: State) -> dict[int, Any]:
    """Kuhn poker's options as pass (0) and bet (1)."""
    decision = made.machine.decisions[made.to_act(state).number]
    return {KUHN[choice_label(made.machine, decision, r)]: r for r in state.legal}


def deal(made: Engine, state: State, theirs: Any, stream: Stream) -> State:
    """The same cards in both programs: the top of the deck is dealt first."""
    first = stream.pick((0, 1, 2))
    second = stream.pick([c for c in range(3) if c != first])
    theirs.apply_action(first)
    theirs.apply_action(second)
    (rest,) = {0, 1, 2} - {first, second}
    return made.apply(state, (rest, second, first))


def hidden_cards(made: Engine, state: State, theirs: Any) -> None:
    """Each seat sees its own card, the one that OpenSpiel shows it, and not the other."""
    hand = next(i for i, p in enumerate(made.machine.places) if p.name == "hand")
    base = made.machine.fields[made.machine.places[hand].field].base
    for seat in (0, 1):
        shown = int(theirs.information_state_string(seat)[0])
        assert state.cells[base + seat] == shown
        assert can_see(made, state, seat, -1, hand, (seat,))
        assert not can_see(made, state, seat, -1, hand, (1 - seat,))


def play(name: str, seed: int, actions: Actions) -> None:
    """One random game in lock-step."""
    made = engine(name)
    stream = Stream(seed, "openspiel", 0)
    theirs = pyspiel.load_game(name).new_initial_state()
    state = made.start()
    while made.to_act(state).kind != "end":
        if made.to_act(state).kind == "chance":
            state = deal(made, state, theirs, stream)
            hidden_cards(made, state, theirs)
            continue
        mine = actions(made, state)
        assert made.to_act(state).seat == theirs.current_player()
        assert sorted(mine) == theirs.legal_actions()
        action = stream.pick(sorted(mine))
        theirs.apply_action(action)
        state = made.apply(state, mine[action])
    assert theirs.is_terminal()
    outcome = made.outcome(state)
    assert outcome is not None
    assert list(outcome.returns) == theirs.returns()


@pytest.mark.parametrize(
    ("name", "actions"), [("tic_tac_toe", plain), ("connect_four", plain), ("kuhn_poker", menu)]
)
def test_two_thousand_games_agree(name: str, actions: Actions) -> None:
    """Every legal set, every hidden card, every return."""
    for seed in range(GAMES):
        play(name, seed, actions)
