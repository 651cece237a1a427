"""Concrete tree to syntax tree: declarations and patches."""

from __future__ import annotations

from typing import Any

from dsl import build_patch
from dsl import declarations as d
from dsl.build_expr import expr, exprs, is_a, span_of, type_
from dsl.build_parts import TYPES, common, head_of, param, params, visibility
from dsl.build_scenario import scenario
from dsl.build_stmt import cites, demand, form, text
from dsl.tree import Expr


def _game(file: str, node: Any) -> d.Decl:
    return d.Game(title=text(node.children[0]), **common(file, node))


def _players(file: str, node: Any) -> d.Decl:
    return d.Players(range=expr(file, node.children[0]), **common(file, node))


def _option(file: str, node: Any) -> d.Decl:
    head = head_of(file, node)
    return d.Option(
        name=head["name"],
        type=head["type"],
        default=head["value"],
        text=head["text"],
        **common(file, node),
    )


def _whys(file: str, node: Any) -> dict[str, Any]:
    because = " ".join(text(k.children[0]) for k in node.children if is_a(k, "because"))
    others = tuple(expr(file, k.children[0]) for k in node.children if is_a(k, "alternative"))
    return {"because": because, "others": others}


def _assume(file: str, node: Any) -> d.Decl:
    head = head_of(file, node)
    return d.Assume(
        id=head["id"],
        name=head.get("name", ""),
        params=head["params"],
        type=head["type"],
        value=head["value"],
        text=head["text"],
        **_whys(file, node),
        **common(file, node),
    )


def _reading(file: str, node: Any) -> d.Decl:
    found, because = [], ""
    for line in node.children[2:]:
        if is_a(line, "because"):
            because += " " * bool(because) + text(line.children[0])
        elif is_a(line, "r_chosen", "r_other"):
            name, words, cited, *lines = line.children
            edits = tuple(build_patch.pline(file, k) for k in lines if k is not None)
            chosen = line.data == "r_chosen"
            span = span_of(file, line)
            found.append(
                d.Alternative(str(name), text(words), chosen, edits, cites(cited), span=span)
            )
    return d.Reading(
        id=str(node.children[0]),
        text=text(node.children[1]),
        alternatives=tuple(found),
        because=because,
        **common(file, node),
    )


def _enum(file: str, node: Any) -> d.Decl:
    name, *members = [str(k) for k in node.children if not is_a(k)]
    return d.EnumDecl(name=name, members=tuple(members), **common(file, node))


def _field(file: str, node: Any) -> d.FieldDecl | d.Check:
    if node.data == "check":
        quoted, test, _ = node.children
        return d.Check(text=text(quoted), test=expr(file, test), **common(file, node))
    kinds = [k for k in node.children if is_a(k, *TYPES)]
    head = head_of(file, node)
    key = type_(file, kinds[0]) if len(kinds) == 2 else None
    return d.FieldDecl(
        name=head["name"],
        key=key,
        type=type_(file, kinds[-1]),
        default=head["value"],
        visibility=head.get("visibility"),
        **common(file, node),
    )


def _fields(file: str, node: Any) -> tuple[d.FieldDecl | d.Check, ...]:
    return tuple(_field(file, k) for k in node.children if is_a(k, "field", "check"))


def _data(file: str, node: Any) -> d.Decl:
    name, source, table = node.children[:3]
    return d.Data(
        name=str(name),
        file=text(source),
        table=str(table),
        fields=_fields(file, node),
        **common(file, node),
    )


def _pieces(file: str, node: Any) -> d.Decl:
    name, source = node.children[:2]
    kids = source.children
    more: dict[str, Any] = {}
    if source.data == "from_file":
        more = {"file": text(kids[0]), "table": str(kids[1])}
    elif source.data == "for_each":
        more = {"each": expr(file, kids[0])}
        if len(kids) > 1:
            more["count"] = expr(file, kids[1])
    else:
        more = {"count": expr(file, kids[0])}
    return d.Pieces(name=str(name), fields=_fields(file, node), **more, **common(file, node))


def _board(file: str, node: Any) -> d.Decl:
    name, cell, shape = node.children[:3]
    rows = tuple(
        " ".join(("|", *str(k).strip("|").split(), "|"))
        for k in node.children
        if not is_a(k) and k is not None
    )[2:]
    more: dict[str, Any] = {"shape": "map"}
    if shape.data == "generator":
        more = {"shape": str(shape.children[0]), "args": exprs(file, shape.children[1])}
    elif shape.data == "slots":
        count, *names = shape.children
        ends = tuple(str(n) for n in names[-2:] if n is not None)
        slots = tuple(str(n) for n in names[:-2])
        more = {"shape": "row", "args": (expr(file, count),), "slots": slots, "ends": ends}
    return d.Board(
        name=str(name),
        node=str(cell),
        rows=rows,
        fields=_fields(file, node),
        **more,
        **common(file, node),
    )


