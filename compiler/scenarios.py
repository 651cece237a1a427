"""Scenarios: from syntax to plans over the machine of their configuration.

In: a spec and scenarios. Out: machines with the plans that run on them, one machine for each
configuration that the scenarios name. A choice is compared as words, so it may name anything that
a log would print; every name in it must be a member, an option or a definition of the game.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve, frozen

from compiler import endings, flow, layout, lower, names, places
from compiler.config import Configuration
from compiler.elaborate import condition, elaborate, number
from compiler.machine import effects as e
from compiler.machine import record as m
from compiler.machine import scenario as sc
from compiler.machine.exprs import Const, Expr, Local
from compiler.machine.values import IntType, MemberType, SetType, VectorType
from compiler.pipeline import Spec
from compiler.scope import DefineSymbol, Draft, Failed, RuleSymbol, Scope, guarded
from compiler.settings import label
from compiler.words import words
from dsl import declarations as d
from dsl import tree as t
from dsl.load import load
from dsl.problems import Report, did_you_mean


@frozen
class Group:
    """A machine and the plans that run on it; None where the spec or a scenario has errors."""

    machine: m.Machine | None
    plans: tuple[sc.Plan, ...]
    scenarios: tuple[d.Scenario, ...]


def collect(spec: Spec, files: list[tuple[str, bytes]], report: Report) -> tuple[d.Scenario, ...]:
    """A spec's own scenarios, or those of files; definitions of a file serve all its scenarios."""
    if not files:
        return spec.scenarios
    out: list[d.Scenario] = []
    for name, data in files:
        decls = load(name, data, report).decls
        shared = tuple(x for x in decls if isinstance(x, d.Define))
        for made in decls:
            if isinstance(made, d.Scenario):
                out.append(evolve(made, defines=(*shared, *made.defines)))
            elif not isinstance(made, d.Define):
                report.error(
                    "E0309", "a scenario file holds scenarios and definitions only", made.span
                )
    return tuple(out)


def configuration(made: d.Scenario, base: Configuration) -> Configuration:
    """The configuration that a scenario asks for, on top of another."""
    players = base.players
    if isinstance(made.players, t.Int):
        players = made.players.value
    return Configuration(
        players,
        _merged(base.options, {k: words(v) for k, v in made.options}),
        tuple(sorted({*base.variants, *made.variants})),
        _merged(base.readings, {k: words(v) for k, v in made.readings}),
        _merged(base.assumes, {k: words(v) for k, v in made.assumes}),
        (*base.data, *made.data),
    )


def _merged(base: tuple[tuple[str, str], ...], more: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted({**dict(base), **more}.items()))


def group(
    spec: Spec, scenarios: tuple[d.Scenario, ...], base: Configuration, report: Report
) -> list[Group]:
    """Compile scenarios, grouped by configuration, in order of first appearance."""
    found: dict[Configuration, list[d.Scenario]] = {}
    for made in scenarios:
        found.setdefault(configuration(made, base), []).append(made)
    return [_compile(spec, config, tuple(some), report) for config, some in found.items()]


def _compile(
    spec: Spec, config: Configuration, scenarios: tuple[d.Scenario, ...], report: Report
) -> Group:
    draft = Draft(report, config, spec.reader, name=spec.name)
    try:
        decls = names.collect(draft, spec.decls)
        before = lower.prepare(draft, decls)
        measures = endings.measures(draft, decls)
        graph, start = flow.build(draft, before)
    except (Failed, KeyError):
        return Group(None, (), scenarios)
    invariants = lower.invariants(draft, decls)
    plans = []
    for made in scenarios:
        with guarded():
            plans.append(_plan(draft, graph, made))
    if report.failed:
        return Group(None, (), scenarios)
    return Group(layout.finish(draft, graph, start, measures, invariants), tuple(plans), scenarios)


