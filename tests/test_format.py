"""The formatter's laws: text parses to the tree it came from, twice is once, comments stay."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsl import declarations as d
from dsl import statements as s
from dsl import tree as t
from dsl.build_stmt import slug
from dsl.format import format_decls, format_source
from dsl.format_doc import WIDTH
from dsl.format_expr import time_text
from dsl.lexer import lex
from dsl.load import load
from dsl.problems import Report, render
from dsl.source import Source
from dsl.tables import lark

ROOT = Path(__file__).parent.parent
FILES = sorted([*ROOT.glob("games/**/*.game"), *ROOT.glob("tests/cases/**/*.game")])
LAWS = settings(
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
KEYWORDS = sorted(
    k.pattern.value for k in lark().terminals if re.fullmatch("[a-z]+", k.pattern.value)
)
RESERVED = {"not", "if", "none"}


# Strategies: trees as the parser makes them.

PLAIN = st.sampled_from(["x", "y1", "p", "q_2", "Seat", "Card", "hand", "pot", "s", "min", "_a"])
WORDS = st.sampled_from([k for k in KEYWORDS if k not in RESERVED])
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters='"\n\r\0'), max_size=12
) | st.sampled_from(["the shelf is full", "no", "", "a # b", "Two  words and more " * 8])
CITES = st.lists(st.sampled_from(["SA-001", "A-04", "G-1", "X-12"]), max_size=3).map(tuple)
IDS = st.sampled_from(["A-04", "G-1", "QM-A2"])
PATHS = st.lists(PLAIN, min_size=1, max_size=3).map(".".join)
TIMES = st.integers(0, 10**9) | st.integers(0, 999_999_999).map(lambda n: n * 60_000)
OPS = ["+", "-", "*", "&", "mod", "/", "/up", "/down"]
OPS += ["=", "!=", "<", "<=", ">", ">=", "in", "and", "or"]
STATES = PLAIN | st.sampled_from(["none", "empty", "full", "asked", "refused", "set"])


def some(strategy: st.SearchStrategy[Any], most: int = 2) -> st.SearchStrategy[tuple[Any, ...]]:
    """One or a few values, as a tuple."""
    return st.lists(strategy, min_size=1, max_size=most).map(tuple)


def few(strategy: st.SearchStrategy[Any], most: int = 2) -> st.SearchStrategy[tuple[Any, ...]]:
    """No value or a few, as a tuple."""
    return st.lists(strategy, max_size=most).map(tuple)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A value or None."""
    return st.none() | strategy


@st.composite
def calls(draw: st.DrawFn, e: st.SearchStrategy[t.Expr]) -> t.Expr:
    """A call, with one of the tails that the grammar knows."""
    args = draw(few(e))
    where = draw(maybe(e)) if args else None
    tail = draw(st.sampled_from(["", "body", "by"])) if args else ""
    body = draw(e) if tail == "body" else None
    by = draw(e) if tail == "by" else None
    lowest = draw(st.booleans()) if tail == "by" else False
    return t.Call(draw(e), args, where, body, by, lowest)


@st.composite
def maps(draw: st.DrawFn, e: st.SearchStrategy[t.Expr]) -> t.Expr:
    """A map with at least one row."""
    other = draw(maybe(e))
    rows = draw(st.lists(st.tuples(some(e), e), min_size=other is None, max_size=3))
    return t.MapOf(tuple(rows), other)


def sets_where(e: st.SearchStrategy[t.Expr]) -> st.SearchStrategy[t.Expr]:
    """Set comprehensions, with and without an image."""
    names = PLAIN | st.just("_")
    plain = st.builds(t.SetWhere, st.builds(t.Binder, names, e, e))
    return plain | st.builds(t.SetWhere, st.builds(t.Binder, names, e, maybe(e)), e)


def deeper(e: st.SearchStrategy[t.Expr]) -> st.SearchStrategy[t.Expr]:
    """One step of nesting."""
    return st.one_of(
        st.builds(t.Unary, st.sampled_from(["not", "-"]), e),
        st.builds(t.Binary, st.sampled_from(OPS), e, e),
        st.builds(t.Is, e, STATES),
        st.builds(t.Range, e, e),
        st.builds(t.IfElse, e, e, e),
        st.builds(t.Attr, e, PLAIN | WORDS),
        st.builds(t.Index, e, some(e)),
        calls(e),
        st.builds(t.SetOf, few(e, 4)),
        sets_where(e),
        maps(e),
        st.builds(t.ListOf, few(e, 4)),
    )


