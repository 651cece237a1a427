"""Choices: what may be chosen at a decision, and how subsets can be listed quickly.

In: the form of a pick or a declared `choice`. Out: a `Chooser` in the draft. `plan` recognises
demands of known shapes (a bounded sum of weights, connectedness, support by other members) so that
the runtime can grow legal subsets instead of trying all; what it recognises it never re-interprets:
the demands stay as they are for `why`, and the rest is tested as written.
"""

from __future__ import annotations

from typing import Any

import attrs

from compiler import patches
from compiler.definitions import folded_cond
from compiler.elaborate import condition, constant, elaborate, number
from compiler.machine import record as m
from compiler.machine.exprs import Binary, Builtin, Const, Expr, Fold, Local, Lookup
from compiler.machine.values import BoolType, IntType, MemberType, SetType, Type, VectorType
from compiler.operators import interval
from compiler.scope import Scope
from compiler.types import YES, integer, mismatch, resolve, walkable
from dsl import declarations as d
from dsl import statements as s
from dsl import tree as t


def chooser(
    decl: d.Choice, args: tuple[t.Expr, ...], node: t.Expr, scope: Scope
) -> tuple[int, tuple[Expr, ...]]:
    """The chooser of a declared choice and the elaborated arguments of one use of it."""
    draft = scope.draft
    if len(args) != len(decl.params):
        raise draft.fail("E0411", f"'{decl.name}' takes {len(decl.params)} argument(s)", node.span)
    types: list[Type] = []
    made = []
    for param, arg in zip(decl.params, args, strict=True):
        if param.type is None:
            raise draft.fail("E0403", f"the parameter '{param.name}' needs a type", param.span)
        kind = resolve(draft, param.type, lambda e: constant(e, Scope(scope.draft)))
        types.append(kind)
        made.append(elaborate(arg, scope, kind))
    if decl.name not in draft.chosen:
        names = {
            p.name: Local(i, k) for i, (p, k) in enumerate(zip(decl.params, types, strict=True))
        }
        inner = Scope(
            draft, dict(names), decl.name, dict(names), [len(types) + 1], None, scope.stack
        )
        clause = draft.clause(decl.name, "choice", "", decl.cites, decl.span)
        number_ = build(decl.form, decl.demands, inner, tuple(types), clause)
        draft.chosen[decl.name] = number_
    return draft.chosen[decl.name], tuple(made)


def build(
    form: s.Form,
    demands: tuple[s.Require, ...],
    scope: Scope,
    params: tuple[Type, ...],
    clause: int,
) -> int:
    """A chooser for a form; the candidate is the local after the parameters."""
    at = len(params)
    match form:
        case s.One(binder):
            made = _one(binder, scope, params, at, clause)
            name = binder.name
        case s.Subset(name, domain, size):
            made = _subset(domain, size, scope, params, clause)
        case s.Amounts(name, binder, each, total):
            made = _amounts(binder, each, total, scope, params, clause)
        case s.YesNo(name):
            made = m.Chooser(
                scope.path,
                "one",
                params,
                BoolType(),
                None,
                integer(0),
                integer(1),
                None,
                False,
                (),
                None,
                clause,
            )
        case _:
            raise scope.draft.fail("E0419", "a choice cannot be made from another one", form.span)
    inner = scope.child(**{name: Local(at, made.type)})
    wanted = tuple(lower_demand(x, inner) for x in all_demands(demands, scope))
    made = attrs.evolve(made, demands=wanted)
    if made.form == "subset":
        made = attrs.evolve(made, plan=plan(made, at, scope))
    scope.draft.choosers.append(made)
    return len(scope.draft.choosers) - 1


def all_demands(
    demands: tuple[s.Require, ...], scope: Scope
) -> list[tuple[s.Require, d.Patch | None, list[d.Patch]]]:
    """The demands of a choice with those that patches add, and the patches that drop each."""
    draft = scope.draft
    out: list[tuple[s.Require, d.Patch | None, list[d.Patch]]] = []
    for demand in demands:
        path = f"{scope.path}.{demand.name}"
        drops = [p for p, _ in patches.edits(draft, path, "drop")]
        out.append((demand, None, drops))
    for patch, edit in patches.edits(draft, scope.path, "add"):
        out += [(demand, patch, []) for demand in edit.demands]
    return out


