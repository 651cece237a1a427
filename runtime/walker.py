"""The tree walker: the oracle of the generated core, and the one that says which clauses fired.

In: a machine. Out: `Code` made of closures over the plain evaluator. With a trace it records every
clause that fired with consequence: an effect that changed something, a condition that held, a
requirement that refused, a definition that was used, an ending that was reached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, assert_never

from compiler.machine import effects as e
from compiler.machine.builtins import Fault, members
from compiler.machine.evaluate import World, evaluate, instance_offset
from compiler.machine.exprs import Expr
from compiler.machine.record import Machine
from compiler.machine.values import SetType
from runtime import cells as c
from runtime.core import Code, Function, assemble
from runtime.pyeffects import in_order

MAX_BLOCKS = 1_000_000
Locals = dict[int, Any]


class Walker:
    """Evaluates expressions and executes effects over a list of cells."""

    def __init__(self, machine: Machine, trace: set[int] | None = None) -> None:
        self.machine = machine
        self.trace = trace
        self.possible: list[Callable[..., bool]] = []
        self.kinds = tuple(c.kind_of(machine, k, i) for i, k in enumerate(machine.kinds))
        self.wanted: list[Function] = []
        self.batch: c.Batch | None = None
        self.halt: Callable[[list[int]], bool] | None = None
        self.world = World(
            machine.domains,
            machine.tables,
            machine.functions,
            machine.fields,
            machine.places,
            (),
            self._possible,
            self._fire if trace is not None else None,
        )

    def _possible(self, chooser: int, args: tuple[Any, ...]) -> bool:
        return self.possible[0](chooser, self.world.cells, *args)

    def _fire(self, clause: int) -> None:
        if self.trace is not None and clause >= 0:
            self.trace.add(clause)

    # -- expressions as functions -----------------------------------------------------------------
    def want(self, expr: Expr | None, params: int) -> int:
        """One more function; its arguments are bound by position, whatever their number."""
        if expr is None:
            return -1
        found = expr

        def function(state: Sequence[int], *args: Any) -> Any:
            before = self.world.cells
            self.world.cells = state
            try:
                return evaluate(found, self.world, dict(enumerate(args)))
            finally:
                self.world.cells = before

        self.wanted.append(function)
        return len(self.wanted) - 1

    def finish(self) -> tuple[list[Function], Function]:
        """All functions, and how blocks are run."""
        return self.wanted, self.run

    def value(self, expr: Expr, locals_: Locals) -> Any:
        """The value of an expression where we are."""
        return evaluate(expr, self.world, locals_)

    # -- blocks -----------------------------------------------------------------------------------
    def run(self, state: list[int]) -> None:
        """Run blocks until somebody must act."""
        self.world.cells = state
        for _ in range(MAX_BLOCKS):
            block = self.machine.blocks[state[0]]
            if self.halt is not None and block.entry and self.halt(state):
                return
            self.execute(block.effects, state, {})
            to = self._leave(block.exit, state)
            if to is None:
                return
            state[0] = to
        raise Fault("the rules go on without asking anybody")

    def _leave(self, exit_: e.Terminator, state: list[int]) -> int | None:
        match exit_:
            case e.Goto(block):
                return block
            case e.Branch(test, yes, no, clause):
                held = self.value(test, {})
                if held:
                    self._fire(clause)
                return yes if held else no
            case e.Return(rule):
                made = self.machine.rules[rule]
                self._fire(made.clause)
                return made.returns[state[self.machine.fields[made.back].base]]
            case e.Ask() | e.AskMenu() | e.Draw() | e.End():
                return None
        assert_never(exit_)

    # -- effects ----------------------------------------------------------------------------------
    def execute(self, effects: Sequence[e.Effect], state: list[int], locals_: Locals) -> None:
        """Execute effects in order."""
        for made in effects:
            self.effect(made, state, locals_)

    def effect(self, made: e.Effect, state: list[int], locals_: Locals) -> None:
        """Execute one effect."""
        match made:
            case e.Assign():
                self._assign(made, state, locals_)
            case e.Change():
                self._change(made, state, locals_)
            case e.Bind(slot, value):
                locals_[slot] = self.value(value, locals_)
            case e.MoveSet() | e.MoveTop() | e.TurnOver():
                self._move(made, state, locals_)
            case e.When(test, then, other, clause):
                held = self.value(test, locals_)
                if held:
                    self._fire(clause)
                self.execute(then if held else other, state, locals_)
            case e.Loop():
                self._loop(made, state, locals_)
            case e.Repeat(test, limit, body):
                most = self.value(limit, locals_)
                done = 0
                while self.value(test, locals_):
                    if done >= most:
                        raise Fault(f"a loop went round {most} times without an end")
                    done += 1
                    self.execute(body, state, locals_)
            case e.AtOnce(body, clause):
                self._at_once(body, clause, state, locals_)
            case e.Run(procedure, args, clause):
                found = self.machine.procedures[procedure]
                given = {i: self.value(a, locals_) for i, a in enumerate(args)}
                before = list(state)
                self.execute(found.body, state, given)
                if self.batch is not None or before != state:
                    self._fire(clause)
                    self._fire(found.clause)
            case e.Reveal(_, _, clause):
                self._fire(clause)
            case _:
                assert_never(made)

    def _cell(self, field: int, index: tuple[Expr, ...], locals_: Locals) -> tuple[int, int]:
        """First cell and number of cells of what is written."""
        found = self.machine.fields[field]
        at, width = 0, 1
        for dim, key in zip(found.dims, index, strict=False):
            size = self.machine.domains[dim].size
            value = self.value(key, locals_)
            if not 0 <= value < size:
                raise Fault("an index lies outside its table")
            at = at * size + value
        for dim in found.dims[len(index) :]:
            width *= self.machine.domains[dim].size
        return found.base + at * width, width

    def _assign(self, made: e.Assign, state: list[int], locals_: Locals) -> None:
        found = self.machine.fields[made.field]
        cell, _ = self._cell(made.field, made.index, locals_)
        value = self.value(made.value, locals_)
        values = value if len(made.index) < len(found.dims) else (value,)
        for i, item in enumerate(values):
            item = c.in_range(int(item), found.low, found.high, found.name)
            if self.batch is not None:
                self.batch.assign(cell + i, item, found.name)
                self._fire(made.clause)
            else:
                if state[cell + i] != item:
                    self._fire(made.clause)
                state[cell + i] = item

    def _change(self, made: e.Change, state: list[int], locals_: Locals) -> None:
        found = self.machine.fields[made.field]
        cell, _ = self._cell(made.field, made.index, locals_)
        delta = self.value(made.delta, locals_)
        limit = 0 if made.limit is None else self.value(made.limit, locals_)
        if self.batch is not None:
            self.batch.change(cell, delta, found.low, found.high, made.mode, limit, found.name)
            self._fire(made.clause)
            return
        new = c.bounded(state[cell], delta, found.low, found.high, made.mode, limit, found.name)
        if new != state[cell]:
            self._fire(made.clause)
        state[cell] = new

    def target(self, target: e.Target, locals_: Locals) -> int:
        """The number of a place instance."""
        if target.place < 0:
            return 0
        place = self.machine.places[target.place]
        keys = [self.value(i, locals_) for i in target.index]
        return place.first + instance_offset(place, keys, self.machine.domains)

    def _move(
        self, made: e.MoveSet | e.MoveTop | e.TurnOver, state: list[int], locals_: Locals
    ) -> None:
        kind = self.kinds[made.kind]
        to = self.target(made.to, locals_)
        before = list(state)
        match made:
            case e.MoveSet(_, what):
                pieces: Sequence[int] = members(self.value(what, locals_))
                if made.key is not None:
                    pairs = []
                    for piece in pieces:
                        locals_[made.key_slot] = piece
                        pairs.append((self.value(made.key, locals_), piece))
                    pieces = in_order(pairs, made.lowest)
                c.move_set(state, kind, pieces, to, made.under)
            case e.MoveTop(_, count, source):
                number = self.value(count, locals_)
                from_ = self.target(source, locals_)
                c.move_top(state, kind, number, from_, to, made.partial)
            case e.TurnOver(_, source):
                c.turn_over(state, kind, self.target(source, locals_), to)
        if state != before:
            self._fire(made.clause)

    def _loop(self, made: e.Loop, state: list[int], locals_: Locals) -> None:
        if made.over is None:
            assert made.low is not None and made.high is not None
            low = self.value(made.low, locals_)
            items: Sequence[Any] = range(low, self.value(made.high, locals_) + 1)
        else:
            over = self.value(made.over, locals_)
            items = members(over) if isinstance(made.over.type, SetType) else over
        if made.key is not None:
            pairs = []
            for item in items:
                pairs.append((self.value(made.key, {**locals_, made.slot: item}), item))
            items = in_order(pairs, made.lowest)
        for item in items:
            locals_[made.slot] = item
            self._fire(made.clause)
            self.execute(made.body, state, locals_)

    def _at_once(
        self, body: tuple[e.Effect, ...], clause: int, state: list[int], locals_: Locals
    ) -> None:
        if self.batch is not None:
            self.execute(body, state, locals_)
            return
        before = tuple(state)
        self.batch = c.Batch()
        self.world.cells = before
        try:
            self.execute(body, state, locals_)
            self.batch.commit(state, before)
        finally:
            self.batch = None
            self.world.cells = state
        self._fire(clause)


def load(machine: Machine, trace: set[int] | None = None) -> tuple[Code, Walker]:
    """The code of a machine by walking it, and the walker."""
    walker = Walker(machine, trace)
    return assemble(machine, walker), walker
