"""Printing scenarios: from the tree to rows; settings first, then the lines in their order."""

from __future__ import annotations

from collections.abc import Iterator

from dsl import declarations as d
from dsl.format_doc import Doc, Row
from dsl.format_expr import ANY, RANGE, bracketed, listed, top, type_doc
from dsl.tree import Binary, Expr, Is

EVENT_WORDS = frozenset(("chance", "play", "table", "time"))
FACT_WORDS = frozenset(("chance", "game"))
PASSIVE = frozenset(("asked", "refused"))
CHOOSING = {
    "exactly": " may choose exactly ",
    "may": " may choose ",
    "may_not": " may not choose ",
    "blind": " does not see ",
}
DECLINING = {"may_decline": " may decline", "may_not_decline": " may not decline"}
GAME = {"ends": "game ends", "goes_on": "game goes on", "stalls": "game stalls"}
WORLD = {"chance": "chance gives ", "table": "table agrees on ", "time": "time passes "}


def scenario_rows(one: d.Scenario) -> Iterator[Row]:
    """A scenario with its configuration, its position and its lines."""
    yield Row(0, f'scenario {one.name} "{one.text}"', one.cites, one.span)
    yield from _settings(one)
    for line in one.lines:
        yield Row(1, _line(line.what), line.cites, line.span)


def _settings(one: d.Scenario) -> Iterator[Row]:
    if one.players is not None:
        yield Row(1, ("players ", top(one.players)), span=one.players.span)
    for word, pairs in (
        ("option", one.options),
        ("reading", one.readings),
        ("assume", one.assumes),
    ):
        for name, value in pairs:
            yield Row(1, (f"{word} {name} = ", top(value)), span=value.span)
    yield from (Row(1, f"variant {name}") for name in one.variants)
    yield from (Row(1, f'data {name} from "{file}" {table}') for name, file, table in one.data)
    if one.seed:
        yield Row(1, f"seed {one.seed}")
    for made in one.defines:
        yield Row(1, _define(made), span=made.span)
    if one.at is not None:
        yield Row(1, ("at ", top(one.at)), span=one.at.span)


def _define(made: d.Define) -> Doc:
    params = [(p.name, "" if p.type is None else (": ", type_doc(p.type))) for p in made.params]
    given: Doc = bracketed("(", listed(params), ")") if params else ""
    of: Doc = "" if made.type is None else (": ", type_doc(made.type))
    value: Doc = "" if made.value is None else top(made.value)
    return ("define ", made.name, given, of, " = ", value)


def _line(what: d.Given | d.Happens | d.Fact) -> Doc:
    match what:
        case d.Given(left, value, holds):
            return ("given ", top(left, RANGE), " holds " if holds else " = ", top(value))
        case d.Happens():
            return ("when ", _event(what))
        case d.Fact():
            return ("then ", _fact(what))


def _event(what: d.Happens) -> Doc:
    if what.kind == "play":
        until: Doc = "" if what.value is None else (" until ", top(what.value))
        return ("play goes on", until)
    value: Doc = "" if what.value is None else top(what.value)
    if what.who is None:
        return (WORLD[what.kind], value)
    at = f" at {what.at}" if what.at else ""
    word = " chooses " if what.kind == "chooses" else " declines"
    return (top(what.who, RANGE, EVENT_WORDS), word, value, at)


def _fact(what: d.Fact) -> Doc:
    if what.kind in GAME:
        return GAME[what.kind]
    if what.kind == "true" and what.value is not None:
        return _truth(what.value)
    if what.who is None:
        return f"chance is asked {what.text}"
    return (top(what.who, RANGE, FACT_WORDS), _about(what))


def _truth(value: Expr) -> Doc:
    """A fact that is a test: `(x is asked)` needs its parentheses, since facts begin like it."""
    first = value
    while isinstance(first, Binary) and first.op in ("and", "or"):
        first = first.left
    if isinstance(first, Is) and first.state in PASSIVE:
        return bracketed("(", top(value), ")")
    return top(value, ANY, FACT_WORDS)


def _about(what: d.Fact) -> Doc:
    """What is said of a seat, after its name."""
    if what.kind in DECLINING:
        return DECLINING[what.kind]
    value: Doc = "" if what.value is None else top(what.value)
    if what.kind in CHOOSING:
        return (CHOOSING[what.kind], value)
    seen: Doc = "" if what.value is None else top(what.value, RANGE)
    match what.kind:
        case "count":
            return (" has ", seen, " choices")
        case "refused":
            return (" is refused ", value, f' by "{what.text}"')
        case "sees":
            return (" sees ", seen, "" if what.other is None else (" = ", top(what.other)))
        case _:
            return f" is asked {what.text}"