def lower_demand(entry: tuple[s.Require, d.Patch | None, list[d.Patch]], scope: Scope) -> m.Demand:
    """A demand as the machine tests it, with the patches that add or drop it."""
    demand, adder, drops = entry
    test = condition(demand.test, scope)
    if adder is not None:
        active = patches.active(adder, scope, demand.span)
        test = folded_cond(active, test, YES, BoolType())
    for patch in drops:
        test = folded_cond(patches.active(patch, scope, demand.span), YES, test, BoolType())
    cites = demand.cites if adder is None else (*adder.cites, *demand.cites)
    clause = scope.draft.clause(
        f"{scope.path}.{demand.name}", "requirement", demand.text, cites, demand.span
    )
    return m.Demand(demand.name, demand.text, test, demand.prefer, clause)


def _one(
    binder: t.Binder, scope: Scope, params: tuple[Type, ...], at: int, clause: int
) -> m.Chooser:
    draft = scope.draft
    if isinstance(binder.domain, t.Range):
        low, high = number(binder.domain.low, scope), number(binder.domain.high, scope)
        assert isinstance(low.type, IntType) and isinstance(high.type, IntType)
        whole = IntType(low.type.low, max(low.type.low, high.type.high))
        kind: Type = walkable(draft, whole, binder.domain.span)
        made = m.Chooser(
            scope.path, "one", params, kind, None, low, high, None, False, (), None, clause
        )
        if binder.where is not None:
            inner = scope.child(**{binder.name: Local(at, kind)})
            made = attrs.evolve(made, each=condition(binder.where, inner))
        return made
    domain = elaborate(binder.domain, scope)
    if not isinstance(domain.type, SetType):
        raise mismatch(draft, SetType(-1), domain.type, binder.domain.span)
    index = domain.type.domain
    found = draft.domains[index]
    kind = MemberType(index)
    if found.kind == "range":
        kind = IntType(found.start, found.start + found.size - 1)
    where = None
    if binder.where is not None:
        inner = scope.child(**{binder.name: Local(at, kind)})
        where = condition(binder.where, inner)
    return m.Chooser(
        scope.path, "one", params, kind, domain, None, None, where, False, (), None, clause
    )


def _subset(
    written: t.Expr, size: s.Size, scope: Scope, params: tuple[Type, ...], clause: int
) -> m.Chooser:
    domain = elaborate(written, scope)
    if not isinstance(domain.type, SetType):
        raise mismatch(scope.draft, SetType(-1), domain.type, written.span)
    low = None if size.low is None else number(size.low, scope)
    high = None if size.high is None else number(size.high, scope)
    return m.Chooser(
        scope.path,
        "subset",
        params,
        domain.type,
        domain,
        low,
        high,
        None,
        size.most,
        (),
        None,
        clause,
    )


def _amounts(
    binder: t.Binder,
    each: t.Expr | None,
    total: t.Expr | None,
    scope: Scope,
    params: tuple[Type, ...],
    clause: int,
) -> m.Chooser:
    draft = scope.draft
    domain = elaborate(binder.domain, scope)
    if not isinstance(domain.type, SetType):
        raise mismatch(draft, SetType(-1), domain.type, binder.domain.span)
    slot = scope.new_slot()
    inner = scope.child(**{binder.name: Local(slot, MemberType(domain.type.domain))})
    if binder.where is not None:
        test = condition(binder.where, inner)
        domain = Fold("filter", slot, domain, None, None, test, None, False, domain.type)
    if total is None:
        raise draft.fail("E0419", "say the total of the amounts: total 1..n", binder.span)
    if isinstance(total, t.Range):
        low, high = number(total.low, scope), number(total.high, scope)
    else:
        low = high = number(total, scope)
    assert isinstance(high.type, IntType) and isinstance(domain.type, SetType)
    most: Expr = high if each is None else number(each, inner)
    item = IntType(0, max(0, high.type.high))
    entries = Fold(
        "list", slot, domain, None, None, None, most, False, VectorType(domain.type.domain, item)
    )
    kind = VectorType(domain.type.domain, item)
    return m.Chooser(
        scope.path, "amounts", params, kind, domain, low, high, entries, False, (), None, clause
    )


