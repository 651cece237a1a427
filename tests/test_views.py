"""Views: what seats and spectators see, and what they hear of a game."""

from __future__ import annotations

import re
from itertools import permutations

import pytest

from runtime.engine import Engine
from runtime.match import Match
from runtime.views import View, can_see, learned, measure
from tests.support import compile_text, engine
from tests.test_match import play_out

CARDS = ("card_jack", "card_queen", "card_king")
ZONES = """
game "Zones"
players 2..3
enum Suit = sun, moon
pieces Card for each Suit times 4
place deck: pile of Card seen by nobody
place open: pile of Card seen by everyone
place stack: pile of Card seen by nobody but the top
place mixed: pile of Card seen by nobody but the order
place hand[Seat]: set of Card seen by owner
place back[Seat]: set of Card seen by all but owner
place vault: set of Card hidden
place shown: set of Card seen by everyone
place told: set of Card seen by {seat1}
var code[Seat]: 1..6 seen by owner
var lit: YesNo = no seen by everyone
var clue: 1..6 = 3 seen by everyone while lit

rule play
  move Card to deck shuffled
  move top 1 of deck to open
  move top 1 of deck to stack
  move top 1 of deck to stack
  move top 1 of deck to mixed
  move top 1 of deck to told
  move top 1 of deck to vault
  for each p in seats
    p must pick one n in 1..6 "your secret number"
    set code[p] to n
  for each p in seats
    move top 1 of deck to hand[p]
    p must pick one c in hand[p] "which card to lay down"
    move c to vault
  move vault to hand[seat0]
  seat1 must pick one c in hand[seat0] "which card to take"
    require sun "only suns" c.of = sun or c.of = moon
  move c to hand[seat1]
  set lit to yes
  seat0 must pick one of last
    option stop
      end game draw
    option show
      move hand[seat0] to shown
      end game win seat0
"""


@pytest.fixture(scope="module")
def zones() -> Engine:
    """A game of every kind of visibility."""
    return Engine(compile_text(ZONES))


def dealt(order: tuple[str, ...] = CARDS) -> Match:
    """Kuhn poker with the deck in an order, bottom first."""
    match = Match(engine("kuhn_poker"))
    match.choose(tuple(CARDS.index(c) for c in order))
    return match


def seen(match: Match, seat: int | None) -> dict[str, View]:
    """What somebody sees, by title."""
    return {v.title: v for v in match.view(seat)}


def start(made: Engine, seed: int = 0) -> Match:
    """A match at the first decision."""
    match = Match(made, seed=seed)
    while match.chance():
        pass
    return match


def take(match: Match, text: str | None = None) -> None:
    """A choice in words, or the first one."""
    raw = match.options()[0][1] if text is None else match.find(text)
    assert raw is not None, text
    match.choose(raw)


# -- Kuhn poker ------------------------------------------------------------------------------------


def test_a_hand_is_seen_by_its_owner_alone() -> None:
    """Contents for the owner, the number of cards for the others."""
    match = dealt()
    assert seen(match, 0)["hand[seat0]"].labels == ("card_king",)
    assert seen(match, 1)["hand[seat1]"].labels == ("card_queen",)
    for seat, other in ((0, 1), (1, 0), (None, 0), (None, 1)):
        view = seen(match, seat)[f"hand[seat{other}]"]
        assert (view.labels, view.size, view.sight) == ((), 1, "count")
    for seat in (0, 1, None):
        assert seen(match, seat)["deck"].labels == ()
        assert seen(match, seat)["deck"].size == 1


def test_no_byte_for_a_seat_names_a_card_that_it_may_not_know() -> None:
    """Views, logs, choices and refusals for seat 1, over every deal."""
    for order in permutations(CARDS):
        match = dealt(order)
        mine = order[1]
        for text in ("check", "bet"):
            bytes_ = repr(match.view(1)) + match.seat_log(1) + repr(match.options())
            assert set(re.findall(r"card_\w+", bytes_)) <= {mine}
            assert "seed" not in bytes_
            assert not re.findall(r"card_\w+", repr(match.view(None)) + match.seat_log(None))
            take(match, text)


def test_permuting_what_a_seat_cannot_see_changes_nothing_that_it_is_told() -> None:
    """The same transcript for seat 0 whatever lies elsewhere, up to the showdown."""
    told = set()
    for other in ("card_jack", "card_king"):
        rest = next(c for c in CARDS if c not in (other, "card_queen"))
        match = dealt((rest, other, "card_queen"))
        take(match, "bet")
        told.add((repr(match.view(0)), match.seat_log(0)))
    assert len(told) == 1


def test_after_the_end_the_log_is_open() -> None:
    """Seed, deal and all."""
    match = dealt()
    take(match, "bet")
    take(match, "fold")
    assert match.over
    assert "seed 0" in match.seat_log(0)
    assert "[card_jack, card_queen, card_king]" in match.seat_log(None)


# -- every kind of visibility ----------------------------------------------------------------------


