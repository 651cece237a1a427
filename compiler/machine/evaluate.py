"""What the expressions mean: a plain evaluator over cells and locals.

It is the semantics of `exprs`, short enough to be read against docs/machine.md: the compiler
folds constants with it, the tree walker runs on it, and the generated engine is compared with it.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, assert_never

from attrs import define, field

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
from compiler.machine.record import Field, Function, Place, Table
from compiler.machine.values import Domain, ListType, SetType, VectorType

Value = Any


@define
class World:
    """What an evaluation may look at; `possible` answers whether a named choice has a value."""

    domains: Sequence[Domain]
    tables: Sequence[Table]
    functions: Sequence[Function]
    fields: Sequence[Field] = ()
    places: Sequence[Place] = ()
    cells: Sequence[int] = ()
    possible: Callable[[int, tuple[Value, ...]], bool] | None = None
    entered: Callable[[int], None] | None = None
    depth: int = field(default=0)


def evaluate(expr: Expr, world: World, locals_: dict[int, Value]) -> Value:
    """The value of an expression; raises `Fault` for what a rule may not do."""
    match expr:
        case Const(value):
            return value
        case Local(slot):
            return locals_[slot]
        case Read(number, index):
            keys = [evaluate(i, world, locals_) for i in index]
            return read(world, number, keys)
        case Lookup(number, index):
            keys = [evaluate(i, world, locals_) for i in index]
            table = world.tables[number]
            return row_of(table.cells, [world.domains[d].size for d in table.dims], keys)
        case Unary(op, inner):
            return _unary(op, evaluate(inner, world, locals_), inner, world)
        case Binary(op, left, right):
            return _binary(op, left, right, world, locals_)
        case Cond(test, then, other):
            return evaluate(then if evaluate(test, world, locals_) else other, world, locals_)
        case Fold():
            return _fold(expr, world, locals_)
        case Invoke(number, args):
            return _invoke(number, args, world, locals_)
        case Builtin(name, args):
            return builtin(name, [evaluate(a, world, locals_) for a in args], world)
        case Possible(number, args):
            if world.possible is None:
                raise Fault_("a choice cannot be looked at here")
            return int(world.possible(number, tuple(evaluate(a, world, locals_) for a in args)))
        case Make(items):
            return tuple(evaluate(i, world, locals_) for i in items)
    assert_never(expr)


Fault_ = b.Fault


def row_of(cells: Sequence[Any], sizes: Sequence[int], keys: Sequence[int]) -> Any:
    """One cell of a flat table, or the tuple of a row when there are fewer keys than dimensions."""
    at, width = 0, 1
    for size, key in zip(sizes, keys, strict=False):
        if not 0 <= key < size:
            raise Fault_("an index lies outside its table")
        at = at * size + key
    for size in sizes[len(keys) :]:
        width *= size
    if len(keys) == len(sizes):
        return cells[at]
    return tuple(cells[at * width : at * width + width])


def read(world: World, number: int, keys: Sequence[int]) -> Any:
    """A cell or a row of a field."""
    found = world.fields[number]
    sizes = [world.domains[d].size for d in found.dims]
    count = 1
    for size in sizes:
        count *= size
    if len(world.cells) < found.base + count:
        # a fold during compilation has no position: a slice of nothing would look like an empty row
        raise Fault_("there is no position to read")
    cells = world.cells[found.base : found.base + count]
    return row_of(cells, sizes, keys)


def _unary(op: str, value: Value, inner: Expr, world: World) -> Value:
    match op:
        case "neg":
            return -value
        case "not":
            return 1 - value
        case "count":
            return value.bit_count()
        case "some":
            return int(value >= 0)
        case "the":
            return b.the(value)
        case "single":
            return 1 << value
        case "size":
            return len(value)
        case "full":
            kind = inner.type
            if not isinstance(kind, SetType):
                raise TypeError(f"no complement of {kind}")
            return ((1 << world.domains[kind.domain].size) - 1) & ~value
    raise TypeError(f"unknown operator {op}")


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "mod": b.modulo,
    "/up": b.divide_up,
    "/down": b.divide_down,
    "=": lambda x, y: int(x == y),
    "!=": lambda x, y: int(x != y),
    "<": lambda x, y: int(x < y),
    "<=": lambda x, y: int(x <= y),
    ">": lambda x, y: int(x > y),
    ">=": lambda x, y: int(x >= y),
    "union": lambda x, y: x | y,
    "minus": lambda x, y: x & ~y,
    "meet": lambda x, y: x & y,
    "subset": lambda x, y: int(x & ~y == 0),
}


def _binary(op: str, left: Expr, right: Expr, world: World, locals_: dict[int, Value]) -> Value:
    first = evaluate(left, world, locals_)
    if op == "and":
        return evaluate(right, world, locals_) if first else 0
    if op == "or":
        return first or evaluate(right, world, locals_)
    second = evaluate(right, world, locals_)
    if op == "in":
        if isinstance(right.type, ListType | VectorType):
            return int(first in second)
        return 0 if first < 0 else second >> first & 1
    return ARITHMETIC[op](first, second)


def _items(expr: Fold, world: World, locals_: dict[int, Value]) -> Iterable[Value]:
    if expr.over is None:
        if expr.low is None or expr.high is None:
            raise TypeError("a fold needs a set or a range")
        low = evaluate(expr.low, world, locals_)
        return range(low, evaluate(expr.high, world, locals_) + 1)
    over = evaluate(expr.over, world, locals_)
    return b.members(over) if isinstance(expr.over.type, SetType) else over


def _fold(expr: Fold, world: World, locals_: dict[int, Value]) -> Value:
    inner = dict(locals_)
    kept: list[tuple[Value, Value]] = []
    for item in _items(expr, world, locals_):
        inner[expr.slot] = item
        if expr.where is not None and not evaluate(expr.where, world, inner):
            continue
        body = item if expr.body is None else evaluate(expr.body, world, inner)
        if expr.op == "all" and not body:
            return 0
        if expr.op == "any" and body:
            return 1
        kept.append((item, body))
    return finish(expr.op, kept, expr.lowest)


def finish(op: str, kept: list[tuple[Value, Value]], lowest: bool) -> Value:
    """The result of a fold from the members kept and their bodies."""
    bodies = [body for _, body in kept]
    match op:
        case "all":
            return 1
        case "any":
            return 0
        case "sum":
            return sum(bodies)
        case "count":
            return len(kept)
        case "max" | "min":
            if not kept:
                raise Fault_(f"{op} of nothing")
            return max(bodies) if op == "max" else min(bodies)
        case "best":
            top = (min(bodies) if lowest else max(bodies)) if kept else 0
            return b.to_mask([item for item, body in kept if body == top])
        case "first":
            if not kept:
                return -1
            top = min(bodies) if lowest else max(bodies)
            return next(item for item, body in kept if body == top)
        case "filter":
            return b.to_mask([item for item, _ in kept])
        case "image":
            return b.to_mask([body for body in bodies if body >= 0])
        case "list":
            return tuple(bodies)
    raise TypeError(f"unknown fold {op}")


def _invoke(number: int, args: tuple[Expr, ...], world: World, locals_: dict[int, Value]) -> Value:
    if world.depth > 200:
        raise Fault_("definitions call each other without end")
    function = world.functions[number]
    given = {i: evaluate(a, world, locals_) for i, a in enumerate(args)}
    if world.entered is not None:
        world.entered(function.clause)
    world.depth += 1
    try:
        return evaluate(function.body, world, given)
    finally:
        world.depth -= 1


PURE: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "after": b.after,
    "before": b.before,
    "components": b.components,
    "connected": lambda mask, rel: int(b.connected(mask, rel)),
    "grown": b.grown,
    "item": lambda items, at: items[at],
    "mask": lambda items: b.to_mask(items),
    "concat": lambda one, two: (*one, *two),
    "matches": b.matches,
    "matches_any_way": b.matches_any_way,
    "packing": b.packing,
    "reach": b.reach,
    "run_matches": b.run_matches,
    "higher": max,
    "lower": min,
    "union": lambda masks: functools.reduce(operator.or_, masks, 0),
    "power": lambda base, exponent: base**exponent,
}


def builtin(name: str, args: list[Value], world: World) -> Value:
    """A builtin on evaluated arguments."""
    if name in PURE:
        if name == "item" and not 0 <= args[1] < len(args[0]):
            raise Fault_("a list is shorter than that")
        return PURE[name](*args)
    place = world.places[args[0]]
    at = instance_offset(place, args[1:], world.domains)
    size = world.cells[world.fields[place.size].base + at]
    base = world.fields[place.field].base + at * place.capacity
    items = tuple(world.cells[base : base + size])
    match name:
        case "place_size":
            return size
        case "place_items":
            return items
        case "place_top":
            return items[-1] if items else -1
        case "place_mask":
            return b.to_mask(items)
    raise TypeError(f"unknown builtin {name}")


def instance_offset(place: Place, keys: Sequence[int], domains: Sequence[Domain]) -> int:
    """Which instance of a place the indices name, from 0."""
    at = 0
    for dim, key in zip(place.dims, keys, strict=True):
        if not 0 <= key < domains[dim].size:
            raise Fault_("an index lies outside its place")
        at = at * domains[dim].size + key
    return at
