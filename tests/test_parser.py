"""Reading text: what the parser recovers from, what it says, and what it never minds."""

from __future__ import annotations

import json
import re

import pytest

from dsl.declarations import Decl, File
from dsl.lexer import lex
from dsl.load import load
from dsl.problems import Problem, Report, Span, render
from dsl.source import MAX_BYTES, Source
from dsl.tables import GRAMMAR, TABLES, key_of, lark

SAMPLE = """\
game "Three in a row"                                             @TR-001
players 2..2                                                      @TR-002
board grid of Cell: grid(3, 3)                                    @TR-003
enum Mark = cross, nought, blank
var mark[Cell]: optional Seat = none seen by everyone             @TR-004
define row_of(p: Seat) = any(l in lines(grid, 3): all(x in l: mark[x] = p))
define left = count(c in Cell where mark[c] is none) + 1 - 1
option swap: YesNo = no "the second seat may take over"           @TR-005

rule play                                                         @TR-006
  for each p in seats clockwise from seat0
    turn(p)
  repeat until left = 0
    let next = if left mod 2 = 1 then seat0 else seat1
    turn(next)

rule turn(p: Seat)
  p must pick one c in Cell                                       @TR-007
    require taken "the cell is taken" mark[c] is none             @TR-008
  set mark[c] to p
  if row_of(p)                                                    @TR-009
    end game win p
  else if left = 0
    end game draw                                                 @TR-010
  move top 1 of deck to hand[p] as much as there is

when left = 0 becomes true
  announce left

patch torus "edges meet"
  redefine row_of(p) = ring(p) or row(p)
  set turn.c to mark[c] is none

always "marks stay" all(c in Cell: mark[c] is none or left < 9)

scenario first "the first mark"
  players 2
  given mark[c1r1] = seat0
  when seat1 chooses c2r2 at turn.c
  then seat0 may not choose c1r1
  then game goes on
"""
EDITS = (
    ("grid(3, 3) ", "grid(3, 3 "),
    ("cross, nought", "cross nought"),
    ("mark[Cell]: optional", "mark[Cell] optional"),
    ("any(l in lines", "any(l in in lines"),
    ("YesNo = no", "YesNo no"),
    ("+ 1 - 1", "+ 1 - - * 1"),
    ("each p in seats", "each p seats"),
    ("then seat0 else", "then seat0 els"),
    ("must pick one c", "must pik one c"),
    ('"the cell is taken"', '"the cell is taken'),
    ("set mark[c] to p", "set mark[c] p"),
    ("end game win p", "end gane win p"),
    ("top 1 of deck", "top 1 deck"),
    ("becomes true", "becomes"),
    ("redefine row_of(p) = ring", "redefine row_of(p) ring"),
    ("set turn.c to", "set turn. to"),
    ("or left < 9", "or left < < 9"),
    ("given mark[c1r1] =", "given mark[c1r1]"),
    ("chooses c2r2", "choses c2r2"),
    ("may not choose c1r1", "may not c1r1"),
)
RAW = re.compile(r"\b[A-Z]{2,}[A-Z_]*\b|_NL|_INDENT|_DEDENT|__ANON|\$END")
PLAIN = {"UTF", "NUL", "NO", "BREAK", "SPACE", "EN", "DASH", "LEFT", "RIGHT", "DOUBLE"}


def problems(text: str | bytes) -> list[Problem]:
    """The problems of a text, in order of place."""
    report = Report()
    load("t.game", text if isinstance(text, bytes) else text.encode(), report)
    return list(report)


def tree(data: str | bytes) -> File:
    """The tree of a text without problems."""
    report = Report()
    found = load("t.game", data if isinstance(data, bytes) else data.encode(), report)
    assert not report.problems, "\n".join(render(p, report.sources) for p in report)
    return found


def codes(text: str | bytes) -> list[str]:
    """The codes of the problems of a text."""
    return [p.code for p in problems(text)]


def spans(decls: tuple[Decl, ...]) -> list[Span]:
    """The places of declarations."""
    return [d.span for d in decls]


def injected(chosen: tuple[int, ...]) -> tuple[str, list[int]]:
    """The sample with some edits made, and the lines that they touched."""
    text, lines = SAMPLE, []
    for old, new in (EDITS[i] for i in chosen):
        assert text.count(old) == 1, old
        lines.append(text[: text.index(old)].count("\n") + 1)
        text = text.replace(old, new)
    return text, lines


def choices(count: int) -> list[tuple[int, ...]]:
    """Sets of edits, spread over the sample at several strides."""
    size = len(EDITS)
    found = {
        tuple(sorted({(start + step * i) % size for i in range(count)}))
        for step in (1, 3, 7)
        for start in range(size)
    }
    return sorted(c for c in found if len(c) == count)