ATOMS = st.one_of(
    st.builds(t.Name, PLAIN | WORDS),
    st.builds(t.Int, st.integers(0, 10**15 - 1)),
    st.builds(t.Time, TIMES),
    st.builds(t.Text, TEXTS),
    st.just(t.Nothing()),
)
EXPRS: st.SearchStrategy[t.Expr] = st.recursive(ATOMS, deeper, max_leaves=10)
TYPES: st.SearchStrategy[t.Type] = st.recursive(
    st.builds(t.ValueType, EXPRS),
    lambda of: st.one_of(
        st.builds(t.OptionalType, of),
        st.builds(t.SetType, of),
        st.builds(t.ListType, of, EXPRS),
        st.builds(t.PatternType, PLAIN, of),
    ),
    max_leaves=3,
)
BINDERS = st.builds(t.Binder, PLAIN, EXPRS, maybe(EXPRS))
PARAMS = st.builds(d.Param, PLAIN, maybe(TYPES))
DIMS = few(TYPES)


@st.composite
def demands(draw: st.DrawFn) -> s.Require:
    """A requirement; a narrowing has no name of its own."""
    text, prefer = draw(TEXTS), draw(st.booleans())
    name = slug(text) if prefer else draw(st.just(slug(text)) | PLAIN)
    return s.Require(draw(CITES), name, text, draw(EXPRS), prefer)


@st.composite
def changes(draw: st.DrawFn) -> s.Stmt:
    """`set`, `add` or `subtract`, with a bound or without."""
    kind = draw(st.sampled_from(["", "at_most", "at_least", "as_fits", "wrap"]))
    limit = draw(EXPRS) if kind in ("at_most", "at_least") else None
    op = draw(st.sampled_from(["set", "add", "subtract"]))
    bound = s.Bound(kind, limit) if kind else None
    return s.Change(draw(CITES), op, draw(EXPRS), draw(EXPRS), bound)


@st.composite
def moves(draw: st.DrawFn) -> s.Stmt:
    """A move with its form, order and amount."""
    form = draw(st.sampled_from(["all", "every", "one", "top"]))
    count = draw(EXPRS) if form == "top" else None
    arrange = draw(st.sampled_from(["", "shuffled", "turned_over", "under", "by_key"]))
    key = draw(EXPRS) if arrange == "by_key" else None
    lowest = draw(st.booleans()) if key else False
    what, to, partial = draw(EXPRS), draw(EXPRS), draw(st.booleans())
    return s.Move(draw(CITES), form, what, count, to, arrange, key, lowest, partial)


@st.composite
def applications(draw: st.DrawFn) -> s.Stmt:
    """A patch applied, for a while or for good."""
    moment = st.sampled_from(["begins", "ends", "runs_out", "happens"])
    lasting = draw(
        st.one_of(
            st.just(s.Lasting()),
            st.builds(s.Lasting, start=EXPRS),
            st.builds(s.Lasting, start=maybe(EXPRS), until=EXPRS, moment=moment),
            st.builds(s.Lasting, during=EXPRS),
            st.builds(s.Lasting, next_of=PATHS),
        )
    )
    return s.Apply(draw(CITES), draw(EXPRS), lasting)


ACTIONS = ["shuffle", "turn_over", "flip", "announce", "open", "lift", "give", "call"]
ACTIONS += ["time_passes", "reveal"]
ACTS = st.one_of(
    st.builds(
        s.Act,
        CITES,
        st.sampled_from(ACTIONS),
        EXPRS,
    ),
    st.builds(s.Act, CITES, st.just("reveal"), EXPRS, EXPRS),
    st.builds(s.Act, CITES, st.sampled_from(["nothing", "original"])),
)
KEYS = some(st.builds(s.RankKey, EXPRS, st.booleans()))
ENDS = st.one_of(
    st.builds(s.EndGame, CITES, st.sampled_from(["win", "lose"]), EXPRS),
    st.builds(s.EndGame, CITES, st.sampled_from(["draw", "no_winner"])),
    st.builds(s.EndGame, CITES, st.just("by_score"), stalled=st.booleans()),
    st.builds(s.EndGame, CITES, st.just("rank"), EXPRS, KEYS, st.booleans(), st.booleans()),
)