# -- plans ---------------------------------------------------------------------------------------


def depends(node: Any, slot: int) -> bool:
    """Whether an expression mentions a local."""
    if isinstance(node, Local):
        return node.slot == slot
    if isinstance(node, tuple):
        return any(depends(x, slot) for x in node)
    if not attrs.has(type(node)):
        return False
    return any(depends(getattr(node, f.name), slot) for f in attrs.fields(type(node)))


def plan(made: m.Chooser, at: int, scope: Scope) -> m.Plan:
    """The parts of the demands that the lister understands."""
    weights: tuple[int, ...] | None = None
    low: Expr | None = None
    high: Expr | None = None
    adjacent: tuple[int, ...] | None = None
    needs: tuple[int, ...] | None = None
    base: Expr | None = None
    rest: list[int] = []
    for i, demand in enumerate(made.demands):
        known = False
        for part in _conjuncts(demand.test):
            linked = _connected(part, at, scope)
            summed = _bounded_sum(part, at, scope)
            held = _supported(part, at, scope)
            if demand.prefer:
                break
            if linked is not None and adjacent is None:
                adjacent, known = linked, True
            elif summed is not None and weights in (None, summed[0]):
                weights, known = summed[0], True
                low = _tighter("higher", low, summed[1])
                high = _tighter("lower", high, summed[2])
            elif held is not None and needs is None:
                needs, base, known = held[0], held[1], True
            else:
                known = False
                break
        if not known:
            rest.append(i)
    return m.Plan(weights, low, high, adjacent, needs, base, tuple(rest))


def _conjuncts(test: Expr) -> list[Expr]:
    if isinstance(test, Binary) and test.op == "and":
        return _conjuncts(test.left) + _conjuncts(test.right)
    return [test]


def _cells(table: int, scope: Scope) -> tuple[int, ...]:
    return tuple(c for c in scope.draft.tables[table].cells if isinstance(c, int))


def _connected(test: Expr, at: int, scope: Scope) -> tuple[int, ...] | None:
    match test:
        case Builtin("connected", (Local(slot), Lookup(table, ()))) if slot == at:
            return _cells(table, scope)
    return None


def _bounded_sum(
    test: Expr, at: int, scope: Scope
) -> tuple[tuple[int, ...], Expr | None, Expr | None] | None:
    match test:
        case Binary(
            op, Fold("sum", inner, Local(slot), None, None, None, Lookup(table, (Local(i),))), limit
        ) if slot == at and i == inner and not depends(limit, at):
            weights = _cells(table, scope)
            if min(weights, default=0) < 0:
                return None
            one = integer(1)
            match op:
                case "<=":
                    return weights, None, limit
                case "<":
                    assert isinstance(limit.type, IntType)
                    kind = interval("-", limit.type, IntType(1, 1))
                    return weights, None, Binary("-", limit, one, kind)
                case ">=":
                    return weights, limit, None
                case "=":
                    return weights, limit, limit
    return None


def _supported(test: Expr, at: int, scope: Scope) -> tuple[tuple[int, ...], Expr] | None:
    """`all(s in set: all(u in rel(s): u in base + set))`"""
    match test:
        case Fold(
            "all",
            outer,
            Local(slot),
            None,
            None,
            None,
            Fold(
                "all",
                inner,
                Lookup(table, (Local(i),)),
                None,
                None,
                None,
                Binary("in", Local(j), Binary("union", one, two)),
            ),
        ) if slot == at and i == outer and j == inner:
            for base, added in ((one, two), (two, one)):
                if (
                    added == Local(at, added.type)
                    and not depends(base, at)
                    and not depends(base, outer)
                ):
                    return _cells(table, scope), base
    return None


def _tighter(op: str, old: Expr | None, new: Expr | None) -> Expr | None:
    if old is None or new is None:
        return old if new is None else new
    a, b = old.type, new.type
    assert isinstance(a, IntType) and isinstance(b, IntType)
    pick = max if op == "higher" else min
    kind = IntType(pick(a.low, b.low), pick(a.high, b.high))
    if isinstance(old, Const) and isinstance(new, Const):
        return Const(pick(old.value, new.value), kind)
    return Builtin(op, (old, new), kind)
