"""Raw choices from words, legal or not: what `why` and refusals in scenarios need.

In: a position, a decision and a text. Out: the raw choice that the text would be, or None where no
choice of that form could be written so.
"""

from __future__ import annotations

from compiler.machine.record import Decision, Machine
from compiler.machine.values import BoolType, IntType, MemberType, SetType, Type, VectorType
from runtime.legal import DECLINED, Raw


def parse_choice(machine: Machine, number: int, text: str) -> Raw | None:
    """The raw choice of a decision that a text would be."""
    made = machine.decisions[number]
    words = "".join(text.split())
    if words == "decline":
        return DECLINED if made.may else None
    if made.chooser >= 0:
        return _value(machine, machine.choosers[made.chooser].type, words)
    return _option(machine, made, words)


def _value(machine: Machine, kind: Type, words: str) -> Raw | None:
    match kind:
        case BoolType():
            return {"no": 0, "yes": 1}.get(words)
        case IntType(low):
            digits = words.removeprefix("-")
            return int(words) - low if digits.isdigit() and len(digits) < 10 else None
        case MemberType(domain):
            return _member(machine, domain, words)
        case SetType(domain):
            return _subset(machine, domain, words)
        case VectorType(domain):
            return _amounts(machine, domain, words)
    return None


def _member(machine: Machine, domain: int, words: str) -> int | None:
    labels = machine.domains[domain].labels
    return labels.index(words) if words in labels else None


def _inner(words: str) -> list[str] | None:
    if not (words.startswith("{") and words.endswith("}")):
        return None
    return words[1:-1].split(",") if words != "{}" else []


def _subset(machine: Machine, domain: int, words: str) -> int | None:
    items = _inner(words)
    if items is None:
        return None
    found = [_member(machine, domain, x) for x in items]
    mask = 0
    for member in found:
        if member is None:
            return None
        mask |= 1 << member
    return mask


def _amounts(machine: Machine, domain: int, words: str) -> tuple[int, ...] | None:
    items = _inner(words)
    if items is None:
        return None
    out = [0] * machine.domains[domain].size
    for item in items:
        name, _, amount = item.partition("->")
        member = _member(machine, domain, name)
        if member is None or not amount.isdigit() or len(amount) > 9:
            return None
        out[member] = int(amount)
    return tuple(out)


def _option(machine: Machine, made: Decision, words: str) -> Raw | None:
    name, _, rest = words.partition("(")
    args = rest.removesuffix(")").split(",") if rest else []
    for at, option in enumerate(made.options):
        if option.name != name or len(option.types) != len(args):
            continue
        values = [_value(machine, k, w) for k, w in zip(option.types, args, strict=True)]
        if any(v is None for v in values):
            return None
        lows = [k.low if isinstance(k, IntType) else 0 for k in option.types]
        return (at, *(int(v or 0) + low for v, low in zip(values, lows, strict=True)))
    return None