@st.composite
def chances(draw: st.DrawFn) -> s.Stmt:
    """Chance or the table decides."""
    cites, made = draw(CITES), draw(BINDERS)
    match draw(st.sampled_from(["picks", "rolls", "agrees"])):
        case "picks":
            return s.Chance(cites, "picks", made, made.name, weight=draw(maybe(EXPRS)))
        case "rolls":
            return s.Chance(cites, "rolls", None, draw(PLAIN), draw(EXPRS), draw(EXPRS))
        case _:
            return s.Chance(cites, "agrees", made, made.name, prompt=draw(TEXTS))


SIMPLE: st.SearchStrategy[s.Stmt] = st.one_of(
    st.builds(s.Let, CITES, PLAIN | WORDS, EXPRS),
    changes(),
    moves(),
    ACTS,
    applications(),
    ENDS,
    st.builds(s.Stop, CITES, st.just("") | PATHS),
    chances(),
)
SIZES = st.one_of(
    st.just(s.Size()),
    st.just(s.Size(most=True)),
    EXPRS.map(lambda e: s.Size(e, e)),
    st.builds(s.Size, maybe(EXPRS), maybe(EXPRS)),
)
FORMS = st.one_of(
    st.builds(s.One, BINDERS, st.booleans()),
    st.builds(s.Subset, PLAIN, EXPRS, SIZES, st.booleans()),
    st.builds(s.Amounts, PLAIN, BINDERS, maybe(EXPRS), maybe(EXPRS), st.booleans()),
    st.builds(s.YesNo, PLAIN),
    st.builds(s.Named, PLAIN, EXPRS, st.booleans()),
)
DEMANDS = few(demands(), 1)


@st.composite
def walks(draw: st.DrawFn) -> s.Walk:
    """An order of seats or values."""
    kind = draw(st.sampled_from(["clockwise", "counterclockwise", "by_value", "any_order"]))
    value = None if kind == "any_order" else draw(EXPRS)
    return s.Walk(kind, value, draw(st.booleans()) if kind == "by_value" else False)


def options(body: st.SearchStrategy[tuple[s.Stmt, ...]]) -> st.SearchStrategy[s.MenuOption]:
    """Options of a menu around a body."""
    return st.builds(s.MenuOption, PLAIN, few(BINDERS), TEXTS, CITES, DEMANDS, body | st.just(()))


def compound(one: st.SearchStrategy[s.Stmt]) -> st.SearchStrategy[s.Stmt]:
    """Statements with a body."""
    body = some(one)
    tiers = some(some(options(body), 1), 2)
    cases = st.builds(s.Case, few(EXPRS), body, CITES)
    return st.one_of(
        st.builds(s.If, CITES, EXPRS, body, body | st.just(())),
        st.builds(s.ForEach, CITES, PLAIN, EXPRS, maybe(walks()), body),
        st.builds(s.Repeat, CITES, st.just("forever"), st.none(), body),
        st.builds(s.Repeat, CITES, st.sampled_from(["while", "until", "times"]), EXPRS, body),
        st.builds(s.AtOnce, CITES, body),
        st.builds(s.Step, CITES, PLAIN, body),
        st.builds(s.Match, CITES, EXPRS, some(cases)),
        st.builds(
            s.Pick,
            *(CITES, EXPRS, st.booleans(), st.booleans(), FORMS, TEXTS, DEMANDS),
            *(maybe(body), maybe(body)),
        ),
        st.builds(s.Menu, CITES, EXPRS, st.booleans(), PLAIN, TEXTS, tiers),
    )


STMTS: st.SearchStrategy[s.Stmt] = st.recursive(SIMPLE, compound, max_leaves=5)
BODIES = some(STMTS)