def test_the_sample_is_sound() -> None:
    assert len(tree(SAMPLE).decls) == 14


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_most_errors_are_reported_and_few_are_made_up(count: int) -> None:
    made = reported = spurious = 0
    for chosen in choices(count):
        text, lines = injected(chosen)
        found = [p.span.line for p in problems(text)]
        hit = sum(line in found or line + 1 in found for line in lines)
        made += count
        reported += hit
        spurious += len(found) - hit
    assert reported >= 0.8 * made
    assert spurious <= 0.5 * made


@pytest.mark.parametrize("edit", range(len(EDITS)))
def test_one_error_leaves_the_other_declarations_alone(edit: int) -> None:
    text, lines = injected((edit,))
    found = problems(text)
    assert found
    assert abs(found[0].span.line - lines[0]) <= 1
    report = Report()
    assert len(load("t.game", text.encode(), report).decls) >= 13


@pytest.mark.parametrize("edit", range(len(EDITS)))
def test_no_message_names_a_terminal_of_the_grammar(edit: int) -> None:
    for problem in problems(injected((edit,))[0]):
        said = " ".join((problem.title, *problem.notes, problem.help))
        said = re.sub(r"@TR-\d+|@SA-\d+|\bG-04\b", "", said)
        assert not set(RAW.findall(said)) - PLAIN, said


def test_no_keyword_shares_its_terminal_with_a_kind_of_word() -> None:
    declared = set(GRAMMAR.read_text(encoding="utf-8").partition("%declare")[2].split())
    assert not declared & {t.name for t in lark().terminals if t.pattern.type == "str"}


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_file_that_stops_anywhere_is_read_without_a_crash(cut: int) -> None:
    text = SAMPLE[: len(SAMPLE) * cut // 40]
    for problem in problems(text):
        assert problem.code.startswith("E01") or problem.code.startswith("E02")


# Layout of bytes and characters.


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: text.replace("\n\n", "\n   \n").encode(),
    ],
    ids=["crlf", "cr", "bom", "bom-crlf", "no-last-line-end", "blank-lines-of-spaces"],
)
def test_line_ends_and_marks_change_neither_tree_nor_places(change: object) -> None:
    assert callable(change)
    plain, other = tree(SAMPLE), tree(change(SAMPLE))
    assert other == plain
    assert spans(other.decls)[:-1] == spans(plain.decls)[:-1]


