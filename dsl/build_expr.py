"""Concrete tree to syntax tree: expressions, types and binders.

In: Lark trees of one source. Out: nodes of `dsl.tree`. Nothing is reported here but a call shape
that the grammar lets through (a number out of reach is caught by the lexer).
"""

from __future__ import annotations

from typing import Any

from lark import Token, Tree

from dsl import tree as t
from dsl.problems import Span

BINARY = {
    "or": "or",
    "and": "and",
    "eq": "=",
    "in": "in",
    "plus": "+",
    "minus": "-",
    "meet": "&",
    "times": "*",
    "mod": "mod",
    "div_up": "/up",
    "div_down": "/down",
    "div": "/",
}
UNITS = {"ms": 1, "s": 1000, "min": 60_000}


def span_of(file: str, node: Any) -> Span:
    """The span of a Lark tree or token."""
    if isinstance(node, Token):
        return Span(
            file, node.line or 1, node.column or 1, node.end_line or 1, node.end_column or 1
        )
    meta = node.meta
    if getattr(meta, "empty", True):
        return Span(file)
    return Span(file, meta.line, meta.column, meta.end_line, meta.end_column)


def is_a(node: Any, *kinds: str) -> bool:
    """Whether a node is a tree: of one of these kinds, or of any where none is named."""
    return isinstance(node, Tree) and (not kinds or str(node.data) in kinds)


def milliseconds(text: str) -> int:
    """`60 s`, `1.5 min` or `20 ms` as milliseconds."""
    digits = text.rstrip("msin").strip()
    whole, _, part = digits.partition(".")
    unit = UNITS[text[len(digits) :].strip()]
    return int(whole) * unit + int((part + "000")[:3]) * unit // 1000


def expr(file: str, node: Any) -> t.Expr:
    """Any expression."""
    kids = node.children
    span = span_of(file, node)
    kind = str(node.data)
    if kind in BINARY:
        return t.Binary(BINARY[kind], expr(file, kids[0]), expr(file, kids[1]), span=span)
    if kind == "compare":
        return t.Binary(str(kids[1]), expr(file, kids[0]), expr(file, kids[2]), span=span)
    if kind in ("is", "is_not", "not_in"):
        return _negatable(file, kind, kids, span)
    if kind in ("not", "neg"):
        return t.Unary("not" if kind == "not" else "-", expr(file, kids[0]), span=span)
    if kind == "call_expr":
        return _call(file, kids, span)
    return _atom(file, kind, kids, span)


def _negatable(file: str, kind: str, kids: list[Any], span: Span) -> t.Expr:
    left = expr(file, kids[0])
    if kind == "not_in":
        return t.Unary("not", t.Binary("in", left, expr(file, kids[1]), span=span), span=span)
    state = kids[1]
    word = "none" if state.data == "state_none" else str(state.children[0])
    found = t.Is(left, word, span=span)
    return found if kind == "is" else t.Unary("not", found, span=span)


def _atom(file: str, kind: str, kids: list[Any], span: Span) -> t.Expr:
    match kind:
        case "name":
            return t.Name(str(kids[0]), span=span)
        case "int":
            return t.Int(int(kids[0]), span=span)
        case "time":
            return t.Time(milliseconds(str(kids[0])), span=span)
        case "string":
            return t.Text(str(kids[0])[1:-1], span=span)
        case "none":
            return t.Nothing(span=span)
        case "range":
            return t.Range(expr(file, kids[0]), expr(file, kids[1]), span=span)
        case "if_else":
            return t.IfElse(*(expr(file, k) for k in kids), span=span)
        case "attr":
            return t.Attr(expr(file, kids[0]), str(kids[1]), span=span)
        case "index":
            return t.Index(expr(file, kids[0]), exprs(file, kids[1]), span=span)
        case "braces":
            return _braces(file, kids[0], span)
        case "set_where":
            return t.SetWhere(_pair(file, kids[0], kids[1], span), span=span)
        case "set_for":
            return t.SetWhere(binder(file, kids[1]), expr(file, kids[0]), span=span)
        case "list":
            return t.ListOf(exprs(file, kids[0]), span=span)
    raise AssertionError(f"no expression is called {kind}")


def exprs(file: str, args: Any) -> tuple[t.Expr, ...]:
    """The expressions of an argument list, or nothing."""
    return () if args is None else tuple(expr(file, a) for a in args.children)


def binder(file: str, node: Any) -> t.Binder:
    """`x in S where P`"""
    name, domain, where = node.children
    test = None if where is None else expr(file, where)
    return t.Binder(str(name), expr(file, domain), test, span=span_of(file, node))


def _pair(file: str, head: Any, where: Any, span: Span) -> t.Binder:
    """A binder that was read as a membership test: `x in S`."""
    test = expr(file, head)
    found = binder_from(test)
    if found is None:
        return t.Binder("_", test, expr(file, where), span=span)
    return t.Binder(found.name, found.domain, expr(file, where), span=span)


def binder_from(test: t.Expr) -> t.Binder | None:
    """The binder that a membership test `x in S` stands for, if it has that shape."""
    if isinstance(test, t.Binary) and test.op == "in" and isinstance(test.left, t.Name):
        return t.Binder(test.left.name, test.right, span=test.span)
    return None


def _braces(file: str, items: Any, span: Span) -> t.Expr:
    if items is None:
        return t.SetOf((), span=span)
    kids = items.children
    if not any(str(k.data) in ("arrow", "arrow_else") for k in kids):
        return t.SetOf(tuple(expr(file, k) for k in kids), span=span)
    rows: list[tuple[tuple[t.Expr, ...], t.Expr]] = []
    keys: list[t.Expr] = []
    other = None
    for kid in kids:
        if kid.data == "arrow_else":
            other = expr(file, kid.children[0])
        elif kid.data == "arrow":
            keys.append(expr(file, kid.children[0]))
            rows.append((tuple(keys), expr(file, kid.children[1])))
            keys = []
        else:
            keys.append(expr(file, kid))
    if keys:
        rows.append((tuple(keys), t.Nothing(span=span)))
    return t.MapOf(tuple(rows), other, span=span)


def _call(file: str, kids: list[Any], span: Span) -> t.Expr:
    function = expr(file, kids[0])
    args = exprs(file, kids[1] if len(kids) > 1 else None)
    tail = kids[2] if len(kids) > 2 else None
    where = body = by = None
    lowest = False
    if isinstance(tail, Tree):
        parts = list(tail.children)
        if str(tail.data).startswith("tail_where"):
            where = expr(file, parts.pop(0))
        if str(tail.data).endswith("body"):
            body = expr(file, parts.pop(0))
        if str(tail.data).endswith("by"):
            keys = parts.pop(0).children
            lowest = len(keys) > 1 and keys[0].data == "lowest"
            by = expr(file, keys[-1])
    return t.Call(function, args, where, body, by, lowest, span=span)


def type_(file: str, node: Any) -> t.Type:
    """A type as written."""
    kids = node.children
    span = span_of(file, node)
    match str(node.data):
        case "optional":
            return t.OptionalType(type_(file, kids[0]), span=span)
        case "set_of":
            return t.SetType(type_(file, kids[0]), span=span)
        case "list_of":
            limit = expr(file, kids[1].children[0])
            return t.ListType(type_(file, kids[0]), limit, span=span)
        case "pattern_of":
            return t.PatternType(str(kids[0]), type_(file, kids[1]), span=span)
    return t.ValueType(expr(file, kids[0]), span=span)
