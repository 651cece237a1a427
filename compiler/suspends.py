"""Which rules suspend: those that may wait for somebody, end the game, stop early or give a value.

In: the rules and the active patches. Out: the set of names of rules that become part of the control
graph; all others become procedures.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import attrs

from compiler.scope import Draft, PlaceSymbol, RuleSymbol
from dsl import declarations as d
from dsl import statements as s
from dsl import tree as t

WAITING = ("shuffle", "give", "open", "announce", "flip", "time_passes")


@cache
def part_names(kind: type) -> tuple[str, ...]:
    """The fields of a node's class that can hold nodes; none for a class that is no node."""
    if not attrs.has(kind):
        return ()
    return tuple(f.name for f in attrs.fields(kind) if f.name not in ("span", "cites"))


def nodes(value: Any) -> list[Any]:
    """Every syntax node below a value, itself included."""
    out: list[Any] = []
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, tuple):
            todo += reversed(item)
            continue
        kind: Any = type(item)
        names = part_names(kind)
        if names:
            out.append(item)
            todo += [getattr(item, n) for n in reversed(names)]
    return out


def refills(draft: Draft, source: t.Expr) -> bool:
    """Whether a place that is drawn from refills itself by chance."""
    for node in nodes(source):
        if isinstance(node, t.Name):
            symbol = draft.symbols.get(node.name)
            if isinstance(symbol, PlaceSymbol) and symbol.place in draft.refills:
                return True
    return False


def waits(draft: Draft, body: Any, known: set[str]) -> bool:
    """Whether statements may suspend, given the rules known to."""
    for node in nodes(body):
        match node:
            case s.Pick() | s.Menu() | s.Chance() | s.EndGame() | s.Stop():
                return True
            case s.Act(_, "call") | s.Let():
                if any(name.name in known for name in called(node)):
                    return True
            case s.Act(_, op) if op in WAITING:
                return True
            case s.Move() if node.arrange == "shuffled" or (
                node.form == "top" and refills(draft, node.what)
            ):
                return True
    return False


def step_paths(body: Any, path: str) -> list[str]:
    """The paths of all steps in statements that stand at a path."""
    if isinstance(body, tuple):
        return [p for item in body for p in step_paths(item, path)]
    if not attrs.has(type(body)):
        return []
    out = []
    if isinstance(body, s.Step):
        path = f"{path}.{body.name}"
        out.append(path)
    for field in attrs.fields(type(body)):
        out += step_paths(getattr(body, field.name), path)
    return out


def patched_waits(draft: Draft, body: Any, path: str, known: set[str]) -> bool:
    """Whether a patch makes a step inside these statements wait."""
    found = set(step_paths(body, path))
    return any(
        line.path in found and waits(draft, line.body, known)
        for patch in draft.patches
        for line in patch.lines
        if isinstance(line, d.Edit)
    )


def rule_bodies(draft: Draft, whens: list[d.When]) -> dict[str, list[Any]]:
    """What each rule may do: its own body, the patches inside it and what happens around it."""
    bodies: dict[str, list[Any]] = {
        name: [symbol.decl.body]
        for name, symbol in draft.symbols.items()
        if isinstance(symbol, RuleSymbol)
    }
    for patch in draft.patches:
        for line in patch.lines:
            if isinstance(line, d.Edit) and line.body:
                bodies.setdefault(line.path.split(".")[0], []).append(line.body)
    for when in whens:
        if when.moment in ("begins", "ends"):
            bodies.setdefault(_event_rule(when), []).append(when.body)
    return bodies


def called(body: Any) -> list[t.Name]:
    """The names of rules, as nodes, that statements call."""
    out: list[t.Name] = []
    for node in nodes(body):
        if isinstance(node, s.Let) or (isinstance(node, s.Act) and node.op == "call"):
            value = node.value
            name = value.function if isinstance(value, t.Call) else value
            if isinstance(name, t.Name):
                out.append(name)
    return out


def suspending(draft: Draft, whens: list[d.When]) -> set[str]:
    """The names of the rules that suspend."""
    bodies = rule_bodies(draft, whens)
    known: set[str] = {"play"}
    while True:
        known |= set(draft.typed)
        more = {n for n, b in bodies.items() if n not in known and waits(draft, tuple(b), known)}
        if not more:
            return known
        known |= more


def _event_rule(when: d.When) -> str:
    event = when.event
    if isinstance(event, t.Call):
        event = event.function
    return event.name if isinstance(event, t.Name) else ""


def bound_names(stmt: s.Stmt) -> set[str]:
    """The names that a statement binds for those after it."""
    form = getattr(stmt, "form", None)
    binder = getattr(form, "binder", None) or getattr(stmt, "binder", None)
    found = (getattr(stmt, "name", ""), getattr(form, "name", ""), getattr(binder, "name", ""))
    return {n for n in found if n}
