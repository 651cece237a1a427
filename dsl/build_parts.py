"""Concrete tree to syntax tree: the parts that many declarations have.

In: Lark trees. Out: names, parameters, visibility, citations by what they are.
"""

from __future__ import annotations

from typing import Any

from dsl import declarations as d
from dsl.build_expr import expr, is_a, span_of, type_
from dsl.build_stmt import block, cites, path, text

TYPES = ("optional", "set_of", "list_of", "pattern_of", "value_type")
SKIPPED = ("cites", "because", "alternative", "defcase", "case_if", "case_else", "field", "check")


def cited(node: Any) -> tuple[str, ...]:
    """The citations of a node."""
    return next((cites(k) for k in node.children if is_a(k, "cites")), ())


def params(file: str, node: Any) -> tuple[d.Param, ...]:
    """A parameter list, or nothing."""
    if node is None:
        return ()
    return tuple(param(file, k) for k in node.children)


def param(file: str, node: Any) -> d.Param:
    """One parameter."""
    name, *rest = node.children
    made = type_(file, rest[0]) if rest else None
    return d.Param(str(name), made, span=span_of(file, node))


def head_of(file: str, node: Any) -> dict[str, Any]:
    """The parts of a declaration sorted by what they are: name, params, type, value, text."""
    parts: dict[str, Any] = {"params": (), "type": None, "value": None, "text": "", "dims": ()}
    for kid in node.children:
        if kid is None:
            continue
        if not is_a(kid):
            parts[_token_role(kid)] = text(kid) if kid.type == "STRING" else str(kid)
        elif kid.data == "params":
            parts["params"] = params(file, kid)
        elif kid.data == "dims":
            parts["dims"] = tuple(type_(file, k) for k in kid.children)
        elif str(kid.data) in TYPES:
            parts["type"] = type_(file, kid)
        elif str(kid.data) in ("visibility", "hidden"):
            parts["visibility"] = visibility(file, kid)
        elif kid.data == "path":
            parts["path"] = path(kid)
        elif kid.data == "block":
            parts["body"] = block(file, kid)
        elif str(kid.data) not in SKIPPED:
            parts["value"] = expr(file, kid)
    return parts


def _token_role(token: Any) -> str:
    return {"NAME": "name", "ID": "id", "STRING": "text"}[token.type]


def common(file: str, node: Any) -> dict[str, Any]:
    """The span and the citations of a declaration."""
    return {"span": span_of(file, node), "cites": cited(node)}


def visibility(file: str, node: Any) -> d.Visibility:
    """Who sees a place, a variable or a field."""
    span = span_of(file, node)
    if node.data == "hidden":
        return d.Visibility("hidden", span=span)
    viewer, while_ = node.children
    kind = str(viewer.data)
    names = {"top_only": "top", "order_only": "order", "named_seats": "seats"}
    seats = expr(file, viewer.children[0]) if kind == "named_seats" else None
    test = None if while_ is None else expr(file, while_)
    return d.Visibility(names.get(kind, kind), seats, test, span=span)