def _plan(draft: Draft, graph: flow.Flow, made: d.Scenario) -> sc.Plan:
    before = dict(draft.symbols)
    for define in made.defines:
        draft.symbols[define.name] = DefineSymbol(define)
    scope = Scope(draft, path=made.name, slots=[2])
    scope = scope.child(
        winners=Local(sc.WINNERS, SetType(0)),
        ranks=Local(sc.RANKS, VectorType(0, IntType(0, draft.players))),
    )
    try:
        at = None if made.at is None else _point(made.at, graph, scope)
        steps = tuple(_step(line, graph, scope) for line in made.lines)
    finally:
        draft.symbols = before
        draft.instances = {
            k: v for k, v in draft.instances.items() if k[0] not in {x.name for x in made.defines}
        }
    return sc.Plan(made.name, made.text, made.cites, made.seed, at, steps, made.span)


def _point(node: t.Expr, graph: flow.Flow, scope: Scope) -> sc.Point:
    call = node if isinstance(node, t.Call) else t.Call(node, (), span=node.span)
    name = call.function.name if isinstance(call.function, t.Name) else ""
    if name not in graph.rules:
        known = list(graph.rules)
        raise scope.draft.fail(
            "E0310",
            f"no rule '{name}' waits for anybody: a scenario can begin at one that does",
            node.span,
            help=did_you_mean(name, known),
        )
    made = graph.rules[name]
    if len(call.args) != len(made.types):
        raise scope.draft.fail("E0411", f"'{name}' takes {len(made.types)} argument(s)", node.span)
    args = tuple(elaborate(a, scope, k) for a, k in zip(call.args, made.types, strict=True))
    return sc.Point(made.number, args, words(node))


def _step(line: d.Line, graph: flow.Flow, scope: Scope) -> Any:
    match line.what:
        case d.Given():
            return _given(line, scope)
        case d.Happens():
            return _event(line, line.what, graph, scope)
        case d.Fact():
            return _fact(line, line.what, scope)


def _event(line: d.Line, what: d.Happens, graph: flow.Flow, scope: Scope) -> sc.Event:
    seat = None if what.who is None else elaborate(what.who, scope, MemberType(0))
    choice, until = "", None
    if what.kind == "play":
        until = None if what.value is None else _point(what.value, graph, scope)
    elif what.kind == "time":
        raise scope.draft.fail("E0901", "clocks are not executed by this version", line.span)
    elif what.value is not None:
        choice = choice_words(what.value, scope)
    return sc.Event(what.kind, seat, choice, what.at, until, words(line.what), line.span)


def _fact(line: d.Line, what: d.Fact, scope: Scope) -> sc.Fact:
    seat = None
    if what.who is not None and what.kind != "true":
        seat = elaborate(what.who, scope, MemberType(0))
    test: Expr | None = None
    choices: tuple[str, ...] = ()
    seen = None
    match what.kind:
        case "true":
            assert what.value is not None
            test = condition(what.value, scope)
        case "exactly":
            assert what.value is not None
            items = what.value.items if isinstance(what.value, t.SetOf) else (what.value,)
            choices = tuple(choice_words(x, scope) for x in items)
        case "may" | "may_not" | "refused":
            assert what.value is not None
            choices = (choice_words(what.value, scope),)
        case "count":
            assert what.value is not None
            test = number(what.value, scope)
        case "sees" | "blind":
            assert what.value is not None
            seen = places.seen(what.value, scope)
            if what.other is not None:
                test = places.equals(what.value, what.other, scope)
    return sc.Fact(
        what.kind, seat, test, choices, seen, what.text, words(what), line.span, line.cites
    )


def choice_words(node: t.Expr, scope: Scope) -> str:
    """A choice as a log would print it."""
    match node:
        case t.Name(name):
            symbol = scope.draft.symbols.get(name)
            if isinstance(symbol, DefineSymbol) and name not in scope.draft.members:
                return _constant_words(node, scope)
            _known(name, node, scope)
            return name
        case t.SetOf(items):
            return "{" + ", ".join(choice_words(x, scope) for x in items) + "}"
        case t.MapOf(rows):
            pairs = [f"{choice_words(k, scope)} -> {words(v)}" for keys, v in rows for k in keys]
            return "{" + ", ".join(pairs) + "}"
        case t.ListOf(items):
            return "[" + ", ".join(choice_words(x, scope) for x in items) + "]"
        case t.Call(t.Name(name), args):
            if isinstance(scope.draft.symbols.get(name), DefineSymbol):
                return _constant_words(node, scope)
            inner = ", ".join(choice_words(a, scope) for a in args)
            made = elaborated_member(node, scope)
            return made or f"{name}({inner})"
        case t.Binary():
            return _constant_words(node, scope)
    return words(node)


