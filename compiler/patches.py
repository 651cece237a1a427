"""Patches: which edits address a path, whether they conflict, and when each is active.

In: the patches that the configuration switched on. Out: edits by path in order of precedence (the
last one wins), and the condition under which each holds in the scope that it changes.
"""

from __future__ import annotations

from compiler.elaborate import condition
from compiler.machine.exprs import Binary, Const, Expr, Read
from compiler.machine.values import BoolType, IntType
from compiler.scope import Draft, PatchSymbol, Scope
from compiler.types import YES, as_key
from dsl import declarations as d
from dsl.problems import Span

ACTIVE = 2
WAITING = 1


def edits(draft: Draft, path: str, *ops: str) -> list[tuple[d.Patch, d.Edit]]:
    """The edits of these kinds at a path, lowest precedence first."""
    return [
        (patch, line)
        for patch in draft.patches
        for line in patch.lines
        if isinstance(line, d.Edit) and line.op in ops and line.path == path
    ]


def redefinitions(draft: Draft, name: str) -> list[tuple[d.Patch, d.Edit]]:
    """The redefinitions of a definition, in order."""
    return edits(draft, name, "redefine", "set")


def conflicts(draft: Draft, orders: list[d.Order]) -> None:
    """Report two patches on one slot that nothing puts in an order."""
    ordered = {(o.first, o.second) for o in orders} | {(o.second, o.first) for o in orders}
    seen: dict[tuple[str, str], tuple[d.Patch, d.Edit]] = {}
    for patch in draft.patches:
        for line in patch.lines:
            if not isinstance(line, d.Edit) or line.op not in (
                "replace",
                "redefine",
                "set",
                "drop",
            ):
                continue
            key = (line.path, "redefine" if line.op in ("redefine", "set") else "replace")
            if key in seen and (seen[key][0].name, patch.name) not in ordered:
                other, first = seen[key]
                if other.name == patch.name:
                    continue
                cited = " ".join("@" + c for c in (*other.cites, *first.cites))
                draft.report.error(
                    "E0501",
                    f"'{patch.name}' and '{other.name}' both change '{line.path}' without an order",
                    line.span,
                    notes=(f"the other one is at {first.span} {cited}".rstrip(),),
                    help=f"add 'order {other.name} before {patch.name}' (the last one wins)",
                    cites=(*patch.cites, *line.cites),
                )
            seen[key] = (patch, line)


def sort(draft: Draft, orders: list[d.Order]) -> None:
    """Put the patches into the declared order, keeping the order of the text otherwise."""
    names = [p.name for p in draft.patches]
    for order in orders:
        for name in (order.first, order.second):
            if name not in names:
                continue
        if order.first in names and order.second in names:
            first, second = names.index(order.first), names.index(order.second)
            if first > second:
                draft.patches.insert(second, draft.patches.pop(first))
                names.insert(second, names.pop(first))


def active(patch: d.Patch, scope: Scope, span: Span) -> Expr:
    """When a patch holds, in the scope of what it changes."""
    if patch.kind in ("variant", "reading"):
        return YES
    symbol = scope.draft.symbols.get(patch.name)
    if isinstance(symbol, PatchSymbol):
        keys = activation_keys(patch, symbol, scope, span)
        state = Read(symbol.field, keys, IntType(0, 2))
        on: Expr = Binary("=", state, Const(ACTIVE, IntType(2, 2)), BoolType())
    else:
        on = YES
    if patch.while_ is None:
        return on
    test = condition(patch.while_, scope)
    if isinstance(on, Const):
        return test
    return on if isinstance(test, Const) and test.value else Binary("and", on, test, BoolType())


def activation_keys(
    patch: d.Patch, symbol: PatchSymbol, scope: Scope, span: Span
) -> tuple[Expr, ...]:
    """The values of a patch's parameters, taken by name from the rule that it changes."""
    dims = scope.draft.fields[symbol.field].dims
    keys = []
    for param, dim in zip(patch.params, dims, strict=True):
        if param.name not in scope.params:
            raise scope.draft.fail(
                "E0502",
                f"the patch '{patch.name}' needs a parameter '{param.name}' here",
                span,
                notes=("a patch meets a rule through parameters of the same name",),
            )
        keys.append(as_key(scope.draft, dim, scope.params[param.name], span))
    return tuple(keys)
