"""Rule documents: a machine in plain words, as Markdown.

In: a machine. Out: Markdown text: components, setup, turn, actions, scoring, ends, assumptions and
readings. Sentences are made from the machine by fixed patterns (nothing is taken from a book), in
the order of the rules; a mark shows what rests on an assumption or a reading.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from attrs import frozen
from jinja2 import Environment, StrictUndefined

from compiler.control import successors
from compiler.machine import effects as e
from compiler.machine.record import Clause, Decision, Machine, Place, Visible
from compiler.phrases import Phrases

TEMPLATE = Path(__file__).with_name("rules.md.j2")


@frozen
class Line:
    """One sentence with the ids that it cites; `depth` indents it."""

    text: str
    cites: tuple[str, ...]
    depth: int = 0


@frozen
class Part:
    """A heading with its lines."""

    title: str
    lines: tuple[Line, ...]


@cache
def _environment() -> Environment:
    return Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )


def _clause(machine: Machine, number: int) -> Clause | None:
    return machine.clauses[number] if number >= 0 else None


def _cites(machine: Machine, number: int) -> tuple[str, ...]:
    made = _clause(machine, number)
    return made.cites if made else ()


SEEN = {
    "everyone": "open to all",
    "nobody": "face down",
    "owner": "seen by its owner alone",
    "others": "seen by all but its owner",
    "top": "face down but for the top",
    "order": "known, but not its order",
    "hidden": "out of sight",
    "seats": "seen by named seats",
}


def components(machine: Machine) -> Part:
    """What is in the box and where it can lie."""
    lines = [
        Line(f"{machine.domains[k.domain].size} x {k.name}", _cites(machine, k.clause))
        for k in machine.kinds
    ]
    for place in machine.places:
        lines.append(Line(_place(machine, place), _cites(machine, place.clause)))
    return Part("Components and places", tuple(lines))


def _place(machine: Machine, place: Place) -> str:
    kind = machine.kinds[place.kind].name
    each = "".join(f", one for each {machine.domains[d].name}" for d in place.dims)
    holds = {
        "one": f"one {kind}",
        "set": f"{kind} pieces",
        "pile": f"a pile of {kind}",
        "row": f"a row of {kind}",
    }
    most = ""
    if (
        place.shape not in ("one",)
        and place.capacity < machine.domains[machine.kinds[place.kind].domain].size
    ):
        most = f", {place.capacity} at the most"
    return f"{place.name}: {holds[place.shape]}{each}{most}, {_seen(place.visible)}"


def _seen(visible: Visible) -> str:
    return SEEN[visible.kind] + (" for a time" if visible.while_ is not None else "")


def rules(machine: Machine) -> list[Part]:
    """Every rule in the order in which play comes to it."""
    phrases = Phrases(machine)
    parts = []
    for number, rule in enumerate(machine.rules):
        lines: list[Line] = []
        for block in _in_order(machine, number):
            lines += _block(machine, phrases, block)
        if lines:
            title = rule.name.replace("_", " ")
            parts.append(Part(title[:1].upper() + title[1:], tuple(_merged(lines))))
    for made in machine.procedures:
        lines = [Line(t, _cites(machine, c), d) for t, c, d in phrases.effects(made.body, 0)]
        if lines and made.clause >= 0:
            title = made.name.replace("_", " ")
            parts.append(Part(title[:1].upper() + title[1:], tuple(_merged(lines))))
    return parts


def _in_order(machine: Machine, rule: int) -> list[e.Block]:
    """The blocks of a rule as play comes to them, dead ones left out."""
    todo, seen, out = [machine.rules[rule].entry], set(), []
    while todo:
        at = todo.pop()
        block = machine.blocks[at]
        if at in seen:
            continue
        seen.add(at)
        if block.rule == rule:
            out.append(block)
            todo += [b for b in reversed(successors(machine, block.exit)) if b not in seen]
        else:
            todo += [
                b
                for r in machine.rules
                for b in r.returns
                if r.entry == at and machine.blocks[b].rule == rule
            ]
    return out


def _merged(lines: list[Line]) -> list[Line]:
    out: list[Line] = []
    for line in lines:
        if line not in out[-3:]:
            out.append(line)
    return out


def _block(machine: Machine, phrases: Phrases, block: e.Block) -> list[Line]:
    lines = [Line(t, _cites(machine, c), d) for t, c, d in phrases.effects(block.effects, 0)]
    match block.exit:
        case e.Branch(test, _, _, clause) if clause >= 0:
            lines.append(
                Line(f"what follows depends: {phrases.expr(test)}", _cites(machine, clause))
            )
        case e.Ask(decision) | e.AskMenu(decision):
            lines += _decision(machine, phrases, machine.decisions[decision])
        case e.Draw(site):
            made = machine.sites[site]
            words = {
                "shuffle": "shuffle",
                "one": "chance picks",
                "table": "the table agrees on",
                "dice": "roll",
            }
            what = (
                machine.places[made.place].name if made.place >= 0 else made.path.rsplit(".", 1)[-1]
            )
            lines.append(Line(f"{words[made.kind]} {what}", _cites(machine, made.clause)))
        case e.End(ending):
            lines.append(
                Line(
                    phrases.ending(machine.endings[ending]),
                    _cites(machine, machine.endings[ending].clause),
                )
            )
    return lines


def _decision(machine: Machine, phrases: Phrases, decision: Decision) -> list[Line]:
    verb = "may" if decision.may else "must"
    what = decision.prompt or decision.path.rsplit(".", 1)[-1].replace("_", " ")
    lines = [Line(f"the player {verb} choose: {what}", _cites(machine, decision.clause))]
    if decision.chooser >= 0:
        chooser = machine.choosers[decision.chooser]
        lines += [
            Line(f"not allowed: {x.text}", _cites(machine, x.clause), 1) for x in chooser.demands
        ]
    for option in decision.options:
        name = option.text or option.name.replace("_", " ")
        lines.append(Line(f"option: {name}", _cites(machine, option.clause), 1))
        lines += [
            Line(f"not allowed: {x.text}", _cites(machine, x.clause), 2) for x in option.demands
        ]
    return lines


def scoring(machine: Machine) -> Part:
    """The score's parts."""
    lines = []
    for made in machine.measures:
        if made.kind == "score":
            words = " + ".join(name.replace("_", " ") for name, _ in made.parts)
            lines.append(Line(f"score of a player = {words}", ()))
    for function in machine.functions:
        made_clause = _clause(machine, function.clause)
        if made_clause is not None and made_clause.cites:
            phrase = Phrases(machine).expr(function.body)
            lines.append(Line(f"{function.name.replace('_', ' ')}: {phrase}", made_clause.cites))
    return Part("Definitions and scoring", tuple(lines))


def document(machine: Machine) -> str:
    """The whole document in Markdown."""
    parts = [components(machine), *rules(machine), scoring(machine)]
    resting = {s.id for s in machine.settings if s.kind in ("assume", "reading")}
    template = _environment().from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        machine=machine,
        parts=parts,
        resting=resting,
        settings=machine.settings,
    )
