"""Syntax back to words: short texts of expressions and scenario lines for messages and settings.

In: syntax nodes. Out: one line of text in the language (the formatter prints whole files).
"""

from __future__ import annotations

from typing import Any

from dsl import declarations as d
from dsl import tree as t


def words(node: Any) -> str:
    """An expression or a scenario line on one line."""
    match node:
        case t.Name(name):
            return name
        case t.Int(value) | t.Time(value):
            return str(value)
        case t.Text(value):
            return f'"{value}"'
        case t.Nothing():
            return "none"
        case t.Unary(op, value):
            return f"{op} {words(value)}" if op == "not" else f"-{words(value)}"
        case t.Binary(op, left, right):
            return f"{words(left)} {op} {words(right)}"
        case t.Is(value, state):
            return f"{words(value)} is {state}"
        case t.Range(low, high):
            return f"{words(low)}..{words(high)}"
        case t.IfElse(test, then, other):
            return f"if {words(test)} then {words(then)} else {words(other)}"
        case t.Attr(value, name):
            return f"{words(value)}.{name}"
        case t.Index(value, keys):
            return f"{words(value)}[{listed(keys)}]"
        case t.Call():
            return _call(node)
        case t.SetOf(items):
            return "{" + listed(items) + "}"
        case t.ListOf(items):
            return "[" + listed(items) + "]"
        case t.MapOf(rows, other):
            pairs = [f"{listed(k)} -> {words(v)}" for k, v in rows]
            pairs += [] if other is None else [f"else -> {words(other)}"]
            return "{" + ", ".join(pairs) + "}"
        case t.SetWhere(binder, image):
            return "{" + ("" if image is None else words(image) + " for ") + words(binder) + "}"
        case t.Binder(name, domain, where):
            tail = "" if where is None else f" where {words(where)}"
            return f"{name} in {words(domain)}{tail}"
    return _line(node)


def listed(items: tuple[t.Expr, ...]) -> str:
    """Expressions with commas between."""
    return ", ".join(words(x) for x in items)


def _call(node: t.Call) -> str:
    tail = "" if node.where is None else f" where {words(node.where)}"
    tail += "" if node.body is None else f": {words(node.body)}"
    if node.by is not None:
        tail += f" by {'lowest ' if node.lowest else ''}{words(node.by)}"
    return f"{words(node.function)}({listed(node.args)}{tail})"


FACTS = {
    "exactly": "{who} may choose exactly {value}",
    "may": "{who} may choose {value}",
    "may_not": "{who} may not choose {value}",
    "may_decline": "{who} may decline",
    "may_not_decline": "{who} may not decline",
    "count": "{who} has {value} choices",
    "refused": '{who} is refused {value} by "{text}"',
    "blind": "{who} does not see {value}",
    "asked": "{who} is asked {text}",
    "chance_asked": "chance is asked {text}",
    "ends": "game ends",
    "goes_on": "game goes on",
    "stalls": "game stalls",
}


def _line(node: Any) -> str:
    match node:
        case d.Given(left, value, holds):
            return f"given {words(left)} {'holds' if holds else '='} {words(value)}"
        case d.Happens("chooses", who, value):
            return f"when {words(who)} chooses {words(value)}"
        case d.Happens("declines", who):
            return f"when {words(who)} declines"
        case d.Happens("play", _, value):
            return "when play goes on" + ("" if value is None else f" until {words(value)}")
        case d.Happens(kind, _, value):
            return f"when {kind} gives {words(value)}"
        case d.Fact("true", _, value):
            return f"then {words(value)}"
        case d.Fact("sees", who, value, other):
            tail = "" if other is None else f" = {words(other)}"
            return f"then {words(who)} sees {words(value)}{tail}"
        case d.Fact(kind, who, value, _, text):
            shown = FACTS[kind].format(
                who="" if who is None else words(who),
                value="" if value is None else words(value),
                text=text,
            )
            return f"then {shown}"
    return type(node).__name__
