"""Triggers and durations: what fires after which write, and when applied patches start and end.

A `when ... becomes true` compiles to a procedure that compares each condition with what it was
before; it runs after every statement (or whole batch) that writes something the condition reads.
Durations are anchored to the begin or end of named rules.
"""

from __future__ import annotations

from typing import Any

import attrs

from compiler.elaborate import condition, elaborate
from compiler.folds import over
from compiler.machine import effects as e
from compiler.machine import record as m
from compiler.machine.exprs import (
    Binary,
    Builtin,
    Cond,
    Const,
    Expr,
    Invoke,
    Local,
    Possible,
    Read,
    Unary,
)
from compiler.machine.values import BoolType, IntType, SetType
from compiler.patches import ACTIVE, WAITING
from compiler.scope import Draft, PatchSymbol, Scope, guarded
from compiler.suspends import nodes
from compiler.types import as_key, integer
from dsl import declarations as d
from dsl import statements as s
from dsl import tree as t

STATE = IntType(0, 2)


@attrs.define
class Trigger:
    """A registered trigger: what it reads, and the procedure that tests and fires it."""

    decl: d.When
    reads: set[int]
    procedure: int
    was: int
    prime: int


@attrs.frozen
class Anchor:
    """A duration's end or start: `patch` applied with `args`, at a moment of `rule(values)`."""

    patch: str
    args: tuple[t.Expr, ...]
    rule: str
    values: tuple[t.Expr, ...]
    moment: str
    starts: bool


# -- what is read and written --------------------------------------------------------------------


def reads_of(node: Any, draft: Draft, seen: set[int] | None = None) -> set[int]:
    """The fields that an expression may read, through definitions and choices."""
    seen = set() if seen is None else seen
    out: set[int] = set()
    for part in nodes(node):
        match part:
            case Read(field):
                out.add(field)
            case Invoke(number) if number not in seen:
                seen.add(number)
                out |= reads_of(draft.functions[number], draft, seen)
            case Possible(number) if -1 - number not in seen:
                seen.add(-1 - number)
                out |= reads_of(draft.choosers[number], draft, seen)
            case Builtin(name, (Const(place), *_)) if name.startswith("place_"):
                assert isinstance(place, int)
                out |= {draft.places[place].field, draft.places[place].size}
    return out


def writes_of(made: Any, draft: Draft) -> set[int]:
    """The fields that effects may write themselves (procedures fire their own triggers)."""
    out: set[int] = set()
    for part in nodes(made):
        match part:
            case e.Assign(field) | e.Change(field):
                out.add(field)
            case e.MoveSet(kind) | e.MoveTop(kind) | e.TurnOver(kind):
                out.add(draft.kinds[kind].where)
                for place in draft.places:
                    if place.kind == kind:
                        out |= {place.field, place.size}
    return out


def after(made: tuple[e.Effect, ...], draft: Draft) -> list[e.Effect]:
    """The trigger runs that must follow these effects."""
    found = draft.triggers
    if not found or not made:
        return []
    written = writes_of(
        tuple(x for x in made if not isinstance(x, e.When | e.Loop | e.Repeat)), draft
    )
    return [e.Run(x.procedure, (), -1) for x in found if x.reads & written]


# -- triggers ------------------------------------------------------------------------------------


def register(draft: Draft, whens: list[d.When]) -> None:
    """Give every condition trigger its memory and its procedures, then lower their bodies."""
    for when in whens:
        if when.moment == "true":
            with guarded():
                _register(draft, when)
    for trigger in list(draft.triggers):
        with guarded():
            _lower(draft, trigger)


def _binders(when: d.When, scope: Scope) -> tuple[list[Any], Scope]:
    ran = []
    for binder in when.binders:
        made = over(binder.domain, scope)
        if not isinstance(made.over, Const) or not isinstance(made.over.type, SetType):
            raise scope.draft.fail(
                "E0405", "a trigger watches each member of a known set", binder.span
            )
        ran.append(made)
        scope = scope.child(**{binder.name: made.value})
    return ran, scope


