"""Clocks, events and windows: read and typed here; their execution comes with a later version.

In: declarations that this version does not run. Out: rules that stand for them, so that every name
and type in their bodies is checked, and a note for each (`Draft.not_yet`) that makes `compile`
refuse the game with E0901 until it can be run.
"""

from __future__ import annotations

from attrs import evolve

from compiler.elaborate import elaborate
from compiler.scope import Draft, EventSymbol, FieldSymbol, RuleSymbol, Scope
from dsl import declarations as d
from dsl import statements as s
from dsl import tree as t


def window_rule(made: d.Window) -> d.Rule:
    """A window as a rule that asks each seat (`it`) once: so its answers are typed."""
    body: list[s.Stmt] = []
    walk = made.walk if isinstance(made.walk, s.Walk) else None
    for name, binder, answer, cites in made.answers:
        pick = s.Pick(cites, t.Name("it"), True, False, s.One(binder), then=answer, span=made.span)
        body.append(s.Step(cites, name, (pick,), span=made.span))
    asks = made.asks or t.Name("seats")
    body = [s.ForEach(made.cites, "it", asks, walk, tuple(body), span=made.span)]
    return d.Rule(made.cites, made.name, made.params, None, tuple(body), span=made.span)


def register(draft: Draft, decls: tuple[d.Decl, ...], whens: list[d.When]) -> None:
    """Turn windows and event triggers into rules that are typed, and note them."""
    for made in decls:
        match made:
            case d.Window():
                draft.symbols[made.name] = RuleSymbol(window_rule(made))
                draft.not_yet("windows", made.span)
            case d.Instant():
                draft.not_yet("events of one instant", made.span)
            case d.Measure():
                elaborate(made.value, Scope(draft))
    for number, when in enumerate(w for w in whens if w.moment in ("runs_out", "happens")):
        draft.not_yet("clocks and events", when.span)
        _hook(draft, when, number)


def _hook(draft: Draft, when: d.When, number: int) -> None:
    """The body of a `runs out` or `happens` trigger as a rule over the names of its event."""
    event = when.event
    params: tuple[d.Param, ...] = ()
    if isinstance(event, t.Call) and isinstance(event.function, t.Name):
        symbol = draft.symbols.get(event.function.name)
        if not isinstance(symbol, EventSymbol):
            raise draft.unknown(event.function.name, event.span, "event")
        names = [a.name for a in event.args if isinstance(a, t.Name)]
        declared = symbol.decl.params
        params = tuple(evolve(p, name=n) for p, n in zip(declared, names, strict=False))
    elif isinstance(event, t.Index) and isinstance(event.value, t.Name):
        params = _clock_params(draft, event)
    name = f"on_{number + 1}"
    draft.symbols[name] = RuleSymbol(
        d.Rule(when.cites, name, params, None, when.body, span=when.span)
    )
    draft.typed.append(name)


def _clock_params(draft: Draft, event: t.Index) -> tuple[d.Param, ...]:
    assert isinstance(event.value, t.Name)
    symbol = draft.symbols.get(event.value.name)
    if not isinstance(symbol, FieldSymbol):
        raise draft.unknown(event.value.name, event.span, "clock")
    dims = draft.fields[symbol.field].dims
    return tuple(
        d.Param(k.name, t.ValueType(t.Name(draft.domains[dim].name)))
        for k, dim in zip(event.keys, dims, strict=False)
        if isinstance(k, t.Name)
    )
