"""Concrete tree to syntax tree: patches, hooks, windows and what orders them.

In: Lark trees of one source. Out: nodes of `dsl.declarations`.
"""

from __future__ import annotations

from typing import Any

from dsl import declarations as d
from dsl.build_expr import binder, expr, is_a
from dsl.build_parts import common, params
from dsl.build_stmt import block, cites, demand, option, path, text, walk
from dsl.tree import Expr


def hook(file: str, node: Any) -> d.Decl:
    """A trigger, or a replacement `instead`."""
    named = common(file, node)
    kids = node.children
    if node.data == "instead":
        test = None if kids[1] is None or is_a(kids[1], "cites") else expr(file, kids[1])
        edit = d.Edit(op="replace", path=path(kids[0]), body=block(file, kids[-1]), **named)
        name = "instead_of_" + path(kids[0]).replace(".", "_")
        return d.Patch(name=name, kind="instead", while_=test, lines=(edit,), **named)
    moments = ("begins", "ends", "runs_out", "happens")
    moment = next((str(k.data) for k in kids if is_a(k, *moments)), "true")
    return d.When(
        event=expr(file, kids[0]),
        moment=moment,
        binders=tuple(binder(file, k) for k in kids if is_a(k, "binder")),
        body=block(file, kids[-1]),
        **named,
    )


def window(file: str, node: Any) -> d.Decl:
    """A window with its answers."""
    head: dict[str, Any] = {"asks": None, "walk": None, "alike": False, "closes": "all"}
    answers = []
    for kid in node.children:
        if is_a(kid, "w_ask"):
            head["asks"], head["walk"] = expr(file, kid.children[0]), walk(file, kid.children[1])
            head["alike"] = any(is_a(k, "alike") for k in kid.children)
        elif is_a(kid, "w_first"):
            head["closes"] = "first"
        elif is_a(kid, "w_answer"):
            who, made, cited, body = kid.children
            answers.append((str(who), binder(file, made), block(file, body), cites(cited)))
    return d.Window(
        name=str(node.children[0]),
        params=params(file, next((k for k in node.children if is_a(k, "params")), None)),
        answers=tuple(answers),
        **head,
        **common(file, node),
    )


def patch(file: str, node: Any) -> d.Decl:
    """A patch or a variant."""
    name, *rest = node.children
    words = next((text(k) for k in rest if k is not None and not is_a(k)), "")
    cited = next(i for i, k in enumerate(rest) if is_a(k, "cites"))
    heads = [k for k in rest[:cited] if is_a(k) and k.data != "params"]
    return d.Patch(
        name=str(name),
        params=params(file, next((k for k in rest[:cited] if is_a(k, "params")), None)),
        text=words,
        kind=str(node.data),
        while_=expr(file, heads[0]) if heads else None,
        lines=tuple(pline(file, k) for k in rest[cited + 1 :] if k is not None),
        **common(file, node),
    )


def pline(file: str, node: Any) -> d.Decl:
    """One line of a patch: an edit, or a declaration that comes with the patch."""
    node = node.children[0] if node.data == "pline" else node
    kind = str(node.data)
    if not kind.startswith("p_"):
        from dsl.build_decl import decl

        return decl(file, node)
    kids, named = node.children, common(file, node)
    first = kids[0]
    where = path(first) if is_a(first, "path") else str(first)
    match kind:
        case "p_replace" | "p_before" | "p_after":
            return d.Edit(op=kind[2:], path=where, body=block(file, kids[-1]), **named)
        case "p_set":
            return d.Edit(op="set", path=where, value=expr(file, kids[1]), **named)
        case "p_add":
            demands = tuple(demand(file, k) for k in kids if is_a(k, "require", "prefer"))
            options = tuple(option(file, k) for k in kids if is_a(k, "menuopt"))
            return d.Edit(op="add", path=where, demands=demands, options=options, **named)
        case "p_redefine":
            made = params(file, next((k for k in kids if is_a(k, "params")), None))
            value = next(k for k in kids[1:] if k is not None and not is_a(k, "params", "cites"))
            return d.Edit(op="redefine", path=where, params=made, value=expr(file, value), **named)
    return d.Edit(op=kind[2:], path=where, **named)


def instant(file: str, node: Any) -> d.Decl:
    """Events of one instant."""
    events: list[tuple[str, Expr | None]] = []
    for kid in node.children[1:]:
        if is_a(kid, "path"):
            events.append((path(kid), None))
        elif kid is not None and not is_a(kid, "cites"):
            events[-1] = (events[-1][0], expr(file, kid))
    return d.Instant(events=tuple(events), **common(file, node))


def measure(file: str, node: Any) -> d.Decl:
    """A measure that falls."""
    return d.Measure(
        value=expr(file, node.children[0]), path=path(node.children[1]), **common(file, node)
    )


def order(file: str, node: Any) -> d.Decl:
    """An order of patches."""
    return d.Order(
        first=path(node.children[0]), second=path(node.children[1]), **common(file, node)
    )


def social(file: str, node: Any) -> d.Decl:
    """Talk, and what is not modelled."""
    kids = node.children
    test = None
    if node.data == "talk" and kids[1] is not None and not is_a(kids[1], "cites"):
        test = expr(file, kids[1])
    return d.Social(kind=str(node.data), text=text(kids[0]), while_=test, **common(file, node))
