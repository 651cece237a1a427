"""Printing expressions, types and binders: from the tree to documents, with the fewest parentheses.

A line may break only inside brackets. So an expression is printed by `top` where it stands on a
line of its own, which may put parentheses around it to break there, and by `inner` inside brackets.
A name that is spelt like a keyword is put in parentheses where the keyword could stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from dsl import tree as t
from dsl.format_doc import Doc, Group, IfBroken, Line, Nest, flat, joined, short
from dsl.lexer import PREFIXES

ANY, OR, AND, NOT, TEST, RANGE, SUM, PRODUCT, UNARY, POST = range(10)
LEVELS = {"or": OR, "and": AND, "+": SUM, "-": SUM, "&": SUM}
LEVELS |= dict.fromkeys(("*", "mod", "/", "/up", "/down"), PRODUCT)
ROUNDED = {"/up": " rounded up", "/down": " rounded down"}
NO_WORDS: frozenset[str] = frozenset()
DIRECTIONS = frozenset(("highest", "lowest"))
ITEM_WORDS = frozenset(("else",))
TYPE_WORDS = frozenset(("optional", "set", "list", "pattern"))


def _negated(e: t.Expr) -> t.Binary | t.Is | None:
    """What `x not in S` and `x is not state` negate."""
    if isinstance(e, t.Unary) and e.op == "not":
        if isinstance(e.value, t.Is):
            return e.value
        if isinstance(e.value, t.Binary) and e.value.op == "in":
            return e.value
    return None


def level_of(e: t.Expr) -> int:
    """How tightly the printed expression holds together."""
    match e:
        case t.IfElse():
            return ANY
        case t.Binary():
            return LEVELS.get(e.op, TEST)
        case t.Unary(op):
            if op == "-":
                return UNARY
            return TEST if _negated(e) else NOT
        case t.Is():
            return TEST
        case t.Range():
            return RANGE
        case _:
            return POST


def _lead(e: t.Expr) -> str:
    """The name that the printed expression begins with, unless a bracket or a dot touches it."""
    while True:
        match e:
            case t.Name(name):
                return name
            case t.Attr() | t.Index() | t.Call():
                stem = _root(e)
                return stem if stem in PREFIXES else ""
            case t.Binary():
                e = e.left
            case t.Is(value):
                e = value
            case t.Range(low):
                e = low
            case t.Unary() if found := _negated(e):
                e = found
            case _:
                return ""


def _root(e: t.Expr) -> str:
    """The name under dots and brackets; a few keywords are keywords even if those touch them."""
    while isinstance(e, t.Attr | t.Index | t.Call):
        e = e.function if isinstance(e, t.Call) else e.value
    return e.name if isinstance(e, t.Name) else ""


def bracketed(opening: str, body: Doc, closing: str) -> Doc:
    """A document inside brackets that may break after the first; the last never begins a line."""
    if short(body):
        return (opening, flat(body), closing)
    return Group((opening, Nest((Line(""), body)), closing))


def listed(docs: Iterable[Doc]) -> Doc:
    """Documents with commas between them."""
    return joined(docs, (",", Line()))


def inner(e: t.Expr, level: int = ANY, words: frozenset[str] = NO_WORDS) -> Doc:
    """An expression inside brackets; `words` are the keywords it must not begin with."""
    if level_of(e) < level or _lead(e) in words:
        return bracketed("(", _alone(e), ")")
    return _body(e)


def top(e: t.Expr, level: int = ANY, words: frozenset[str] = NO_WORDS) -> Doc:
    """An expression that no brackets surround."""
    if level_of(e) < level or _lead(e) in words:
        return bracketed("(", _alone(e), ")")
    body = _alone(e)
    if level_of(e) == POST:
        return body
    if short(body):
        return flat(body)
    return Group((IfBroken("("), Nest((Line(""), body)), IfBroken(")")))


def _stem(e: t.Expr) -> Doc:
    """What a dot or a bracket follows; a word that they touch is a name, also `none`."""
    return "(none)" if isinstance(e, t.Nothing) else inner(e, POST)


def _alone(e: t.Expr) -> Doc:
    """The only expression in its parentheses: its operators begin their lines below its start."""
    return Group(_links(e)) if isinstance(e, t.Binary) else _body(e)


def _body(e: t.Expr) -> Doc:
    match e:
        case t.Unary() | t.Is() | t.Range():
            return _small(e)
        case t.Binary():
            first, rest = _links(e)
            return Group((first, Nest(rest)))
        case t.IfElse():
            return _ladder(e)
        case t.Attr(value, name):
            return (_stem(value), ".", name)
        case t.Index(value, keys):
            return (_stem(value), bracketed("[", listed(map(inner, keys)), "]"))
        case t.Call():
            return _call(e)
        case t.SetOf(items):
            return _items("{", items, "}", ITEM_WORDS)
        case t.ListOf(items):
            return _items("[", items, "]", NO_WORDS)
        case t.SetWhere(binder, image):
            return Group(("{", Nest(_set_where(binder, image)), "}"))
        case t.MapOf():
            return _map(e)
        case _:
            return _word(e)


def _word(e: t.Expr) -> str:
    match e:
        case t.Name(name):
            return name
        case t.Int(value):
            return str(value)
        case t.Time(value):
            return time_text(value)
        case t.Text(value):
            return f'"{value}"'
        case t.Nothing():
            return "none"
        case _:
            raise AssertionError(f"no expression is printed like {type(e).__name__}")


def _small(e: t.Unary | t.Is | t.Range) -> Doc:
    match e:
        case t.Unary(op, value):
            negated = _negated(e)
            if isinstance(negated, t.Is):
                return (inner(negated.value, RANGE), " is not ", negated.state)
            if negated is not None:
                first, rest = _links(t.Binary("not in", negated.left, negated.right))
                return Group((first, Nest(rest)))
            return ("-", inner(value, UNARY)) if op == "-" else ("not ", inner(value, NOT))
        case t.Is(value, state):
            return (inner(value, RANGE), " is ", state)
        case t.Range(low, high):
            return (inner(low, SUM), "..", inner(high, SUM))


def _links(e: t.Binary) -> tuple[Doc, Doc]:
    """Operators of one level, which break together: the first operand of `a + b - c`, the rest."""
    level = level_of(e)
    if level == TEST:
        return inner(e.left, RANGE), (Line(), e.op, " ", inner(e.right, RANGE))
    tail: list[Doc] = []
    first: t.Expr = e
    while isinstance(first, t.Binary) and level_of(first) == level:
        op = "/" if first.op in ROUNDED else first.op
        tail.append((Line(), op, " ", inner(first.right, level + 1), ROUNDED.get(first.op, "")))
        first = first.left
    return inner(first, level), tuple(reversed(tail))


def _ladder(e: t.IfElse) -> Doc:
    """`if .. then .. else if .. then .. else ..`, a rung a line when broken."""
    rungs: list[Doc] = []
    last: t.Expr = e
    while isinstance(last, t.IfElse):
        rungs.append(Group(("if ", inner(last.test), Nest((Line(), "then ", inner(last.then))))))
        last = last.other
    rungs.append(inner(last))
    return Group(joined(rungs, (Line(), "else ")))


def _call(e: t.Call) -> Doc:
    head = _stem(e.function)
    if not e.args:
        return (head, "()")
    if len(e.args) == 1 and not e.folds and _is_collection(e.args[0]):
        return (head, "(", inner(e.args[0]), ")")
    args = listed(map(inner, e.args))
    if not e.folds:
        return (head, bracketed("(", args, ")"))
    parts: list[Doc] = [Group(args)]
    if e.where is not None:
        parts.append((Line(), "where ", inner(e.where)))
    if e.body is not None:
        parts.append((":", Line(), inner(e.body)))
    if e.by is not None:
        parts.append((Line(), "by lowest " if e.lowest else "by ", inner(e.by, ANY, DIRECTIONS)))
    return (head, Group(("(", Nest(tuple(parts)), ")")))


def _is_collection(e: t.Expr) -> bool:
    return isinstance(e, t.SetOf | t.SetWhere | t.MapOf | t.ListOf)


def _map(e: t.MapOf) -> Doc:
    rows = [Group((listed(map(_item, keys)), " -> ", inner(value))) for keys, value in e.rows]
    if e.other is not None:
        rows.append(Group(("else -> ", inner(e.other))))
    return bracketed("{", listed(rows), "}")


def _item(e: t.Expr) -> Doc:
    return inner(e, ANY, ITEM_WORDS)


def _items(opening: str, items: tuple[t.Expr, ...], closing: str, words: frozenset[str]) -> Doc:
    """Items of a set or a list: names and numbers fill their lines, others have one each."""
    if not items:
        return opening + closing
    docs = list(map(inner, items, repeat(ANY), repeat(words)))
    if all(isinstance(d, str) for d in docs):
        return bracketed(opening, joined(docs, (",", Group(Line()))), closing)
    return bracketed(opening, listed(docs), closing)


def _set_where(binder: t.Binder, image: t.Expr | None) -> Doc:
    domain = binder.domain
    if image is not None:
        head: Doc = (_item(image), Line(), "for ", binder.name, " in ", inner(domain))
    elif binder.name == "_" and not _is_membership(domain):
        head = _item(domain)
    else:
        head = (binder.name, " in ", inner(domain, RANGE))
    return head if binder.where is None else (head, Line(), "where ", inner(binder.where))


def _is_membership(e: t.Expr) -> bool:
    return isinstance(e, t.Binary) and e.op == "in" and isinstance(e.left, t.Name)


def time_text(value: int) -> str:
    """Milliseconds as a book would say them: `20 ms`, `1.5 s`, `60 s`, `2 min`."""
    if value >= 120_000 and value % 60_000 == 0:
        return f"{value // 60_000} min"
    whole, part = divmod(value, 1000)
    if whole >= 1_000_000_000:
        whole, part = divmod(value * 1000 // 60_000, 1000)
        return f"{whole}.{part:03}".rstrip("0").rstrip(".") + " min"
    if part and not whole:
        return f"{part} ms"
    return f"{whole}.{part:03}".rstrip("0").rstrip(".") + " s" if part else f"{whole} s"


def binder_doc(b: t.Binder) -> Doc:
    """`x in S where P`, outside brackets."""
    head: Doc = (b.name, " in ", top(b.domain))
    return head if b.where is None else (head, " where ", top(b.where))


def binders_doc(binders: tuple[t.Binder, ...]) -> Doc:
    """` for x in S, y in T`, or nothing."""
    return (" for ", joined(map(binder_doc, binders), ", ")) if binders else ""


def type_doc(of: t.Type) -> Doc:
    """A type as written."""
    match of:
        case t.OptionalType(inside):
            return ("optional ", type_doc(inside))
        case t.SetType(inside):
            return ("set of ", type_doc(inside))
        case t.ListType(inside, limit):
            return ("list of ", type_doc(inside), " up to ", top(limit, SUM))
        case t.PatternType(board, inside):
            return (f"pattern over {board} of ", type_doc(inside))
        case t.ValueType(value):
            return top(value, RANGE, TYPE_WORDS)
        case _:
            raise AssertionError(f"no type is printed like {type(of).__name__}")
