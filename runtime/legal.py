"""What may be chosen: canonical lists of raw choices, and which demand refuses one.

A raw choice is an integer for a plain pick (an index, or a number less the lowest of its range), a
mask for a subset, a tuple of numbers for amounts (one a member of the whole domain), a tuple
(option, members...) for a menu. Declining is -1, or () where choices are tuples. Lists are in
ascending order; a piece that its chooser cannot tell from another is offered once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compiler.machine.builtins import Fault, members
from compiler.machine.record import Chooser, Decision, Machine
from compiler.machine.values import IntType, MemberType, VectorType
from runtime.core import ChooserCode, Code
from runtime.subsets import MAX_SETS, Lister

Raw = Any
DECLINED = -1
NOTHING: tuple[int, ...] = ()


class Legal:
    """Lists legal choices of a machine's decisions and choosers."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.machine: Machine = code.machine
        self.listers = [self._lister(c) for c in self.machine.choosers]
        self.pure = [self._pure(c) for c in self.machine.choosers]

    def _lister(self, made: Chooser) -> Lister:
        plan = made.plan
        if plan is None:
            return Lister(None, None, None)
        return Lister(plan.weights, plan.adjacent, plan.needs)

    def _pure(self, made: Chooser) -> tuple[list[int], list[int]]:
        """The demands left by the plan: those over the subset alone, and the others."""
        if made.plan is None:
            return [], list(range(len(made.demands)))
        own: list[int] = []
        other: list[int] = []
        for i in made.plan.rest:
            pure = looks_only_at(made.demands[i].test, len(made.params), self.machine)
            (own if pure and not made.demands[i].prefer else other).append(i)
        return own, other

    # -- choosers ---------------------------------------------------------------------------------
    def chooser(self, number: int, cells: Sequence[int], args: tuple[Any, ...]) -> list[Raw]:
        """The legal values of a chooser."""
        made, code = self.machine.choosers[number], self.code.choosers[number]
        if code.every is not None:
            found = list(code.every(cells, *args))
            low = _lowest(made)
            return [x - low for x in found] if low else found
        tests: Sequence[int] = range(len(made.demands))
        match made.form:
            case "one":
                raws = self._plain(made, code, cells, args)
            case "subset":
                raws = self._subsets(number, made, code, cells, args)
                tests = self.pure[number][1]
            case _:
                raws = self._amounts(made, code, cells, args)
        low = _lowest(made)
        for i in tests:
            kept = [r for r in raws if code.demands[i](cells, *args, r + low if low else r)]
            if kept or not made.demands[i].prefer:
                raws = kept
        if made.most and raws:
            top = max(r.bit_count() for r in raws)
            raws = [r for r in raws if r.bit_count() == top]
        return raws

    def _plain(
        self, made: Chooser, code: ChooserCode, cells: Sequence[int], args: tuple[Any, ...]
    ) -> list[Raw]:
        low = _lowest(made)
        if code.domain is not None:
            values: Sequence[int] = members(code.domain(cells, *args))
        else:
            assert code.low is not None and code.high is not None
            values = range(code.low(cells, *args), code.high(cells, *args) + 1)
        if code.each is not None:
            values = [v for v in values if code.each(cells, *args, v)]
        return [v - low for v in values] if code.domain is None else list(values)

    def _subsets(
        self,
        number: int,
        made: Chooser,
        code: ChooserCode,
        cells: Sequence[int],
        args: tuple[Any, ...],
    ) -> list[Raw]:
        assert code.domain is not None
        domain = code.domain(cells, *args)
        low = 0 if code.low is None else code.low(cells, *args)
        high = domain.bit_count() if code.high is None else code.high(cells, *args)
        light = 0 if code.weight_low is None else code.weight_low(cells, *args)
        heavy = 1 << 30 if code.weight_high is None else code.weight_high(cells, *args)
        base = 0 if code.base is None else code.base(cells, *args)
        own = [code.demands[i] for i in self.pure[number][0]]

        def test(subset: int) -> bool:
            return all(d(cells, *args, subset) for d in own)

        lister = self.listers[number]
        return list(lister.list(domain, (low, high), (light, heavy), base, test if own else None))

    def _amounts(
        self, made: Chooser, code: ChooserCode, cells: Sequence[int], args: tuple[Any, ...]
    ) -> list[Raw]:
        assert code.domain and code.low and code.high and code.each
        assert isinstance(made.type, VectorType)
        size = self.machine.domains[made.type.domain].size
        at = members(code.domain(cells, *args))
        limits = code.each(cells, *args)
        low, high = code.low(cells, *args), code.high(cells, *args)
        out: list[Raw] = []

        def fill(i: int, left: int, done: list[int]) -> None:
            if i == len(at):
                if high - left >= low:
                    vector = [0] * size
                    for member, amount in zip(at, done, strict=True):
                        vector[member] = amount
                    out.append(tuple(vector))
                    if len(out) > MAX_SETS:
                        raise Fault(f"more than {MAX_SETS:,} amounts could be chosen here")
                return
            for amount in range(min(left, limits[i]) + 1):
                fill(i + 1, left - amount, [*done, amount])

        if high >= 0:
            fill(0, high, [])
        return sorted(out)

    def possible(self, number: int, cells: Sequence[int], *args: Any) -> bool:
        """Whether a chooser has any legal value."""
        return bool(self.chooser(number, cells, args))

    # -- decisions --------------------------------------------------------------------------------
    def decision(self, number: int, cells: Sequence[int]) -> tuple[Raw, ...]:
        """The legal raw choices of a decision, without declining."""
        made, code = self.machine.decisions[number], self.code.decisions[number]
        if made.chooser >= 0:
            args = tuple(a(cells) for a in code.args)
            found = self.chooser(made.chooser, cells, args)
            kind = self.machine.choosers[made.chooser].type
            if isinstance(kind, MemberType):
                found = self.distinct(kind.domain, found, cells)
            return tuple(found)
        return tuple(self._menu(made, number, cells))

    def _menu(self, made: Decision, number: int, cells: Sequence[int]) -> list[Raw]:
        code = self.code.decisions[number]
        at = 0
        for tier in made.tiers:
            out: list[Raw] = []
            for _ in tier:
                out += [(at, *values) for values in self._option(made, code.options[at], at, cells)]
                at += 1
            if out:
                return out
        return []

    def _option(
        self, made: Decision, code: Any, at: int, cells: Sequence[int]
    ) -> list[tuple[int, ...]]:
        option = made.options[at]
        found: list[tuple[int, ...]] = [()]
        for i, kind in enumerate(option.types):
            low = kind.low if isinstance(kind, IntType) else 0
            wider: list[tuple[int, ...]] = []
            for values in found:
                items = list(members(code.domains[i](cells, *values)))
                if isinstance(kind, MemberType):
                    items = self.distinct(kind.domain, items, cells)
                for item in items:
                    where = code.wheres[i]
                    if where is None or where(cells, *values, item + low):
                        wider.append((*values, item + low))
            found = wider
        for i, demand in enumerate(option.demands):
            kept = [v for v in found if code.demands[i](cells, *v)]
            if kept or not demand.prefer:
                found = kept
        return found

    def distinct(self, domain: int, items: list[int], cells: Sequence[int]) -> list[int]:
        """One piece of each class that nobody can tell apart: same data, place and marks."""
        made = self.machine.domains[domain]
        if not made.classes:
            return items
        marks = [
            f.base
            for f in self.machine.fields
            if f.dims == (domain,) and f.kind in ("var", "system")
        ]
        seen = set()
        out = []
        for item in items:
            key = (made.classes[item], *(cells[base + item] for base in marks))
            if key not in seen:
                seen.add(key)
                out.append(item)
        return out

    # -- reasons ----------------------------------------------------------------------------------
    def refusals(self, number: int, cells: Sequence[int], raw: Raw) -> list[int]:
        """The clauses of the demands that refuse a raw choice; -1 if it is outside the domain."""
        made, code = self.machine.decisions[number], self.code.decisions[number]
        if made.chooser < 0:
            return self._menu_refusals(made, number, cells, raw)
        args = tuple(a(cells) for a in code.args)
        chooser, functions = self.machine.choosers[made.chooser], self.code.choosers[made.chooser]
        low = _lowest(chooser)
        out = []
        if not self._inside(chooser, functions, cells, args, raw):
            out.append(-1)
        for demand, test in zip(chooser.demands, functions.demands, strict=True):
            if not demand.prefer and not test(cells, *args, raw + low if low else raw):
                out.append(demand.clause)
        return out

    def _inside(
        self,
        made: Chooser,
        code: ChooserCode,
        cells: Sequence[int],
        args: tuple[Any, ...],
        raw: Raw,
    ) -> bool:
        match made.form:
            case "one":
                return raw in self._plain(made, code, cells, args)
            case "subset":
                assert code.domain is not None
                size = raw.bit_count()
                low = 0 if code.low is None else code.low(cells, *args)
                high = size if code.high is None else code.high(cells, *args)
                return not raw & ~code.domain(cells, *args) and low <= size <= high
        return raw in self._amounts(made, code, cells, args)

    def _menu_refusals(
        self, made: Decision, number: int, cells: Sequence[int], raw: Raw
    ) -> list[int]:
        code = self.code.decisions[number].options[raw[0]]
        option = made.options[raw[0]]
        values = raw[1:]
        out = []
        for i, kind in enumerate(option.types):
            low = kind.low if isinstance(kind, IntType) else 0
            inside = code.domains[i](cells, *values[:i]) >> (values[i] - low) & 1
            where = code.wheres[i]
            if not inside or (where is not None and not where(cells, *values[: i + 1])):
                out.append(-1)
        if out:
            return out
        for demand, test in zip(option.demands, code.demands, strict=True):
            if not demand.prefer and not test(cells, *values):
                out.append(demand.clause)
        if not out and raw not in self._menu(made, number, cells):
            out.append(-2)
        return out


