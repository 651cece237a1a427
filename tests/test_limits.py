"""Specs that ask for more than a machine can give: each draws one diagnostic, never a traceback."""

from __future__ import annotations

from itertools import pairwise

import pytest

from compiler.config import Configuration
from compiler.machine.builtins import Fault
from dsl.problems import Refused
from runtime import logs
from runtime.asking import Menu
from runtime.engine import Engine
from runtime.match import Match
from tests.support import compile_text, problems

HEAD = 'game "Much"\nplayers 2\nvar n: 0..9 = 0 seen by everyone\n'
BILLION = 1_000_000_000


@pytest.mark.parametrize(
    "text",
    [
        f'rule play\n  seat0 must pick one k in 0..{BILLION} "x"\n  end game draw\n',
        f"rule play\n  if sum(k in 0..{BILLION}: k) = 3\n    end game draw\n  end game draw\n",
        f"pieces Tok {BILLION}\nrule play\n  end game draw\n",
        f"pieces Tok {BILLION} for each seat\nrule play\n  end game draw\n",
        f"rule play\n  repeat {BILLION} times\n    add 1 to n wrap\n  end game draw\n",
        f"rule play\n  repeat {BILLION} times\n    seat0 must pick one k in 1..2\n",
        f"rule play\n  for each k in 0..{BILLION}\n    nothing\n  end game draw\n",
        f"rule play\n  for each k in 0..{BILLION}\n    seat0 must pick one j in 1..2\n",
        f"var m[0..{BILLION}]: 0..1 seen by everyone\nrule play\n  end game draw\n",
    ],
)
def test_a_range_of_a_billion_is_refused_where_it_is_gone_through(text: str) -> None:
    assert "E0404" in problems(HEAD + text) or "E0201" in problems(HEAD + text)


def test_a_billion_may_be_a_value() -> None:
    """Only what is gone through has to be short."""
    assert not problems(
        f"{HEAD}var m: 0..{BILLION} = 5 seen by everyone\nrule play\n  set n to 2\n"
        "  add 1 to m\n  if m > n\n    end game draw\n  end game win {seat0}\n"
    )


def test_too_many_amounts_are_a_fault() -> None:
    text = "pieces Tok 60\nrule play\n"
    text += "  seat0 must pick amounts s over c in Tok each up to 9 total 30\n  end game draw\n"
    with pytest.raises(Fault, match="amounts"):
        Engine(compile_text(HEAD + text)).start()


@pytest.mark.parametrize(
    "text",
    [
        "rule play\n"
        + "".join(f"{'  ' * i}  for each a{i} in seats\n" for i in range(40))
        + "  " * 41
        + "  set n to 1\n  end game draw\n",
        "rule play\n  if n = 0\n    nothing\n"
        + "  else if n = 1\n    set n to 2\n" * 300
        + "  end game draw\n",
        "rule play\n  r0()\n  end game draw\n"
        + "".join(f"rule r{i}\n  r{i + 1}()\n" for i in range(400))
        + "rule r400\n  set n to 1\n",
        "".join(f"define f{a} = f{b}\n" for a, b in pairwise(range(800)))
        + "define f799 = n\nrule play\n  if f0 = 1\n    end game draw\n  end game draw\n",
    ],
)
def test_deep_specs_are_refused_or_run(text: str) -> None:
    """Python's limits of nesting are never met as a traceback."""
    if "E0105" not in problems(HEAD + text):
        with pytest.raises(Fault, match="nested"):
            Engine(compile_text(HEAD + text)).start()


def test_triggers_that_set_each_other_off_are_a_fault() -> None:
    text = (
        "var m: 0..9 = 0 seen by everyone\n"
        "when n = 1 becomes true\n  set n to 0\n  set m to 1\n"
        "when m = 1 becomes true\n  set m to 0\n  set n to 1\n"
        "rule play\n  seat0 must pick one k in 0..1\n  set n to k\n  end game draw\n"
    )
    made = Engine(compile_text(HEAD + text))
    with pytest.raises(Fault, match="no end"):
        made.apply(made.start(), 1)


@pytest.mark.parametrize(
    ("line", "other"),
    [("seats human random", "seats human robot"), ("seed 5\n", "seed 5\nseed 6\n")],
)
def test_an_edited_header_is_refused(line: str, other: str) -> None:
    match = Match(Engine(compile_text(HEAD + "rule play\n  end game draw\n")), (), 5)
    match.seats = ("human", "random")
    text = match.text()
    assert line in text and logs.loads(text, "a.save")
    with pytest.raises(Refused):
        logs.loads(text.replace(line, other), "a.save")


def test_numbers_on_one_line_mean_the_list_on_the_screen() -> None:
    """A line is taken whole or not at all, and its numbers do not move while it is read."""
    text = "pieces Tok 6\nplace bag: set of Tok seen by everyone\nrule play\n  move Tok to bag\n"
    text += "  seat0 must pick subset s of bag any number\n  end game draw\n"
    menu = Menu.of(Match(Engine(compile_text(HEAD + text)), (), 1))
    assert menu.builds
    shown = [menu.labels()[m] for m in menu.steps()]
    assert menu.add_all(["1", "3"])
    assert menu.built() == "{" + f"{shown[0]}, {shown[2]}" + "}"
    assert not menu.add_all([shown[1], "nonsense"])
    assert menu.built() == "{" + f"{shown[0]}, {shown[2]}" + "}"
    assert menu.add_all([shown[0], shown[1]])


@pytest.mark.parametrize(("given", "codes"), [("99", ["E0402"]), ("5", [])])
def test_an_assumption_keeps_to_its_range(given: str, codes: list[str]) -> None:
    text = "assume G-1 prize: 0..20 = 3\nrule play\n  if prize = 5\n    end game win {seat0}\n"
    text += "  set n to 1\n  if n = 1\n    end game draw\n"
    found = problems(HEAD + text, Configuration.of(assumes={"G-1": given}))
    assert [c for c in found if c == "E0402"] == codes
