"""Statements without a decision: to structured effects.

In: statements and a scope whose names may be locals. Out: a tuple of machine effects. Triggers are
run after each statement that writes what they look at, or after a whole simultaneous batch.
"""

from __future__ import annotations

from attrs import evolve

from compiler import moves, patches, triggers
from compiler.elaborate import condition, elaborate, number
from compiler.folds import over
from compiler.machine import effects as e
from compiler.machine.exprs import Binary, Builtin, Const, Expr, Local, Read, Unary
from compiler.machine.values import BoolType, IntType, MemberType, SetType, VectorType
from compiler.scope import FieldSymbol, PatchSymbol, RuleSymbol, Scope
from compiler.types import fits, integer, mismatch, walkable
from dsl import statements as s
from dsl import tree as t

MAX_TIMES = 10_000


def lower(body: tuple[s.Stmt, ...], scope: Scope, batch: bool = False) -> tuple[e.Effect, ...]:
    """The effects of a block; names that a `let` binds are seen by what follows."""
    out: list[e.Effect] = []
    for stmt in body:
        made, scope = one(stmt, scope, batch)
        out += made
        if not batch:
            out += triggers.after(tuple(made), scope.draft)
    return tuple(out)


def clause_of(stmt: s.Stmt, scope: Scope, kind: str = "effect") -> int:
    """The clause of a statement: its path and what it cites."""
    return scope.draft.clause(scope.path, kind, "", stmt.cites, stmt.span)


def one(stmt: s.Stmt, scope: Scope, batch: bool = False) -> tuple[list[e.Effect], Scope]:
    """The effects of one statement and the scope after it."""
    draft = scope.draft
    match stmt:
        case s.Let(_, name, value):
            slot = scope.new_slot()
            made = elaborate(value, scope)
            return [e.Bind(slot, made)], scope.child(**{name: Local(slot, made.type)})
        case s.Change():
            return change(stmt, scope), scope
        case s.Move():
            return moves.move(stmt, scope), scope
        case s.If(_, test, then, other):
            asked = condition(test, scope)
            if isinstance(asked, Const):
                return list(lower(then if asked.value else other, scope, batch)), scope
            clause = clause_of(stmt, scope)
            return [
                e.When(asked, lower(then, scope, batch), lower(other, scope, batch), clause)
            ], scope
        case s.ForEach():
            return [_loop(stmt, scope, batch)], scope
        case s.Repeat():
            return [_repeat(stmt, scope, batch)], scope
        case s.AtOnce(_, body):
            return [e.AtOnce(lower(body, scope, True), clause_of(stmt, scope))], scope
        case s.Step(_, name, body):
            return list(step(stmt, scope.under(name), batch)), scope
        case s.Match():
            return _match(stmt, scope, batch), scope
        case s.Apply():
            return triggers.apply(stmt, scope), scope
        case s.Act():
            return _act(stmt, scope, batch), scope
        case s.EndGame() if scope.path.startswith("when."):
            return [triggers.finish(stmt, scope)], scope
    raise draft.fail(
        "E0901", "this statement cannot stand inside a batch or a loop without decisions", stmt.span
    )


def step(stmt: s.Step, scope: Scope, batch: bool) -> tuple[e.Effect, ...]:
    """A step without decisions, with what patches do to it."""
    clause_of(stmt, scope, "step")
    return patched(scope.path, stmt.body, scope, batch)


def patched(path: str, body: tuple[s.Stmt, ...], scope: Scope, batch: bool) -> tuple[e.Effect, ...]:
    """A body with the edits at its path woven in, the last patch outermost."""
    draft = scope.draft
    made = lower(body, scope, batch)
    for patch, edit in patches.edits(draft, path, "replace", "drop", "before", "after"):
        inner = evolve(scope, path=f"{path}.{patch.name}", original=made)
        active = patches.active(patch, inner, edit.span)
        clause = draft.clause(
            inner.path, "patch", patch.text, (*patch.cites, *edit.cites), edit.span
        )
        added = lower(edit.body, inner, batch)
        if edit.op in ("replace", "drop"):
            made = when(active, added, made, clause)
        elif edit.op == "before":
            made = when(active, added, (), clause) + made
        else:
            made = made + when(active, added, (), clause)
    return made


def when(
    test: Expr, then: tuple[e.Effect, ...], other: tuple[e.Effect, ...], clause: int
) -> tuple[e.Effect, ...]:
    """A condition, decided now where its test is constant."""
    if isinstance(test, Const):
        return then if test.value else other
    if not then and not other:
        return ()
    return (e.When(test, then, other, clause),)


