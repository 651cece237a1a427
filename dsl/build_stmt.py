"""Concrete tree to syntax tree: statements, choices and menus."""

from __future__ import annotations

from typing import Any

from dsl import statements as s
from dsl.build_expr import binder, expr, is_a, span_of

WORDS = ("shuffle", "turn_over", "flip", "announce", "open", "lift", "give", "time_passes", "call")
BARE = ("nothing", "original")


def cites(node: Any) -> tuple[str, ...]:
    """The ids of a citation list, without the mark."""
    return tuple(str(c)[1:] for c in node.children)


def path(node: Any) -> str:
    """A dotted path as text."""
    return ".".join(str(k) for k in node.children)


def text(token: Any) -> str:
    """A quoted text without its quotes."""
    return str(token)[1:-1]


def block(file: str, node: Any) -> tuple[s.Stmt, ...]:
    """The statements of an indented block."""
    return tuple(stmt(file, k) for k in node.children)


def stmt(file: str, node: Any) -> s.Stmt:
    """Any statement."""
    if node.data == "simple_stmt":
        inner, cited = node.children
        return simple(file, inner, cites(cited))
    return _COMPOUND[str(node.data)](file, node)


def simple(file: str, node: Any, cited: tuple[str, ...]) -> s.Stmt:
    """A statement of one line."""
    kind, kids, span = str(node.data), node.children, span_of(file, node)
    if kind in WORDS:
        return s.Act(cited, kind, expr(file, kids[0]), span=span)
    if kind in BARE:
        return s.Act(cited, kind, span=span)
    match kind:
        case "let":
            return s.Let(cited, str(kids[0]), expr(file, kids[1]), span=span)
        case "set" | "add" | "subtract":
            return _change(file, kind, kids, cited, span)
        case "move":
            return _move(file, kids, cited, span)
        case "reveal":
            to = expr(file, kids[1]) if len(kids) > 1 else None
            return s.Act(cited, kind, expr(file, kids[0]), to, span=span)
        case "apply":
            lasting = _lasting(file, kids[1]) if len(kids) > 1 else s.Lasting()
            return s.Apply(cited, expr(file, kids[0]), lasting, span=span)
        case "end_game":
            return _end(file, kids[0], cited, span)
        case "stop":
            return s.Stop(cited, path(kids[0]) if kids else "", span=span)
    raise AssertionError(f"no statement is called {kind}")


def _change(file: str, kind: str, kids: list[Any], cited: tuple[str, ...], span: Any) -> s.Stmt:
    first, second = expr(file, kids[0]), expr(file, kids[1])
    target, value = (first, second) if kind == "set" else (second, first)
    bound = None
    if len(kids) > 2:
        limit = expr(file, kids[2].children[0]) if kids[2].children else None
        bound = s.Bound(str(kids[2].data), limit, span=span_of(file, kids[2]))
    return s.Change(cited, kind, target, value, bound, span=span)


def _move(file: str, kids: list[Any], cited: tuple[str, ...], span: Any) -> s.Stmt:
    what, to = kids[0], expr(file, kids[1])
    form = str(what.data)[2:]
    count = expr(file, what.children[0]) if form == "top" else None
    arrange, key, lowest, partial = "", None, False, False
    for extra in kids[2:]:
        if extra.data == "amount":
            partial = True
            continue
        arrange = str(extra.data)
        if arrange == "by_key":
            lowest = len(extra.children) > 1 and extra.children[0].data == "lowest"
            key = expr(file, extra.children[-1])
    source = expr(file, what.children[-1])
    return s.Move(cited, form, source, count, to, arrange, key, lowest, partial, span=span)


def _lasting(file: str, node: Any) -> s.Lasting:
    kids, span = node.children, span_of(file, node)
    start = until = during = None
    moment = ""
    match str(node.data):
        case "l_from":
            start = expr(file, kids[0].children[0])
        case "l_until":
            until, moment = _until(file, kids[0])
        case "l_both":
            start = expr(file, kids[0].children[0])
            until, moment = _until(file, kids[1])
        case "l_while":
            during = expr(file, kids[0])
        case "l_next":
            return s.Lasting(next_of=path(kids[0]), span=span)
    return s.Lasting(start, until, moment, during, span=span)


def _until(file: str, node: Any) -> tuple[Any, str]:
    return expr(file, node.children[0]), str(node.children[1].data)


