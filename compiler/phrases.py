"""Phrases: expressions and effects of the machine in plain English, by fixed patterns.

In: machine nodes. Out: short texts. The grammar is deterministic: the same machine always reads the
same, so a change of the rules shows as a change of the words.
"""

from __future__ import annotations

from compiler.machine import effects as e
from compiler.machine.builtins import members
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
from compiler.machine.record import Ending, Machine
from compiler.machine.values import BoolType, MemberType, SetType, Type

OPERATORS = {
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
    "union": "with",
    "minus": "without",
    "meet": "shared with",
    "in": "is among",
    "subset": "lies within",
    "/up": "divided, rounded up, by",
    "/down": "divided, rounded down, by",
}
FOLDS = {
    "all": "for all of {over}{where}: {body}",
    "any": "for some of {over}{where}: {body}",
    "sum": "the sum over {over}{where} of {body}",
    "count": "how many of {over}{where}",
    "max": "the greatest over {over}{where} of {body}",
    "min": "the least over {over}{where} of {body}",
    "best": "those of {over}{where} with the {end} {body}",
    "first": "the first of {over}{where}",
    "filter": "those of {over}{where}",
    "image": "each {body} over {over}{where}",
    "list": "each {body} over {over}{where}",
}


class Phrases:
    """Says parts of one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def words(self, name: str) -> str:
        """A name as words; a frame's field by its own name."""
        return name.rsplit("/", 1)[-1].replace("_", " ")

    def constant(self, kind: Type, value: object) -> str:
        """A constant in words."""
        match kind, value:
            case BoolType(), int():
                return "yes" if value else "no"
            case MemberType(domain), int():
                return "nothing" if value < 0 else self.machine.domains[domain].labels[value]
            case SetType(domain), int():
                made = self.machine.domains[domain]
                if value == (1 << made.size) - 1:
                    return f"every {made.name}"
                return " and ".join(made.labels[m] for m in members(value)) or "nothing"
        return str(value) if isinstance(value, int) else "a fixed list"

    def expr(self, node: Expr) -> str:
        """An expression in words."""
        match node:
            case Const(value, kind):
                return self.constant(kind, value)
            case Local(_, kind):
                return self.member(kind)
            case Read(field, index):
                name = self.words(self.machine.fields[field].name)
                return self.indexed(name, index)
            case Lookup(table, index):
                name = self.machine.tables[table].name.rsplit(".", 1)[-1].replace("_", " ")
                return self.indexed(f"the {name}" if index else name, index)
            case Unary():
                return self.unary(node)
            case Binary(op, left, right):
                return f"{self.expr(left)} {OPERATORS.get(op, op)} {self.expr(right)}"
            case Cond(test, then, other):
                return f"{self.expr(then)} if {self.expr(test)}, else {self.expr(other)}"
            case Fold():
                return self.fold(node)
            case Invoke(function, args):
                return self.indexed(self.words(self.machine.functions[function].name), args)
            case Builtin(name, args):
                return self.builtin(name, args)
            case Possible(chooser, args):
                name = self.words(self.machine.choosers[chooser].name)
                return f"{self.indexed(name, args)} is possible"
            case Make(items):
                return ", ".join(self.expr(i) for i in items)

    def member(self, kind: Type) -> str:
        """What a bound name stands for."""
        match kind:
            case MemberType(domain):
                name = self.machine.domains[domain].name
                return "the player" if domain == 0 else f"that {name}"
            case SetType(domain):
                return f"those {self.machine.domains[domain].name}s"
        return "that number"

    def indexed(self, name: str, index: tuple[Expr, ...]) -> str:
        """`name of a and b`"""
        return name if not index else f"{name} of {' and '.join(self.expr(i) for i in index)}"

    def unary(self, node: Unary) -> str:
        """An operator on one value."""
        inner = self.expr(node.value)
        match node.op:
            case "not":
                return f"not ({inner})"
            case "neg":
                return f"minus {inner}"
            case "count" | "size":
                return f"how many are in {inner}"
            case "some":
                return f"{inner} is there"
            case "full":
                return f"all but {inner}"
        return inner

    def fold(self, node: Fold) -> str:
        """A fold in words."""
        if node.over is not None:
            over = self.expr(node.over)
        else:
            assert node.low is not None and node.high is not None
            over = f"{self.expr(node.low)} to {self.expr(node.high)}"
        where = "" if node.where is None else f" where {self.expr(node.where)}"
        body = "" if node.body is None else self.expr(node.body)
        end = "lowest" if node.lowest else "highest"
        return FOLDS[node.op].format(over=over, where=where, body=body, end=end)

    def builtin(self, name: str, args: tuple[Expr, ...]) -> str:
        """A builtin in words."""
        if (
            name.startswith("place_")
            and isinstance(args[0], Const)
            and isinstance(args[0].value, int)
        ):
            place = self.words(self.machine.places[args[0].value].name)
            what = {"place_size": "the size of ", "place_top": "the top of "}.get(name, "")
            return what + self.indexed(place, args[1:])
        shown = [self.expr(a) for a in args if not isinstance(a, Lookup) or a.index]
        return f"{name.replace('_', ' ')} ({'; '.join(shown)})"

    def target(self, target: e.Target) -> str:
        """A place in words."""
        if target.place < 0:
            return "the box"
        return self.indexed(self.words(self.machine.places[target.place].name), target.index)

    def effects(self, made: tuple[e.Effect, ...], depth: int) -> list[tuple[str, int, int]]:
        """Effects as lines: text, clause, depth; bookkeeping without a clause is left out."""
        out: list[tuple[str, int, int]] = []
        for effect in made:
            out += self.effect(effect, depth)
        return out

    def effect(self, made: e.Effect, depth: int) -> list[tuple[str, int, int]]:
        """One effect as lines."""
        match made:
            case e.Assign(field) | e.Change(field) if self.machine.fields[field].kind == "frame":
                return []
            case e.Assign(field, index, value, clause) if clause >= 0:
                name = self.indexed(self.words(self.machine.fields[field].name), index)
                return [(f"{name} becomes {self.expr(value)}", clause, depth)]
            case e.Change(field, index, delta, _, _, clause) if clause >= 0:
                name = self.indexed(self.words(self.machine.fields[field].name), index)
                return [(f"{name} changes by {self.expr(delta)}", clause, depth)]
            case e.MoveSet(_, what, to, _, _, _, _, clause):
                return [(f"move {self.expr(what)} to {self.target(to)}", clause, depth)]
            case e.MoveTop(_, count, source, to, partial, clause):
                some = ", as many as there are" if partial else ""
                taken = f"the top {self.expr(count)} of {self.target(source)}"
                text = f"move {taken} to {self.target(to)}{some}"
                return [(text, clause, depth)]
            case e.TurnOver(_, source, to, clause):
                return [(f"turn {self.target(source)} over onto {self.target(to)}", clause, depth)]
            case e.When(_, _, _, clause) if clause < 0:
                return []
            case e.When(test, then, other, clause):
                out = [(f"if {self.expr(test)}:", clause, depth), *self.effects(then, depth + 1)]
                if other:
                    out += [("otherwise:", -1, depth), *self.effects(other, depth + 1)]
                return out
            case e.Loop(_, over, low, high, _, _, body, clause):
                if over is not None:
                    each = self.expr(over)
                else:
                    assert low is not None and high is not None
                    each = f"{self.expr(low)} to {self.expr(high)}"
                return [(f"for each of {each}:", clause, depth), *self.effects(body, depth + 1)]
            case e.Repeat(test, _, body, clause):
                return [
                    (f"while {self.expr(test)}:", clause, depth),
                    *self.effects(body, depth + 1),
                ]
            case e.AtOnce(body, clause):
                return [("all at once:", clause, depth), *self.effects(body, depth + 1)]
            case e.Run(procedure, args, clause):
                name = self.words(self.machine.procedures[procedure].name)
                return [(self.indexed(f"do: {name}", args), clause, depth)] if clause >= 0 else []
            case e.Reveal(value, _, clause):
                return [(f"reveal {self.expr(value)}", clause, depth)]
        return []

    def ending(self, made: Ending) -> str:
        """How the game ends, in words."""
        who = "" if made.who is None else self.expr(made.who)
        match made.how:
            case "win":
                return f"the game ends; {who} wins"
            case "lose":
                return f"the game ends; {who} loses"
            case "rank":
                keys = ", then ".join(
                    f"the {'lowest' if k.lowest else 'highest'} {self.words(k.text)}"
                    for k in made.keys
                )
                tie = "; equal players share" if made.shared else ""
                head = "the play is cut short" if made.stalled else "the game ends"
                return f"{head}; first is who has {keys}{tie}"
        return (
            "the game ends without a winner"
            if made.how == "no_winner"
            else "the game ends in a draw"
        )