def _lowest(made: Chooser) -> int:
    return made.type.low if isinstance(made.type, IntType) else 0


def looks_only_at(test: Any, slot: int, machine: Machine) -> bool:
    """Whether a demand reads the candidate and constants alone (no state, no parameter)."""
    import attrs

    from compiler.machine.exprs import Builtin, Fold, Invoke, Local, Possible, Read

    bound = {slot}

    def look(node: Any) -> bool:
        if isinstance(node, tuple):
            return all(look(x) for x in node)
        if isinstance(node, Read | Possible):
            return False
        if isinstance(node, Builtin) and node.name.startswith("place_"):
            return False
        if isinstance(node, Local):
            return node.slot in bound
        if isinstance(node, Invoke):
            return look(node.args) and _reads_nothing(
                machine.functions[node.function].body, machine
            )
        if isinstance(node, Fold):
            bound.add(node.slot)
        if not attrs.has(type(node)):
            return True
        return all(look(getattr(node, f.name)) for f in attrs.fields(type(node)))

    return look(test)


def _reads_nothing(node: Any, machine: Machine) -> bool:
    import attrs

    from compiler.machine.exprs import Builtin, Invoke, Possible, Read

    if isinstance(node, tuple):
        return all(_reads_nothing(x, machine) for x in node)
    if isinstance(node, Read | Possible):
        return False
    if isinstance(node, Builtin) and node.name.startswith("place_"):
        return False
    if isinstance(node, Invoke) and not _reads_nothing(
        machine.functions[node.function].body, machine
    ):
        return False
    if not attrs.has(type(node)):
        return True
    return all(_reads_nothing(getattr(node, f.name), machine) for f in attrs.fields(type(node)))