def _place(file: str, node: Any) -> d.Decl:
    names = [str(k) for k in node.children if k is not None and not is_a(k)]
    kind = "one"
    limit = refill = None
    for kid in node.children:
        if is_a(kid, "set_kind", "pile_kind", "row_kind"):
            kind = str(kid.data)[:-5]
        elif is_a(kid, "limit"):
            limit = expr(file, kid.children[0])
        elif is_a(kid) and str(kid.data).startswith("refill"):
            how = "shuffle" if "shuffle" in str(kid.data) else "flip"
            now = str(kid.data).endswith("now")
            refill = d.Refill(how, expr(file, kid.children[0]), now, span=span_of(file, kid))
    dims = next((k for k in node.children if is_a(k, "dims")), None)
    seen = next((k for k in node.children if is_a(k, "visibility", "hidden")), None)
    return d.Place(
        name=names[0],
        dims=() if dims is None else tuple(type_(file, k) for k in dims.children),
        kind=kind,
        of=names[1],
        limit=limit,
        visibility=None if seen is None else visibility(file, seen),
        refill=refill,
        **common(file, node),
    )


def _var(file: str, node: Any) -> d.Decl:
    head = head_of(file, node)
    return d.Var(
        name=head["name"],
        dims=head["dims"],
        type=head["type"],
        default=head["value"],
        visibility=head.get("visibility"),
        during=head.get("path", ""),
        **common(file, node),
    )


def _define(file: str, node: Any) -> d.Decl:
    head = head_of(file, node)
    cases: list[tuple[Expr | None, Expr]] = []
    for kid in node.children:
        if is_a(kid, "case_if"):
            cases.append((expr(file, kid.children[1]), expr(file, kid.children[0])))
        elif is_a(kid, "case_else"):
            cases.append((None, expr(file, kid.children[0])))
    return d.Define(
        name=head["name"],
        params=head["params"],
        type=head["type"],
        value=head["value"],
        cases=tuple(cases),
        **common(file, node),
    )


def _table(file: str, node: Any) -> d.Decl:
    name, *rest = node.children
    rows = []
    for row in rest:
        if is_a(row, "row"):
            keys = tuple(expr(file, k) for k in row.children[0].children)
            cells = row.children[1].children
            made = tuple(None if is_a(c, "unknown") else expr(file, c) for c in cells)
            rows.append((keys, made, cites(row.children[-1])))
    return d.Table(
        name=str(name),
        keys=tuple(param(file, k) for k in rest[0].children),
        columns=tuple(param(file, k) for k in rest[1].children),
        rows=tuple(rows),
        **common(file, node),
    )


def _choice(file: str, node: Any) -> d.Decl:
    name, *rest = node.children
    shapes = ("one", "subset", "amounts", "yes_no", "named")
    made = next(form(file, k) for k in rest if is_a(k, *shapes))
    return d.Choice(
        name=str(name),
        params=params(file, next((k for k in rest if is_a(k, "params")), None)),
        form=made,
        demands=tuple(demand(file, k) for k in rest if is_a(k, "require", "prefer")),
        **common(file, node),
    )


def _rule(file: str, node: Any) -> d.Decl:
    head = head_of(file, node)
    return d.Rule(
        name=head["name"],
        params=head["params"],
        gives=head["type"],
        body=head["body"],
        **common(file, node),
    )


def _event(file: str, node: Any) -> d.Decl:
    head = head_of(file, node)
    return d.Event(name=head["name"], params=head["params"], **common(file, node))


def _always(file: str, node: Any) -> d.Decl:
    quoted, test, _ = node.children
    return d.Always(text=text(quoted), test=expr(file, test), **common(file, node))


def _valued(file: str, node: Any) -> d.Decl:
    name, value, _ = node.children
    return d.Valued(
        kind=str(node.data), name=str(name), value=expr(file, value), **common(file, node)
    )


def _clock(file: str, node: Any) -> d.Decl:
    head = head_of(file, node)
    return d.Clock(
        name=head["name"], dims=head["dims"], capacity=head["value"], **common(file, node)
    )


def decl(file: str, node: Any) -> d.Decl:
    """Any declaration."""
    return _DECL[str(node.data)](file, node)


_DECL = {
    "game": _game,
    "players": _players,
    "option": _option,
    "assume": _assume,
    "assume_text": _assume,
    "reading": _reading,
    "enum": _enum,
    "data": _data,
    "pieces": _pieces,
    "board": _board,
    "place": _place,
    "place_one": _place,
    "var": _var,
    "define": _define,
    "define_cases": _define,
    "table": _table,
    "choice": _choice,
    "rule": _rule,
    "when_true": build_patch.hook,
    "when_event": build_patch.hook,
    "instead": build_patch.hook,
    "event": _event,
    "window": build_patch.window,
    "patch": build_patch.patch,
    "variant": build_patch.patch,
    "always": _always,
    "score": _valued,
    "progress": _valued,
    "payoff": _valued,
    "clock": _clock,
    "instant": build_patch.instant,
    "measure": build_patch.measure,
    "order": build_patch.order,
    "talk": build_patch.social,
    "not_modelled": build_patch.social,
    "scenario": scenario,
}