VIEWS = st.one_of(
    st.just(d.Visibility("hidden")),
    st.builds(
        d.Visibility,
        st.sampled_from(["everyone", "nobody", "owner", "others", "top", "order"]),
        st.none(),
        maybe(EXPRS),
    ),
    st.builds(d.Visibility, st.just("seats"), EXPRS, maybe(EXPRS)),
)
FIELDS = st.one_of(
    st.builds(d.FieldDecl, CITES, PLAIN, maybe(TYPES), TYPES, maybe(EXPRS), maybe(VIEWS)),
    st.builds(d.Check, CITES, TEXTS, EXPRS),
)
ROWS = few(st.sampled_from(["| .. .. A1 |", "| B2 A1 .. |"]), 3)
BOARDS = st.one_of(
    st.builds(d.Board, CITES, PLAIN, PLAIN, st.just("map"), rows=ROWS, fields=few(FIELDS)),
    st.builds(d.Board, CITES, PLAIN, PLAIN, PLAIN, few(EXPRS), rows=ROWS),
    st.builds(
        d.Board,
        *(CITES, PLAIN, PLAIN, st.just("row"), st.tuples(EXPRS), some(PLAIN, 3)),
        st.just(()) | st.tuples(PLAIN, PLAIN),
    ),
)
PIECES = st.one_of(
    st.builds(d.Pieces, CITES, PLAIN, TEXTS, PLAIN, fields=few(FIELDS)),
    st.builds(d.Pieces, CITES, PLAIN, count=EXPRS, fields=few(FIELDS)),
    st.builds(d.Pieces, CITES, PLAIN, count=maybe(EXPRS), each=EXPRS, fields=few(FIELDS)),
)
REFILLS = st.builds(d.Refill, st.sampled_from(["shuffle", "flip"]), EXPRS, st.booleans())
PLACES = st.one_of(
    st.builds(d.Place, CITES, PLAIN, DIMS, st.just("one"), PLAIN, visibility=maybe(VIEWS)),
    st.builds(
        d.Place,
        *(CITES, PLAIN, DIMS, st.sampled_from(["set", "pile", "row"]), PLAIN),
        *(maybe(EXPRS), maybe(VIEWS), maybe(REFILLS)),
    ),
)
VARS = st.builds(d.Var, CITES, PLAIN, DIMS, TYPES, maybe(EXPRS), maybe(VIEWS), st.just("") | PATHS)
DEFINES = st.one_of(
    st.builds(d.Define, CITES, PLAIN, few(PARAMS), maybe(TYPES), EXPRS),
    st.builds(
        d.Define,
        *(CITES, PLAIN, few(PARAMS), maybe(TYPES)),
        cases=some(st.tuples(maybe(EXPRS), EXPRS)),
    ),
)
RULES = st.builds(d.Rule, CITES, PLAIN, few(PARAMS), maybe(TYPES), BODIES)
MOMENTS = st.sampled_from(["begins", "ends", "runs_out", "happens"])
WHENS = st.one_of(
    st.builds(d.When, CITES, EXPRS, st.just("true"), few(BINDERS), BODIES),
    st.builds(d.When, CITES, EXPRS, MOMENTS, body=BODIES),
)


@st.composite
def insteads(draw: st.DrawFn) -> d.Patch:
    """`instead of path`, which is a patch of one edit."""
    path, cites = draw(PATHS), draw(CITES)
    edit = d.Edit(cites, "replace", path, body=draw(BODIES))
    name = "instead_of_" + path.replace(".", "_")
    return d.Patch(cites, name, kind="instead", while_=draw(maybe(EXPRS)), lines=(edit,))


@st.composite
def additions(draw: st.DrawFn) -> d.Edit:
    """`add to path`, with at least one line."""
    asked = draw(few(demands()))
    made = draw(few(options(BODIES)) if asked else some(options(BODIES)))
    return d.Edit(draw(CITES), "add", draw(PATHS), demands=asked, options=made)


