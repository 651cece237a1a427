"""The parser's promises: many errors a run and few false ones, words for people, robust input."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import attrs
import pytest

from dsl import declarations as d
from dsl import statements as s
from dsl import tree as t
from dsl.declarations import File
from dsl.load import load
from dsl.problems import Problem, Report, Span, render
from dsl.tables import GRAMMAR, TABLES, key_of, lark

SAMPLE = """\
game "Sample" @S-1
players 2..4
option cap: 1..9 = 5 "how many rounds"
enum Color = red, yellow, blue @S-2
define wide = if players = 2 then 6 else 7
assume G-01 bonus(c: Color) = if c in {red, blue} then 2 else 1
  because "a guess"
  or 3
reading A-01 "which marker turns"
  chosen left "the left one"
    replace turn.flip
      flip marker[p]
  or right "the right one"
    set turn.limit to 3
  because "the left one stands first"
board bottle of Section: map
  | A1 A1 B1 |
  | A1 C1 B1 |
  dots: 0..3 = {A1 -> 0, else -> 1}
pieces Card from "cards.toml" cards
  color: Color
  worth: 1..5 = 1
place deck: pile of Card up to 40 seen by nobody
place hand[Seat]: set of Card seen by owner
var score[Seat]: 0..99 = 0 seen by everyone
define total(p: Seat) = sum(k in hand[p] where k.worth > 1: k.worth)
table level[n: 1..3]: width: 1..9, height: 1..9
  1 -> 2, 3
  2, 3 -> 4, unknown
choice colour(p: Seat): one c in Color where score[p] > 0
rule play
  for each p in seats clockwise from starter
    turn(p)
  repeat until deck is empty
    draw(p)
  end game rank p in seats by highest score[p] ties share
rule draw(p: Seat)
  if deck is empty
    shuffle deck
  else if hand[p] is full
    nothing
  else
    move top 2 of deck to hand[p]
rule turn(p: Seat)
  p may pick one k in hand[p] where k.color = red "which card"
    require "you can pay" score[p] >= k.worth
    then
      move k to deck
      add k.worth to score[p] at most 99
    otherwise
      draw(p)
  p must pick one of action "what now"
    option pass
      stop turn
    option sell for k in hand[p]
      subtract 1 from score[p] at least 0
when deck is empty becomes true
  announce "the deck is empty"
patch frozen(p: Seat) while score[p] > 10
  drop turn.sell
always "no seat owes" all(p in seats: score[p] >= 0)
scenario start "the first turn"
  players 3
  seed 7
  given score[p1] = 4
  when p1 chooses pass at turn.action
  then p2 is asked turn.action