def test_kinds_of_visibility(zones: Engine) -> None:
    """Everyone, nobody, top, contents without order, named seats, hidden."""
    match = start(zones)
    for seat in (0, 1, None):
        views = seen(match, seat)
        assert views["open"].sight == "all"
        assert len(views["open"].labels) == 1
        assert (len(views["stack"].labels), views["stack"].size) == (1, 2)
        assert views["mixed"].sight == "unordered"
        assert (views["deck"].labels, views["deck"].size) == ((), 2)
        assert (views["vault"].labels, views["vault"].size) == ((), -1)
        assert len(views["told"].labels) == (1 if seat == 1 else 0)
        assert views["clue"].labels == ()


def test_a_condition_opens_and_closes(zones: Engine) -> None:
    """`while` must hold, else the value is hidden."""
    match = start(zones)
    for _ in range(5):
        take(match)
    assert seen(match, None)["lit"].labels == ("yes",)
    assert seen(match, None)["clue"].labels == ("3",)


def test_others_see_what_the_owner_does_not() -> None:
    """Cards that face outwards."""
    turned = "hand[Seat]: set of Card seen by all but owner"
    text = ZONES.replace("hand[Seat]: set of Card seen by owner", turned)
    match = start(Engine(compile_text(text)))
    take(match, "1")
    take(match, "1")
    assert seen(match, 0)["hand[seat0]"].labels == ()
    assert len(seen(match, 1)["hand[seat0]"].labels) == 1
    assert seen(match, None)["hand[seat0]"].labels == ()
    assert [w for w, _ in match.options()] == ["hand[seat0].1"]


def test_a_number_kept_in_secret_is_not_told(zones: Engine) -> None:
    """A choice that goes into a hidden variable is `a secret choice` for the others."""
    match = start(zones)
    take(match, "4")
    assert match.told(1, 1) == "seat0 play.n a secret choice"
    assert match.told(1, None) == "seat0 play.n a secret choice"
    assert match.told(1, 0) == "seat0 play.n 4"
    assert seen(match, 1)["code[seat0]"].labels == ()


def test_a_piece_that_goes_from_hidden_to_hidden_is_a_card(zones: Engine) -> None:
    """Seen neither before nor after."""
    match = start(zones)
    take(match)
    take(match)
    take(match)
    assert match.told(3, 1) == "seat0 play.c a card"
    assert re.fullmatch(r"seat0 play\.c card_\w+", match.told(3, 0))


def test_a_shuffle_is_never_told(zones: Engine) -> None:
    """An order is known to nobody."""
    match = start(zones)
    assert {match.told(0, s) for s in (0, 1, None)} == {"chance play.shuffle_deck -"}


def test_unseen_pieces_are_told_apart_by_where_they_lie(zones: Engine) -> None:
    """Choosing among another seat's cards names no card, in any order, and takes no name."""
    match = start(zones)
    for _ in range(4):
        take(match)
    words = [w for w, _ in match.options()]
    assert words == [f"hand[seat0].{i + 1}" for i in range(len(words))]
    labels = zones.machine.domains[zones.machine.kinds[0].domain].labels
    for piece in (labels[r] for _, r in match.options()):
        assert match.find(piece) is None
        assert [r.text for r in match.why(piece)] == ["it is not among what may be chosen here"]
    take(match, words[-1])


def test_what_is_learned_in_a_step(zones: Engine) -> None:
    """A shown hand is news; a number chosen in secret is none."""
    match = start(zones)
    take(match, "2")
    assert not learned(zones, match.states[-2], match.states[-1])
    assert match.no_undo(0) == ""
    for _ in range(4):
        take(match)
    take(match, "show")
    assert learned(zones, match.states[-2], match.states[-1])


def test_a_measure_that_counts_hidden_things_is_closed() -> None:
    """A score is shown when it is known to all, or when the game is over."""
    text = ZONES + "\nscore p = code[p]\n"
    made = Engine(compile_text(text))
    match = start(made)
    assert measure(made, match.state, "score", 0) is None
    assert measure(engine("sand_art"), engine("sand_art").start(), "score", None) is not None
    assert measure(made, play_out(match).state, "score", None) is not None


def test_a_row_is_seen_when_each_of_its_cells_is(zones: Engine) -> None:
    """Fewer indices than a variable has."""
    state = start(zones).state
    code = next(i for i, f in enumerate(zones.machine.fields) if f.name == "code")
    assert can_see(zones, state, 0, code, -1, (0,))
    assert not can_see(zones, state, 0, code, -1, (1,))
    assert not can_see(zones, state, 0, code, -1, ())


def test_bookkeeping_is_nobodys_business(zones: Engine) -> None:
    """Counters of chance, return sites and frames are in no view."""
    names = {v.name for v in start(zones).view(0)}
    kinds = {f.name: f.kind for f in zones.machine.fields}
    assert not {n for n in names if kinds[n] in ("system", "frame")}
    assert not any("#" in n or "/" in n for n in names)