EDITS = st.one_of(
    st.builds(d.Edit, CITES, st.sampled_from(["replace", "before", "after"]), PATHS, body=BODIES),
    st.builds(d.Edit, CITES, st.just("drop"), PATHS),
    st.builds(d.Edit, CITES, st.just("not"), PLAIN),
    st.builds(d.Edit, CITES, st.just("set"), PATHS, value=EXPRS),
    st.builds(d.Edit, CITES, st.just("redefine"), PLAIN, few(PARAMS), EXPRS),
    additions(),
)
LINES = some(st.one_of(EDITS, PLACES, VARS, DEFINES, RULES, PIECES, BOARDS, WHENS, insteads()))
PATCHES = st.one_of(
    st.builds(d.Patch, CITES, PLAIN, few(PARAMS), TEXTS, st.just("patch"), maybe(EXPRS), LINES),
    st.builds(d.Patch, CITES, PLAIN, st.just(()), TEXTS, st.just("variant"), st.none(), LINES),
    insteads(),
)
ANSWERS = few(st.tuples(PLAIN, BINDERS, BODIES, CITES))
CLOSES = st.sampled_from(["first", "all"])
WINDOWS = st.one_of(
    st.builds(d.Window, CITES, PLAIN, few(PARAMS), closes=CLOSES, answers=ANSWERS),
    st.builds(d.Window, CITES, PLAIN, few(PARAMS), EXPRS, walks(), st.booleans(), CLOSES, ANSWERS),
)
WAYS = some(st.builds(d.Alternative, PLAIN, TEXTS, st.booleans(), LINES | st.just(()), CITES))


@st.composite
def tables(draw: st.DrawFn) -> d.Table:
    """A table of a book."""
    row = st.tuples(some(EXPRS), some(maybe(EXPRS)), CITES)
    return d.Table(
        draw(CITES), draw(PLAIN), draw(some(PARAMS)), draw(some(PARAMS)), draw(some(row))
    )


NOTED = st.one_of(
    st.builds(d.Game, CITES, TEXTS),
    st.builds(d.Players, CITES, EXPRS),
    st.builds(d.Option, CITES, PLAIN, TYPES, EXPRS, TEXTS),
    st.builds(
        d.Assume,
        *(CITES, IDS, PLAIN, few(PARAMS), maybe(TYPES), EXPRS),
        because=TEXTS,
        others=few(EXPRS),
    ),
    st.builds(d.Assume, CITES, IDS, text=TEXTS, because=TEXTS, others=few(EXPRS)),
    st.builds(d.Reading, CITES, IDS, TEXTS, WAYS, TEXTS),
    st.builds(d.EnumDecl, CITES, PLAIN, some(PLAIN, 4)),
    st.builds(d.Data, CITES, PLAIN, TEXTS, PLAIN, some(FIELDS)),
    tables(),
    st.builds(d.Choice, CITES, PLAIN, few(PARAMS), FORMS, DEMANDS),
    st.builds(d.Event, CITES, PLAIN, few(PARAMS)),
    st.builds(d.Always, CITES, TEXTS, EXPRS),
    st.builds(d.Valued, CITES, st.sampled_from(["score", "progress", "payoff"]), PLAIN, EXPRS),
    st.builds(d.Clock, CITES, PLAIN, DIMS, EXPRS),
    st.builds(d.Instant, CITES, some(st.tuples(PATHS, maybe(EXPRS)))),
    st.builds(d.Measure, CITES, EXPRS, PATHS),
    st.builds(d.Order, CITES, PATHS, PATHS),
    st.builds(d.Social, CITES, st.just("talk"), TEXTS, maybe(EXPRS)),
    st.builds(d.Social, CITES, st.just("not_modelled"), TEXTS),
)
EVENTS = st.one_of(
    st.builds(d.Happens, st.just("chooses"), EXPRS, EXPRS, st.just("") | PATHS),
    st.builds(d.Happens, st.just("declines"), EXPRS, st.none(), st.just("") | PATHS),
    st.builds(d.Happens, st.sampled_from(["chance", "table", "time"]), st.none(), EXPRS),
    st.builds(d.Happens, st.just("play"), st.none(), maybe(EXPRS)),
)
FACTS = st.one_of(
    st.builds(d.Fact, st.just("true"), st.none(), EXPRS),
    st.builds(
        d.Fact, st.sampled_from(["exactly", "may", "may_not", "blind", "count"]), EXPRS, EXPRS
    ),
    st.builds(d.Fact, st.sampled_from(["may_decline", "may_not_decline"]), EXPRS),
    st.builds(d.Fact, st.just("refused"), EXPRS, EXPRS, st.none(), TEXTS),
    st.builds(d.Fact, st.just("sees"), EXPRS, EXPRS, maybe(EXPRS)),
    st.builds(d.Fact, st.just("asked"), EXPRS, text=PATHS),
    st.builds(d.Fact, st.just("chance_asked"), text=PATHS),
    st.builds(d.Fact, st.sampled_from(["ends", "goes_on", "stalls"])),
)
GIVENS = st.builds(d.Given, EXPRS, EXPRS, st.booleans())
SCENARIOS = st.builds(
    d.Scenario,
    *(CITES, PLAIN | IDS, TEXTS, maybe(EXPRS)),
    few(st.tuples(PLAIN, EXPRS)),
    few(PLAIN),
    few(st.tuples(IDS, EXPRS)),
    few(st.tuples(IDS, EXPRS)),
    few(st.tuples(PLAIN, TEXTS, PLAIN)),
    st.integers(0, 99),
    few(st.builds(d.Define, st.just(()), PLAIN, few(PARAMS), maybe(TYPES), EXPRS)),
    maybe(EXPRS),
    some(st.builds(d.Line, GIVENS | EVENTS | FACTS, CITES)),
)
DECLS = st.one_of(
    NOTED, RULES, BOARDS, PIECES, PLACES, VARS, DEFINES, WHENS, PATCHES, WINDOWS, SCENARIOS
)