def target(node: t.Expr, scope: Scope) -> Read:
    """What a `set` or `add` writes to: a variable with its indices."""
    made = elaborate(node, scope)
    base = node.value if isinstance(node, t.Index) else node
    name = base.name if isinstance(base, t.Name) else ""
    symbol = scope.draft.symbols.get(name)
    if isinstance(made, Read) and isinstance(symbol, FieldSymbol | PatchSymbol):
        return made
    if isinstance(made, Read) and name in scope.locals:
        raise scope.draft.fail("E0420", f"'{name}' was bound once and does not change", node.span)
    raise scope.draft.fail(
        "E0420", "only a variable can be changed", node.span, help="places change by 'move'"
    )


def change(stmt: s.Change, scope: Scope) -> list[e.Effect]:
    """`set`, `add` and `subtract` with their bounds."""
    place = target(stmt.target, scope)
    kind = place.type
    clause = clause_of(stmt, scope)
    draft = scope.draft
    if stmt.op == "set":
        if isinstance(kind, VectorType) and not isinstance(stmt.value, t.MapOf):
            value = elaborate(stmt.value, scope, None)
            return [e.Assign(place.field, place.index, value, clause)]
        if stmt.bound is not None:
            return _bounded_set(stmt, place, clause, scope)
        value = elaborate(stmt.value, scope, kind)
        return [e.Assign(place.field, place.index, value, clause)]
    if isinstance(kind, SetType):
        op = "union" if stmt.op == "add" else "minus"
        value = fits(draft, elaborate(stmt.value, scope, None), kind, stmt.value.span)
        return [e.Assign(place.field, place.index, Binary(op, place, value, kind), clause)]
    if not isinstance(kind, IntType):
        raise mismatch(draft, IntType(0, 0), kind, stmt.target.span)
    delta = number(stmt.value, scope)
    if stmt.op == "subtract":
        assert isinstance(delta.type, IntType)
        delta = Unary("neg", delta, IntType(-delta.type.high, -delta.type.low))
    mode, limit = _mode(stmt, scope)
    return [e.Change(place.field, place.index, delta, mode, limit, clause)]


def _mode(stmt: s.Change, scope: Scope) -> tuple[str, Expr | None]:
    if stmt.bound is None:
        return "strict", None
    names = {"as_fits": "fit", "wrap": "wrap", "at_most": "at_most", "at_least": "at_least"}
    limit = None if stmt.bound.limit is None else number(stmt.bound.limit, scope)
    return names[stmt.bound.kind], limit


def _bounded_set(stmt: s.Change, place: Read, clause: int, scope: Scope) -> list[e.Effect]:
    """`set x to v at least n` and its like."""
    assert stmt.bound is not None
    kind = place.type
    value = number(stmt.value, scope)
    if stmt.bound.kind == "wrap":
        assert isinstance(kind, IntType)
        size = kind.high - kind.low + 1
        wide = IntType(-(1 << 40), 1 << 40)
        shifted = Binary("-", value, integer(kind.low), wide)
        turned = Binary("mod", shifted, integer(size), IntType(0, size - 1))
        made: Expr = Binary("+", turned, integer(kind.low), kind)
        return [e.Assign(place.field, place.index, made, clause)]
    if stmt.bound.limit is None or stmt.bound.kind == "as_fits":
        raise scope.draft.fail("E0420", "'as much as fits' goes with add", stmt.span)
    limit = number(stmt.bound.limit, scope)
    op = "lower" if stmt.bound.kind == "at_most" else "higher"
    assert isinstance(kind, IntType)
    return [e.Assign(place.field, place.index, Builtin(op, (value, limit), kind), clause)]


def _loop(stmt: s.ForEach, scope: Scope, batch: bool) -> e.Effect:
    ran = over(stmt.domain, scope)
    inner = scope.child(**{stmt.name: ran.value})
    key, lowest = walk_key(stmt.walk, ran.value, inner, scope)
    body = lower(stmt.body, inner, batch)
    clause = clause_of(stmt, scope)
    return e.Loop(ran.slot, ran.over, ran.low, ran.high, key, lowest, body, clause)


def walk_key(
    walk: s.Walk | None, value: Expr, inner: Scope, scope: Scope
) -> tuple[Expr | None, bool]:
    """The value that orders a loop, and whether the lowest comes first."""
    if walk is None or walk.kind == "any_order":
        return None, True
    assert walk.value is not None
    if walk.kind == "by_value":
        return number(walk.value, inner), walk.lowest
    first = elaborate(walk.value, scope, MemberType(0))
    count = scope.draft.players
    one, two = (value, first) if walk.kind == "clockwise" else (first, value)
    if value.type != MemberType(0):
        raise mismatch(scope.draft, MemberType(0), value.type, walk.span)
    gap = Binary("-", one, two, IntType(-count, count))
    return Binary("mod", gap, integer(count), IntType(0, count - 1)), True