def test_tabs_make_the_same_tree_and_keep_their_lines() -> None:
    tabbed = re.sub(r"^(?:  )+", lambda m: "\t" * (len(m[0]) // 2), SAMPLE, flags=re.MULTILINE)
    assert tree(tabbed) == tree(SAMPLE)
    starts = [(s.line, s.col) for s in spans(tree(tabbed).decls)]
    assert starts == [(s.line, s.col) for s in spans(tree(SAMPLE).decls)]


@pytest.mark.parametrize("between", ["\t", "  \t ", " "])
def test_any_space_between_words_is_one(between: str) -> None:
    text = "rule turn(p)\n  set mark[c] to p + 1\n"
    assert tree(re.sub(r"(?<=\S) ", between, text)) == tree(text)


@pytest.mark.parametrize(
    ("char", "name"),
    [
        ("\u00a0", "NO-BREAK SPACE"),
        ("\u201c", "LEFT DOUBLE QUOTATION MARK"),
        ("\u201d", "RIGHT DOUBLE QUOTATION MARK"),
        ("\u2019", "RIGHT SINGLE QUOTATION MARK"),
        ("\u2013", "EN DASH"),
        ("\u200b", "ZERO WIDTH SPACE"),
        ("\ufeff", "ZERO WIDTH NO-BREAK SPACE"),
        ("\u00e9", "LATIN SMALL LETTER E WITH ACUTE"),
        ("\u0663", "ARABIC-INDIC DIGIT THREE"),
        (";", "SEMICOLON"),
    ],
)
def test_a_character_that_does_not_belong_is_named(char: str, name: str) -> None:
    found = problems(f"define x = 1 {char}\nvar y: 2\n")
    assert [p.code for p in found] == ["E0103"]
    assert f"U+{ord(char):04X} {name}" in found[0].title
    assert found[0].span == Span("t.game", 1, 14, 1, 15)


@pytest.mark.parametrize("char", ["\u00a0", "\u201c", "\u2013", "\u200b"])
def test_a_character_that_does_not_belong_may_stand_in_texts_and_comments(char: str) -> None:
    tree(f'game "a{char}b"  # c{char}d\n')


@pytest.mark.parametrize(
    "data",
    [
        SAMPLE.encode("utf-16"),
        SAMPLE.encode("utf-16-le"),
        SAMPLE.encode("utf-16-be"),
        'game "caf\u00e9"\n'.encode("latin-1"),
    ],
    ids=["utf-16", "utf-16-le", "utf-16-be", "latin-1"],
)
def test_another_encoding_is_refused(data: bytes) -> None:
    assert codes(data) == ["E0102"]


def test_a_file_too_big_is_refused_unread() -> None:
    assert codes(b"(" * 10_000_000) == ["E0101"]
    assert codes(b"#" * MAX_BYTES) == []


# Brackets, quotes, indents.


@pytest.mark.parametrize("pair", ["()", "[]", "{}"])
@pytest.mark.parametrize("head", ["", "f"])
def test_brackets_nested_without_measure_are_one_problem(pair: str, head: str) -> None:
    text = f"define x = {(head + pair[0]) * 10_000}1{pair[1] * 10_000}\nvar y: 2\n"
    assert codes(text) == ["E0105"]


@pytest.mark.parametrize("opening", ["(", "[", "{", "f(", "a["])
def test_brackets_nested_as_deep_as_allowed_are_read(opening: str) -> None:
    closing = {"(": ")", "[": "]", "{": "}"}[opening[-1]]
    tree(f"define x = {opening * 180}1{closing * 180}\n")


@pytest.mark.parametrize(
    "value",
    ["-" * 5000 + "1", "not " * 5000 + "a", "1 + " * 5000 + "1", "a" + ".b" * 5000],
    ids=["minus", "not", "plus", "dots"],
)
def test_a_value_too_deep_for_a_tree_is_one_problem(value: str) -> None:
    assert codes(f"define x = {value}\nvar y: 2\n") == ["E0105"]


def test_a_bracket_left_open_is_shown_where_it_opens() -> None:
    found = problems("define x = f(1, 2\nvar y: 0..2\nvar z: 0..2\n")
    assert [p.code for p in found] == ["E0108"]
    assert found[0].span == Span("t.game", 1, 13, 1, 14)


def test_a_closing_bracket_may_begin_a_line() -> None:
    assert tree("define x = f(\n  1,\n  2\n)\nvar y: 2\n") == tree("define x = f(1, 2)\nvar y: 2\n")


def test_a_bracket_that_closes_nothing_is_shown() -> None:
    found = problems("define x = f(1, 2))\nvar y: 2\n")
    assert [(p.code, p.span.col) for p in found] == [("E0107", 19)]


def test_a_quote_left_open_ends_with_its_line() -> None:
    found = problems('rule r\n  require "it is free x\n  f(x)\nvar y: 2\n')
    assert (found[0].code, found[0].span.line, found[0].span.col) == ("E0104", 2, 11)
    assert {p.span.line for p in found} == {2}


def test_a_dedent_to_nowhere_is_shown() -> None:
    found = problems("rule r\n    if a\n        f(x)\n      g(x)\nvar y: 2\n")
    assert [(p.code, p.span.line) for p in found] == [("E0109", 4)]


def test_a_number_too_long_is_shown() -> None:
    assert codes(f"define x = {'1' * 16}\n") == ["E0106"]


# Words: a keyword only where it can be one.

KEYWORDS = sorted(
    t.pattern.value for t in lark().terminals if re.fullmatch("[a-z]+", t.pattern.value)
)


@pytest.mark.parametrize("word", [k for k in KEYWORDS if k not in ("if", "not", "none")])
def test_every_keyword_can_be_a_name_in_an_expression(word: str) -> None:
    for text in (
        f"define x = {word}",
        f"define x = a + {word}",
        f"define x = f(a, {word})",
        f"define x = [{word}, {word}.b, a.{word}, a[{word}]]",
        f"rule r\n  f(x)\n  set {word} to {word}\n  if a\n    f(x)\n  let y = {word}",
    ):
        tree(text + "\n")


@pytest.mark.parametrize("word", [k for k in KEYWORDS if k not in ("check", "if", "not")])
def test_every_keyword_but_check_can_name_what_is_declared(word: str) -> None:
    for text in (
        f"var {word}: 0..3",
        f"define {word}(a) = a",
        f"rule {word}\n  {word}.f(a)",
        f'data D from "f" t\n  {word}: 0..3',
        f"board b of C: map\n  | A B |\n  {word}: 0..3",
    ):
        tree(text + "\n")


def test_a_difference_needs_no_spaces() -> None:
    assert tree("players N-1\n") == tree("players N - 1\n")


def test_alike_is_said_or_not() -> None:
    said = "window w\n  ask seats clockwise from p{}\n  closes after all pass\n"
    assert tree(said.format(" alike")) != tree(said.format(""))


def test_reasons_of_a_reading_are_joined() -> None:
    text = 'reading A-1 "t"\n  chosen x "y"\n  because "one"\n  because "two"\n'
    assert tree(text) == tree(text.replace('one"\n  because "two', "one two"))


# The shipped tables.


def test_the_shipped_tables_fit_the_grammar() -> None:
    raw = json.loads(TABLES.read_text(encoding="utf-8"))
    assert raw["key"] == key_of(GRAMMAR.read_text(encoding="utf-8")), "run python -m dsl.tables"


def test_comments_are_given_with_their_places() -> None:
    _, found = lex(Source("t.game", "# a\nvar x: 1  # b\n"), Report())
    assert [(c.text, c.alone, c.span.line, c.span.col) for c in found] == [
        ("# a", True, 1, 1),
        ("# b", False, 2, 11),
    ]
