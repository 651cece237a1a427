"""Names and rules: what a spec calls its things never touches how the compiler keeps them."""

from __future__ import annotations

import pytest

from runtime.engine import Engine
from tests.support import compile_text, problems

HEAD = 'game "Names"\nplayers 2\n'
WORDS = (
    *("anchors", "choice", "ended", "functions", "hooks", "instances", "procedure", "refill"),
    *("rows", "score_of", "triggers", "typed"),
)


@pytest.mark.parametrize("word", WORDS)
def test_an_unused_definition_of_any_name_is_typed(word: str) -> None:
    """A mistake in a definition is found whatever it is called, with rules and choices around."""
    text = (
        f"{HEAD}var n: 0..3 seen by everyone\nchoice some: one k in 1..3\n"
        f"define {word}(p: Seat) = p + nowhere\nrule bump\n  add 1 to n wrap\n"
        "rule play\n  bump()\n  seat0 must pick k from some\n  end game draw\n"
    )
    assert "E0301" in problems(text)


MARKED = """
game "Marked"
players 2
enum Spot = left, middle, right
var mark[Spot]: optional Seat seen by everyone
define here = seat0 in mark
define of(p: Seat) = p in mark
define counted = count(x in mark where x = seat0) > 0
rule play
  set mark[middle] to seat0
  if {condition}
    end game win {{seat0}}
  end game draw
"""


ASKED = """
game "Asked"
players 2
rule ask_it gives 1..3
  seat0 must pick one k in 1..3
  give k
rule play
  step first
    let x = ask_it()
    if x = 2
      end game win {seat0}
  end game draw
"""


@pytest.mark.parametrize("condition", ["here", "of(seat0)", "counted", "seat0 in mark"])
def test_a_whole_variable_is_read_when_the_game_runs(condition: str) -> None:
    """A definition of constants is folded only where it reads no position."""
    made = Engine(compile_text(MARKED.format(condition=condition)))
    outcome = made.outcome(made.start())
    assert outcome is not None and outcome.winners == (0,)


def test_a_rule_called_for_its_value_alone_waits() -> None:
    """`let` of a rule that asks makes the step around it wait as a plain call does."""
    made = Engine(compile_text(ASKED))
    start = made.start()
    outcome = made.outcome(made.apply(start, start.legal[1]))
    assert outcome is not None and outcome.winners == (0,)


@pytest.mark.parametrize(
    "rules",
    [
        "rule a\n  b()\nrule b\n  a()\nrule play\n  a()\n  end game draw\n",
        "rule a(n)\n  if n < 9\n    a(n + 1)\nrule play\n  a(0)\n  end game draw\n",
        "rule a\n  seat0 must pick one k in 1..2\n  if k = 1\n    a()\nrule play\n  a()\n",
        "rule a\n  nothing\nwhen a begins\n  a()\nrule play\n  a()\n  end game draw\n",
    ],
)
def test_a_rule_that_calls_itself_is_refused(rules: str) -> None:
    """The stack is bounded: one activation a rule, whether it waits or not."""
    assert "E0426" in problems('game "Again"\nplayers 2\n' + rules)
