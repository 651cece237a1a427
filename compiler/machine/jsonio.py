"""The machine as JSON and back: every frozen class by name with its fields, tuples as lists.

In: a machine, or JSON text. Out: text, or a machine; text that is no machine is refused with a
problem, not executed: classes are looked up in a closed table.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import attrs

from compiler.machine import effects, exprs, record, values
from compiler.machine.record import Machine
from dsl.problems import Problem, Refused, Span

VERSION = 1
MAX_BYTES = 100_000_000


@cache
def classes() -> dict[str, type]:
    """Every class that a machine may be made of, by name."""
    found: dict[str, type] = {"Span": Span}
    for module in (values, exprs, effects, record):
        for name, made in vars(module).items():
            if isinstance(made, type) and attrs.has(made) and made.__module__ == module.__name__:
                key = name if name not in found else f"{module.__name__.rsplit('.', 1)[-1]}.{name}"
                found[key] = made
    return found


@cache
def _names() -> dict[type, str]:
    return {made: name for name, made in classes().items()}


def encode(value: Any) -> Any:
    """A value as plain JSON data."""
    if isinstance(value, tuple):
        return [encode(v) for v in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    fields = attrs.fields(type(value))
    return {"": _names()[type(value)], **{f.name: encode(getattr(value, f.name)) for f in fields}}


def decode(data: Any) -> Any:
    """Plain JSON data as a value."""
    if isinstance(data, list):
        return tuple(decode(v) for v in data)
    if not isinstance(data, dict):
        return data
    made = classes().get(str(data.get("")))
    if made is None:
        raise ValueError(f"{data.get('')!r} is no part of a machine")
    names = {f.name for f in attrs.fields(made)}
    if set(data) - {""} != names:
        raise ValueError(f"{data['']} has other fields")
    return made(**{k: decode(v) for k, v in data.items() if k})


def dumps(machine: Machine) -> str:
    """A machine as JSON text."""
    body = {"rulec-machine": VERSION, "machine": encode(machine)}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")) + "\n"


def loads(text: str) -> Machine:
    """A machine from JSON text; raises `Refused` (E0120) when it is none."""
    try:
        if len(text) > MAX_BYTES:
            raise ValueError("it is too large")
        body = json.loads(text)
        if not isinstance(body, dict) or body.get("rulec-machine") != VERSION:
            raise ValueError(f"it is not marked as version {VERSION}")
        made = decode(body["machine"])
    except (ValueError, TypeError, KeyError, RecursionError) as bad:
        raise Refused(Problem("E0120", f"this is not a machine file: {bad}")) from None
    if not isinstance(made, Machine):
        raise Refused(Problem("E0120", "this is not a machine file"))
    return made


def canonical(machine: Machine) -> str:
    """What a machine does, as text: without spans, texts, citations, paths of clauses and settings.

    Equal texts mean equal rules, so a comment or a new citation does not make another version.
    """
    return json.dumps(_bare(machine), separators=(",", ":"), sort_keys=True)


SILENT = frozenset(("clause", "span", "clauses", "settings", "text", "prompt", "title", "because"))


def _bare(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_bare(v) for v in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    fields = attrs.fields(type(value))
    return {
        "": _names()[type(value)],
        **{f.name: _bare(getattr(value, f.name)) for f in fields if f.name not in SILENT},
    }
