"""Concrete tree to syntax tree: declarations and patches."""

from __future__ import annotations

from typing import Any

from lark import Tree

from dsl import declarations as d
from dsl.build_expr import binder, expr, exprs, span_of, type_
from dsl.build_scenario import scenario
from dsl.build_stmt import block, cites, demand, form, option, path, text, walk
from dsl.tree import Expr


def _is(node: Any, *kinds: str) -> bool:
    return isinstance(node, Tree) and str(node.data) in kinds


def _cited(node: Any) -> tuple[str, ...]:
    return next((cites(k) for k in node.children if _is(k, "cites")), ())


def params(file: str, node: Any) -> tuple[d.Param, ...]:
    """A parameter list, or nothing."""
    if node is None:
        return ()
    return tuple(_param(file, k) for k in node.children)


def _param(file: str, node: Any) -> d.Param:
    name, *rest = node.children
    made = type_(file, rest[0]) if rest else None
    return d.Param(str(name), made, span=span_of(file, node))


TYPES = ("optional", "set_of", "list_of", "pattern_of", "value_type")


def _head(file: str, node: Any) -> dict[str, Any]:
    """The parts of a declaration sorted by what they are: name, params, type, value, text."""
    parts: dict[str, Any] = {"params": (), "type": None, "value": None, "text": "", "dims": ()}
    for kid in node.children:
        if kid is None:
            continue
        if not isinstance(kid, Tree):
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


SKIPPED = ("cites", "because", "alternative", "defcase", "case_if", "case_else", "field", "check")


def _token_role(token: Any) -> str:
    return {"NAME": "name", "ID": "id", "STRING": "text"}[token.type]


def _named(file: str, node: Any) -> dict[str, Any]:
    return {"span": span_of(file, node), "cites": _cited(node)}


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


def _game(file: str, node: Any) -> d.Decl:
    return d.Game(title=text(node.children[0]), **_named(file, node))


def _players(file: str, node: Any) -> d.Decl:
    return d.Players(range=expr(file, node.children[0]), **_named(file, node))


def _option(file: str, node: Any) -> d.Decl:
    head = _head(file, node)
    return d.Option(
        name=head["name"],
        type=head["type"],
        default=head["value"],
        text=head["text"],
        **_named(file, node),
    )


def _whys(file: str, node: Any) -> dict[str, Any]:
    because = " ".join(text(k.children[0]) for k in node.children if _is(k, "because"))
    others = tuple(expr(file, k.children[0]) for k in node.children if _is(k, "alternative"))
    return {"because": because, "others": others}


def _assume(file: str, node: Any) -> d.Decl:
    head = _head(file, node)
    return d.Assume(
        id=head["id"],
        name=head.get("name", ""),
        params=head["params"],
        type=head["type"],
        value=head["value"],
        text=head["text"],
        **_whys(file, node),
        **_named(file, node),
    )


def _reading(file: str, node: Any) -> d.Decl:
    found, because = [], ""
    for line in node.children[2:]:
        if _is(line, "because"):
            because += " " * bool(because) + text(line.children[0])
        elif _is(line, "r_chosen", "r_other"):
            name, words, cited, *lines = line.children
            edits = tuple(pline(file, k) for k in lines if k is not None)
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
        **_named(file, node),
    )


def _enum(file: str, node: Any) -> d.Decl:
    name, *members = [str(k) for k in node.children if not isinstance(k, Tree)]
    return d.EnumDecl(name=name, members=tuple(members), **_named(file, node))


def _field(file: str, node: Any) -> d.FieldDecl | d.Check:
    if node.data == "check":
        quoted, test, _ = node.children
        return d.Check(text=text(quoted), test=expr(file, test), **_named(file, node))
    kinds = [k for k in node.children if _is(k, *TYPES)]
    head = _head(file, node)
    key = type_(file, kinds[0]) if len(kinds) == 2 else None
    return d.FieldDecl(
        name=head["name"],
        key=key,
        type=type_(file, kinds[-1]),
        default=head["value"],
        visibility=head.get("visibility"),
        **_named(file, node),
    )


def _fields(file: str, node: Any) -> tuple[d.FieldDecl | d.Check, ...]:
    return tuple(_field(file, k) for k in node.children if _is(k, "field", "check"))


