"""Concrete tree to syntax tree: scenarios."""

from __future__ import annotations

from typing import Any

from dsl import declarations as d
from dsl.build_expr import expr, span_of, type_
from dsl.build_stmt import cites, path, text

FACTS = {
    "f_true": "true",
    "f_exactly": "exactly",
    "f_may": "may",
    "f_may_not": "may_not",
    "f_may_decline": "may_decline",
    "f_may_not_decline": "may_not_decline",
    "f_count": "count",
    "f_refused": "refused",
    "f_sees": "sees",
    "f_blind": "blind",
    "f_asked": "asked",
    "f_chance": "chance_asked",
    "f_ends": "ends",
    "f_goes_on": "goes_on",
    "f_stalls": "stalls",
}


def scenario(file: str, node: Any) -> d.Scenario:
    """A scenario with its configuration, its position and its lines."""
    name, quoted, cited, *lines = node.children
    parts: dict[str, Any] = {
        "options": [],
        "variants": [],
        "readings": [],
        "assumes": [],
        "data": [],
        "defines": [],
        "lines": [],
    }
    for line in lines:
        _line(file, line, parts)
    made: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in parts.items()}
    return d.Scenario(
        name=str(name.children[0]),
        text=text(quoted),
        cites=cites(cited),
        span=span_of(file, node),
        **made,
    )


def _line(file: str, line: Any, parts: dict[str, Any]) -> None:
    kids, kind = line.children, str(line.data)
    match kind:
        case "s_players":
            parts["players"] = expr(file, kids[0])
        case "s_option":
            parts["options"].append((str(kids[0]), expr(file, kids[1])))
        case "s_variant":
            parts["variants"].append(str(kids[0]))
        case "s_reading":
            parts["readings"].append((str(kids[0]), expr(file, kids[1])))
        case "s_assume":
            parts["assumes"].append((str(kids[0]), expr(file, kids[1])))
        case "s_seed":
            parts["seed"] = int(kids[0])
        case "s_data":
            parts["data"].append((str(kids[0]), text(kids[1]), str(kids[2])))
        case "s_define":
            parts["defines"].append(_define(file, line))
        case "s_at":
            parts["at"] = expr(file, kids[0])
        case _:
            builders: dict[str, Any] = {"s_given": _given, "s_when": _event, "s_then": _fact}
            made = builders[kind](file, kids[0])
            parts["lines"].append(d.Line(made, cites(kids[1]), span=span_of(file, line)))


def _define(file: str, node: Any) -> d.Define:
    name, *rest = node.children
    made: dict[str, Any] = {"value": expr(file, rest[-1])}
    for part in rest[:-1]:
        if part is not None and part.data == "params":
            made["params"] = tuple(
                d.Param(str(p.children[0]), type_(file, p.children[1]) if p.children[1:] else None)
                for p in part.children
            )
        elif part is not None:
            made["type"] = type_(file, part)
    return d.Define(name=str(name), span=span_of(file, node), **made)


def _given(file: str, node: Any) -> d.Given:
    left, value = node.children
    return d.Given(
        expr(file, left), expr(file, value), node.data == "g_holds", span=span_of(file, node)
    )


def _event(file: str, node: Any) -> d.Happens:
    kids, span = node.children, span_of(file, node)
    match str(node.data):
        case "e_chooses":
            at = path(kids[2].children[0]) if len(kids) > 2 else ""
            return d.Happens("chooses", expr(file, kids[0]), expr(file, kids[1]), at, span=span)
        case "e_declines":
            at = path(kids[1].children[0]) if len(kids) > 1 else ""
            return d.Happens("declines", expr(file, kids[0]), None, at, span=span)
        case "e_play":
            goal = kids[0] if kids else None
            until = None if goal is None else expr(file, goal)
            return d.Happens("play", None, until, span=span)
    kind = str(node.data)[2:]
    return d.Happens(kind, None, expr(file, kids[0]), span=span)


def _fact(file: str, node: Any) -> d.Fact:
    kind = FACTS[str(node.data)]
    kids, span = list(node.children), span_of(file, node)
    words, who, value, other = "", None, None, None
    if kind in ("asked", "chance_asked"):
        words = path(kids.pop())
    if kind == "refused":
        words = text(kids.pop())
    made = [None if k is None else expr(file, k) for k in kids]
    if kind == "true":
        value = made[0]
    elif made:
        who, value, other = (*made, None, None)[:3]
    return d.Fact(kind, who, value, other, words, span=span)
