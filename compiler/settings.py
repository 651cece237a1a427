"""Options, assumptions, readings and variants: what a configuration switches.

In: declarations and the configuration's texts. Out: symbols for options and assumptions, the list
of active patches, and a record of every setting (`Choosing`) for compile, audit and docs.
"""

from __future__ import annotations

from attrs import evolve

from compiler.elaborate import constant, elaborate
from compiler.machine import record as m
from compiler.machine.exprs import Const
from compiler.machine.values import BoolType, IntType, MemberType, SetType, Type
from compiler.scope import ConstSymbol, DefineSymbol, Draft, Scope, guarded
from compiler.types import resolve
from dsl import declarations as d
from dsl import tree as t
from dsl.load import load
from dsl.problems import Report, did_you_mean

MAX_TEXT = 2000


def expression(draft: Draft, text: str, what: str) -> t.Expr:
    """A value given from outside, as an expression of the language."""
    report = Report()
    if len(text) <= MAX_TEXT and "\n" not in text:
        file = load(f"<{what}>", f"define x = {text}\n".encode(), report)
        decls = file.decls
        made = decls[0] if len(decls) == 1 and not report.failed else None
        if isinstance(made, d.Define) and made.value is not None:
            return made.value
    raise draft.fail("E0306", f"the value of {what} cannot be read: {text[:60]!r}")


def _unknown(draft: Draft, given: str, known: list[str], kind: str) -> None:
    draft.report.error(
        "E0307",
        f"this game has no {kind} '{given}'",
        help=did_you_mean(given, known),
        notes=(f"it has: {', '.join(known)}",) if known else (),
    )


