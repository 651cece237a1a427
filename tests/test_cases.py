"""Faults that rules programs have shipped, each kind with its probe as a tiny game."""

from __future__ import annotations

from itertools import permutations

import pytest

from compiler.config import Configuration
from runtime.engine import Engine, Outcome, State
from runtime.labels import choice_label, find
from tests.support import compile_text, problems


def built(made: Engine, state: State, **fields: tuple[int, ...]) -> State:
    """A position with the cells of some variables replaced; nobody has acted on it yet."""
    cells = list(state.cells)
    for name, values in fields.items():
        found = next(f for f in made.machine.fields if f.name == name)
        cells[found.base : found.base + len(values)] = values
    return made.refresh(cells)


def choose(made: Engine, state: State, *words: str) -> State:
    """Make choices by their words, letting chance act by seed 1 between them."""
    for word in words:
        state = chance(made, state)
        decision = made.machine.decisions[made.to_act(state).number]
        raw = find(made.machine, decision, state.legal, word)
        assert raw is not None, (word, legal(made, state))
        state = made.apply(state, raw)
    return chance(made, state)


def chance(made: Engine, state: State) -> State:
    """Let chance act until a seat must."""
    while made.to_act(state).kind == "chance":
        state = made.apply(state, made.draw(state, 1))
    return state


def legal(made: Engine, state: State) -> list[str]:
    """The legal choices in words."""
    decision = made.machine.decisions[made.to_act(state).number]
    return [choice_label(made.machine, decision, r) for r in state.legal]


def value(made: Engine, state: State, name: str) -> tuple[int, ...]:
    """The cells of a field."""
    found = next(f for f in made.machine.fields if f.name == name)
    return state.cells[found.base : found.base + len(found.default)]


def ended(made: Engine, state: State) -> Outcome:
    """The outcome of a game that is over."""
    outcome = made.outcome(state)
    assert outcome is not None
    return outcome


BLAST = """
game "Blast"
players 2..4
var life[Seat]: -4..9 = 2 seen by everyone
define alive(p: Seat) = life[p] > 0
when count(p in seats where alive(p)) <= 1 becomes true
  if any(p in seats: alive(p))
    end game win {p in seats where alive(p)}
  else
    end game draw
rule play
  repeat
    for each p in seats clockwise from seat0
      if alive(p)
        p must pick one of action
          option blast
            at once
              for each q in seats
                subtract 2 from life[q]
          option rest
            nothing
"""


def test_s01_losing_in_one_instant_is_a_draw_for_both() -> None:
    """The end is not tested between the members of one batch."""
    made = Engine(compile_text(BLAST))
    for before in ((), ("rest",)):
        outcome = ended(made, choose(made, made.start(), *before, "blast"))
        assert (outcome.how, outcome.winners) == ("draw", ())


@pytest.mark.parametrize("lives", sorted(set(permutations((2, 2, 4)))))
def test_s01_the_survivor_wins_wherever_it_sits(lives: tuple[int, ...]) -> None:
    """The same answer for every seating."""
    made = Engine(compile_text(BLAST, Configuration.of(3)))
    state = choose(made, built(made, made.start(), life=lives), "blast")
    assert ended(made, state).winners == (lives.index(4),)


RANKING = """
game "Ranking"
players 4
var points[Seat]: 0..50 seen by everyone
var open_dots[Seat]: 0..50 seen by everyone
var sand[Seat]: 0..50 seen by everyone
rule play
  seat0 must pick one of action
    option finish
      end game rank p in seats by highest points[p], lowest open_dots[p], highest sand[p] ties share
"""


def test_s02_tied_players_share_the_win() -> None:
    """Two winners, ranks with gaps, and the criterion that separated each of the others."""
    made = Engine(compile_text(RANKING))
    state = built(
        made, made.start(), points=(30, 30, 30, 29), open_dots=(4, 4, 5, 0), sand=(2, 2, 9, 9)
    )
    outcome = ended(made, choose(made, state, "finish"))
    assert outcome.winners == (0, 1)
    assert outcome.ranks == (1, 1, 3, 4)
    assert outcome.separated == ("", "", "open_dots", "points")
    state = built(
        made, made.start(), points=(30, 30, 30, 29), open_dots=(4, 4, 5, 0), sand=(2, 1, 9, 9)
    )
    outcome = ended(made, choose(made, state, "finish"))
    assert outcome.winners == (0,)
    assert outcome.separated[1] == "sand"