"""

# What is typed wrongly: a line of the sample, and how it then reads.
EDITS = (
    ('game "Sample" @S-1', 'game Sample"'),
    ('option cap: 1..9 = 5 "how many rounds"', 'option cap 1..9 = 5 "how many rounds"'),
    ("enum Color = red, yellow, blue @S-2", "enum Color = red yellow, blue @S-2"),
    ("define wide = if players = 2 then 6 else 7", "define wide = if players = 2 than 6 else 7"),
    ("  or 3", "  or"),
    ("    set turn.limit to 3", "    set turn.limit = 3"),
    ("board bottle of Section: map", "bord bottle of Section: map"),
    ("place deck: pile of Card up to 40 seen by nobody", "place deck: heap of Card"),
    ("place hand[Seat]: set of Card seen by owner", "place hand[Seat: set of Card seen by owner"),
    ("var score[Seat]: 0..99 = 0 seen by everyone", "var score[Seat]: 0.99 = 0"),
    ("  2, 3 -> 4, unknown", "  2, 3 => 4, unknown"),
    ("  for each p in seats clockwise from starter", "  for p in seats clockwise from starter"),
    ("    move top 2 of deck to hand[p]", "    move top 2 deck to hand[p]"),
    ("      move k to deck", "      move k into deck"),
    ("      subtract 1 from score[p] at least 0", "      subtract 1 to score[p] at least 0"),
    ("when deck is empty becomes true", "when deck is empty becomes"),
    ("  drop turn.sell", "  drop turn.sell,"),
    ("always \"no seat owes\" all(p in seats: score[p] >= 0)", "always all(p in seats: yes)"),
    ("  given score[p1] = 4", "  given score[p1] 4"),
    ("  announce \"the deck is empty\"", "  announce “the deck is empty”"),
)
LINES = SAMPLE.split("\n")
TERMINAL = re.compile(r"\b(?:__)?(?:ANON_\d+|_NL|_INDENT|_DEDENT|[A-Z]{2,}(?:_\d+)?)\b|\$END")
NAMES = {x.name for x in lark().terminals} | {"$END", "_NL", "_INDENT", "_DEDENT"}


def read(data: str | bytes) -> tuple[File, Report]:
    """What a text or its bytes mean, and the problems."""
    report = Report()
    raw = data.encode() if isinstance(data, str) else data
    return load("t.game", raw, report), report


def codes(data: str | bytes) -> list[str]:
    """The codes of the problems, in the order of their places."""
    return [p.code for p in read(data)[1]]


def words(report: Report) -> str:
    """Everything that a person reads."""
    return "\n".join(render(p, report.sources) for p in report)


def spoilt(edits: tuple[tuple[str, str], ...]) -> tuple[str, set[int]]:
    """The sample with some of its lines typed wrongly, and their numbers."""
    swap = dict(edits)
    numbers = {n for n, line in enumerate(LINES, 1) if line in swap}
    return "\n".join(swap.get(line, line) for line in LINES), numbers


def choices(count: int) -> Iterator[tuple[tuple[str, str], ...]]:
    """Every edit and every pair; of more, those that lie evenly and those that lie close."""
    if count <= 2:
        yield from combinations(EDITS, count)
        return
    for start in range(len(EDITS)):
        for step in (1, 3, 7):
            yield tuple(EDITS[(start + step * n) % len(EDITS)] for n in range(count))


def spans(value: Any) -> list[Span]:
    """The places of all nodes of a tree, in order."""
    if isinstance(value, tuple):
        return [x for v in value for x in spans(v)]
    if not attrs.has(type(value)) or isinstance(value, Span):
        return []
    inner = [x for a in attrs.fields(type(value)) for x in spans(getattr(value, a.name))]
    return [value.span, *inner]


# Recovery.


def test_the_sample_is_sound() -> None:
    found, report = read(SAMPLE)
    assert not report.problems, words(report)
    assert len(found.decls) == 22
    assert all(LINES.count(line) == 1 for line, _ in EDITS)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_most_errors_are_found_in_one_run_and_few_are_made_up(count: int) -> None:
    made = found = spurious = 0
    for edits in choices(count):
        text, numbers = spoilt(edits)
        _, report = read(text)
        hit = {n for n in numbers if any(p.span.line in (n, n + 1) for p in report)}
        made, found = made + count, found + len(hit)
        spurious += sum(not {p.span.line, p.span.line - 1} & numbers for p in report)
        spurious += max(0, sum(1 for _ in report) - 2 * count)
        assert report.failed
    assert found >= 0.8 * made, f"{found} of {made}"
    assert spurious <= 0.5 * made, f"{spurious} beside {made}"


@pytest.mark.parametrize("edit", EDITS, ids=lambda e: e[1].strip())
def test_every_error_is_found_where_it_is(edit: tuple[str, str]) -> None:
    text, (number,) = spoilt((edit,))
    report = read(text)[1]
    first = next(iter(report))
    assert first.span.line in (number, number + 1), words(report)
    assert len(report.problems) <= 2, words(report)


@pytest.mark.parametrize("edit", EDITS, ids=lambda e: e[1].strip())
def test_an_error_leaves_the_other_declarations_alone(edit: tuple[str, str]) -> None:
    whole = read(SAMPLE)[0].decls
    left = read(spoilt((edit,))[0])[0].decls
    assert sum(one not in left for one in whole) <= 1


def damaged(lines: list[str]) -> Iterator[str]:
    """A declaration with every token left out, doubled and replaced in turn."""
    for number, line in enumerate(lines):
        for match in re.finditer(r'"[^"]*"|\w+|[^\w\s]', line):
            for new in ("", match.group() * 2, " ] ", ' "t" ', " 5 s "):
                changed = line[: match.start()] + new + line[match.end() :]
                yield "\n".join([*lines[:number], changed, *lines[number + 1 :], ""])


@pytest.mark.parametrize("declaration", re.split(r"\n(?! |$)", SAMPLE), ids=lambda x: x[:12])
def test_no_message_names_a_terminal_of_the_grammar(declaration: str) -> None:
    for text in damaged(declaration.rstrip().split("\n")):
        for problem in (p for p in read(text)[1] if p.code.startswith("E02")):
            said = " ".join((problem.title, *problem.notes, problem.help))
            unquoted = re.sub(r"'[^']*'|\([^()]*\)|\"[^\"]*\"", "", said)
            assert not NAMES & set(TERMINAL.findall(unquoted)), said
            assert "expected" not in (note.strip() for note in problem.notes), said


def test_a_message_says_what_stands_there_and_what_could() -> None:
    report = read("rule r\n  set x too 3\n")[1]
    (problem,) = report.problems
    assert problem.code == "E0201"
    assert problem.span == Span("t.game", 2, 9, 2, 12)
    assert "'too' cannot stand here" in problem.title
    assert "'to'" in " ".join(problem.notes)
    assert "while reading a rule 'r'" in problem.notes
    assert "did you mean 'to'" in problem.help


def test_only_what_can_really_stand_there_is_expected() -> None:
    report = read("rule r\n  if a\n    f(x)\n  ) must\n")[1]
    assert "'scenario'" not in words(report)
    assert "'closes'" not in words(report)


# Keywords are names wherever they cannot be keywords.


@pytest.mark.parametrize(
    "word", sorted(v for v in (x.pattern.value for x in lark().terminals) if v.isalpha())
)
def test_every_keyword_can_name_a_variable_and_be_called(word: str) -> None:
    calls = ("not", "if", "and", "or", "in", "is", "where", "then", "else", "by", "to")
    text = f"var {word}: 0..3\ndefine x = a.{word} + 1\n"
    text += "" if word in calls else f"define {word}(n) = n\ndefine y = {word}(3)\n"
    found, report = read(text)
    assert not report.problems, words(report)
    assert isinstance(found.decls[0], d.Var)
    assert found.decls[0].name == word


def test_a_word_after_a_block_is_a_name_where_no_keyword_can_follow() -> None:
    for word in ("case", "then", "score", "place", "after", "option"):
        found, report = read(f"rule r\n  if a\n    f(x)\n  {word} must pick one x in y\n")
        assert not report.problems, words(report)
        (rule,) = found.decls
        assert isinstance(rule, d.Rule)
        assert isinstance(rule.body[1], s.Pick)
        assert rule.body[1].actor == t.Name(word)


def test_time_and_row_are_names_too() -> None:
    text = (
        "board b of C: map\n  | a b |\n  row: 0..3\n"
        "define x = time\nplace p: row of C\nrule r\n  time passes 3 s\n  f(row, time)\n"
    )
    found, report = read(text)
    assert not report.problems, words(report)
    board, define, place, rule = found.decls
    assert isinstance(board, d.Board)
    assert [f.name for f in board.fields if isinstance(f, d.FieldDecl)] == ["row"]
    assert isinstance(define, d.Define)
    assert define.value == t.Name("time")
    assert isinstance(place, d.Place)
    assert place.kind == "row"
    assert isinstance(rule, d.Rule)
    assert rule.body[0] == s.Act((), "time_passes", t.Time(3000))


# Bytes and characters.


@pytest.mark.parametrize(
    "data",
    [
        SAMPLE.replace("\n", "\r\n").encode(),
        SAMPLE.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + SAMPLE.encode(),
        b"\xef\xbb\xbf" + SAMPLE.replace("\n", "\r\n").encode(),
    ],
    ids=["CRLF", "CR", "BOM", "BOM and CRLF"],
)
def test_line_ends_and_marks_change_nothing(data: bytes) -> None:
    whole, _ = read(SAMPLE)
    found, report = read(data)
    assert not report.problems, words(report)
    assert found == whole
    assert spans(found.decls) == spans(whole.decls)


@pytest.mark.parametrize("data", [SAMPLE.rstrip("\n"), SAMPLE.replace("\n", " \t\n")])
def test_blanks_at_ends_change_no_beginning(data: str) -> None:
    whole, _ = read(SAMPLE)
    found, report = read(data)
    assert not report.problems, words(report)
    assert found == whole
    begins = [[(x.line, x.col) for x in spans(f.decls)] for f in (found, whole)]
    assert begins[0] == begins[1]


def test_tabs_indent_as_spaces_do() -> None:
    """One blank a level, so that columns, which count characters, are the same."""
    narrow = re.sub(r"(?m)^(?:  )+", lambda m: " " * (len(m.group()) // 2), SAMPLE)
    tabbed = re.sub(r"(?m)^ +", lambda m: "\t" * len(m.group()), narrow)
    whole, _ = read(narrow)
    found, report = read(tabbed)
    assert not report.problems, words(report)
    assert found == whole == read(SAMPLE)[0]
    assert spans(found.decls) == spans(whole.decls)


@pytest.mark.parametrize("char", ["\u00a0", "\u2013", "\u200b", "\u2019", "\u2028", "\u0663", "é"])
def test_a_stray_character_is_named(char: str) -> None:
    found, report = read(f"define x = 1 {char} + 2\nplayers 2..4\n")
    (problem,) = report.problems
    assert problem.code == "E0103"
    assert problem.span == Span("t.game", 1, 14, 1, 15)
    assert f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip() in problem.title
    assert d.Players(range=t.Range(t.Int(2), t.Int(4))) in found.decls


def test_curly_quotes_are_named_with_what_to_type() -> None:
    report = read("game “T”\nplayers 2..4\n")[1]
    assert [p.code for p in report] == ["E0103", "E0103"]
    assert ["LEFT" in p.title for p in report] == [True, False]
    assert all("DOUBLE QUOTATION MARK" in p.title and "type '\"'" in p.help for p in report)


def test_characters_within_texts_and_comments_are_free() -> None:
    assert codes('game "“T” – \u00a0 é" # ‘…’\n') == []


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_another_encoding_is_refused(code: str) -> None:
    assert codes('game "Té"\n'.encode(code)) == ["E0102"]


def test_a_huge_file_is_refused() -> None:
    assert codes(b"# filler\n" * 1_200_000) == ["E0101"]


# Nesting and layout.

BRACKETS = [("(", ")"), ("[", "]"), ("{", "}"), ("f(", ")"), ("a[", "]"), ("{1 -> ", "}")]


@pytest.mark.parametrize(("opening", "closing"), BRACKETS)
def test_brackets_nest_deep_but_not_without_end(opening: str, closing: str) -> None:
    def nested(depth: int) -> str:
        return f"define x = {opening * depth}1{closing * depth}\nplayers 2..4\n"

    found, report = read(nested(180))
    assert not report.problems, words(report)
    assert len(found.decls) == 2
    found, report = read(nested(10_000))
    assert [p.code for p in report] == ["E0105"]
    assert d.Players(range=t.Range(t.Int(2), t.Int(4))) in found.decls


def test_ten_thousand_brackets_never_closed_are_two_problems() -> None:
    assert codes(f"define x = {'(' * 10_000}\nplayers 2..4\n") == ["E0108", "E0105"]


@pytest.mark.parametrize(
    "text",
    [
        "define x = " + "1 + " * 5000 + "1\n",
        "define x = " + "-" * 5000 + "1\n",
        "define x = " + "not " * 5000 + "a\n",
        "define x = a" + ".b" * 5000 + "\n",
        "define x = " + "if a then b else " * 3000 + "1\n",
        "rule r\n" + "".join(" " * n + "if a\n" for n in range(1, 600)) + " " * 600 + "f(x)\n",
    ],
    ids=["sum", "minus", "not", "dots", "if", "blocks"],
)
def test_other_nesting_ends_too(text: str) -> None:
    found, report = read(text + "players 2..4\n")
    assert [p.code for p in report] == ["E0105"]
    assert len(found.decls) == 1


def test_long_and_flat_is_fine() -> None:
    many = ", ".join(str(n) for n in range(5000))
    body = "  f(x)\n" * 5000
    found, report = read(f"define x = {{{many}}}\nrule r\n{body}")
    assert not report.problems
    assert len(found.decls) == 2


def only(data: str) -> Problem:
    """The single problem of a text."""
    report = read(data)[1]
    assert len(report.problems) == 1, words(report)
    return report.problems[0]


def test_an_unclosed_bracket_is_shown_where_it_opens() -> None:
    problem = only("rule r\n  f(x\n  g(y)\n  h(z)\nplayers 2..4\n")
    assert (problem.code, str(problem.span)) == ("E0108", "t.game:2:4")
    assert only("define x = {1, 2\n").code == "E0108"


def test_a_bracket_that_closes_nothing_is_shown() -> None:
    problem = only("define x = f(1))\nplayers 2..4\n")
    assert (problem.code, str(problem.span)) == ("E0107", "t.game:1:16")


def test_an_unclosed_quote_ends_with_its_line() -> None:
    found, report = read('game "abc\nplayers 2..4\n')
    assert [(p.code, str(p.span)) for p in report] == [("E0104", "t.game:1:6")]
    assert found.decls[0] == d.Game(title="abc")


def test_an_odd_dedent_is_one_problem() -> None:
    problem = only("rule r\n    nothing\n  nothing\n  nothing\nplayers 2..4\n")
    assert (problem.code, str(problem.span)) == ("E0109", "t.game:3:3")
    problem = only("rule r\n  if a\n      nothing\n    nothing\n  nothing\nplayers 2..4\n")
    assert (problem.code, str(problem.span)) == ("E0109", "t.game:4:5")


def test_a_missing_block_and_a_block_too_many() -> None:
    assert codes("rule r\nplayers 2..4\n") in (["E0201"], ["E0202"])
    assert codes("players 2..4\n  nothing\n") == ["E0201"]


def test_a_number_may_have_fifteen_digits() -> None:
    assert codes(f"define x = {'9' * 15}\n") == []
    assert codes(f"define x = {'9' * 16}\n") == ["E0106"]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment", "   \n\t\n"])
def test_an_empty_file_has_no_declarations(text: str) -> None:
    found, report = read(text)
    assert not report.problems
    assert found.decls == ()


# The tables.


def test_the_tables_fit_the_grammar() -> None:
    grammar = GRAMMAR.read_text(encoding="utf-8")
    assert json.loads(TABLES.read_text(encoding="utf-8"))["key"] == key_of(grammar)
