"""The reference core: Python source generated from the machine, compiled and loaded in process.

In: a machine. Out: `Code`. What the source may hold is said in `pysource`; a test reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from compiler.machine.builtins import Fault
from compiler.machine.exprs import Expr
from compiler.machine.record import Machine
from runtime import cells, pysource
from runtime.core import Code, Function, assemble
from runtime.pyeffects import Effects, in_order

MODES = ("strict", "fit", "at_most", "at_least", "wrap")
Possible = Callable[..., bool]


def rounds(done: int, limit: int) -> int:
    """Count the rounds of a loop that nobody interrupts."""
    if done >= limit:
        raise Fault(f"a loop went round {limit} times without an end")
    return done + 1


def put_row(
    state: list[int], base: int, values: Sequence[int], low: int, high: int, name: str
) -> None:
    """Write a row of values that must lie in a range."""
    for i, value in enumerate(values):
        state[base + i] = cells.in_range(value, low, high, name)


class PythonMaker:
    """Collects expressions, writes one module, loads it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.x = pysource.Expressions(machine)
        self.wanted: list[str] = []
        self.known: dict[tuple[int, str], int] = {}
        self.possible: list[Possible] = []

    def want(self, expr: Expr | None, params: int) -> int:
        """One more function."""
        if expr is None:
            return -1
        text = self.x.expr(expr)
        key = (params, text)
        if key not in self.known:
            self.known[key] = len(self.wanted)
            names = "".join(f", v{i}" for i in range(params))
            self.wanted.append(f"def e{len(self.wanted)}(s{names}):\n return {text}")
        return self.known[key]

    def source(self) -> str:
        """The whole module."""
        effects = Effects(self.machine, self.x)
        lines = [*effects.functions(), *effects.procedures(), *effects.blocks(), *self.wanted]
        names = "".join(f"e{i}, " for i in range(len(self.wanted)))
        return "\n".join([*lines, f"E = ({names})", ""])

    def finish(self) -> tuple[list[Function], Function]:
        """Compile and load."""
        machine = self.machine
        space: dict[str, Any] = dict(pysource.NAMESPACE)
        space.update(
            Batch=cells.Batch,
            bounded=cells.bounded,
            in_order=in_order,
            in_range=cells.in_range,
            move_set=cells.move_set,
            move_top=cells.move_top,
            put_row=put_row,
            rounds=rounds,
            turn_over=cells.turn_over,
            T=tuple(t.cells for t in machine.tables),
            N=tuple(f.name for f in machine.fields),
            M=MODES,
            G=tuple(cells.kind_of(machine, k, i) for i, k in enumerate(machine.kinds)),
            possible=lambda number, state, *args: self.possible[0](number, state, *args),
        )
        source = self.source()
        space["K"] = tuple(self.x.constants)
        exec(compile(source, "<machine>", "exec"), space)
        blocks: tuple[Function, ...] = space["B"]

        def run(state: list[int]) -> None:
            at = state[0]
            try:
                while at >= 0:
                    at = blocks[at](state)
            except RecursionError:
                raise Fault("what happens by itself has no end") from None
            state[0] = ~at

        return list(space["E"]), run


def load(machine: Machine) -> tuple[Code, PythonMaker]:
    """The code of a machine, and its maker (which the engine gives `possible`)."""
    try:
        maker = PythonMaker(machine)
        return assemble(machine, maker), maker
    except (SyntaxError, RecursionError, MemoryError):  # Python's own limits of nesting
        raise Fault("the rules are nested too deeply to be run") from None