def options(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    """Declare every option with its value."""
    found = [x for x in decls if isinstance(x, d.Option)]
    given = dict(draft.config.options)
    for name in given:
        if name not in [o.name for o in found]:
            _unknown(draft, name, [o.name for o in found], "option")
    for made in found:
        with guarded(draft, made.name):
            _option(draft, made, given.get(made.name))


def _option(draft: Draft, made: d.Option, given: str | None) -> None:
    scope = Scope(draft)
    kind = resolve(draft, made.type, lambda e: constant(e, scope))
    written = made.default if given is None else expression(draft, given, f"option {made.name}")
    value = elaborate(written, scope, kind)
    if not isinstance(value, Const):
        raise draft.fail("E0405", "an option's value must be a constant", made.span)
    draft.declare(made.name, ConstSymbol(value), made.span)
    default = elaborate(made.default, scope, kind)
    draft.settings.append(
        m.Choosing(
            made.name,
            "option",
            made.text,
            label(draft, value, kind),
            label(draft, default, kind),
            (),
            "",
            made.cites,
        )
    )


def label(draft: Draft, value: object, kind: Type) -> str:
    """A constant in the words of the language."""
    number = value.value if isinstance(value, Const) else value
    match kind:
        case BoolType():
            return "yes" if number else "no"
        case MemberType(domain):
            if not isinstance(number, int) or number < 0:
                return "none"
            return draft.domains[domain].labels[number]
        case SetType(domain) if isinstance(number, int):
            names = [n for i, n in enumerate(draft.domains[domain].labels) if number >> i & 1]
            return "{" + ", ".join(names) + "}"
        case IntType():
            return str(number)
    return str(number)


def assumptions(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    """Declare every assumption with a value as a definition that a configuration may change."""
    found = [x for x in decls if isinstance(x, d.Assume)]
    given = dict(draft.config.assumes)
    for name in given:
        if name not in [a.id for a in found if a.value is not None]:
            _unknown(draft, name, [a.id for a in found if a.value is not None], "assumption")
    for made in found:
        value, chosen = made.value, "default"
        if made.id in given and made.value is not None:
            with guarded():
                value, chosen = _assumed(draft, made, given[made.id])
        if value is not None:
            decl = d.Define(
                (*made.cites, made.id), made.name, made.params, made.type, value, span=made.span
            )
            draft.declare(made.name, DefineSymbol(decl, "assume"), made.span)
        draft.settings.append(
            m.Choosing(
                made.id,
                "assume",
                made.text or made.name,
                chosen,
                "default",
                tuple(f"alternative {i + 1}" for i in range(len(made.others))),
                made.because,
                made.cites,
            )
        )


def _assumed(draft: Draft, made: d.Assume, text: str) -> tuple[t.Expr, str]:
    """`1` is the default, `2` the first alternative, ...; anything else is an expression."""
    if text.isdigit() and made.others and 1 <= int(text) <= len(made.others) + 1:
        assert made.value is not None
        return ((made.value, *made.others)[int(text) - 1], text)
    return expression(draft, text, f"assumption {made.id}"), text


def active_patches(draft: Draft, decls: tuple[d.Decl, ...]) -> list[d.Patch]:
    """The patches that hold in this configuration, readings and variants turned into patches."""
    out = [x for x in decls if isinstance(x, d.Patch) and x.kind in ("patch", "instead")]
    out += _variants(draft, [x for x in decls if isinstance(x, d.Patch) and x.kind == "variant"])
    out += _readings(draft, [x for x in decls if isinstance(x, d.Reading)])
    return out


def _variants(draft: Draft, found: list[d.Patch]) -> list[d.Patch]:
    names = [v.name for v in found]
    on = [v for v in found if v.name in draft.config.variants]
    for name in draft.config.variants:
        if name not in names:
            _unknown(draft, name, names, "variant")
    for made in found:
        state = "on" if made in on else "off"
        draft.settings.append(
            m.Choosing(made.name, "variant", made.text, state, "off", ("on", "off"), "", made.cites)
        )
    for made in on:
        clashes = [x.path for x in made.lines if isinstance(x, d.Edit) and x.op == "not"]
        for other in on:
            if other.name in clashes:
                draft.report.error(
                    "E0503",
                    f"'{made.name}' and '{other.name}' cannot be played together",
                    made.span,
                )
    return on


def _readings(draft: Draft, found: list[d.Reading]) -> list[d.Patch]:
    given = dict(draft.config.readings)
    for name in given:
        if name not in [r.id for r in found]:
            _unknown(draft, name, [r.id for r in found], "reading")
    out = []
    for made in found:
        _dead_switch(draft, made)
        chosen = next((a for a in made.alternatives if a.chosen), made.alternatives[0])
        picked = chosen if made.id not in given else _pick(draft, made, given[made.id])
        if picked is None:
            continue
        draft.settings.append(
            m.Choosing(
                made.id,
                "reading",
                made.text,
                picked.name,
                chosen.name,
                tuple(a.name for a in made.alternatives),
                made.because,
                made.cites,
            )
        )
        if picked.patches:
            out.append(
                d.Patch(
                    (*picked.cites, made.id),
                    made.id,
                    (),
                    picked.text,
                    "reading",
                    None,
                    picked.patches,
                    span=picked.span,
                )
            )
    return [evolve(p, kind="reading") for p in out]


def _pick(draft: Draft, made: d.Reading, given: str) -> d.Alternative | None:
    names = [a.name for a in made.alternatives]
    if given.isdigit() and 1 <= int(given) <= len(names):
        return made.alternatives[int(given) - 1]
    if given in names:
        return made.alternatives[names.index(given)]
    draft.report.error(
        "E0308",
        f"the reading {made.id} has no candidate '{given}'",
        made.span,
        notes=(f"it has: {', '.join(f'{i + 1} {n}' for i, n in enumerate(names))}",),
        help=did_you_mean(given, names),
    )
    return None


def _dead_switch(draft: Draft, made: d.Reading) -> None:
    """A reading whose candidates change nothing is a switch that does nothing."""
    bodies = [a.patches for a in made.alternatives]
    if len(bodies) < 2 or any(b == bodies[0] for b in bodies[1:]):
        draft.report.error(
            "E0504",
            f"under the reading {made.id} no clause differs: it is a dead switch",
            made.span,
            help="a candidate other than the chosen one carries patches",
        )
