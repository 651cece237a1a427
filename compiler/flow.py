"""The control graph: statements that may wait, as blocks with exits.

In: rules that suspend. Out: blocks, decisions, chance sites and endings in the draft. Frames are
static: a parameter, a bound name or a loop's rest is a field of its rule, so the stack is bounded
and a position is one flat record. A call stores which block to come back to.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, evolve, field

from compiler import effects, patches, triggers
from compiler.elaborate import constant, elaborate
from compiler.machine import effects as e
from compiler.machine import record as m
from compiler.machine.exprs import Binary, Const, Expr, Read
from compiler.machine.values import (
    BoolType,
    IntType,
    ListType,
    MemberType,
    Type,
    VectorType,
)
from compiler.procedures import hook_bodies
from compiler.scope import Draft, Failed, RuleSymbol, Scope, guarded
from compiler.suspends import bound_names, patched_waits, waits
from compiler.types import integer, resolve
from dsl import declarations as d
from dsl import statements as s
from dsl import tree as t


@define
class BlockDraft:
    """A block being built."""

    path: str
    rule: int
    effects: list[e.Effect] = field(factory=list)
    exit: e.Terminator | None = None
    entry: bool = False


@define
class RuleDraft:
    """A rule being built: its frame and where it is called from."""

    decl: d.Rule
    number: int
    entry: int
    params: list[int]
    types: list[Type]
    back: int
    result: int = -1
    frame: list[int] = field(factory=list)
    returns: list[int] = field(factory=list)
    clause: int = -1


@define
class Flow:
    """The graph under construction; `at` is the block that statements are added to."""

    draft: Draft
    suspending: set[str]
    blocks: list[BlockDraft] = field(factory=list)
    rules: dict[str, RuleDraft] = field(factory=dict)
    labels: dict[str, int] = field(factory=dict)
    queue: list[str] = field(factory=list)
    loops: list[int] = field(factory=list)
    at: int = 0
    rule: RuleDraft | None = None

    # -- blocks -------------------------------------------------------------------------------
    def block(self, path: str) -> int:
        """A new block of the current rule."""
        assert self.rule is not None
        self.blocks.append(BlockDraft(path, self.rule.number))
        return len(self.blocks) - 1

    def emit(self, made: list[e.Effect] | tuple[e.Effect, ...]) -> None:
        """Add effects where we are, with the triggers that they fire."""
        fired = triggers.after(tuple(made), self.draft)
        self.blocks[self.at].effects += [*made, *fired]
        if self.draft.ended is not None and any(isinstance(x, e.Run) for x in (*made, *fired)):
            self._end_if_ended()

    def _end_if_ended(self) -> None:
        """After triggers that may end the game: go to the ending that one of them noted."""
        field_ = triggers.ended_field(self.draft)
        kind = IntType(0, 255)
        for number_ in range(len(self.draft.endings)):
            yes, no = self.block("end"), self.block(self.blocks[self.at].path)
            test = Binary("=", Read(field_, (), kind), integer(number_ + 1), BoolType())
            self.leave(e.Branch(test, yes, no, -1))
            self.blocks[yes].exit = e.End(number_)
            self.at = no

    def leave(self, exit_: e.Terminator) -> None:
        """End the current block, unless it has ended (code after a stop is dead)."""
        if self.blocks[self.at].exit is None:
            self.blocks[self.at].exit = exit_

    def go(self, block: int) -> None:
        """End the current block by going to another and stand there."""
        self.leave(e.Goto(block))
        self.at = block

    def frame(self, name: str, kind: Type, default: int = 0) -> int:
        """A field of the current rule's frame."""
        assert self.rule is not None
        dims: tuple[int, ...] = ()
        if isinstance(kind, VectorType):
            dims, kind = (kind.domain,), kind.item
        if isinstance(kind, MemberType):
            kind, default = MemberType(kind.domain, True), -1
        if isinstance(kind, IntType):
            kind = IntType(min(kind.low, 0), max(kind.high, 0))
        made = self.draft.add_field(
            f"{self.rule.decl.name}/{name}", "frame", dims, kind, (default,), m.Visible("hidden")
        )
        self.rule.frame.append(made)
        return made

    def read(self, number_: int, kind: Type) -> Expr:
        """A frame field as the value of a bound name."""
        return Read(number_, (), kind)

    # -- rules --------------------------------------------------------------------------------
    def need(self, name: str) -> RuleDraft:
        """The draft of a suspending rule; it is lowered later."""
        if name in self.rules:
            return self.rules[name]
        symbol = self.draft.symbols[name]
        assert isinstance(symbol, RuleSymbol)
        decl = symbol.decl
        made = RuleDraft(decl, len(self.rules), 0, [], [], -1)
        self.rules[name] = made
        outer = self.rule
        self.rule = made
        made.entry = self.block(name)
        self.blocks[made.entry].entry = True
        for param in decl.params:
            if param.type is None:
                raise self.draft.fail(
                    "E0403", f"the parameter '{param.name}' needs a type", param.span
                )
            kind = resolve(self.draft, param.type, lambda x: constant(x, Scope(self.draft)))
            made.types.append(kind)
            made.params.append(self.frame(param.name, kind))
        made.back = self.draft.add_field(
            f"{name}/back", "system", (), IntType(0, 255), visible=m.Visible("hidden")
        )
        if decl.gives is not None:
            kind = resolve(self.draft, decl.gives, lambda x: constant(x, Scope(self.draft)))
            made.result = self.draft.add_field(
                f"{name}/gives", "frame", (), kind, (_default(kind),), m.Visible("hidden")
            )
        made.clause = self.draft.clause(name, "rule", "", decl.cites, decl.span)
        self.rule = outer
        self.queue.append(name)
        return made

    def lower_rule(self, made: RuleDraft) -> None:
        """The blocks of a rule."""
        decl = made.decl
        self.rule, self.at, self.loops = made, made.entry, []
        reads = [self.read(f, k) for f, k in zip(made.params, made.types, strict=True)]
        params = {p.name: r for p, r in zip(decl.params, reads, strict=True)}
        scope = Scope(self.draft, dict(params), decl.name, dict(params))
        given = tuple(reads)
        if decl.name == "play":
            self.emit(triggers.primes(self.draft))
        self.emit(triggers.at(self.draft, decl.name, "begins", given))
        for body, inner in hook_bodies(decl, "begins", scope):
            self.body(body, inner)
        end = self.label(decl.name)
        self.patched(decl.name, decl.body, scope)
        self.go(end)
        for body, inner in hook_bodies(decl, "ends", scope):
            self.body(body, inner)
        self.emit(triggers.at(self.draft, decl.name, "ends", given))
        if decl.name == "play":
            self.finish_play(decl, scope)
            return
        self.emit([self._reset(f) for f in made.frame])
        self.leave(e.Return(made.number))

    def _reset(self, number_: int) -> e.Effect:
        made = self.draft.fields[number_]
        if made.dims:
            size = self.draft.domains[made.dims[0]].size
            kind = VectorType(made.dims[0], made.type)
            return e.Assign(number_, (), Const(made.default * size, kind), -1)
        return e.Assign(number_, (), Const(made.default[0], made.type), -1)

    def finish_play(self, decl: d.Rule, scope: Scope) -> None:
        """Where `play` runs out: the score decides if there is one."""
        stmt = s.EndGame((), "by_score", span=decl.span)
        if self.draft.score is None:
            stmt = s.EndGame((), "no_winner", span=decl.span)
        self.end_game(stmt, scope)

    def label(self, path: str) -> int:
        """The block behind a step or a rule, where `stop` goes."""
        if path not in self.labels:
            self.labels[path] = self.block(f"{path}.end")
        return self.labels[path]

    # -- statements ---------------------------------------------------------------------------
    def body(self, body: tuple[s.Stmt, ...], scope: Scope) -> None:
        """A block of statements."""
        for stmt in body:
            try:
                scope = self.statement(stmt, scope)
            except Failed:
                self.draft.broken |= bound_names(stmt)

    def statement(self, stmt: s.Stmt, scope: Scope) -> Scope:
        """One statement; returns the scope after it."""
        from compiler import asking, loops

        if isinstance(stmt, s.Let):
            return self._let(stmt, scope)
        if isinstance(stmt, s.Act) and stmt.op == "original" and callable(scope.original):
            scope.original()
            return scope
        if not self._waits(stmt, scope):
            made, scope = effects.one(stmt, scope)
            self.emit(made)
            return scope
        match stmt:
            case s.If():
                loops.branch(self, stmt, scope)
            case s.ForEach():
                loops.for_each(self, stmt, scope)
            case s.Repeat():
                loops.repeat(self, stmt, scope)
            case s.Step():
                inner = scope.under(stmt.name)
                effects.clause_of(stmt, inner, "step")
                end = self.label(inner.path)
                self.patched(inner.path, stmt.body, inner)
                self.go(end)
            case s.Match():
                loops.match(self, stmt, scope)
            case s.Pick():
                return asking.pick(self, stmt, scope)
            case s.Menu():
                asking.menu(self, stmt, scope)
            case s.Chance():
                return asking.chance(self, stmt, scope)
            case s.Move():
                asking.move(self, stmt, scope)
            case s.EndGame():
                self.end_game(stmt, scope)
            case s.Stop():
                loops.stop(self, stmt, scope)
            case s.Act(_, "shuffle"):
                asking.shuffle(self, stmt, scope)
            case s.Act(_, "give"):
                loops.give(self, stmt, scope)
            case s.Act(_, "call"):
                self.call(stmt.value, stmt, scope)
            case s.Act(_, "open"):
                self.draft.not_yet("windows", stmt.span)
                self.call(stmt.value, stmt, scope)
            case s.Act(_, "announce" | "flip" | "time_passes"):
                loops.later(self, stmt, scope)
            case _:
                raise self.draft.fail(
                    "E0901", "this statement is not executed by this version", stmt.span
                )
        return scope

    def _waits(self, stmt: s.Stmt, scope: Scope) -> bool:
        if waits(self.draft, stmt, self.suspending):
            return True
        return patched_waits(self.draft, stmt, scope.path, self.suspending)

    def patched(self, path: str, body: tuple[s.Stmt, ...], scope: Scope) -> None:
        """A body with the edits at its path, the last patch outermost."""
        found = patches.edits(self.draft, path, "replace", "drop", "before", "after")

        def layer(k: int) -> None:
            if k < 0:
                self.body(body, evolve(scope, original=None))
                return
            self._layer(found[k], scope, lambda: layer(k - 1))

        layer(len(found) - 1)

    def _layer(
        self, found: tuple[d.Patch, d.Edit], scope: Scope, below: Callable[[], None]
    ) -> None:
        patch, edit = found
        path = scope.path
        inner = evolve(scope, path=f"{path}.{patch.name}", original=below)
        active = patches.active(patch, inner, edit.span)
        clause = self.draft.clause(
            inner.path, "patch", patch.text, (*patch.cites, *edit.cites), edit.span
        )
        if edit.op == "after":
            below()
        if isinstance(active, Const):
            if active.value and edit.op != "drop":
                self.body(edit.body, inner)
        else:
            yes, no, end = (self.block(f"{inner.path}"), self.block(path), self.block(path))
            self.leave(e.Branch(active, yes, no, clause))
            self.at = yes
            self.body(edit.body, inner)
            self.leave(e.Goto(end))
            self.at = no
            if edit.op in ("replace", "drop"):
                below()
            self.leave(e.Goto(end))
            self.at = end
        if edit.op == "before" or (
            isinstance(active, Const) and not active.value and edit.op in ("replace", "drop")
        ):
            below()

    def _let(self, stmt: s.Let, scope: Scope) -> Scope:
        value = stmt.value
        if isinstance(value, t.Call) and isinstance(value.function, t.Name):
            symbol = self.draft.symbols.get(value.function.name)
            if isinstance(symbol, RuleSymbol):
                made_rule = self.call(value, stmt, scope)
                if made_rule.result < 0:
                    raise self.draft.fail("E0421", "this rule gives no value", stmt.span)
                kind = self.draft.fields[made_rule.result].type
                return self.bind(stmt.name, Read(made_rule.result, (), kind), scope, stmt)
        return self.bind(stmt.name, elaborate(value, scope), scope, stmt)

    def bind(self, name: str, value: Expr, scope: Scope, stmt: s.Stmt) -> Scope:
        """A name for a value, kept in the frame; a constant stays a constant."""
        if isinstance(value, Const):
            return scope.child(**{name: value})
        if isinstance(value.type, ListType):
            return scope.child(**{name: value})
        made = self.frame(name, value.type)
        self.emit([e.Assign(made, (), value, effects.clause_of(stmt, scope))])
        return scope.child(**{name: self.read(made, value.type)})

    def call(self, node: t.Expr | None, stmt: s.Stmt, scope: Scope) -> RuleDraft:
        """A call of a suspending rule: arguments to its frame, then there and back."""
        call = node if isinstance(node, t.Call) else t.Call(node or t.Nothing(), (), span=stmt.span)
        name = call.function.name if isinstance(call.function, t.Name) else ""
        made = self.need(name)
        if len(call.args) != len(made.params):
            raise self.draft.fail(
                "E0411", f"'{name}' takes {len(made.params)} argument(s)", call.span
            )
        clause = effects.clause_of(stmt, scope)
        values = [elaborate(a, scope, k) for a, k in zip(call.args, made.types, strict=True)]
        self.emit([e.Assign(f, (), v, clause) for f, v in zip(made.params, values, strict=True)])
        back = self.block(scope.path)
        made.returns.append(back)
        self.emit([e.Assign(made.back, (), integer(len(made.returns) - 1), -1)])
        self.leave(e.Goto(made.entry))
        self.at = back
        return made

    def end_game(self, stmt: s.EndGame, scope: Scope) -> None:
        """An ending and the end of the block."""
        from compiler.endings import ending

        self.leave(e.End(ending(stmt, scope)))
        self.at = self.block(scope.path)


def _default(kind: Type) -> int:
    if isinstance(kind, IntType):
        return min(max(kind.low, 0), kind.high)
    return -1 if isinstance(kind, MemberType) and kind.optional else 0


def build(draft: Draft, suspending: set[str]) -> tuple[Flow, int]:
    """The whole graph, from `play` on; returns it and the first block."""
    flow = Flow(draft, suspending)
    made = flow.need("play")
    for name in draft.typed:
        flow.need(name)
    while flow.queue:
        found = flow.rules[flow.queue.pop(0)]
        with guarded():
            flow.lower_rule(found)
    return flow, made.entry
