"""Laws that hold for every game: what a seat cannot see does not change what it is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.engine import Engine, State
from runtime.labels import choice_label
from runtime.rng import Stream
from runtime.views import seen_pieces, views
from tests.support import engine

GAMES = [("kuhn_poker", 2), ("sand_art", 2), ("sand_art", 3)]


def told(made: Engine, state: State, seat: int) -> Any:
    """All that a seat is told in a position: the table as it sees it, and its own choices."""
    actor = made.to_act(state)
    choices: tuple[str, ...] = ()
    if actor.kind == "seat" and actor.seat == seat:
        decision = made.machine.decisions[actor.number]
        choices = tuple(choice_label(made.machine, decision, r) for r in state.legal)
    return views(made, state, seat), actor.kind, actor.seat, actor.path, choices


def hidden(made: Engine, state: State, seat: int) -> dict[int, list[int]]:
    """By kind, the pieces in play whose whereabouts a seat does not see."""
    seen = seen_pieces(made, state, seat)
    out: dict[int, list[int]] = {}
    for number, kind in enumerate(made.machine.kinds):
        base = made.machine.fields[kind.where].base
        for piece in range(made.machine.domains[kind.domain].size):
            if state.cells[base + piece] and (number, piece) not in seen:
                out.setdefault(number, []).append(piece)
    return out


def swapped(made: Engine, state: State, kind: int, order: dict[int, int]) -> State:
    """The same position with some pieces of a kind in each other's places."""
    cells = list(state.cells)
    record = made.kinds[kind]
    where = {p: state.cells[record.where + p] for p in order}
    for place in made.machine.places:
        if place.kind != kind:
            continue
        field = made.machine.fields[place.field]
        for at in range(field.base, field.base + len(field.default)):
            if place.shape == "set":
                mask = state.cells[at]
                kept = mask & ~sum(1 << p for p in order)
                cells[at] = kept | sum(1 << order[p] for p in order if mask >> p & 1)
            elif state.cells[at] in order:
                cells[at] = order[state.cells[at]]
    for piece, to in order.items():
        cells[record.where + to] = where[piece]
    return made.refresh(cells)


def walk(made: Engine, state: State, seed: int, steps: int) -> State:
    """So many steps of a random game."""
    stream = Stream(seed, "law", 0)
    for _ in range(steps):
        actor = made.to_act(state)
        if actor.kind == "end":
            break
        raw = made.draw(state, seed) if actor.kind != "seat" else stream.pick(state.legal)
        state = made.apply(state, raw)
    return state


@pytest.mark.parametrize(("name", "players"), GAMES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_a_seat_cannot_see_does_not_change_its_transcript(
    name: str, players: int, data: st.DataObject
) -> None:
    """Permute hidden pieces; up to the first reveal of one of them nothing differs for the seat."""
    made = engine(name, players)
    seed = data.draw(st.integers(0, 1000))
    one = walk(made, made.start(), seed, data.draw(st.integers(1, 40)))
    seat = data.draw(st.integers(0, players - 1))
    unseen = {k: p for k, p in hidden(made, one, seat).items() if len(p) > 1}
    if not unseen or made.to_act(one).kind != "seat":
        return
    kind = data.draw(st.sampled_from(sorted(unseen)))
    order = dict(zip(unseen[kind], data.draw(st.permutations(unseen[kind])), strict=True))
    two = swapped(made, one, kind, order)
    moved = {(kind, p) for p, q in order.items() if p != q}
    stream = Stream(seed, "go on", 0)
    for _ in range(40):
        assert told(made, one, seat) == told(made, two, seat)
        actor = made.to_act(one)
        if actor.kind != "seat":
            break
        common = [r for r in one.legal if r in two.legal]
        if not common:
            break
        raw = stream.pick(common)
        one, two = made.apply(one, raw), made.apply(two, raw)
        revealed = seen_pieces(made, one, seat) | seen_pieces(made, two, seat)
        if revealed & moved or made.to_act(one).kind == "end" or made.to_act(two).kind == "end":
            break


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_the_law_has_something_to_permute(name: str, players: int) -> None:
    """The law above is not empty: in each game there are hidden pieces after the setup."""
    made = engine(name, players)
    state = made.start()
    while made.to_act(state).kind == "chance":
        state = made.apply(state, made.draw(state, 3))
    assert any(len(p) > 1 for p in hidden(made, state, 0).values())


def test_a_view_never_holds_a_decks_order() -> None:
    """P15: no Layers card of a deck and no seed reaches any seat's view."""
    made = engine("sand_art", 3)
    for seed in range(5):
        state = walk(made, made.start(), seed, 60 + seed)
        labels = next(d.labels for d in made.machine.domains if d.name == "Layer")
        for place in made.machine.places:
            if place.name != "deck":
                continue
            base = made.machine.fields[place.field].base
            held = {labels[c] for c in state.cells[base : base + 2 * place.capacity] if c >= 0}
            for seat in (None, 0, 1, 2):
                shown = {x for v in views(made, state, seat) for x in v.labels}
                assert not shown & held