def _repeat(stmt: s.Repeat, scope: Scope, batch: bool) -> e.Effect:
    if stmt.kind == "times" and stmt.value is not None:
        high = number(stmt.value, scope)
        assert isinstance(high.type, IntType)
        walkable(scope.draft, evolve(high.type, low=0), stmt.value.span)
        body = lower(stmt.body, scope, batch)
        slot = scope.new_slot()
        return e.Loop(slot, None, integer(1), high, None, True, body, clause_of(stmt, scope))
    if stmt.value is None:
        raise scope.draft.fail(
            "E0706",
            "this repeats for ever without asking anybody",
            stmt.span,
            help="repeat while ..., repeat until ..., or repeat n times",
        )
    test = condition(stmt.value, scope)
    if stmt.kind == "until":
        test = Unary("not", test, BoolType())
    body = lower(stmt.body, scope, batch)
    return e.Repeat(test, integer(MAX_TIMES), body, clause_of(stmt, scope))


def _match(stmt: s.Match, scope: Scope, batch: bool) -> list[e.Effect]:
    made = elaborate(stmt.value, scope)
    slot = scope.new_slot()
    value = Local(slot, made.type)
    rest: tuple[e.Effect, ...] = ()
    for case in reversed(stmt.cases):
        body = lower(case.body, scope, batch)
        test = case_test(case, value, scope)
        clause = scope.draft.clause(scope.path, "effect", "", case.cites, case.span)
        rest = body if test is None else when(test, body, rest, clause)
    exhaustive(stmt, made, scope)
    return [e.Bind(slot, made), *rest]


def case_test(case: s.Case, value: Expr, scope: Scope) -> Expr | None:
    """The test of a case; None for `otherwise`."""
    test: Expr | None = None
    for pattern in case.patterns:
        want = value.type if isinstance(value.type, MemberType) else None
        same = Binary("=", value, elaborate(pattern, scope, want), BoolType())
        test = same if test is None else Binary("or", test, same, BoolType())
    return test


def exhaustive(stmt: s.Match, made: Expr, scope: Scope) -> None:
    """A match over a finite domain handles every member, once."""
    draft = scope.draft
    if any(not case.patterns for case in stmt.cases):
        return
    if not isinstance(made.type, MemberType):
        raise draft.fail("E0703", "this match needs an 'otherwise'", stmt.span)
    labels = draft.domains[made.type.domain].labels
    seen: set[int] = set()
    for case in stmt.cases:
        for pattern in case.patterns:
            value = elaborate(pattern, scope, made.type)
            if isinstance(value, Const) and isinstance(value.value, int):
                if value.value in seen:
                    draft.report.error("E0704", "this case stands twice", pattern.span)
                seen.add(value.value)
    missing = [x for i, x in enumerate(labels) if i not in seen]
    if missing:
        draft.report.error("E0703", f"no case for {', '.join(missing[:6])}", stmt.span)


def _act(stmt: s.Act, scope: Scope, batch: bool) -> list[e.Effect]:
    draft = scope.draft
    clause = clause_of(stmt, scope)
    match stmt.op:
        case "nothing":
            return []
        case "original":
            if not isinstance(scope.original, tuple):
                raise draft.fail(
                    "E0413", "'original' stands only in what a patch replaces", stmt.span
                )
            return list(scope.original)
        case "turn_over":
            raise draft.fail(
                "E0420", "turn over: write 'move all of A to B turned over'", stmt.span
            )
        case "reveal":
            assert stmt.value is not None
            draft.not_yet("'reveal'", stmt.span)
            seats = None if stmt.to is None else elaborate(stmt.to, scope, SetType(0))
            return [e.Reveal(elaborate(stmt.value, scope), seats, clause)]
        case "lift":
            return triggers.lift(stmt, scope)
        case "call":
            return _call(stmt, clause, scope)
    raise draft.fail(
        "E0901", f"'{stmt.op.replace('_', ' ')}' is not executed by this version", stmt.span
    )


def _call(stmt: s.Act, clause: int, scope: Scope) -> list[e.Effect]:
    from compiler.procedures import procedure

    draft = scope.draft
    node = stmt.value
    call = node if isinstance(node, t.Call) else t.Call(node or t.Nothing(), (), span=stmt.span)
    name = call.function.name if isinstance(call.function, t.Name) else ""
    symbol = draft.symbols.get(name)
    if not isinstance(symbol, RuleSymbol):
        if not name or (symbol is None and name not in draft.members):
            raise draft.unknown(name or "this", stmt.span, "rule")
        raise draft.fail("E0421", f"'{name}' is not a rule: this line does nothing", stmt.span)
    number_, args = procedure(symbol.decl, call.args, call, scope)
    return [e.Run(number_, args, clause)]
