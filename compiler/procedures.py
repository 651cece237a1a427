"""Procedures: rules without decisions, one machine procedure for each rule and argument types.

In: a call. Out: the procedure's number and its arguments. Patches at the rule's own path are woven
around its body; patches inside address its steps.
"""

from __future__ import annotations

from compiler import triggers
from compiler.effects import lower, patched
from compiler.elaborate import constant, elaborate
from compiler.machine import effects as e
from compiler.machine import record as m
from compiler.machine.exprs import Expr, Local
from compiler.scope import Scope
from compiler.types import resolve
from dsl import declarations as d
from dsl import tree as t
from dsl.statements import Stmt


def procedure(
    decl: d.Rule, args: tuple[t.Expr, ...], node: t.Expr, scope: Scope
) -> tuple[int, tuple[Expr, ...]]:
    """The procedure of a rule for the types of these arguments."""
    draft = scope.draft
    if len(args) != len(decl.params):
        raise draft.fail(
            "E0411",
            f"'{decl.name}' takes {len(decl.params)} argument(s), not {len(args)}",
            node.span,
        )
    made = []
    for param, arg in zip(decl.params, args, strict=True):
        want = None
        if param.type is not None:
            want = resolve(draft, param.type, lambda x: constant(x, Scope(scope.draft)))
        made.append(elaborate(arg, scope, want))
    types = tuple(
        a.type
        if p.type is None
        else resolve(draft, p.type, lambda x: constant(x, Scope(scope.draft)))
        for p, a in zip(decl.params, made, strict=True)
    )
    key = (decl.name, types)
    if key not in draft.lowered:
        draft.procedures.append(None)
        number = len(draft.procedures) - 1
        draft.lowered[key] = number
        params = {
            p.name: Local(i, k) for i, (p, k) in enumerate(zip(decl.params, types, strict=True))
        }
        inner = Scope(draft, dict(params), decl.name, dict(params), [len(types)])
        clause = draft.clause(decl.name, "rule", "", decl.cites, decl.span)
        given: tuple[Expr, ...] = tuple(params.values())
        body: tuple[e.Effect, ...] = (
            *triggers.at(draft, decl.name, "begins", given),
            *_hooks(decl, "begins", inner),
            *patched(decl.name, decl.body, inner, False),
            *_hooks(decl, "ends", inner),
            *triggers.at(draft, decl.name, "ends", given),
        )
        draft.procedures[number] = m.Procedure(decl.name, types, body, clause)
    return draft.lowered[key], tuple(made)


def _hooks(decl: d.Rule, moment: str, scope: Scope) -> list[e.Effect]:
    out: list[e.Effect] = []
    for body, inner in hook_bodies(decl, moment, scope):
        out += lower(body, inner)
    return out


def hook_bodies(decl: d.Rule, moment: str, scope: Scope) -> list[tuple[tuple[Stmt, ...], Scope]]:
    """The `when rule(x) begins / ends` bodies, their names bound to the rule's parameters."""
    draft = scope.draft
    out = []
    for when in draft.hooks:
        event = when.event
        name = event.function if isinstance(event, t.Call) else event
        if when.moment != moment or not isinstance(name, t.Name) or name.name != decl.name:
            continue
        args = event.args if isinstance(event, t.Call) else ()
        names = {
            a.name: scope.params[p.name]
            for a, p in zip(args, decl.params, strict=False)
            if isinstance(a, t.Name)
        }
        draft.clause(f"when.{decl.name}", "trigger", "", when.cites, when.span)
        out.append((when.body, scope.child(**names)))
    return out