def _data(file: str, node: Any) -> d.Decl:
    name, source, table = node.children[:3]
    return d.Data(
        name=str(name),
        file=text(source),
        table=str(table),
        fields=_fields(file, node),
        **_named(file, node),
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
    return d.Pieces(name=str(name), fields=_fields(file, node), **more, **_named(file, node))


def _board(file: str, node: Any) -> d.Decl:
    name, cell, shape = node.children[:3]
    rows = tuple(
        " ".join(("|", *str(k).strip("|").split(), "|"))
        for k in node.children
        if not isinstance(k, Tree) and k is not None
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
        **_named(file, node),
    )


def _place(file: str, node: Any) -> d.Decl:
    names = [str(k) for k in node.children if k is not None and not isinstance(k, Tree)]
    kind = "one"
    limit = refill = None
    for kid in node.children:
        if _is(kid, "set_kind", "pile_kind", "row_kind"):
            kind = str(kid.data)[:-5]
        elif _is(kid, "limit"):
            limit = expr(file, kid.children[0])
        elif isinstance(kid, Tree) and str(kid.data).startswith("refill"):
            how = "shuffle" if "shuffle" in str(kid.data) else "flip"
            now = str(kid.data).endswith("now")
            refill = d.Refill(how, expr(file, kid.children[0]), now, span=span_of(file, kid))
    dims = next((k for k in node.children if _is(k, "dims")), None)
    seen = next((k for k in node.children if _is(k, "visibility", "hidden")), None)
    return d.Place(
        name=names[0],
        dims=() if dims is None else tuple(type_(file, k) for k in dims.children),
        kind=kind,
        of=names[1],
        limit=limit,
        visibility=None if seen is None else visibility(file, seen),
        refill=refill,
        **_named(file, node),
    )


def _var(file: str, node: Any) -> d.Decl:
    head = _head(file, node)
    return d.Var(
        name=head["name"],
        dims=head["dims"],
        type=head["type"],
        default=head["value"],
        visibility=head.get("visibility"),
        during=head.get("path", ""),
        **_named(file, node),
    )


def _define(file: str, node: Any) -> d.Decl:
    head = _head(file, node)
    cases: list[tuple[Expr | None, Expr]] = []
    for kid in node.children:
        if _is(kid, "case_if"):
            cases.append((expr(file, kid.children[1]), expr(file, kid.children[0])))
        elif _is(kid, "case_else"):
            cases.append((None, expr(file, kid.children[0])))
    return d.Define(
        name=head["name"],
        params=head["params"],
        type=head["type"],
        value=head["value"],
        cases=tuple(cases),
        **_named(file, node),
    )


def _table(file: str, node: Any) -> d.Decl:
    name, *rest = node.children
    rows = []
    for row in rest:
        if _is(row, "row"):
            keys = tuple(expr(file, k) for k in row.children[0].children)
            cells = row.children[1].children
            made = tuple(None if _is(c, "unknown") else expr(file, c) for c in cells)
            rows.append((keys, made, cites(row.children[-1])))
    return d.Table(
        name=str(name),
        keys=tuple(_param(file, k) for k in rest[0].children),
        columns=tuple(_param(file, k) for k in rest[1].children),
        rows=tuple(rows),
        **_named(file, node),
    )


def _choice(file: str, node: Any) -> d.Decl:
    name, *rest = node.children
    shapes = ("one", "subset", "amounts", "yes_no", "named")
    made = next(form(file, k) for k in rest if _is(k, *shapes))
    return d.Choice(
        name=str(name),
        params=params(file, next((k for k in rest if _is(k, "params")), None)),
        form=made,
        demands=tuple(demand(file, k) for k in rest if _is(k, "require", "prefer")),
        **_named(file, node),
    )


def _rule(file: str, node: Any) -> d.Decl:
    head = _head(file, node)
    return d.Rule(
        name=head["name"],
        params=head["params"],
        gives=head["type"],
        body=head["body"],
        **_named(file, node),
    )


def _hook(file: str, node: Any) -> d.Decl:
    named = _named(file, node)
    kids = node.children
    if node.data == "instead":
        test = None if kids[1] is None or _is(kids[1], "cites") else expr(file, kids[1])
        edit = d.Edit(op="replace", path=path(kids[0]), body=block(file, kids[-1]), **named)
        name = "instead_of_" + path(kids[0]).replace(".", "_")
        return d.Patch(name=name, kind="instead", while_=test, lines=(edit,), **named)
    moments = ("begins", "ends", "runs_out", "happens")
    moment = next((str(k.data) for k in kids if _is(k, *moments)), "true")
    return d.When(
        event=expr(file, kids[0]),
        moment=moment,
        binders=tuple(binder(file, k) for k in kids if _is(k, "binder")),
        body=block(file, kids[-1]),
        **named,
    )


def _event(file: str, node: Any) -> d.Decl:
    head = _head(file, node)
    return d.Event(name=head["name"], params=head["params"], **_named(file, node))


def _window(file: str, node: Any) -> d.Decl:
    head: dict[str, Any] = {"asks": None, "walk": None, "alike": False, "closes": "all"}
    answers = []
    for kid in node.children:
        if _is(kid, "w_ask"):
            head["asks"], head["walk"] = expr(file, kid.children[0]), walk(file, kid.children[1])
            head["alike"] = any(_is(k, "alike") for k in kid.children)
        elif _is(kid, "w_first"):
            head["closes"] = "first"
        elif _is(kid, "w_answer"):
            who, made, cited, body = kid.children
            answers.append((str(who), binder(file, made), block(file, body), cites(cited)))
    return d.Window(
        name=str(node.children[0]),
        params=params(file, next((k for k in node.children if _is(k, "params")), None)),
        answers=tuple(answers),
        **head,
        **_named(file, node),
    )


def _patch(file: str, node: Any) -> d.Decl:
    name, *rest = node.children
    words = next((text(k) for k in rest if k is not None and not isinstance(k, Tree)), "")
    cited = next(i for i, k in enumerate(rest) if _is(k, "cites"))
    heads = [k for k in rest[:cited] if isinstance(k, Tree) and k.data != "params"]
    return d.Patch(
        name=str(name),
        params=params(file, next((k for k in rest[:cited] if _is(k, "params")), None)),
        text=words,
        kind=str(node.data),
        while_=expr(file, heads[0]) if heads else None,
        lines=tuple(pline(file, k) for k in rest[cited + 1 :] if k is not None),
        **_named(file, node),
    )


def pline(file: str, node: Any) -> d.Decl:
    """One line of a patch: an edit, or a declaration that comes with the patch."""
    node = node.children[0] if node.data == "pline" else node
    kind = str(node.data)
    if not kind.startswith("p_"):
        return decl(file, node)
    kids, named = node.children, _named(file, node)
    first = kids[0]
    where = path(first) if _is(first, "path") else str(first)
    match kind:
        case "p_replace" | "p_before" | "p_after":
            return d.Edit(op=kind[2:], path=where, body=block(file, kids[-1]), **named)
        case "p_set":
            return d.Edit(op="set", path=where, value=expr(file, kids[1]), **named)
        case "p_add":
            demands = tuple(demand(file, k) for k in kids if _is(k, "require", "prefer"))
            options = tuple(option(file, k) for k in kids if _is(k, "menuopt"))
            return d.Edit(op="add", path=where, demands=demands, options=options, **named)
        case "p_redefine":
            made = params(file, next((k for k in kids if _is(k, "params")), None))
            value = next(k for k in kids[1:] if k is not None and not _is(k, "params", "cites"))
            return d.Edit(op="redefine", path=where, params=made, value=expr(file, value), **named)
    return d.Edit(op=kind[2:], path=where, **named)


def _always(file: str, node: Any) -> d.Decl:
    quoted, test, _ = node.children
    return d.Always(text=text(quoted), test=expr(file, test), **_named(file, node))


def _valued(file: str, node: Any) -> d.Decl:
    name, value, _ = node.children
    return d.Valued(
        kind=str(node.data), name=str(name), value=expr(file, value), **_named(file, node)
    )


def _clock(file: str, node: Any) -> d.Decl:
    head = _head(file, node)
    return d.Clock(
        name=head["name"], dims=head["dims"], capacity=head["value"], **_named(file, node)
    )


def _instant(file: str, node: Any) -> d.Decl:
    events: list[tuple[str, Expr | None]] = []
    for kid in node.children[1:]:
        if _is(kid, "path"):
            events.append((path(kid), None))
        elif kid is not None and not _is(kid, "cites"):
            events[-1] = (events[-1][0], expr(file, kid))
    return d.Instant(events=tuple(events), **_named(file, node))


def _measure(file: str, node: Any) -> d.Decl:
    return d.Measure(
        value=expr(file, node.children[0]), path=path(node.children[1]), **_named(file, node)
    )


def _order(file: str, node: Any) -> d.Decl:
    return d.Order(
        first=path(node.children[0]), second=path(node.children[1]), **_named(file, node)
    )


def _social(file: str, node: Any) -> d.Decl:
    kids = node.children
    test = None
    if node.data == "talk" and kids[1] is not None and not _is(kids[1], "cites"):
        test = expr(file, kids[1])
    return d.Social(kind=str(node.data), text=text(kids[0]), while_=test, **_named(file, node))


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
    "when_true": _hook,
    "when_event": _hook,
    "instead": _hook,
    "event": _event,
    "window": _window,
    "patch": _patch,
    "variant": _patch,
    "always": _always,
    "score": _valued,
    "progress": _valued,
    "payoff": _valued,
    "clock": _clock,
    "instant": _instant,
    "measure": _measure,
    "order": _order,
    "talk": _social,
    "not_modelled": _social,
    "scenario": scenario,
}
