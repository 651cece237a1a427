"""Loops and branches of the control graph: statements that go round, choose a way or stop.

In: a statement and the flow under construction. Out: blocks and exits. What is still to be gone
through is a field of the rule's frame, so that a loop may wait for somebody inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import evolve

from compiler import effects
from compiler.elaborate import condition, constant, elaborate, number
from compiler.machine import effects as e
from compiler.machine.exprs import Binary, Builtin, Const, Expr, Fold, Local, Read, Unary
from compiler.machine.values import (
    BoolType,
    IntType,
    MemberType,
    SetType,
)
from compiler.scope import EventSymbol, Scope
from compiler.types import integer, mismatch, resolve, walkable
from dsl import statements as s
from dsl import tree as t

if TYPE_CHECKING:
    from compiler.flow import Flow


def branch(flow: Flow, stmt: s.If, scope: Scope) -> None:
    """`if`: a block for each way, and one behind them."""
    test = condition(stmt.test, scope)
    if isinstance(test, Const):
        flow.body(stmt.then if test.value else stmt.other, scope)
        return
    yes, no, end = (flow.block(scope.path) for _ in range(3))
    flow.leave(e.Branch(test, yes, no, effects.clause_of(stmt, scope)))
    for start, body in ((yes, stmt.then), (no, stmt.other)):
        flow.at = start
        flow.body(body, scope)
        flow.leave(e.Goto(end))
    flow.at = end


def for_each(flow: Flow, stmt: s.ForEach, scope: Scope) -> None:
    """`for each`: the members that are left are a field of the frame."""
    if isinstance(stmt.domain, t.Range):
        count_up(flow, stmt, scope)
        return
    domain = elaborate(stmt.domain, scope)
    if not isinstance(domain.type, SetType):
        raise mismatch(flow.draft, SetType(-1), domain.type, stmt.domain.span)
    index = domain.type.domain
    made = flow.draft.domains[index]
    rest = flow.frame(f"{stmt.name} rest", domain.type)
    raw = flow.frame(stmt.name, MemberType(index))
    item: Expr = flow.read(raw, MemberType(index))
    if made.kind == "range":
        kind = IntType(made.start, made.start + made.size - 1)
        item = Binary("+", Read(raw, (), IntType(0, made.size - 1)), integer(made.start), kind)
    clause = effects.clause_of(stmt, scope)
    flow.emit([e.Assign(rest, (), domain, clause)])
    head, inside, end = (flow.block(scope.path) for _ in range(3))
    flow.go(head)
    left = Read(rest, (), domain.type)
    flow.leave(e.Branch(Binary("=", left, Const(0, domain.type), BoolType()), end, inside, -1))
    flow.at = inside
    flow.emit([e.Assign(raw, (), next_member(flow, stmt, left, scope), -1)])
    single = Unary("single", Read(raw, (), MemberType(index)), domain.type)
    flow.emit([e.Assign(rest, (), Binary("minus", left, single, domain.type), -1)])
    flow.loops.append(end)
    flow.body(stmt.body, scope.child(**{stmt.name: item}))
    flow.loops.pop()
    flow.leave(e.Goto(head))
    flow.at = end


def next_member(flow: Flow, stmt: s.ForEach, left: Expr, scope: Scope) -> Expr:
    """The member of the rest that comes next."""
    assert isinstance(left.type, SetType)
    kind = MemberType(left.type.domain, True)
    walk = stmt.walk
    if walk is not None and walk.kind in ("clockwise", "counterclockwise"):
        assert walk.value is not None
        first = elaborate(walk.value, scope, MemberType(0))
        name = "after" if walk.kind == "clockwise" else "before"
        return Builtin(name, (left, first, integer(flow.draft.players)), kind)
    slot = scope.new_slot()
    key: Expr = integer(0)
    lowest = True
    if walk is not None and walk.kind == "by_value":
        assert walk.value is not None
        local: Expr = Local(slot, MemberType(left.type.domain))
        key = number(walk.value, scope.child(**{stmt.name: local}))
        lowest = walk.lowest
    return Fold("first", slot, left, None, None, None, key, lowest, kind)


def count_up(flow: Flow, stmt: s.ForEach, scope: Scope) -> None:
    """`for each i in low..high`: a counter in the frame."""
    assert isinstance(stmt.domain, t.Range)
    low, high = number(stmt.domain.low, scope), number(stmt.domain.high, scope)
    assert isinstance(low.type, IntType) and isinstance(high.type, IntType)
    kind = walkable(flow.draft, IntType(low.type.low, high.type.high), stmt.domain.span)
    wide = IntType(kind.low, kind.high + 1)
    counter = flow.frame(stmt.name, wide)
    last = flow.frame(f"{stmt.name} last", high.type)
    counted(
        flow,
        counter,
        last,
        low,
        high,
        scope,
        lambda: flow.body(stmt.body, scope.child(**{stmt.name: Read(counter, (), kind)})),
    )


def counted(
    flow: Flow,
    counter: int,
    last: int,
    low: Expr,
    high: Expr,
    scope: Scope,
    inner: Callable[[], None],
) -> None:
    """Count from low to high and lower `inner` once, inside."""
    wide = flow.draft.fields[counter].type
    flow.emit([e.Assign(counter, (), low, -1), e.Assign(last, (), high, -1)])
    head, inside, end = (flow.block(scope.path) for _ in range(3))
    flow.go(head)
    test = Binary("<=", Read(counter, (), wide), Read(last, (), high.type), BoolType())
    flow.leave(e.Branch(test, inside, end, -1))
    flow.at = inside
    flow.loops.append(end)
    inner()
    flow.loops.pop()
    flow.emit([e.Change(counter, (), integer(1), "strict", None, -1)])
    flow.leave(e.Goto(head))
    flow.at = end


def repeat_times(flow: Flow, times: Expr, scope: Scope, inner: Callable[[], None]) -> None:
    """Repeat what `inner` lowers so many times."""
    assert isinstance(times.type, IntType)
    counter = flow.frame("round", IntType(0, max(times.type.high, 0) + 1))
    last = flow.frame("rounds", times.type)
    counted(flow, counter, last, integer(1), times, scope, inner)


def repeat(flow: Flow, stmt: s.Repeat, scope: Scope) -> None:
    """`repeat`: so many times, while or until something holds, or for ever."""
    if stmt.kind == "times":
        assert stmt.value is not None
        times = number(stmt.value, scope)
        assert isinstance(times.type, IntType)
        walkable(flow.draft, evolve(times.type, low=0), stmt.value.span)
        repeat_times(flow, times, scope, lambda: flow.body(stmt.body, scope))
        return
    head, inside, end = (flow.block(scope.path) for _ in range(3))
    flow.go(head)
    if stmt.value is None:
        flow.leave(e.Goto(inside))
    else:
        test = condition(stmt.value, scope)
        yes, no = (inside, end) if stmt.kind == "while" else (end, inside)
        flow.leave(e.Branch(test, yes, no, effects.clause_of(stmt, scope)))
    flow.at = inside
    flow.loops.append(end)
    flow.body(stmt.body, scope)
    flow.loops.pop()
    flow.leave(e.Goto(head))
    flow.at = end


def match(flow: Flow, stmt: s.Match, scope: Scope) -> None:
    """`match`: the cases tried in order."""
    value = elaborate(stmt.value, scope)
    if not isinstance(value, Const | Read):
        scope = flow.bind("matched", value, scope, stmt)
        value = scope.locals["matched"]
    effects.exhaustive(stmt, value, scope)
    end = flow.block(scope.path)
    for case in stmt.cases:
        test = effects.case_test(case, value, scope)
        clause = flow.draft.clause(scope.path, "effect", "", case.cites, case.span)
        yes, no = flow.block(scope.path), flow.block(scope.path)
        flow.leave(e.Goto(yes) if test is None else e.Branch(test, yes, no, clause))
        flow.at = yes
        flow.body(case.body, scope)
        flow.leave(e.Goto(end))
        flow.at = no
    flow.go(end)


def stop(flow: Flow, stmt: s.Stop, scope: Scope) -> None:
    """`stop`: out of a loop, a step or the rule."""
    effects.clause_of(stmt, scope)
    if stmt.path:
        found = stmt.path
        if found not in flow.labels and f"{scope.path.split('.')[0]}.{found}" in flow.labels:
            found = f"{scope.path.split('.')[0]}.{found}"
        known = found in flow.labels or found.split(".")[0] in flow.draft.symbols
        if not known:
            raise flow.draft.unknown(stmt.path, stmt.span, "step")
        flow.leave(e.Goto(flow.label(found)))
    elif flow.loops:
        flow.leave(e.Goto(flow.loops[-1]))
    else:
        flow.leave(e.Goto(flow.label(scope.path.split(".")[0])))
    flow.at = flow.block(scope.path)


def give(flow: Flow, stmt: s.Act, scope: Scope) -> None:
    """`give x`: the result of the rule, and its end."""
    assert flow.rule is not None and stmt.value is not None
    if flow.rule.result < 0:
        raise flow.draft.fail("E0421", "this rule does not say that it gives a value", stmt.span)
    kind = flow.draft.fields[flow.rule.result].type
    value = elaborate(stmt.value, scope, kind)
    flow.emit([e.Assign(flow.rule.result, (), value, effects.clause_of(stmt, scope))])
    flow.leave(e.Goto(flow.label(flow.rule.decl.name)))
    flow.at = flow.block(scope.path)


def later(flow: Flow, stmt: s.Act, scope: Scope) -> None:
    """A statement of clocks and events: typed, not executed."""
    assert stmt.value is not None
    flow.draft.not_yet(f"'{stmt.op.replace('_', ' ')}'", stmt.span)
    if stmt.op != "announce":
        elaborate(stmt.value, scope)
        return
    call = stmt.value if isinstance(stmt.value, t.Call) else t.Call(stmt.value, ())
    name = call.function.name if isinstance(call.function, t.Name) else ""
    symbol = flow.draft.symbols.get(name)
    if not isinstance(symbol, EventSymbol):
        raise flow.draft.unknown(name or "this", stmt.span, "event")
    if len(call.args) != len(symbol.decl.params):
        raise flow.draft.fail(
            "E0411", f"'{name}' takes {len(symbol.decl.params)} argument(s)", stmt.span
        )
    for param, arg in zip(symbol.decl.params, call.args, strict=True):
        kind = None
        if param.type is not None:
            kind = resolve(flow.draft, param.type, lambda x: constant(x, Scope(flow.draft)))
        elaborate(arg, scope, kind)