def _register(draft: Draft, when: d.When) -> None:
    number = len(draft.triggers)
    scope = Scope(draft, path=f"when{number}")
    ran, inner = _binders(when, scope)
    test = condition(when.event, inner)
    dims = tuple(r.over.type.domain for r in ran)
    was = draft.add_field(
        f"trigger {number}", "system", dims, BoolType(), visible=m.Visible("hidden")
    )
    draft.procedures += [None, None]
    procedure = len(draft.procedures) - 2
    draft.triggers.append(Trigger(when, reads_of(test, draft), procedure, was, procedure + 1))


def _name(when: d.When, number: int) -> str:
    for effect in when.body:
        if isinstance(effect, s.Apply):
            called = effect.patch
            called = called.function if isinstance(called, t.Call) else called
            return f"when.{called.name}" if isinstance(called, t.Name) else f"when.{number}"
    return f"when.{number + 1}"


def _lower(draft: Draft, trigger: Trigger) -> None:
    from compiler.effects import lower

    number = draft.triggers.index(trigger)
    when = trigger.decl
    name = _name(when, number)
    scope = Scope(draft, path=name)
    ran, inner = _binders(when, scope)
    keys = tuple(Local(r.slot, IntType(0, 1 << 20)) for r in ran)
    test = condition(when.event, inner)
    was = Read(trigger.was, keys, BoolType())
    clause = draft.clause(name, "trigger", "", when.cites, when.span)
    params = {b.name: r.value for b, r in zip(when.binders, ran, strict=True)}
    body = lower(when.body, attrs.evolve(inner, params=params))
    set_ = e.Assign(trigger.was, keys, integer(1), -1)
    clear = e.Assign(trigger.was, keys, integer(0), -1)
    fresh = Binary("and", test, Unary("not", was, BoolType()), BoolType())
    stale = Binary("and", was, Unary("not", test, BoolType()), BoolType())
    made: tuple[e.Effect, ...] = (
        e.When(fresh, (set_, *body), (e.When(stale, (clear,), (), -1),), clause),
    )
    prime: tuple[e.Effect, ...] = (e.Assign(trigger.was, keys, test, -1),)
    for r in reversed(ran):
        made = (e.Loop(r.slot, r.over, None, None, None, True, made, -1),)
        prime = (e.Loop(r.slot, r.over, None, None, None, True, prime, -1),)
    draft.procedures[trigger.procedure] = m.Procedure(name, (), made, clause)
    draft.procedures[trigger.prime] = m.Procedure(f"{name}.start", (), prime, -1)


def primes(draft: Draft) -> list[e.Effect]:
    """What makes a condition that holds from the very beginning no event."""
    return [e.Run(x.prime, (), -1) for x in draft.triggers]


def ended_field(draft: Draft) -> int:
    """The field that a trigger writes when it ends the game: the ending's number plus one."""
    if draft.ended is None:
        draft.ended = draft.add_field(
            "ended", "system", (), IntType(0, 255), visible=m.Visible("hidden")
        )
    return draft.ended


def finish(stmt: s.EndGame, scope: Scope) -> e.Effect:
    """`end game` inside a trigger: noted at once, and acted on before the next statement."""
    from compiler.endings import ending

    number = ending(stmt, scope)
    field = ended_field(scope.draft)
    return e.Assign(field, (), integer(number + 1), scope.draft.endings[number].clause)


# -- durations -----------------------------------------------------------------------------------


def _call(node: t.Expr) -> tuple[str, tuple[t.Expr, ...]]:
    if isinstance(node, t.Call) and isinstance(node.function, t.Name):
        return node.function.name, node.args
    return (node.name, ()) if isinstance(node, t.Name) else ("", ())


def collect(draft: Draft, decls: tuple[Any, ...]) -> None:
    """Find every anchored duration in the rules, triggers and patches."""
    for part in nodes(decls):
        if not isinstance(part, s.Apply):
            continue
        patch, args = _call(part.patch)
        if part.lasting.start is not None:
            rule, values = _call(part.lasting.start)
            draft.anchors.append(Anchor(patch, args, rule, values, "begins", True))
        if part.lasting.until is not None:
            rule, values = _call(part.lasting.until)
            draft.anchors.append(Anchor(patch, args, rule, values, part.lasting.moment, False))
    lasting: dict[str, set[tuple[str, str, bool]]] = {}
    for a in draft.anchors:
        lasting.setdefault(a.patch, set()).add((a.rule, a.moment, a.starts))
    for patch, found in lasting.items():
        if len([x for x in found if not x[2]]) > 1:
            draft.report.error("E0505", f"'{patch}' is applied with two different durations")


