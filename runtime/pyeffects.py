"""Python source from the machine, second half: effects, procedures and blocks.

In: the machine. Out: source lines. A procedure that is also called inside a simultaneous batch is
written a second time, with reads from the cells before (`o`) and writes into the batch (`w`).
"""

from __future__ import annotations

from typing import assert_never

from compiler.machine import effects as e
from compiler.machine.exprs import Const, Expr
from compiler.machine.record import Machine
from compiler.machine.values import BoolType, IntType, MemberType, SetType
from runtime.pysource import Expressions


class Effects:
    """Writes effects as lines of Python."""

    def __init__(self, machine: Machine, expressions: Expressions) -> None:
        self.machine = machine
        self.x = expressions
        self.batch = False
        self.batched: list[int] = []
        self.fresh = 0

    def lines(self, effects: tuple[e.Effect, ...], pad: str) -> list[str]:
        """The lines of some effects."""
        out = [line for made in effects for line in self.effect(made, pad)]
        return out or [f"{pad}pass"]

    def effect(self, made: e.Effect, pad: str) -> list[str]:
        """The lines of one effect."""
        match made:
            case e.Assign():
                return self._assign(made, pad)
            case e.Change():
                return self._change(made, pad)
            case e.Bind(slot, value):
                return [f"{pad}v{slot} = {self.x.expr(value)}"]
            case e.MoveSet() | e.MoveTop() | e.TurnOver():
                return [pad + self._move(made)]
            case e.When(test, then, other):
                return self._when(test, then, other, pad)
            case e.Loop():
                return self._loop(made, pad)
            case e.Repeat(test, limit, body):
                return [
                    f"{pad}n = 0",
                    f"{pad}while {self.x.expr(test)}:",
                    f"{pad} n = rounds(n, {self.x.expr(limit)})",
                    *self.lines(body, pad + " "),
                ]
            case e.AtOnce(body):
                return self._at_once(body, pad)
            case e.Run(procedure, args):
                return [pad + self._run(procedure, args)]
            case e.Reveal():
                return []
        assert_never(made)

    def _value(self, field: int, value: Expr) -> str:
        text = self.x.expr(value)
        found = self.machine.fields[field]
        kind = value.type
        if isinstance(kind, BoolType):
            return text if isinstance(value, Const) else f"(1 if {text} else 0)"
        fits = isinstance(kind, SetType | MemberType) or (
            isinstance(kind, IntType) and found.low <= kind.low and kind.high <= found.high
        )
        if fits:
            return text
        return f"in_range({text}, {found.low}, {found.high}, N[{field}])"

    def _assign(self, made: e.Assign, pad: str) -> list[str]:
        found = self.machine.fields[made.field]
        if len(made.index) < len(found.dims):
            return self._assign_row(made, pad)
        cell = self.x.offset(found.base, found.dims, made.index)
        value = self._value(made.field, made.value)
        if self.batch:
            return [f"{pad}w.assign({cell}, {value}, N[{made.field}])"]
        return [f"{pad}s[{cell}] = {value}"]

    def _assign_row(self, made: e.Assign, pad: str) -> list[str]:
        found = self.machine.fields[made.field]
        width = 1
        for dim in found.dims[len(made.index) :]:
            width *= self.machine.domains[dim].size
        start = self.x.offset(0, found.dims[: len(made.index)], made.index)
        base = f"{found.base}+({start})*{width}"
        value = self.x.expr(made.value)
        if self.batch:
            return [
                f"{pad}for i, y in enumerate({value}):",
                f"{pad} w.assign({base}+i, y, N[{made.field}])",
            ]
        return [f"{pad}put_row(s, {base}, {value}, {found.low}, {found.high}, N[{made.field}])"]

    def _change(self, made: e.Change, pad: str) -> list[str]:
        found = self.machine.fields[made.field]
        cell = self.x.offset(found.base, found.dims, made.index)
        limit = "0" if made.limit is None else self.x.expr(made.limit)
        mode = {"strict": 0, "fit": 1, "at_most": 2, "at_least": 3, "wrap": 4}[made.mode]
        tail = f"{found.low}, {found.high}, M[{mode}], {limit}, N[{made.field}]"
        delta = self.x.expr(made.delta)
        if self.batch:
            return [f"{pad}w.change({cell}, {delta}, {tail})"]
        return [f"{pad}c = {cell}", f"{pad}s[c] = bounded(s[c], {delta}, {tail})"]

    def target(self, target: e.Target) -> str:
        """The number of a place instance."""
        if target.place < 0:
            return "0"
        place = self.machine.places[target.place]
        return self.x.offset(place.first, place.dims, target.index)

    def _move(self, made: e.MoveSet | e.MoveTop | e.TurnOver) -> str:
        kind = f"G[{made.kind}]"
        to = self.target(made.to)
        match made:
            case e.MoveSet(_, what):
                pieces = f"members({self.x.expr(what)})"
                if made.key is not None:
                    key = self.x.expr(made.key)
                    pairs = f"[({key}, v{made.key_slot}) for v{made.key_slot} in {pieces}]"
                    pieces = f"in_order({pairs}, {made.lowest})"
                return f"move_set(s, {kind}, {pieces}, {to}, {made.under})"
            case e.MoveTop(_, count, source):
                first = f"s, {kind}, {self.x.expr(count)}, {self.target(source)}"
                return f"move_top({first}, {to}, {made.partial})"
            case e.TurnOver(_, source):
                return f"turn_over(s, {kind}, {self.target(source)}, {to})"
        assert_never(made)

    def _when(
        self, test: Expr, then: tuple[e.Effect, ...], other: tuple[e.Effect, ...], pad: str
    ) -> list[str]:
        out = [f"{pad}if {self.x.expr(test)}:", *self.lines(then, pad + " ")]
        if other:
            out += [f"{pad}else:", *self.lines(other, pad + " ")]
        return out

    def _loop(self, made: e.Loop, pad: str) -> list[str]:
        name = f"v{made.slot}"
        if made.over is None:
            assert made.low is not None and made.high is not None
            over = f"range({self.x.expr(made.low)}, {self.x.expr(made.high)} + 1)"
        elif isinstance(made.over.type, SetType):
            over = f"members({self.x.expr(made.over)})"
        else:
            over = self.x.expr(made.over)
        if made.key is not None:
            pairs = f"[({self.x.expr(made.key)}, {name}) for {name} in {over}]"
            over = f"in_order({pairs}, {made.lowest})"
        return [f"{pad}for {name} in {over}:", *self.lines(made.body, pad + " ")]

    def _at_once(self, body: tuple[e.Effect, ...], pad: str) -> list[str]:
        if self.batch:
            return self.lines(body, pad)
        out = [f"{pad}o = tuple(s)", f"{pad}w = Batch()"]
        self.batch, self.x.state = True, "o"
        out += self.lines(body, pad)
        self.batch, self.x.state = False, "s"
        return [*out, f"{pad}w.commit(s, o)"]

    def _run(self, procedure: int, args: tuple[Expr, ...]) -> str:
        given = "".join(", " + self.x.expr(a) for a in args)
        if not self.batch:
            return f"p{procedure}(s{given})"
        if procedure not in self.batched:
            self.batched.append(procedure)
        return f"q{procedure}(s, o, w{given})"

    # -- procedures and blocks --------------------------------------------------------------------
    def procedures(self) -> list[str]:
        """Every procedure, and those for batches that turned out to be needed."""
        out = []
        for number, made in enumerate(self.machine.procedures):
            params = "".join(f", v{i}" for i in range(len(made.params)))
            out += [f"def p{number}(s{params}):", *self.lines(made.body, " ")]
        done = 0
        while done < len(self.batched):
            number = self.batched[done]
            made = self.machine.procedures[number]
            params = "".join(f", v{i}" for i in range(len(made.params)))
            self.batch, self.x.state = True, "o"
            out += [f"def q{number}(s, o, w{params}):", *self.lines(made.body, " ")]
            self.batch, self.x.state = False, "s"
            done += 1
        return out

    def functions(self) -> list[str]:
        """Every definition."""
        out = []
        for number, made in enumerate(self.machine.functions):
            params = "".join(f", v{i}" for i in range(len(made.params)))
            out += [f"def f{number}(s{params}):", f" return {self.x.expr(made.body)}"]
        return out

    def blocks(self) -> list[str]:
        """Every block: effects, then the number of the next block, or ~number to wait here."""
        out = []
        for number in range(len(self.machine.blocks)):
            out.append(f"def b{number}(s):")
            out += self.chain(number, {number}) or [" pass"]
        names = "".join(f"b{i}, " for i in range(len(self.machine.blocks)))
        return [*out, f"B = ({names})"]

    def chain(self, number: int, seen: set[int]) -> list[str]:
        """A block with those behind it as long as there is one way on."""
        block = self.machine.blocks[number]
        out = [line for made in block.effects for line in self.effect(made, " ")]
        match block.exit:
            case e.Goto(to):
                if to in seen or len(seen) > 8:
                    return [*out, f" return {to}"]
                return [*out, *self.chain(to, seen | {to})]
            case e.Branch(test, yes, no):
                return [*out, f" return {yes} if {self.x.expr(test)} else {no}"]
            case e.Return(rule):
                made = self.machine.rules[rule]
                back = self.machine.fields[made.back].base
                return [*out, f" return {self.x.constant(made.returns)}[s[{back}]]"]
            case e.Ask() | e.AskMenu() | e.Draw() | e.End():
                return [*out, f" return {~number}"]
        assert_never(block.exit)


def in_order(pairs: list[tuple[int, int]], lowest: bool) -> list[int]:
    """Members by their values, equal ones in ascending order."""
    if lowest:
        return [m for _, m in sorted(pairs)]
    return [m for _, m in sorted(pairs, key=lambda p: (-p[0], p[1]))]
