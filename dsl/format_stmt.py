"""Printing statements: from the tree to rows, one for each line of the language."""

from __future__ import annotations

from collections.abc import Iterator

from dsl import statements as s
from dsl.build_stmt import slug
from dsl.format_doc import Doc, Row, joined
from dsl.format_expr import ANY, SUM, binder_doc, binders_doc, top
from dsl.tree import Expr

# fmt: off
LEADING = frozenset((
    "add", "announce", "apply", "at", "chance", "else", "end", "flip", "for", "give",
    "if", "let", "lift", "match", "move", "nothing", "open", "original", "prefer",
    "repeat", "require", "reveal", "set", "shuffle", "step", "stop", "subtract", "table",
    "time", "turn",
))
# fmt: on
WHOLES = frozenset(("all", "one", "top"))
LOOPS = frozenset(("until", "while"))
MOMENTS = {"begins": "begins", "ends": "ends", "runs_out": "runs out", "happens": "happens"}
BOUNDS = {"at_most": " at most ", "at_least": " at least ", "as_fits": " as much as fits"}
ARRANGED = {"shuffled": " shuffled", "turned_over": " turned over", "under": " under"}
ENDS = {"no_winner": "no winner", "draw": "draw", "by_score": "by score"}


def direction(lowest: bool) -> str:
    """The word for a direction of ranking."""
    return "lowest " if lowest else "highest "


def prompt_doc(text: str) -> str:
    """A quoted prompt with a space before it, or nothing."""
    return f' "{text}"' if text else ""


def block(body: tuple[s.Stmt, ...], level: int) -> Iterator[Row]:
    """The rows of a body, one level in."""
    for one in body:
        yield from stmt(one, level)


def stmt(one: s.Stmt, level: int) -> Iterator[Row]:
    """The rows of a statement."""
    match one:
        case s.If():
            yield from _if(one, level)
        case s.Match():
            yield from _match(one, level)
        case s.Pick():
            yield from _pick(one, level)
        case s.Menu():
            yield from _menu(one, level)
        case s.ForEach() | s.Repeat() | s.AtOnce() | s.Step():
            yield Row(level, _loop(one), one.cites, one.span)
            yield from block(one.body, level + 1)
        case _:
            yield Row(level, _simple(one), one.cites, one.span)


def _simple(one: s.Stmt) -> Doc:
    match one:
        case s.Let(_, name, value):
            return ("let ", name, " = ", top(value))
        case s.Change():
            return _change(one)
        case s.Move():
            return _move(one)
        case s.Act():
            return _act(one)
        case s.Apply(_, patch, lasting):
            return ("apply ", top(patch), _lasting(lasting))
        case s.EndGame():
            return ("end game ", _outcome(one))
        case s.Stop(_, path):
            return f"stop {path}".rstrip()
        case s.Chance():
            return _chance(one)
        case s.Require():
            return _demand(one)
        case _:
            raise AssertionError(f"no statement is printed like {type(one).__name__}")


def _change(one: s.Change) -> Doc:
    bound: Doc = ""
    if one.bound is not None:
        limit = "" if one.bound.limit is None else top(one.bound.limit)
        bound = (BOUNDS.get(one.bound.kind, " wrap"), limit)
    target, value = top(one.target), top(one.value)
    match one.op:
        case "set":
            return ("set ", target, " to ", value, bound)
        case "add":
            return ("add ", value, " to ", target, bound)
        case _:
            return ("subtract ", value, " from ", target, bound)


def _move(one: s.Move) -> Doc:
    what: Doc = top(one.what, ANY, WHOLES if one.form == "all" else frozenset())
    match one.form:
        case "top" if one.count is not None:
            what = ("top ", top(one.count), " of ", what)
        case "one":
            what = ("one of ", what)
        case "every":
            what = ("all of ", what)
        case _:
            pass
    arranged: Doc = ARRANGED.get(one.arrange, "")
    if one.key is not None:
        way = " ordered by lowest " if one.lowest else " ordered by "
        arranged = (way, top(one.key, ANY, frozenset(("highest", "lowest"))))
    partial = " as much as there is" if one.partial else ""
    return ("move ", what, " to ", top(one.to), arranged, partial)


def _act(one: s.Act) -> Doc:
    if one.value is None:
        return one.op
    if one.op == "call":
        return top(one.value, ANY, LEADING)
    to: Doc = "" if one.to is None else (" to ", top(one.to))
    return (one.op.replace("_", " "), " ", top(one.value), to)


def _lasting(one: s.Lasting) -> Doc:
    if one.next_of:
        return f" for the next {one.next_of}"
    if one.during is not None:
        return (" while ", top(one.during))
    start: Doc = "" if one.start is None else (" from the next ", top(one.start))
    if one.until is None:
        return start
    return (start, " until ", top(one.until), " ", MOMENTS[one.moment])


def _outcome(one: s.EndGame) -> Doc:
    stalled = "stalled " if one.stalled else ""
    if one.how in ENDS or one.who is None:
        return stalled + ENDS[one.how]
    if one.how != "rank":
        return (one.how, " ", top(one.who))
    keys = joined(((direction(k.lowest), top(k.value)) for k in one.keys), ", ")
    return (stalled, "rank ", top(one.who), " by ", keys, " ties share" if one.shared else "")


