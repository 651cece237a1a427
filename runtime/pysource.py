"""Python source from the machine: the reference engine's code, holding indices and integers only.

In: a machine and the expressions that the engine wants as functions. Out: source text and, after
`load`, functions. No name and no text of a spec reaches the source: fields, tables and functions
are numbers, messages are looked up by number. The tree walker is the oracle for all of it.
"""

from __future__ import annotations

from typing import Any, assert_never

from compiler.machine import builtins as b
from compiler.machine.exprs import (
    Binary,
    Builtin,
    Cond,
    Const,
    Expr,
    Fold,
    Invoke,
    Local,
    Lookup,
    Make,
    Possible,
    Read,
    Unary,
)
from compiler.machine.record import Machine
from compiler.machine.values import IntType, ListType, SetType, VectorType

INFIX = {
    "+": "+",
    "-": "-",
    "*": "*",
    "=": "==",
    "!=": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "and": "and",
    "or": "or",
    "union": "|",
    "meet": "&",
}
CALLS = {"mod": "modulo", "/up": "divide_up", "/down": "divide_down"}
PLAIN = {
    "abs": "abs",
    "after": "after",
    "before": "before",
    "components": "components",
    "connected": "connected",
    "grown": "grown",
    "higher": "max",
    "lower": "min",
    "mask": "to_mask",
    "concat": "concat",
    "matches": "matches",
    "matches_any_way": "matches_any_way",
    "packing": "packing",
    "power": "pow",
    "reach": "reach",
    "run_matches": "run_matches",
    "union": "union_all",
}