FLIP = """
game "Flip"
players 2
enum Kind = x, p, q
pieces Card for each Kind
place deck: pile of Card seen by nobody, refilled by {how}
place discard: pile of Card seen by everyone
place hand: one Card seen by everyone
rule play
  move Card(x) to deck
  move Card(p) to discard
  move Card(q) to discard
  repeat
    move top 1 of deck to hand
    seat0 must pick one of action
      option keep_on
        nothing
      option finish
        end game draw
    move hand to discard
""".replace("nobody, refilled", "nobody refilled")


def drawn(how: str) -> list[str]:
    """The cards that come up one after another."""
    made = Engine(compile_text(FLIP.replace("{how}", how)))
    state = chance(made, made.start())
    out = []
    for _ in range(4):
        labels = made.machine.domains[made.machine.kinds[0].domain].labels
        out.append(labels[value(made, state, "hand")[0]])
        state = choose(made, state, "keep_on")
    return out


def test_s03_a_pile_turned_over_keeps_its_order_and_needs_no_chance() -> None:
    """Lazily: the drawn card is on the discard before the pile is turned; first in, first out."""
    assert drawn("turning over discard") == ["card_x", "card_p", "card_q", "card_x"]
    machine = compile_text(FLIP.replace("{how}", "turning over discard"))
    assert not machine.sites


def test_s03_a_shuffled_refill_loses_no_card() -> None:
    """After the first card all three are there again."""
    assert sorted(drawn("shuffling discard")[1:]) == ["card_p", "card_q", "card_x"]


MAY = """
game "May"
players 2
pieces Card 1
place deck: pile of Card seen by nobody
place hand[Seat]: set of Card seen by owner
option full: YesNo = yes
rule play
  if full
    move Card to deck
  seat0 {verb} pick one of draw
    option take
      {need}
      move top 1 of deck to hand[seat0] as much as there is
  end game draw
"""


@pytest.mark.parametrize(
    ("verb", "full", "wanted"),
    [("may", "yes", ["take", "decline"]), ("may", "no", None), ("must", "yes", ["take"])],
)
def test_s05_may_can_be_declined_and_must_cannot(
    verb: str, full: str, wanted: list[str] | None
) -> None:
    """A `may` without anything to take is not asked and does not stall."""
    text = MAY.replace("{verb}", verb).replace(
        "{need}", 'require "the deck is empty" not deck is empty'
    )
    made = Engine(compile_text(text, Configuration.of(None, {"full": full})))
    state = made.start()
    if wanted is None:
        assert made.to_act(state).kind == "end"
    else:
        assert legal(made, state) == wanted


LATCH = """
game "Target"
players 2
var points[Seat]: 0..20 = 9 seen by everyone
var reached: YesNo seen by everyone
{when}
rule play
  repeat
    for each p in seats clockwise from seat0
      p must pick one of action
        option gain
          add 1 to points[p]
        option hit
          subtract 2 from points[next(p)]
        option rest
          nothing
    if {test}
      end game rank p in seats by highest points[p] ties share
"""


@pytest.mark.parametrize(("latched", "over"), [(True, True), (False, False)])
def test_s07_a_latch_and_a_state_differ(latched: bool, over: bool) -> None:
    """`becomes true` remembers; a test at the end of the round does not."""
    trigger = "when any(p in seats: points[p] >= 10) becomes true\n  set reached to yes"
    test = "reached" if latched else "any(p in seats: points[p] >= 10)"
    text = LATCH.replace("{when}", trigger if latched else "").replace("{test}", test)
    made = Engine(compile_text(text))
    state = choose(made, made.start(), "gain", "hit")
    assert (made.to_act(state).kind == "end") == over


RING = """
game "Ring"
players 5
var out[Seat]: YesNo seen by everyone
rule play
  repeat
    for each p in seats clockwise from seat0
      if not out[p]
        turn(p)
rule turn(p: Seat)
  p must pick subset gone of {q in seats where not out[q]} any number
  for each q in gone
    set out[q] to yes
"""


@pytest.mark.parametrize(
    ("mover", "gone", "then"), [(1, (2,), 3), (1, (1,), 2), (1, (0, 2), 3), (4, (0,), 1)]
)
def test_s08_the_next_player_is_counted_on_the_whole_ring(
    mover: int, gone: tuple[int, ...], then: int
) -> None:
    """Who leaves does not shift who is next."""
    made = Engine(
        compile_text(RING + "  if count(q in seats where not out[q]) = 0\n    end game draw\n")
    )
    state = made.start()
    for _ in range(mover):
        state = choose(made, state, "{}")
    assert made.to_act(state).seat == mover
    state = choose(made, state, "{" + ", ".join(f"seat{g}" for g in gone) + "}")
    assert made.to_act(state).seat == then