# One door: what a text means, and what becomes of it.


def read(text: str) -> tuple[d.Decl, ...]:
    """The declarations of a text without problems; spaces between the cells of a map are layout."""
    report = Report()
    found = load("t.game", text.encode(), report)
    assert not report.problems, "\n".join(render(p, report.sources) for p in report) + "\n" + text
    return found.decls


def shaped(text: str) -> str:
    """The formatted text of a text without problems."""
    report = Report()
    out = format_source(Source("t.game", text), report)
    assert out is not None, "\n".join(render(p, {"t.game": text}) for p in report)
    return out


def comments(text: str) -> list[str]:
    """The comments of a text, without trailing spaces."""
    return [c.text.rstrip() for c in lex(Source("t.game", text), Report())[1]]


def check(text: str) -> str:
    """Hold a text to every law; gives the formatted text."""
    out = shaped(text)
    assert read(out) == read(text)
    assert shaped(out) == out
    assert sorted(comments(out)) == sorted(comments(text))
    assert not re.search(r"[ \t]$|\n\n\n|\A\n|\n\n\Z", out, re.MULTILINE)
    return out


@LAWS
@given(st.lists(DECLS, min_size=1, max_size=2).map(tuple))
def test_a_tree_comes_back_from_its_text(decls: tuple[d.Decl, ...]) -> None:
    text = format_decls(decls)
    assert read(text) == decls
    assert shaped(text) == text


@LAWS
@given(EXPRS)
def test_an_expression_comes_back_from_its_text(value: t.Expr) -> None:
    decls = (d.Define(name="x", value=value), d.Rule(name="y", body=(s.Act((), "call", value),)))
    assert read(format_decls(decls)) == decls


@LAWS
@given(st.lists(DECLS, min_size=1, max_size=2), st.data())
def test_comments_and_blank_lines_survive(decls: list[d.Decl], data: st.DataObject) -> None:
    lines = []
    for line in format_decls(decls).split("\n"):
        put = data.draw(st.sampled_from(["", "", "# n", "    # n", "  # n", "\n", "\n\n# n\n\n"]))
        lines += [put] if put else []
        more = data.draw(st.sampled_from(["", "", "  # behind"])) if line else ""
        lines.append(line + more)
    check("\n".join(lines))