def at(draft: Draft, rule: str, moment: str, params: tuple[Expr, ...]) -> list[e.Effect]:
    """What begins or ends at this moment of a rule."""
    out: list[e.Effect] = []
    for anchor in sorted(set(draft.anchors), key=lambda a: (a.patch, a.starts)):
        symbol = draft.symbols.get(anchor.patch)
        if anchor.rule == rule and anchor.moment == moment and isinstance(symbol, PatchSymbol):
            out += _switch(draft, anchor, symbol, params)
    return out


def _switch(
    draft: Draft, anchor: Anchor, symbol: PatchSymbol, params: tuple[Expr, ...]
) -> list[e.Effect]:
    dims = draft.fields[symbol.field].dims
    keys: list[Expr] = []
    loops: list[tuple[int, int]] = []
    for arg, dim in zip(anchor.args, dims, strict=True):
        if arg in anchor.values:
            keys.append(params[anchor.values.index(arg)])
            continue
        slot = 1000 + len(loops)
        loops.append((slot, dim))
        keys.append(Local(slot, IntType(0, draft.domains[dim].size - 1)))
    state = Read(symbol.field, tuple(keys), STATE)
    before, then = (WAITING, ACTIVE) if anchor.starts else (ACTIVE, 0)
    change = e.Assign(symbol.field, tuple(keys), integer(then), -1)
    test = Binary("=", state, integer(before), BoolType())
    made: e.Effect = e.When(test, (change,), (), -1)
    for slot, dim in loops:
        everything = Const((1 << draft.domains[dim].size) - 1, SetType(dim))
        made = e.Loop(slot, everything, None, None, None, True, (made,), -1)
    return [made]


def _patch_target(node: t.Expr, scope: Scope) -> tuple[PatchSymbol, tuple[Expr, ...]]:
    name, args = _call(node)
    symbol = scope.draft.symbols.get(name)
    if not isinstance(symbol, PatchSymbol):
        if symbol is None:
            raise scope.draft.unknown(name or "this", node.span, "patch")
        raise scope.draft.fail("E0506", f"'{name}' is not a patch", node.span)
    dims = scope.draft.fields[symbol.field].dims
    if len(dims) != len(args):
        raise scope.draft.fail("E0411", f"'{name}' takes {len(dims)} argument(s)", node.span)
    keys = tuple(
        as_key(scope.draft, dim, elaborate(a, scope), a.span)
        for dim, a in zip(dims, args, strict=True)
    )
    return symbol, keys


def apply(stmt: s.Apply, scope: Scope) -> list[e.Effect]:
    """`apply patch(args) ...`: active at once, or waiting for its start."""
    lasting = stmt.lasting
    if lasting.during is not None or lasting.next_of:
        raise scope.draft.fail("E0901", "this duration is not executed by this version", stmt.span)
    symbol, keys = _patch_target(stmt.patch, scope)
    clause = scope.draft.clause(scope.path, "effect", "", stmt.cites, stmt.span)
    value: Expr = integer(ACTIVE)
    if lasting.start is not None:
        state = Read(symbol.field, keys, STATE)
        held = Binary("=", state, integer(ACTIVE), BoolType())
        value = Cond(held, integer(ACTIVE), integer(WAITING), STATE)
    return [e.Assign(symbol.field, keys, value, clause)]


def lift(stmt: s.Act, scope: Scope) -> list[e.Effect]:
    """`lift patch(args)`"""
    assert stmt.value is not None
    symbol, keys = _patch_target(stmt.value, scope)
    clause = scope.draft.clause(scope.path, "effect", "", stmt.cites, stmt.span)
    return [e.Assign(symbol.field, keys, integer(0), clause)]