class Expressions:
    """Writes expressions; `state` is the name of the cells that are read."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.state = "s"
        self.constants: list[Any] = []

    def constant(self, value: Any) -> str:
        """A constant: an integer as it is, anything else by number."""
        if isinstance(value, int):
            return str(int(value)) if value >= 0 else f"({int(value)})"
        for i, known in enumerate(self.constants):
            if known == value:
                return f"K[{i}]"
        self.constants.append(value)
        return f"K[{len(self.constants) - 1}]"

    def expr(self, node: Expr) -> str:
        """The source of an expression."""
        match node:
            case Const(value):
                return self.constant(value)
            case Local(slot):
                return f"v{slot}"
            case Read(number, index):
                return self.read(number, index)
            case Lookup(number, index):
                table = self.machine.tables[number]
                return self._cell(f"T[{number}]", 0, table.dims, index)
            case Unary(op, value):
                return self._unary(op, value)
            case Binary(op, left, right):
                return self._binary(op, left, right)
            case Cond(test, then, other):
                return f"({self.expr(then)} if {self.expr(test)} else {self.expr(other)})"
            case Fold():
                return self._fold(node)
            case Invoke(number, args):
                given = "".join(", " + self.expr(a) for a in args)
                return f"f{number}({self.state}{given})"
            case Builtin(name, args):
                return self._builtin(name, args)
            case Possible(number, args):
                given = "".join(", " + self.expr(a) for a in args)
                return f"possible({number}, {self.state}{given})"
            case Make(items):
                inner = "".join(self.expr(i) + ", " for i in items)
                return f"({inner})"
        assert_never(node)

    def read(self, number: int, index: tuple[Expr, ...]) -> str:
        """A cell, or a row as a slice."""
        field = self.machine.fields[number]
        return self._cell(self.state, field.base, field.dims, index)

    def offset(self, base: int, dims: tuple[int, ...], index: tuple[Expr, ...]) -> str:
        """The number of a cell as source."""
        parts, known, step = [], base, 1
        for dim, key in reversed(list(zip(dims, index, strict=True))):
            size = self.machine.domains[dim].size
            if isinstance(key, Const) and isinstance(key.value, int):
                if not 0 <= key.value < size:
                    parts.append("fail_index()")
                known += key.value * step
            else:
                text = self.key(key, size)
                parts.append(text if step == 1 else f"{text}*{step}")
            step *= size
        return "+".join([*([str(known)] if known or not parts else []), *reversed(parts)])

    def key(self, key: Expr, size: int) -> str:
        """An index; checked where its type does not prove it."""
        text = self.expr(key)
        kind = key.type
        if isinstance(kind, IntType) and (kind.low < 0 or kind.high >= size):
            return f"index_in({text}, {size})"
        return text if text.isidentifier() else f"({text})"

    def _cell(self, name: str, base: int, dims: tuple[int, ...], index: tuple[Expr, ...]) -> str:
        if not index and name != self.state:
            return name
        width = 1
        for dim in dims[len(index) :]:
            width *= self.machine.domains[dim].size
        if len(index) == len(dims):
            return f"{name}[{self.offset(base, dims, index)}]"
        if not index:
            return f"{name}[{base}:{base + width}]"
        start = self.offset(0, dims[: len(index)], index)
        return f"row({name}, {base}+({start})*{width}, {width})"

    def _unary(self, op: str, value: Expr) -> str:
        inner = self.expr(value)
        match op:
            case "neg":
                return f"(-{inner})"
            case "not":
                return f"(not {inner})"
            case "count":
                return f"({inner}).bit_count()"
            case "some":
                return f"({inner} >= 0)"
            case "the":
                return f"the({inner})"
            case "single":
                return f"(1 << {inner})"
            case "size":
                return f"len({inner})"
        kind = value.type
        assert isinstance(kind, SetType)
        return f"({(1 << self.machine.domains[kind.domain].size) - 1} & ~{inner})"

    def _binary(self, op: str, left: Expr, right: Expr) -> str:
        one, two = self.expr(left), self.expr(right)
        if op in INFIX:
            return f"({one} {INFIX[op]} {two})"
        if op in CALLS:
            return f"{CALLS[op]}({one}, {two})"
        if op == "minus":
            return f"({one} & ~{two})"
        if op == "subset":
            return f"(not {one} & ~{two})"
        if isinstance(right.type, ListType | VectorType):
            return f"({one} in {two})"
        if getattr(left.type, "optional", True):
            return f"has({two}, {one})"
        return f"({two} >> {one} & 1)"

    def _over(self, node: Fold) -> str:
        if node.over is None:
            assert node.low is not None and node.high is not None
            return f"range({self.expr(node.low)}, {self.expr(node.high)} + 1)"
        inner = self.expr(node.over)
        if not isinstance(node.over.type, SetType):
            return inner
        if isinstance(node.over, Const) and isinstance(node.over.value, int):
            return self.constant(b.members(node.over.value))
        return f"members({inner})"

    def _fold(self, node: Fold) -> str:
        name = f"v{node.slot}"
        where = "" if node.where is None else f" if {self.expr(node.where)}"
        loop = f"for {name} in {self._over(node)}{where}"
        body = name if node.body is None else self.expr(node.body)
        match node.op:
            case "all" | "any":
                return f"{node.op}({body} {loop})"
            case "sum":
                return f"sum([{body} {loop}])"
            case "count":
                return f"len([0 {loop}])"
            case "max" | "min":
                return f"{node.op}_of([{body} {loop}])"
            case "best" | "first":
                return f"{node.op}_of([({body}, {name}) {loop}], {node.lowest})"
            case "filter":
                return f"sum([1 << {name} {loop}])"
            case "image":
                return f"to_mask([{body} {loop}])"
        return f"tuple([{body} {loop}])"

    def _builtin(self, name: str, args: tuple[Expr, ...]) -> str:
        if name == "item":
            return f"item({self.expr(args[0])}, {self.expr(args[1])})"
        if name in PLAIN:
            return f"{PLAIN[name]}({', '.join(self.expr(a) for a in args)})"
        assert isinstance(args[0], Const) and isinstance(args[0].value, int)
        place = self.machine.places[args[0].value]
        at = self.offset(0, place.dims, args[1:])
        size = f"{self.state}[{self.machine.fields[place.size].base}+{at}]"
        if name == "place_size":
            return size
        base = f"{self.machine.fields[place.field].base}+({at})*{place.capacity}"
        if name == "place_top":
            return f"top_of({self.state}, {base}, {size})"
        items = f"row({self.state}, {base}, {size})"
        return f"to_mask({items})" if name == "place_mask" else f"tuple({items})"


def best_of(pairs: list[tuple[int, int]], lowest: bool) -> int:
    """The mask of the members with the best value."""
    if not pairs:
        return 0
    top = (min if lowest else max)(v for v, _ in pairs)
    return b.to_mask([m for v, m in pairs if v == top])


def first_of(pairs: list[tuple[int, int]], lowest: bool) -> int:
    """The first member with the best value, or -1."""
    if not pairs:
        return -1
    top = (min if lowest else max)(v for v, _ in pairs)
    return next(m for v, m in pairs if v == top)


def max_of(values: list[int]) -> int:
    """The greatest; of nothing it is a fault."""
    if not values:
        raise b.Fault("max of nothing")
    return max(values)


def min_of(values: list[int]) -> int:
    """The least; of nothing it is a fault."""
    if not values:
        raise b.Fault("min of nothing")
    return min(values)


def index_in(value: int, size: int) -> int:
    """An index that must lie in 0..size-1."""
    if not 0 <= value < size:
        raise b.Fault("an index lies outside its table")
    return value


def fail_index() -> int:
    """An index known to be outside."""
    raise b.Fault("an index lies outside its table")


def item(items: Any, at: int) -> Any:
    """An item of a list."""
    if not 0 <= at < len(items):
        raise b.Fault("a list is shorter than that")
    return items[at]


def row(cells: Any, base: int, width: int) -> Any:
    """A stretch of cells."""
    return cells[base : base + width]


def top_of(cells: Any, base: int, size: int) -> int:
    """The top piece of a pile, or -1."""
    top: int = cells[base + size - 1] if size else -1
    return top


def has(mask: int, member: int) -> int:
    """Whether a mask has an optional member."""
    return 0 if member < 0 else mask >> member & 1


def union_all(masks: Any) -> int:
    """The union of a list of masks."""
    out = 0
    for mask in masks:
        out |= mask
    return out


def concat(one: Any, two: Any) -> Any:
    """One list after another."""
    return (*one, *two)


NAMESPACE: dict[str, Any] = {
    "best_of": best_of,
    "fail_index": fail_index,
    "first_of": first_of,
    "has": has,
    "index_in": index_in,
    "item": item,
    "max_of": max_of,
    "min_of": min_of,
    "row": row,
    "top_of": top_of,
    "union_all": union_all,
    "members": b.members,
    "to_mask": b.to_mask,
    "the": b.the,
    "after": b.after,
    "before": b.before,
    "components": b.components,
    "connected": b.connected,
    "grown": b.grown,
    "concat": concat,
    "matches": b.matches,
    "matches_any_way": b.matches_any_way,
    "packing": b.packing,
    "reach": b.reach,
    "run_matches": b.run_matches,
    "divide_up": b.divide_up,
    "divide_down": b.divide_down,
    "modulo": b.modulo,
}