def _end(file: str, node: Any, cited: tuple[str, ...], span: Any) -> s.Stmt:
    kind, kids = str(node.data), node.children
    stalled = kind == "stalled"
    if kind in ("stalled", "outcome", "ranking"):
        node = kids[0]
        kind, kids = str(node.data), node.children
    if kind in ("win", "lose"):
        return s.EndGame(cited, kind, expr(file, kids[0]), span=span)
    if kind != "rank":
        return s.EndGame(cited, kind, stalled=stalled, span=span)
    keys = tuple(
        s.RankKey(expr(file, k.children[1]), k.children[0].data == "lowest", span=span_of(file, k))
        for k in kids[1:]
        if k.data == "rankkey"
    )
    shared = any(k.data == "tie" for k in kids[1:])
    return s.EndGame(cited, "rank", expr(file, kids[0]), keys, shared, stalled, span=span)


def _if(file: str, node: Any) -> s.Stmt:
    test, cited, body, *rest = node.children
    other: tuple[s.Stmt, ...] = ()
    for part in reversed([r for r in rest if r is not None]):
        if part.data == "else":
            other = block(file, part.children[1])
        else:
            inner, inner_cites, inner_body = part.children
            other = (
                s.If(
                    cites(inner_cites),
                    expr(file, inner),
                    block(file, inner_body),
                    other,
                    span=span_of(file, part),
                ),
            )
    return s.If(cites(cited), expr(file, test), block(file, body), other, span=span_of(file, node))


def walk(file: str, node: Any) -> s.Walk:
    """The order of a loop or of asking seats."""
    kids = node.children
    lowest = len(kids) > 1 and kids[0].data == "lowest"
    value = expr(file, kids[-1]) if kids else None
    return s.Walk(str(node.data), value, lowest, span=span_of(file, node))


def _for(file: str, node: Any) -> s.Stmt:
    name, domain, *rest = node.children
    order = walk(file, rest[0]) if len(rest) == 3 else None
    body = block(file, rest[-1])
    cited = cites(rest[-2])
    return s.ForEach(cited, str(name), expr(file, domain), order, body, span=span_of(file, node))


def _repeat(file: str, node: Any) -> s.Stmt:
    *how, cited, body = node.children
    kind, value = "forever", None
    if how:
        kind = str(how[0].data)[4:]
        value = expr(file, how[0].children[0])
    return s.Repeat(cites(cited), kind, value, block(file, body), span=span_of(file, node))


def _at_once(file: str, node: Any) -> s.Stmt:
    cited, body = node.children
    return s.AtOnce(cites(cited), block(file, body), span=span_of(file, node))


def _step(file: str, node: Any) -> s.Stmt:
    name, cited, body = node.children
    return s.Step(cites(cited), str(name), block(file, body), span=span_of(file, node))


def _match(file: str, node: Any) -> s.Stmt:
    value, cited, *cases = node.children
    made = []
    for case in cases:
        *patterns, case_cites, body = case.children
        made.append(
            s.Case(
                tuple(expr(file, p) for p in patterns),
                block(file, body),
                cites(case_cites),
                span=span_of(file, case),
            )
        )
    return s.Match(cites(cited), expr(file, value), tuple(made), span=span_of(file, node))


def demand(file: str, node: Any) -> s.Require:
    """A `require` or a `prefer` line."""
    *names, quoted, test, cited = node.children
    name = str(names[0]) if names else slug(text(quoted))
    prefer = node.data == "prefer"
    return s.Require(
        cites(cited), name, text(quoted), expr(file, test), prefer, span=span_of(file, node)
    )


def slug(words: str) -> str:
    """The name of a requirement that has only a text: its words joined by underscores."""
    out = "".join(c if c.isalnum() else "_" for c in words.lower())
    return "_".join(p for p in out.split("_") if p)


def form(file: str, node: Any) -> s.Form:
    """The form of a choice."""
    kids = list(node.children)
    able = bool(kids) and is_a(kids[-1]) and kids[-1].data == "able"
    if able:
        kids.pop()
    span = span_of(file, node)
    match str(node.data):
        case "one":
            return s.One(binder(file, kids[0]), able, span=span)
        case "subset":
            size = _size(file, kids[2]) if len(kids) > 2 else s.Size()
            return s.Subset(str(kids[0]), expr(file, kids[1]), size, able, span=span)
        case "amounts":
            parts = {str(k.data): expr(file, k.children[0]) for k in kids[2:]}
            return s.Amounts(
                str(kids[0]),
                binder(file, kids[1]),
                parts.get("each"),
                parts.get("total"),
                able,
                span=span,
            )
        case "yes_no":
            return s.YesNo(str(kids[0]), span=span)
    return s.Named(str(kids[0]), expr(file, kids[1]), able, span=span)