def _chance(one: s.Chance) -> Doc:
    if one.count is not None and one.faces is not None:
        return ("chance rolls ", one.name, " = ", top(one.count), " of ", top(one.faces))
    assert one.binder is not None
    if one.kind == "agrees":
        return ("table agrees on one ", binder_doc(one.binder), prompt_doc(one.prompt))
    weight: Doc = "" if one.weight is None else (" weighted by ", top(one.weight))
    return ("chance picks one ", binder_doc(one.binder), weight)


def _demand(one: s.Require) -> Doc:
    word = "prefer " if one.prefer else "require "
    name = "" if one.name == slug(one.text) else one.name + " "
    return (word, name, f'"{one.text}" ', top(one.test))


def _if(one: s.If, level: int) -> Iterator[Row]:
    yield Row(level, ("if ", top(one.test)), one.cites, one.span)
    yield from block(one.then, level + 1)
    while (then := _else_if(one)) is not None:
        one = then
        yield Row(level, ("else if ", top(one.test)), one.cites, one.span)
        yield from block(one.then, level + 1)
    if one.other:
        yield Row(level, "else")
        yield from block(one.other, level + 1)


def _else_if(one: s.If) -> s.If | None:
    """The test that goes on in an `else if`; one inside an `else` stands further in."""
    only = one.other[0] if len(one.other) == 1 else None
    return only if isinstance(only, s.If) and only.span.col <= one.span.col else None


def _loop(one: s.ForEach | s.Repeat | s.AtOnce | s.Step) -> Doc:
    match one:
        case s.ForEach(_, name, domain, walk):
            order: Doc = "" if walk is None else (" ", walk_doc(walk))
            return ("for each ", name, " in ", top(domain), order)
        case s.Repeat(_, kind, value):
            if value is None:
                return "repeat"
            if kind == "times":
                return ("repeat ", top(value, ANY, LOOPS), " times")
            return (f"repeat {kind} ", top(value))
        case s.AtOnce():
            return "at once"
        case s.Step(_, name):
            return f"step {name}"


def walk_doc(walk: s.Walk) -> Doc:
    """The order of a loop or of asking seats."""
    if walk.value is None:
        return "any order"
    if walk.kind == "by_value":
        return ("by ", direction(walk.lowest), top(walk.value))
    return (walk.kind, " from ", top(walk.value))


def _match(one: s.Match, level: int) -> Iterator[Row]:
    yield Row(level, ("match ", top(one.value)), one.cites, one.span)
    for case in one.cases:
        patterns = joined(map(top, case.patterns), ", ")
        head: Doc = ("case ", patterns) if case.patterns else "otherwise"
        yield Row(level + 1, head, case.cites, case.span)
        yield from block(case.body, level + 2)


def _asked(actor: Expr, may: bool) -> Doc:
    return (top(actor, ANY, LEADING), " may pick " if may else " must pick ")


def _pick(one: s.Pick, level: int) -> Iterator[Row]:
    secret = "secretly " if one.secret else ""
    head = (_asked(one.actor, one.may), secret, form_doc(one.form), prompt_doc(one.prompt))
    yield Row(level, head, one.cites, one.span)
    yield from block(one.demands, level + 1)
    for word, body in (("then", one.then), ("otherwise", one.otherwise)):
        if body is not None:
            yield Row(level + 1, word)
            yield from block(body, level + 2)


def _menu(one: s.Menu, level: int) -> Iterator[Row]:
    head = (_asked(one.actor, one.may), "one of ", one.name, prompt_doc(one.prompt))
    yield Row(level, head, one.cites, one.span)
    for depth, tier in enumerate(one.tiers):
        if depth:
            yield Row(level + 1, "failing that")
        for option in tier:
            yield from option_rows(option, level + (2 if depth else 1))


def option_rows(option: s.MenuOption, level: int) -> Iterator[Row]:
    """One option of a menu."""
    head = ("option ", option.name, binders_doc(option.binders), prompt_doc(option.prompt))
    yield Row(level, head, option.cites, option.span)
    yield from block(option.demands, level + 1)
    yield from block(option.body, level + 1)


def form_doc(form: s.Form) -> Doc:
    """The form of a choice."""
    able = " if able" if getattr(form, "if_able", False) else ""
    match form:
        case s.One(binder):
            return ("one ", binder_doc(binder), able)
        case s.Subset(name, domain, size):
            return ("subset ", name, " of ", top(domain), _size(size), able)
        case s.Amounts():
            return (_amounts(form), able)
        case s.YesNo(name):
            return f"yes or no {name}"
        case s.Named(name, choice):
            return (name, " from ", top(choice), able)
        case _:
            raise AssertionError(f"no choice is printed like {type(form).__name__}")


def _amounts(form: s.Amounts) -> Doc:
    each: Doc = "" if form.each is None else (" each up to ", top(form.each, SUM))
    total: Doc = "" if form.total is None else (" total ", top(form.total))
    return ("amounts ", form.name, " over ", binder_doc(form.binder), each, total)


def _size(size: s.Size) -> Doc:
    low, high = size.low, size.high
    if size.most:
        return " as many as possible"
    if low is None:
        return "" if high is None else (" up to ", top(high, SUM))
    if high is None:
        return (" at least ", top(low, SUM))
    if low == high:
        return (" exactly ", top(low, SUM))
    return (" from ", top(low, SUM), " to ", top(high, SUM))