@given(TIMES)
def test_a_time_is_written_exactly(value: int) -> None:
    found = read(f"define x = {time_text(value)}\n")[0]
    assert isinstance(found, d.Define)
    assert found.value == t.Time(value)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_file_of_the_repository_obeys_the_laws(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if load(path.name, text.encode(), report := Report()) and report.failed:
        assert format_source(Source(path.name, text), Report()) is None
        return
    check(text)


POSITIONS = {
    "statement": "rule r\n  ({}) must pick one x in y\n",
    "call": "rule r\n  ({})\n  ({}) + 1\n",
    "option body": (
        "rule r\n  p must pick one of m\n    option a\n"
        '      require "t" x\n      ({}) must pick one x in y\n'
    ),
    "after a test": "rule r\n  if x\n    f(x)\n  ({}) must pick one x in y\n",
    "what is moved": "rule r\n  move ({}) to x\n  move one of ({}) to ({})\n",
    "order of a move": "rule r\n  move x to y ordered by ({})\n",
    "repeat": "rule r\n  repeat ({}) times\n    f(x)\n",
    "size": "rule r\n  p must pick subset x of ({}) up to ({})\n  p must pick a from ({})\n",
    "outcome": "rule r\n  end game win ({})\n  end game rank ({}) by highest ({})\n",
    "lasting": "rule r\n  apply ({}) from the next ({}) until ({}) begins\n  reveal ({}) to ({})\n",
    "type": "var x: ({}) = ({}) seen by ({}) while ({})\n",
    "list": "var x: list of ({}) up to ({})\n",
    "place": "place x: pile of y up to ({}) seen by ({}) refilled by shuffling ({})\n",
    "pieces": "pieces x ({})\npieces y for each ({}) times ({})\n",
    "cell": "table x[y]: z\n  ({}), ({}) -> ({}), ({})\n",
    "case": "define x\n  ({}) if ({})\n  ({}) otherwise\n",
    "braces": "define x = {{({}) -> ({})}}\ndefine y = {{({})}}\ndefine z = {{({}) where ({})}}\n",
    "tail": "define x = f(({}) where ({}) by ({}))\ndefine y = g(({}): ({}))\n",
    "ends": "define x = -({}) = not ({}) + [({})]\ndefine y = (if ({}) then ({}) else ({}))\n",
    "hook": "when ({}) becomes true\n  f(x)\nwhen ({}) begins\n  f(x)\n",
    "window": "window w\n  ask ({}) clockwise from ({})\n",
    "event": 'scenario s ""\n  when ({}) chooses ({})\n  when play goes on until ({})\n',
    "given": 'scenario s ""\n  at ({})\n  given ({}) = ({})\n',
    "fact": 'scenario s ""\n  then ({})\n  then ({}) is asked x\n  then ({}) sees ({}) = ({})\n',
}


@pytest.mark.parametrize("word", [k for k in KEYWORDS if k not in RESERVED])
def test_a_name_like_a_keyword_keeps_the_parentheses_it_needs(word: str) -> None:
    text = "".join(POSITIONS.values()).replace("({})", f"({word})")
    text = text.replace("{{", "{").replace("}}", "}")
    assert read(shaped(text)) == read(text)


def test_a_word_that_is_never_called_keeps_its_parentheses() -> None:
    for text in ("define x = {(else.a)}\n", "rule r\n  (else[a])\n  if a\n    f(x)\n  (else(a))\n"):
        assert check(text) == text


def test_a_name_like_a_keyword_loses_the_parentheses_it_does_not_need() -> None:
    source = "rule r\n  move (order) to (top)\n  move (top) to (one)\n  f((score))\n"
    assert shaped(source) == "rule r\n  move order to top\n  move (top) to one\n  f(score)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(a + b) + c", "a + b + c"),
        ("a + (b + c)", "a + (b + c)"),
        ("(a*b)+c", "a * b + c"),
        ("a*(b+c)", "a * (b + c)"),
        ("(a / b rounded up) * c", "a / b rounded up * c"),
        ("not (x in S)", "x not in S"),
        ("not (x is set)", "x is not set"),
        ("not (a = b)", "not a = b"),
        ("not (a and b)", "not (a and b)"),
        ("(a and b) or c", "a and b or c"),
        ("a and (b or c)", "a and (b or c)"),
        ("(a = b) = c", "(a = b) = c"),
        ("(-a).b", "(-a).b"),
        ("-(a.b)", "-a.b"),
        ("(if a then b else c) + 1", "(if a then b else c) + 1"),
        ("if a then b else (if c then d else e)", "if a then b else if c then d else e"),
        ("turn (p)", "turn(p)"),
        ("{(x) in (S) where (a)}", "{x in S where a}"),
        ("max(x in S by highest (f(x)))", "max(x in S by f(x))"),
        ("60 s", "60 s"),
        ("1500 ms", "1.5 s"),
        ("1.5 min", "90 s"),
        ("120s", "2 min"),
    ],
)
def test_an_expression_is_written_with_the_fewest_parentheses(before: str, after: str) -> None:
    assert check(f"define x = {before}\n") == f"define x = {after}\n"