def _size(file: str, node: Any) -> s.Size:
    values = [expr(file, k) for k in node.children]
    span = span_of(file, node)
    match str(node.data):
        case "exactly":
            return s.Size(values[0], values[0], span=span)
        case "size_up_to":
            return s.Size(None, values[0], span=span)
        case "size_at_least":
            return s.Size(values[0], None, span=span)
        case "size_between":
            return s.Size(values[0], values[1], span=span)
        case "as_many":
            return s.Size(most=True, span=span)
    return s.Size(span=span)


def _pick(file: str, node: Any) -> s.Stmt:
    actor, must, *rest = node.children
    secret, prompt, made = False, "", s.Form()
    cited: tuple[str, ...] = ()
    demands: list[s.Require] = []
    then = otherwise = None
    for part in rest:
        if part is None:
            continue
        match str(part.data):
            case "secret":
                secret = True
            case "prompt":
                prompt = text(part.children[0])
            case "cites":
                cited = cites(part)
            case "require" | "prefer":
                demands.append(demand(file, part))
            case "then":
                then = block(file, part.children[1])
            case "otherwise":
                otherwise = block(file, part.children[1])
            case _:
                made = form(file, part)
    return s.Pick(
        cited,
        expr(file, actor),
        must.data == "may",
        secret,
        made,
        prompt,
        tuple(demands),
        then,
        otherwise,
        span=span_of(file, node),
    )


def option(file: str, node: Any) -> s.MenuOption:
    """One option of a menu."""
    name, *rest = node.children
    binders = tuple(binder(file, k) for k in rest if is_a(k, "binder"))
    prompt = "".join(text(k.children[0]) for k in rest if is_a(k, "prompt"))
    cited = next(cites(k) for k in rest if is_a(k, "cites"))
    skip = ("binder", "prompt", "cites", "require", "prefer")
    demands = tuple(demand(file, k) for k in rest if is_a(k, "require") or is_a(k, "prefer"))
    body = tuple(stmt(file, k) for k in rest if is_a(k) and k.data not in skip)
    return s.MenuOption(str(name), binders, prompt, cited, demands, body, span=span_of(file, node))


def _menu(file: str, node: Any) -> s.Stmt:
    actor, must, name, *rest = node.children
    prompt = "".join(text(k.children[0]) for k in rest if is_a(k, "prompt"))
    cited = next(cites(k) for k in rest if is_a(k, "cites"))
    tiers = [tuple(option(file, k) for k in rest if is_a(k, "menuopt"))]
    for tier in rest:
        if is_a(tier, "failing"):
            tiers.append(tuple(option(file, k) for k in tier.children if is_a(k, "menuopt")))
    return s.Menu(
        cited,
        expr(file, actor),
        must.data == "may",
        str(name),
        prompt,
        tuple(tiers),
        span=span_of(file, node),
    )


def _chance(file: str, node: Any) -> s.Stmt:
    node = node.children[0] if node.data == "chance" else node
    kids, span = node.children, span_of(file, node)
    cited = next(cites(k) for k in kids if is_a(k, "cites"))
    if node.data == "chance_rolls":
        name, count, faces = kids[0], expr(file, kids[1]), expr(file, kids[2])
        return s.Chance(cited, "rolls", None, str(name), count, faces, span=span)
    made = binder(file, kids[0])
    if node.data == "table_agrees":
        prompt = "".join(text(k.children[0]) for k in kids if is_a(k, "prompt"))
        return s.Chance(cited, "agrees", made, made.name, prompt=prompt, span=span)
    weight = kids[1]
    return s.Chance(
        cited,
        "picks",
        made,
        made.name,
        weight=None if weight is None or is_a(weight, "cites") else expr(file, weight),
        span=span,
    )


_COMPOUND = {
    "if": _if,
    "for_each_do": _for,
    "repeat": _repeat,
    "at_once": _at_once,
    "step": _step,
    "match": _match,
    "pick": _pick,
    "menu": _menu,
    "chance": _chance,
    "chance_picks": _chance,
    "chance_rolls": _chance,
    "table_agrees": _chance,
}
