"""A core: the machine as functions on cells, made by the walker or from generated Python.

`Code` is what the engine needs from either: run blocks until somebody must act, and evaluate the
expressions of choosers, options, sites, endings and measures. An expression becomes a function of
(cells, locals 0..n-1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from attrs import frozen

from compiler.machine.exprs import Binary, Expr, Fold, Local
from compiler.machine.record import Chooser, Machine, Option
from compiler.machine.values import BoolType, ListType

Function = Callable[..., Any]


class Maker(Protocol):
    """Turns expressions into functions; `run` advances cells until the game waits."""

    def want(self, expr: Expr | None, params: int) -> int:
        """Ask for an expression as a function; returns its number (-1 for None)."""

    def finish(self) -> tuple[list[Function], Function]:
        """All functions in order, and `run(cells)`."""


@frozen
class ChooserCode:
    """The functions of a chooser; `every` lists a plain pick's legal members in one go."""

    demands: tuple[Function, ...]
    every: Function | None
    domain: Function | None
    low: Function | None
    high: Function | None
    each: Function | None
    weight_low: Function | None
    weight_high: Function | None
    base: Function | None


@frozen
class OptionCode:
    """The functions of an option: domains and wheres by binder, demands over all binders."""

    domains: tuple[Function, ...]
    wheres: tuple[Function | None, ...]
    demands: tuple[Function, ...]


@frozen
class DecisionCode:
    """Who decides, with which arguments, among which options."""

    seat: Function
    args: tuple[Function, ...]
    options: tuple[OptionCode, ...]


@frozen
class SiteCode:
    """A site's domain, the instance that it shuffles by index, the number and faces of its dice."""

    domain: Function | None
    index: tuple[Function, ...]
    dice: Function | None
    faces: Function | None


@frozen
class EndingCode:
    who: Function | None
    keys: tuple[Function, ...]


@frozen
class Code:
    """A machine as functions."""

    machine: Machine
    run: Callable[[list[int]], None]
    choosers: tuple[ChooserCode, ...]
    decisions: tuple[DecisionCode, ...]
    sites: tuple[SiteCode, ...]
    endings: tuple[EndingCode, ...]
    measures: tuple[Function, ...]
    parts: tuple[tuple[Function, ...], ...]
    invariants: tuple[Function, ...]


def _everything(made: Chooser) -> Expr | None:
    """All legal members of a plain pick as one fold, where no demand gives way to another."""
    if made.form != "one" or any(d.prefer for d in made.demands):
        return None
    at = len(made.params)
    where = made.each
    for demand in made.demands:
        where = demand.test if where is None else Binary("and", where, demand.test, BoolType())
    kind = ListType(made.type, 1 << 20)
    return Fold(
        "list", at, made.domain, made.low, made.high, where, Local(at, made.type), False, kind
    )


def assemble(machine: Machine, maker: Maker) -> Code:
    """Ask a maker for every function of a machine and put them together."""
    choosers = [_want_chooser(c, maker) for c in machine.choosers]
    decisions = [
        (
            maker.want(d.seat, 0),
            [maker.want(a, 0) for a in d.args],
            [_want_option(o, maker) for o in d.options],
        )
        for d in machine.decisions
    ]
    sites = [
        (
            maker.want(s.domain, 0),
            [maker.want(i, 0) for i in s.index],
            maker.want(s.weight, 0) if s.kind == "dice" else -1,
            maker.want(s.faces, 0),
        )
        for s in machine.sites
    ]
    endings = [
        (maker.want(x.who, 0), [maker.want(k.value, 1) for k in x.keys]) for x in machine.endings
    ]
    measures = [maker.want(x.value, 1) for x in machine.measures]
    parts = [[maker.want(p, 1) for _, p in x.parts] for x in machine.measures]
    invariants = [maker.want(x.test, 0) for x in machine.invariants]
    made, run = maker.finish()

    def get(number: int) -> Function:
        return made[number]

    def maybe(number: int) -> Function | None:
        return None if number < 0 else made[number]

    return Code(
        machine,
        run,
        tuple(
            ChooserCode(tuple(get(n) for n in demands), *(maybe(n) for n in numbers))
            for numbers, demands in choosers
        ),
        tuple(
            DecisionCode(
                get(seat),
                tuple(get(a) for a in args),
                tuple(
                    OptionCode(
                        tuple(get(x) for x in domains),
                        tuple(maybe(x) for x in wheres),
                        tuple(get(x) for x in demands),
                    )
                    for domains, wheres, demands in options
                ),
            )
            for seat, args, options in decisions
        ),
        tuple(
            SiteCode(maybe(x), tuple(get(i) for i in index), maybe(n), maybe(f))
            for x, index, n, f in sites
        ),
        tuple(EndingCode(maybe(w), tuple(get(k) for k in keys)) for w, keys in endings),
        tuple(get(x) for x in measures),
        tuple(tuple(get(x) for x in found) for found in parts),
        tuple(get(x) for x in invariants),
    )


def _want_chooser(made: Chooser, maker: Maker) -> tuple[list[int], list[int]]:
    count = len(made.params)
    plan = made.plan
    each_params = count + 1 if made.form == "one" else count
    numbers = [
        maker.want(_everything(made), count),
        maker.want(made.domain, count),
        maker.want(made.low, count),
        maker.want(made.high, count),
        maker.want(made.each, each_params),
        maker.want(None if plan is None else plan.low, count),
        maker.want(None if plan is None else plan.high, count),
        maker.want(None if plan is None else plan.base, count),
    ]
    return numbers, [maker.want(d.test, count + 1) for d in made.demands]


def _want_option(made: Option, maker: Maker) -> tuple[list[int], list[int], list[int]]:
    domains = [maker.want(d, i) for i, d in enumerate(made.domains)]
    wheres = [maker.want(w, i + 1) for i, w in enumerate(made.wheres)]
    return domains, wheres, [maker.want(d.test, len(made.slots)) for d in made.demands]
