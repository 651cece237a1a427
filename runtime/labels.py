"""Words for raw choices, and raw choices from words.

A choice is written as in scenarios, logs and prompts: a member by its label, a number, yes or no,
`{A1, B1}` for a subset, `{red -> 2}` for amounts, `option` or `option(a, b)` for a menu, `decline`.
A shuffle is `[bottom, ..., top]`.
"""

from __future__ import annotations

from collections.abc import Iterable

from compiler.machine.builtins import members
from compiler.machine.record import Decision, Machine, Site
from compiler.machine.values import BoolType, IntType, MemberType, SetType, Type, VectorType
from runtime.legal import DECLINED, NOTHING, Raw

DECLINE = "decline"


def value_label(machine: Machine, kind: Type, value: Raw) -> str:
    """A value of a type in the words of the language."""
    match kind:
        case BoolType():
            return "yes" if value else "no"
        case MemberType(domain):
            label: str = machine.domains[domain].labels[value] if value >= 0 else "none"
            return label
        case SetType(domain):
            return braces(machine.domains[domain].labels[m] for m in members(value))
        case VectorType(domain, item):
            labels = machine.domains[domain].labels
            if isinstance(item, IntType):
                pairs = [f"{n} -> {v}" for n, v in zip(labels, value, strict=True) if v]
            else:
                pairs = [
                    f"{n} -> {value_label(machine, item, v)}"
                    for n, v in zip(labels, value, strict=True)
                ]
            return braces(pairs)
    return str(value)


def braces(words: Iterable[str]) -> str:
    """`{a, b}`"""
    return "{" + ", ".join(words) + "}"


def choice_label(machine: Machine, decision: Decision, raw: Raw) -> str:
    """A raw choice of a decision in words."""
    if raw in (DECLINED, NOTHING):
        return DECLINE
    if decision.chooser >= 0:
        kind = machine.choosers[decision.chooser].type
        low = kind.low if isinstance(kind, IntType) else 0
        return value_label(machine, kind, raw if isinstance(raw, tuple) else raw + low)
    option = decision.options[raw[0]]
    if len(raw) == 1:
        return str(option.name)
    words = [
        value_label(machine, kind, value) for kind, value in zip(option.types, raw[1:], strict=True)
    ]
    return f"{option.name}({', '.join(words)})"


def site_domain(machine: Machine, site: Site) -> int:
    """The domain of what a chance site gives."""
    if site.kind == "shuffle":
        return machine.kinds[machine.places[site.place].kind].domain
    kind = machine.fields[site.field].type
    assert isinstance(kind, MemberType)
    return kind.domain


def chance_label(machine: Machine, site: Site, raw: Raw) -> str:
    """A result of chance in words."""
    if site.kind == "dice":
        return "[" + ", ".join(str(x) for x in raw) + "]"
    labels = machine.domains[site_domain(machine, site)].labels
    if isinstance(raw, tuple):
        return "[" + ", ".join(labels[x] for x in raw) + "]"
    return labels[raw]


def normal(text: str) -> str:
    """A choice text without regard to spaces and the order inside braces."""
    text = "".join(text.split())
    if text.startswith("{") and text.endswith("}"):
        return "{" + ",".join(sorted(text[1:-1].split(","))) + "}"
    return text


def find(machine: Machine, decision: Decision, legal: tuple[Raw, ...], text: str) -> Raw | None:
    """The legal raw choice that a text names, or None."""
    wanted = normal(text)
    for raw in legal:
        if normal(choice_label(machine, decision, raw)) == wanted:
            return raw
    return None


def find_chance(machine: Machine, site: Site, text: str) -> Raw | None:
    """The raw result that a text names at a chance site, or None."""
    if site.kind == "dice":
        faces = "".join(text.split()).removeprefix("[").removesuffix("]").split(",")
        good = all(x.isdigit() and len(x) < 6 for x in faces)
        return tuple(int(x) for x in faces) if good else None
    labels = {
        label: i for i, label in enumerate(machine.domains[site_domain(machine, site)].labels)
    }
    words = "".join(text.split())
    if words.startswith("[") and words.endswith("]"):
        names = words[1:-1].split(",") if words != "[]" else []
        if all(n in labels for n in names):
            return tuple(labels[n] for n in names)
        return None
    return labels.get(words)
