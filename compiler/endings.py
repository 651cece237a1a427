"""Endings and values: how a game ends, and the score, progress and payoff of each seat.

In: an `end game` statement, or the declarations `score`, `progress`, `payoff`. Out: endings and
measures of the machine. Summands of a score are kept apart, so that people see where points come
from.
"""

from __future__ import annotations

from compiler.elaborate import elaborate, number
from compiler.machine import record as m
from compiler.machine.exprs import Const, Expr, Local
from compiler.machine.values import MemberType, SetType
from compiler.scope import Draft, Scope, guarded
from dsl import declarations as d
from dsl import statements as s
from dsl import tree as t


def text_of(node: t.Expr) -> str:
    """A short name for an expression: the called name, or its words."""
    match node:
        case t.Name(name):
            return name
        case t.Call(function):
            return text_of(function)
        case t.Index(value):
            return text_of(value)
        case t.Binary("*", left, right):
            one, two = text_of(left), text_of(right)
            return one if not isinstance(left, t.Int) else two
        case t.IfElse(_, then):
            return text_of(then)
    return "value"


def measures(draft: Draft, decls: tuple[d.Decl, ...]) -> list[m.Measure]:
    """The declared measures; a score is kept in the draft for `by score`."""
    out = []
    for made in decls:
        if not isinstance(made, d.Valued):
            continue
        with guarded():
            scope = _seat_scope(draft, made.kind).child(**{made.name: Local(0, MemberType(0))})
            value = number(made.value, scope)
            parts = tuple((text_of(x), number(x, scope)) for x in summands(made.value))
            draft.clause(made.kind, "score", "", made.cites, made.span)
            measure = m.Measure(made.kind, value, parts)
            out.append(measure)
            if made.kind == "score":
                draft.score = measure
    return out


def summands(node: t.Expr) -> list[t.Expr]:
    """The parts of a sum, as written."""
    if isinstance(node, t.Binary) and node.op == "+":
        return summands(node.left) + summands(node.right)
    return [node]


def _seat_scope(draft: Draft, path: str) -> Scope:
    return Scope(draft, path=path, slots=[1])


def ending(stmt: s.EndGame, scope: Scope) -> int:
    """The ending of a statement."""
    draft = scope.draft
    clause = draft.clause(scope.path, "end", "", stmt.cites, stmt.span)
    who: Expr | None = None
    keys: tuple[m.Key, ...] = ()
    how, shared = stmt.how, stmt.shared
    if stmt.how == "by_score":
        if draft.score is None:
            raise draft.fail("E0707", "'by score' needs a declared score", stmt.span)
        how, shared = "rank", True
        keys = (m.Key("score", draft.score.value, False),)
        who = everyone(draft)
    elif stmt.who is not None:
        who = seats(stmt.who, scope)
        if stmt.how == "rank":
            keys = tuple(_key(k, stmt.who, scope) for k in stmt.keys)
    draft.endings.append(m.Ending(how, who, keys, shared, stmt.stalled, clause))
    return len(draft.endings) - 1


def everyone(draft: Draft) -> Expr:
    """All seats."""
    return Const((1 << draft.players) - 1, SetType(0))


def seats(node: t.Expr, scope: Scope) -> Expr:
    """One seat or a set of seats, as a set; `p in seats` names the seat of a ranking."""
    if isinstance(node, t.Binary) and node.op == "in":
        node = node.right
    return elaborate(node, scope, SetType(0))


def _key(key: s.RankKey, who: t.Expr, scope: Scope) -> m.Key:
    name = "p"
    if isinstance(who, t.Binary) and who.op == "in" and isinstance(who.left, t.Name):
        name = who.left.name
    inner = _seat_scope(scope.draft, scope.path).child(**{name: Local(0, MemberType(0))})
    return m.Key(text_of(key.value), number(key.value, inner), key.lowest)