def elaborated_member(node: t.Expr, scope: Scope) -> str:
    """The label of a call such as `Hand(seat0)`, or an empty text for an option of a menu."""
    assert isinstance(node, t.Call) and isinstance(node.function, t.Name)
    if isinstance(scope.draft.symbols.get(node.function.name), RuleSymbol | type(None)):
        return ""
    return _constant_words(node, scope)


def _constant_words(node: t.Expr, scope: Scope) -> str:
    made = elaborate(node, scope)
    if not isinstance(made, Const):
        raise scope.draft.fail("E0405", "a choice must be known here", node.span)
    return label(scope.draft, made, made.type)


def _known(name: str, node: t.Expr, scope: Scope) -> None:
    draft = scope.draft
    options = {o.name for x in draft.decisions for o in x.options} | {"yes", "no", "decline"}
    if name in draft.members or name in options:
        return
    raise draft.fail(
        "E0301",
        f"no member and no option is called '{name}'",
        node.span,
        help=did_you_mean(name, [*draft.members, *options]),
    )


# -- positions -----------------------------------------------------------------------------------


def _given(line: d.Line, scope: Scope) -> sc.SetUp:
    given = line.what
    assert isinstance(given, d.Given)
    if given.holds:
        made = places.holds(given.left, given.value, scope)
    else:
        made = _cells(given.left, given.value, scope)
    return sc.SetUp(tuple(made), words(given), line.span)


PATCH = {"off": 0, "waiting": 1, "active": 2}


def _cells(left: t.Expr, value: t.Expr, scope: Scope) -> list[e.Effect]:
    """Assignments for `var[keys] = value`, where a key may be a set and a value a partial map."""
    base = left.value if isinstance(left, t.Index) else left
    keys = left.keys if isinstance(left, t.Index) else ()
    name = base.name if isinstance(base, t.Name) else ""
    number_ = places.field_of(name, base, scope)
    made = scope.draft.fields[number_]
    if len(keys) > len(made.dims):
        raise scope.draft.fail("E0407", f"'{name}' has {len(made.dims)} index(es)", left.span)
    found = [places.key_values(dim, key, scope) for dim, key in zip(made.dims, keys, strict=False)]
    if len(keys) == len(made.dims) and not isinstance(value, t.MapOf):
        cell = _value(value, made, scope)
        return [_assign(number_, made, index, cell) for index in places.product(found)]
    rest = made.dims[len(keys) :]
    if len(rest) != 1:
        raise scope.draft.fail("E0407", f"'{name}' needs more indices here", left.span)
    rows = value.rows if isinstance(value, t.MapOf) else (((), value),)
    out: list[e.Effect] = []
    every = list(range(scope.draft.domains[rest[0]].size))
    if not isinstance(value, t.MapOf):
        rows = ()
        cell = _value(value, made, scope)
        out += [_assign(number_, made, i, cell) for i in places.product([*found, every])]
    elif value.other is not None:
        cell = _value(value.other, made, scope)
        out += [_assign(number_, made, i, cell) for i in places.product([*found, every])]
    for row_keys, row_value in rows:
        cell = _value(row_value, made, scope)
        for key in row_keys:
            last = places.key_values(rest[0], key, scope)
            out += [_assign(number_, made, i, cell) for i in places.product([*found, last])]
    return out


def _assign(number_: int, made: m.Field, index: tuple[int, ...], value: Expr) -> e.Effect:
    keys = tuple(Const(i, IntType(i, i)) for i in index)
    return e.Assign(number_, keys, value, -1)


def _value(node: t.Expr, made: m.Field, scope: Scope) -> Expr:
    if made.kind == "patch" and isinstance(node, t.Name) and node.name in PATCH:
        return Const(PATCH[node.name], IntType(0, 2))
    return elaborate(node, scope, made.type)
