"""Definitions as functions: one machine function for each definition and argument types.

In: a call of a definition. Out: an `Invoke`, or the constant that it is. Redefinitions by patches
are woven in here: the innermost is what the author wrote first, `original` goes one layer in.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from compiler import patches
from compiler.elaborate import condition, constant, elaborate, folded
from compiler.machine import record as m
from compiler.machine.builtins import Fault
from compiler.machine.evaluate import evaluate
from compiler.machine.exprs import Cond, Const, Expr, Invoke, Local
from compiler.machine.values import IntType, MemberType, Type
from compiler.scope import DefineSymbol, Draft, Scope
from compiler.types import fits, join, resolve
from dsl import declarations as d
from dsl import tree as t


def invoke(name: str, args: tuple[t.Expr, ...], node: t.Expr, scope: Scope) -> Expr:
    """A call of a definition by name."""
    symbol = scope.draft.symbols[name]
    assert isinstance(symbol, DefineSymbol)
    return call_define(symbol.decl, name, args, node, scope)


def call_define(
    decl: d.Define, name: str, args: tuple[t.Expr, ...], node: t.Expr, scope: Scope
) -> Expr:
    """A call of a definition, typed and folded."""
    draft = scope.draft
    if len(args) != len(decl.params):
        raise draft.fail(
            "E0411",
            f"'{name}' takes {len(decl.params)} argument(s), not {len(args)}",
            node.span,
        )
    made = [_argument(p, a, scope) for p, a in zip(decl.params, args, strict=True)]
    if name in scope.stack:
        raise draft.fail("E0410", f"'{name}' is defined by way of itself", node.span)
    types = tuple(a.type for a in made)
    number = instance(decl, name, types, scope)
    function = draft.functions[number]
    assert function is not None
    if isinstance(function.body, Const):
        return function.body
    call = Invoke(number, tuple(made), function.type)
    return _fold_call(call, scope)


def _argument(param: d.Param, arg: t.Expr, scope: Scope) -> Expr:
    if param.type is None:
        return elaborate(arg, scope)
    want = resolve(scope.draft, param.type, lambda e: _number(e, scope))
    made = elaborate(arg, scope, want)
    if isinstance(made, Const) or not isinstance(want, IntType | MemberType):
        return made
    return evolve(made, type=want) if isinstance(want, IntType) else made


def _number(node: t.Expr, scope: Scope) -> int:
    return constant(node, Scope(scope.draft))


def _fold_call(call: Invoke, scope: Scope) -> Expr:
    if not all(isinstance(a, Const) for a in call.args):
        return call
    try:
        value = evaluate(call, scope.draft.world(), {})
    except (Fault, IndexError, KeyError, AttributeError, TypeError):
        return call
    kind = call.type
    if isinstance(kind, IntType):
        kind = IntType(value, value)
    if isinstance(kind, MemberType) and value >= 0:
        kind = MemberType(kind.domain)
    return Const(value, kind)


def instance(decl: d.Define, name: str, types: tuple[Type, ...], scope: Scope) -> int:
    """The machine function of a definition for these argument types."""
    draft = scope.draft
    key = (name, id(decl), types)
    if key in draft.instances:
        return draft.instances[key]
    names = [p.name for p in decl.params]
    params = {n: Local(i, k) for i, (n, k) in enumerate(zip(names, types, strict=True))}
    inner = Scope(
        draft,
        dict(params),
        name,
        dict(params),
        slots=[len(names)],
        stack=(*scope.stack, name),
    )
    draft.functions.append(None)
    number = len(draft.functions) - 1
    clause = draft.clause(name, "define", "", decl.cites, decl.span)
    body = _body(decl, name, inner)
    for patch, edit in patches.redefinitions(draft, name):
        body = _patched(patch, edit, decl, body, types, inner)
    if decl.type is not None:
        wanted = resolve(draft, decl.type, lambda e: _number(e, scope))
        join(draft, wanted, body.type, decl.span)
        if isinstance(body, Const) or not isinstance(wanted, IntType):
            body = elaborate_fit(body, wanted, decl, inner)
    draft.functions[number] = m.Function(name, types, body.type, body, clause)
    draft.instances[key] = number
    return number


def elaborate_fit(body: Expr, wanted: Type, decl: d.Define, scope: Scope) -> Expr:
    """A body as the type that its definition declares."""
    return fits(scope.draft, body, wanted, decl.span)


def _body(decl: d.Define, name: str, scope: Scope) -> Expr:
    want = None
    if decl.type is not None:
        want = resolve(scope.draft, decl.type, lambda e: _number(e, scope))
        if isinstance(want, IntType):
            want = None
    if decl.value is not None:
        return elaborate(decl.value, scope, want)
    other = next((v for test, v in decl.cases if test is None), None)
    if other is None:
        raise scope.draft.fail("E0412", f"'{name}' has cases but no 'otherwise'", decl.span)
    made = elaborate(other, scope, want)
    for test, value in reversed([c for c in decl.cases if c[0] is not None]):
        assert test is not None
        asked = condition(test, scope)
        then = elaborate(value, scope, want)
        kind = join(scope.draft, then.type, made.type, value.span)
        made = folded_cond(asked, then, made, kind)
    return made


def folded_cond(asked: Expr, then: Expr, other: Expr, kind: Type) -> Expr:
    """A conditional, decided now where its test is constant."""
    if isinstance(asked, Const):
        return then if asked.value else other
    return Cond(asked, then, other, kind)


def _patched(
    patch: d.Patch, edit: d.Edit, decl: d.Define, base: Expr, types: tuple[Type, ...], scope: Scope
) -> Expr:
    draft = scope.draft
    names = [p.name for p in edit.params] or [p.name for p in decl.params]
    if len(names) != len(types):
        raise draft.fail("E0411", f"'{edit.path}' takes {len(types)} argument(s)", edit.span)
    draft.functions.append(m.Function(f"{decl.name}.original", types, base.type, base, -1))
    original = len(draft.functions) - 1
    values = {n: Local(i, k) for i, (n, k) in enumerate(zip(names, types, strict=True))}
    layer = evolve(scope, locals=dict(values), params=dict(values), original=(original, types))
    assert edit.value is not None
    value = elaborate(edit.value, layer)
    kind = join(draft, base.type, value.type, edit.span)
    active = patches.active(patch, layer, edit.span)
    clause = draft.clause(
        f"{patch.name}.{decl.name}", "patch", patch.text, (*patch.cites, *edit.cites), edit.span
    )
    draft.functions.append(m.Function(f"{patch.name}.{decl.name}", types, kind, value, clause))
    made = Invoke(len(draft.functions) - 1, tuple(values[n] for n in names), kind)
    return folded(folded_cond(active, made, base, kind), scope)


def original_call(args: tuple[t.Expr, ...], node: t.Expr, scope: Scope) -> Expr:
    """`original(...)` in a redefinition: the layer below."""
    draft: Draft = scope.draft
    if not isinstance(scope.original, tuple):
        raise draft.fail("E0413", "'original' stands only in what a patch redefines", node.span)
    number, types = scope.original
    function: Any = draft.functions[number]
    if len(args) != len(types):
        raise draft.fail("E0411", f"'original' takes {len(types)} argument(s)", node.span)
    made = tuple(
        elaborate(a, scope, None if isinstance(k, IntType) else k)
        for a, k in zip(args, types, strict=True)
    )
    return Invoke(number, made, function.type)