def test_s14_a_division_names_its_rounding() -> None:
    """Without it there is an error; with it the halves go up."""
    text = 'game "Half"\nplayers 2\ndefine half(n: 0..9) = n / 2{how}\nrule play\n  seat0 must pick one k in 1..7\n  if half(k) >= 0\n    end game draw\n  end game draw\n'
    assert problems(text.replace("{how}", "")) == ["E0409"]
    rounded = 'game "Half"\nplayers 2\nvar n: 0..9 seen by everyone\nrule play\n  repeat\n    seat0 must pick one k in 1..7\n    set n to k / 2 rounded up\n    if n = 9\n      end game draw\n'
    made = Engine(compile_text(rounded))
    halves = [value(made, choose(made, made.start(), str(k)), "n")[0] for k in range(1, 8)]
    assert halves == [1, 1, 2, 2, 3, 3, 4]


PHASES = 'game "Phases"\nplayers 2\nvar round: 0..9 seen by everyone\nrule play\n  seat0 must pick one k in 1..2\n'


@pytest.mark.parametrize(
    ("tail", "code"),
    [
        ("  repeat\n    seat0 must pick one j in 1..2\n", "E0702"),
        (
            "  set round to 1\n  if round = 1\n    end game draw\n  end game draw\nrule bonus\n  end game draw\n",
            "W0701",
        ),
        ("  if round > 5\n    end game draw\n  end game win seat0\n", "W0714"),
    ],
)
def test_s16_states_that_nobody_can_leave_or_enter(tail: str, code: str) -> None:
    """A trap is an error; an unreachable rule and a guard that never changes are warnings."""
    assert code in problems(PHASES + tail)


EACH = """
game "Each"
players 2
board field of Tile: map
{rows}
define one = count(t in Tile where any(u in sides(t): u in Tile))
define each = sum(t in Tile: count(u in sides(t)))
var a: 0..99 seen by everyone
var b: 0..99 seen by everyone
rule play
  set a to one
  set b to each
  seat0 must pick one k in 1..2
  end game draw
"""


@pytest.mark.parametrize(
    ("rows", "one", "each"),
    [("  | A A |\n  | B C |", 3, 6), ("  | A B C |", 3, 4)],
)
def test_s19_what_each_counts_is_visible(rows: str, one: int, each: int) -> None:
    """Tiles once, or once an adjacency: two expressions that nobody can take for each other."""
    made = Engine(compile_text(EACH.replace("{rows}", rows)))
    state = made.start()
    assert (value(made, state, "a"), value(made, state, "b")) == ((one,), (each,))


SET = """
game "Hand limit"
players 2
pieces Card 6
place hand[Seat]: set of Card seen by owner
rule play
  move Card to hand[seat0]
  seat0 must pick subset out of hand[seat0] exactly count(hand[seat0]) - 5
  move out to box
  end game draw
"""


def test_s04_exactly_the_wanted_number_is_discarded() -> None:
    """Zero, two, or a card twice are refused, and nothing changes."""
    made = Engine(compile_text(SET))
    state = made.start()
    assert len(state.legal) == 6
    for wrong in (0, 3, 1 << 6):
        with pytest.raises(Exception, match="R0102"):
            made.apply(state, wrong)
    assert made.start() == state


def test_s09_declared_counts_are_held_against_the_data() -> None:
    """A check on data names what breaks it."""
    text = 'game "Count"\nplayers 2\npieces Card from "c.toml" cards\n  shape: 0..3\n  check "seven of a shape" count(c in Card where c.shape = shape) = 7\nplace deck: set of Card seen by nobody\nrule play\n  move Card to deck\n  end game draw\n'
    rows = "".join(f'[[cards]]\nname = "c{i}"\nshape = {i % 4}\n' for i in range(27))
    with pytest.raises(AssertionError, match="seven of a shape"):
        compile_text(text, **{"c.toml": rows})
    full = rows + '[[cards]]\nname = "c27"\nshape = 3\n'
    assert compile_text(text, **{"c.toml": full})


def test_a_position_given_in_the_middle_runs_nothing_twice() -> None:
    """What a block did before it waits is not done again when cells are replaced there."""
    text = 'game "Once"\nplayers 2\nvar n: 0..9 seen by everyone\nvar m: 0..9 seen by everyone\nrule play\n  repeat\n    add 1 to n\n    seat0 must pick one k in 1..2\n    set m to k\n    if n = 9\n      end game draw\n'
    made = Engine(compile_text(text))
    state = built(made, made.start(), m=(5,))
    assert value(made, state, "n") == (1,)
