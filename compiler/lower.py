"""Lowering, around the rules: triggers and hooks first, invariants and what nothing uses last.

In: the draft after the names pass. Out: the draft with everything in it that `flow` needs, and
problems of rules that `play` never reaches (they are lowered too, so that no mistake hides).
"""

from __future__ import annotations

from compiler import reactions, triggers
from compiler.elaborate import condition, constant
from compiler.machine import record as m
from compiler.recursion import no_recursion
from compiler.scope import Draft, RuleSymbol, Scope, guarded
from compiler.suspends import suspending
from compiler.types import resolve
from dsl import declarations as d
from dsl.problems import did_you_mean


def prepare(draft: Draft, decls: tuple[d.Decl, ...]) -> set[str]:
    """Register triggers and hooks; returns the rules that suspend."""
    whens = [x for x in decls if isinstance(x, d.When)]
    reactions.register(draft, decls, whens)
    draft.hooks = [w for w in whens if w.moment in ("begins", "ends")]
    no_recursion(draft, whens)
    known = suspending(draft, whens)
    triggers.collect(draft, tuple(decls) + tuple(draft.patches))
    triggers.register(draft, whens)
    return known


def no_play(draft: Draft) -> None:
    """Report a game without a rule `play`."""
    if not isinstance(draft.symbols.get("play"), RuleSymbol):
        draft.report.error(
            "E0304", "no rule 'play' is declared", help="a game starts at 'rule play'"
        )


def invariants(draft: Draft, decls: tuple[d.Decl, ...]) -> list[m.Invariant]:
    """The `always` conditions."""
    out = []
    for made in decls:
        if isinstance(made, d.Always):
            with guarded():
                scope = Scope(draft, path="always")
                clause = draft.clause("always", "define", made.text, made.cites, made.span)
                out.append(m.Invariant(made.text, condition(made.test, scope), clause))
    return out


def unused(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    """Definitions that nothing uses are typed too where their parameters have types."""
    from compiler.definitions import instance

    patch_targets(draft, decls)
    used = {name for name, _, _ in draft.instances}
    for made in decls:
        if not isinstance(made, d.Define) or made.name in used:
            continue
        if all(p.type is not None for p in made.params):
            with guarded():
                scope = Scope(draft)
                types = tuple(
                    resolve(draft, p.type, lambda e: constant(e, Scope(draft)))
                    for p in made.params
                    if p.type is not None
                )
                instance(made, made.name, types, scope)


def patch_targets(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    """Every line of an active patch, and every `order`, names something that is there."""
    paths = {c.path for c in draft.clauses} | {f"{r}" for r in draft.symbols}
    for patch in draft.patches:
        for line in patch.lines:
            if not isinstance(line, d.Edit) or line.op == "not":
                continue
            known = paths if line.op not in ("redefine", "set") else set(draft.symbols)
            if line.path not in known:
                draft.report.error(
                    "E0507",
                    f"the patch '{patch.name}' changes '{line.path}', which is not there",
                    line.span,
                    help=did_you_mean(line.path, known),
                )
    names = draft.declared | {x.id for x in decls if isinstance(x, d.Reading)}
    for made in decls:
        if isinstance(made, d.Order):
            for name in (made.first, made.second):
                if name.split(".")[0] not in names:
                    help_ = did_you_mean(name, names)
                    draft.report.error(
                        "E0508",
                        f"'order' names '{name}', which is not declared",
                        made.span,
                        help=help_,
                    )