SAMPLE = """
# head of the file


game "T" @X-1   # the title
players 2..4
var a: 0..3
var b: 0..3


var c: 0..3
# about the turn
rule turn(p)

  # first
  f(p)   @X-1 @X-2   # behind


  # before the test
  if a
    g(p)
    # end of the branch

  # between
  else # other
    g(  # inside
      p)
    # end of the rule
# of the file's own
reading A-1 "t"
  chosen x "y"
    drop turn.f
  because "z"
enum E = x, y
# end
"""
FORMATTED = """\
# head of the file

game "T"                                                          @X-1  # the title
players 2..4
var a: 0..3
var b: 0..3

var c: 0..3

# about the turn
rule turn(p)
  # first
  f(p)                                                            @X-1 @X-2  # behind

  # before the test
  if a
    g(p)
    # end of the branch

  # between
  else  # other
    # inside
    g(p)
    # end of the rule

# of the file's own
reading A-1 "t"
  chosen x "y"
    drop turn.f
  because "z"

enum E = x, y
# end
"""


def test_comments_and_blank_lines_stay_where_they_were() -> None:
    assert check(SAMPLE) == FORMATTED


def test_long_expressions_are_wrapped_inside_brackets() -> None:
    names = [f"a_rather_long_name_{n}" for n in range(12)]
    text = (
        f"define x = {' and '.join(names)}  @X-1\n"
        f"define y = {{{', '.join(names)}}}\n"
        f"define z = f({', '.join(f'g({n})' for n in names)})\n"
        f"define m = {{{', '.join(f'{n} -> 1' for n in names)}}}\n"
        f"define w = {' else '.join(f'if {n} then 1' for n in names)} else 2\n"
        f"rule r\n  require_all({names[0]}, {names[1]}) must pick one x in {' + '.join(names)}\n"
    )
    out = check(text)
    assert max(map(len, out.split("\n"))) <= WIDTH


def test_a_long_reason_takes_as_many_lines_as_it_needs() -> None:
    text = f'reading A-1 "t"\n  chosen x "y"\n  because "{"many words and more " * 20}end"\n'
    out = check(text)
    assert max(map(len, out.split("\n"))) <= WIDTH
    assert read(out) == read(text)


def test_a_map_is_aligned() -> None:
    text = "board b of C: map\n  |..  A1 |\n  | B10 .. |\n"
    assert shaped(text) == "board b of C: map\n  | ..  A1 |\n  | B10 .. |\n"
    assert read(shaped(text)) == read(text)


def test_citations_that_no_node_holds_are_kept() -> None:
    text = (
        'assume A-1 x = 1\n  because "a"  @X-1\n  because "b"  @X-2\n  or 2  @X-3\n'
        "rule r\n  if a\n    f(x)\n  else @X-4\n    f(x)\n"
        "  p may pick one x in y\n    then @X-5\n      f(x)\n    otherwise @X-6\n      f(x)\n"
        "define d\n  1 if a @X-7\n  2 otherwise @X-8\n"
    )
    found = re.findall(r"@X-\d", check(text))
    assert found == [f"@X-{n}" for n in range(1, 9)]


def test_an_option_to_decline_written_first_keeps_its_comment() -> None:
    text = (
        "rule r\n  p may pick one x in y\n    # no\n    otherwise  # declined\n      f(x)\n"
        "    # yes\n    then\n      g(x)\n"
    )
    assert check(text) == (
        "rule r\n  p may pick one x in y\n    # yes\n    then\n      g(x)\n"
        "    # no\n    otherwise  # declined\n      f(x)\n"
    )


@pytest.mark.parametrize("text", ["", "# only\n", "\n\n# a\n\n\n# b"])
def test_a_file_without_declarations_keeps_its_comments(text: str) -> None:
    check(text)


def test_what_was_not_understood_is_not_formatted() -> None:
    report = Report()
    assert format_source(Source("t.game", "rule r\n  set to\nvar x: 1\n"), report) is None
    assert report.failed
