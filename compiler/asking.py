"""Points where the game waits: picks, menus, chance, and draws from piles that refill themselves.

In: statements and the flow under construction. Out: decisions and chance sites, and the blocks
around them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import evolve

from compiler import choices, effects, loops, moves, patches
from compiler.elaborate import condition, elaborate, number
from compiler.machine import effects as e
from compiler.machine import record as m
from compiler.machine.exprs import Binary, Builtin, Const, Expr, Fold, Local, Read
from compiler.machine.values import BoolType, IntType, MemberType, SetType, Type
from compiler.scope import ChoiceSymbol, Scope
from compiler.types import YES, integer, mismatch
from dsl import declarations as d
from dsl import statements as s
from dsl import tree as t

if TYPE_CHECKING:
    from compiler.flow import Flow

OCCURRENCES = IntType(0, (1 << 32) - 1)


def _chooser(
    flow: Flow, stmt: s.Pick, scope: Scope, clause: int
) -> tuple[int, tuple[Expr, ...], str, bool]:
    """The chooser of a pick, its arguments, the bound name, and whether it may be skipped."""
    form = stmt.form
    if isinstance(form, s.Named):
        call = form.choice if isinstance(form.choice, t.Call) else t.Call(form.choice, ())
        name = call.function.name if isinstance(call.function, t.Name) else ""
        symbol = flow.draft.symbols.get(name)
        if not isinstance(symbol, ChoiceSymbol):
            raise flow.draft.unknown(name or "this", form.span, "choice")
        found, args = choices.chooser(symbol.decl, call.args, call, scope)
        return found, args, form.name, form.if_able
    name, able = "", False
    match form:
        case s.One(binder, able):
            name = binder.name
        case s.Subset(name, _, _, able) | s.Amounts(name, _, _, _, able):
            pass
        case s.YesNo(name):
            pass
    inner = evolve(scope.under(name), slots=[1], params=scope.params)
    return choices.build(form, stmt.demands, inner, (), clause), (), name, able


def pick(flow: Flow, stmt: s.Pick, scope: Scope) -> Scope:
    """A pick: ask, store the value, go on with `then` or what follows."""
    draft = flow.draft
    seat = elaborate(stmt.actor, scope, MemberType(0))
    base = flow.at
    name = getattr(stmt.form, "name", "")
    if isinstance(stmt.form, s.One):
        name = stmt.form.binder.name
    path = scope.under(name).path
    clause = draft.clause(path, "choice", stmt.prompt, stmt.cites, stmt.span)
    chooser, args, name, able = _chooser(flow, stmt, scope, clause)
    assert base == flow.at
    made = draft.choosers[chooser]
    field = flow.frame(name, made.type)
    decision = m.Decision(
        path, seat, stmt.may, stmt.secret, stmt.prompt, chooser, args, field, (), clause
    )
    draft.decisions.append(decision)
    number_ = len(draft.decisions) - 1
    value = Read(field, (), made.type)
    taken, end = flow.block(path), flow.block(scope.path)
    refused = end if stmt.otherwise is None else flow.block(path)
    skip = refused if stmt.may or able else -1
    flow.leave(e.Ask(number_, taken, refused, skip))
    flow.at = taken
    inner = scope.child(**{name: value})
    if isinstance(stmt.form, s.YesNo):
        yes = flow.block(path)
        flow.leave(e.Branch(value, yes, refused, -1))
        flow.at = yes
    if stmt.then is not None:
        flow.body(stmt.then, inner)
    flow.leave(e.Goto(end))
    if stmt.otherwise is not None:
        flow.at = refused
        flow.body(stmt.otherwise, scope)
        flow.leave(e.Goto(end))
    flow.at = end
    return inner if not (stmt.may or able) else scope


def menu(flow: Flow, stmt: s.Menu, scope: Scope) -> None:
    """A menu: one block an option, tiers in order; patches may add options to the first tier."""
    draft = flow.draft
    inner = scope.under(stmt.name)
    seat = elaborate(stmt.actor, scope, MemberType(0))
    clause = draft.clause(inner.path, "choice", stmt.prompt, stmt.cites, stmt.span)
    tiers = [list(tier) for tier in stmt.tiers]
    added: dict[int, d.Patch] = {}
    for patch, edit in patches.edits(draft, inner.path, "add"):
        tiers[0] += list(edit.options)
        added.update({id(o): patch for o in edit.options})
    made: list[tuple[m.Option, ...]] = []
    starts: list[int] = []
    bodies: list[tuple[int, s.MenuOption, Scope]] = []
    for tier in tiers:
        options = []
        for option in tier:
            built, seen = _option(flow, option, inner, added.get(id(option)))
            options.append(built)
            start = flow.block(f"{inner.path}.{option.name}")
            starts.append(start)
            bodies.append((start, option, seen))
        made.append(tuple(options))
    decision = m.Decision(
        inner.path, seat, stmt.may, False, stmt.prompt, -1, (), -1, tuple(made), clause
    )
    draft.decisions.append(decision)
    end = flow.block(scope.path)
    flow.leave(e.AskMenu(len(draft.decisions) - 1, tuple(starts), end, end if stmt.may else -1))
    for start, option, seen in bodies:
        flow.at = start
        flow.body(option.body, seen)
        flow.leave(e.Goto(end))
    flow.at = end


def _option(
    flow: Flow, option: s.MenuOption, scope: Scope, adder: d.Patch | None
) -> tuple[m.Option, Scope]:
    draft = flow.draft
    inner = scope.under(option.name)
    testing = evolve(inner, slots=[len(option.binders)])
    after = inner
    slots, domains, wheres, types, fields = [], [], [], [], []
    for i, binder in enumerate(option.binders):
        domain = elaborate(binder.domain, testing)
        if not isinstance(domain.type, SetType):
            raise mismatch(draft, SetType(-1), domain.type, binder.domain.span)
        kind: Type = MemberType(domain.type.domain)
        found = draft.domains[domain.type.domain]
        if found.kind == "range":
            kind = IntType(found.start, found.start + found.size - 1)
        testing = testing.child(**{binder.name: Local(i, kind)})
        where = None if binder.where is None else condition(binder.where, testing)
        field = flow.frame(f"{option.name}.{binder.name}", kind)
        after = after.child(**{binder.name: flow.read(field, kind)})
        slots.append(i)
        domains.append(domain)
        wheres.append(where)
        types.append(kind)
        fields.append(field)
    demands = tuple(
        choices.lower_demand(x, testing) for x in choices.all_demands(option.demands, inner)
    )
    clause = draft.clause(inner.path, "option", option.prompt, option.cites, option.span)
    if adder is not None:
        active = patches.active(adder, testing, option.span)
        if active != YES:
            demands = (
                m.Demand("active", "this is not available now", active, False, clause),
                *demands,
            )
    made = m.Option(
        option.name,
        option.prompt,
        tuple(slots),
        tuple(domains),
        tuple(wheres),
        tuple(types),
        tuple(fields),
        demands,
        clause,
    )
    return made, after


def _site(flow: Flow, path: str, **parts: Any) -> int:
    draft = flow.draft
    count = draft.add_field(f"{path}#", "system", (), OCCURRENCES, visible=m.Visible("hidden"))
    made: dict[str, Any] = {
        "domain": None,
        "weight": None,
        "slot": -1,
        "faces": None,
        "field": -1,
        "place": -1,
        "index": (),
        "prompt": "",
        "clause": -1,
    }
    draft.sites.append(m.Site(path=path, count=count, **{**made, **parts}))
    return len(draft.sites) - 1


def chance(flow: Flow, stmt: s.Chance, scope: Scope) -> Scope:
    """`chance picks one`, or an answer that only the table can give."""
    draft = flow.draft
    if stmt.binder is None:
        return dice(flow, stmt, scope)
    binder = stmt.binder
    inner = scope.under(binder.name)
    domain = elaborate(binder.domain, scope)
    if not isinstance(domain.type, SetType):
        raise mismatch(draft, SetType(-1), domain.type, binder.domain.span)
    index = domain.type.domain
    kind: Type = MemberType(index)
    slot = inner.new_slot()
    if stmt.weight is not None:
        number(stmt.weight, scope.child(**{binder.name: Local(slot, kind)}))
        draft.not_yet("weighted draws", stmt.span)
    if binder.where is not None:
        test = condition(binder.where, scope.child(**{binder.name: Local(slot, kind)}))
        domain = Fold("filter", slot, domain, None, None, test, None, False, domain.type)
    clause = draft.clause(inner.path, "choice", stmt.prompt, stmt.cites, stmt.span)
    field = flow.frame(binder.name, kind)
    site = _site(
        flow,
        inner.path,
        kind="one" if stmt.kind == "picks" else "table",
        domain=domain,
        field=field,
        prompt=stmt.prompt,
        clause=clause,
    )
    after = flow.block(scope.path)
    flow.leave(e.Draw(site, after))
    flow.at = after
    value: Expr = flow.read(field, kind)
    if draft.domains[index].kind == "range":
        found = draft.domains[index]
        last = found.start + found.size - 1
        value = Binary(
            "+",
            Read(field, (), IntType(0, found.size - 1)),
            integer(found.start),
            IntType(found.start, last),
        )
    return scope.child(**{binder.name: value})


def dice(flow: Flow, stmt: s.Chance, scope: Scope) -> Scope:
    """`chance rolls x = n of faces`: the sum of n dice with faces 1..faces."""
    draft = flow.draft
    assert stmt.count is not None and stmt.faces is not None
    count, faces = number(stmt.count, scope), number(stmt.faces, scope)
    assert isinstance(count.type, IntType) and isinstance(faces.type, IntType)
    kind = IntType(max(0, count.type.low), max(0, count.type.high) * max(1, faces.type.high))
    inner = scope.under(stmt.name)
    clause = draft.clause(inner.path, "choice", "", stmt.cites, stmt.span)
    field = flow.frame(stmt.name, kind)
    site = _site(
        flow, inner.path, kind="dice", weight=count, faces=faces, field=field, clause=clause
    )
    after = flow.block(scope.path)
    flow.leave(e.Draw(site, after))
    flow.at = after
    return scope.child(**{stmt.name: flow.read(field, kind)})


def shuffle(flow: Flow, stmt: s.Act, scope: Scope) -> None:
    """`shuffle pile`"""
    assert stmt.value is not None
    target = moves.place_target(stmt.value, scope)
    if target.place < 0 or flow.draft.places[target.place].shape not in ("pile", "row"):
        raise flow.draft.fail("E0422", "only a pile or a row can be shuffled", stmt.span)
    clause = effects.clause_of(stmt, scope)
    _shuffle(flow, target, scope, clause)


def _shuffle(flow: Flow, target: e.Target, scope: Scope, clause: int) -> None:
    name = flow.draft.places[target.place].name
    words = [f"shuffle_{name}"]
    for dim, key in zip(flow.draft.places[target.place].dims, target.index, strict=True):
        if isinstance(key, Const) and isinstance(key.value, int):
            words.append(flow.draft.domains[dim].labels[key.value])
    path = scope.under("_".join(words)).path
    site = _site(flow, path, kind="shuffle", place=target.place, index=target.index, clause=clause)
    after = flow.block(scope.path)
    flow.leave(e.Draw(site, after))
    flow.at = after


def move(flow: Flow, stmt: s.Move, scope: Scope) -> None:
    """A move that involves chance: into a pile in random order, or from a pile that refills."""
    if stmt.arrange == "shuffled":
        target = moves.place_target(stmt.to, scope)
        if target.place < 0 or flow.draft.places[target.place].shape not in ("pile", "row"):
            raise flow.draft.fail("E0422", "only a pile or a row has an order", stmt.to.span)
        flow.emit(moves.move(stmt, scope))
        _shuffle(flow, target, scope, effects.clause_of(stmt, scope))
        return
    draw(flow, stmt, scope)


def draw(flow: Flow, stmt: s.Move, scope: Scope) -> None:
    """`move top n of pile` where an empty pile refills: one by one, refilling when it must."""
    assert stmt.count is not None
    to = moves.place_target(stmt.to, scope)
    source = moves.place_target(stmt.what, scope)
    kind = moves.same_kind(source, to, stmt, scope)
    clause = effects.clause_of(stmt, scope)
    single = e.MoveTop(kind, integer(1), source, to, stmt.partial, clause)
    count = number(stmt.count, scope)

    def one() -> None:
        refill(flow, source, kind, scope, clause)
        flow.emit([single])

    if isinstance(count, Const) and count.value == 1:
        one()
    else:
        loops.repeat_times(flow, count, scope, one)


def refill(flow: Flow, source: e.Target, kind: int, scope: Scope, clause: int) -> None:
    """If a pile is empty and its source is not, make a new pile of the source."""
    found = flow.draft.refills.get(source.place)
    if found is None:
        return
    node = found.source
    dims = flow.draft.places[source.place].dims
    names = _index_names(node, dims, source, scope)
    stock = moves.place_target(node, scope.child(**names))
    size = IntType(0, flow.draft.places[source.place].capacity)
    empty = Binary(
        "=",
        Builtin("place_size", (integer(source.place), *source.index), size),
        integer(0),
        BoolType(),
    )
    some = _not_empty(flow, stock)
    test = Binary("and", empty, some, BoolType())
    yes, no = flow.block(scope.path), flow.block(scope.path)
    flow.leave(e.Branch(test, yes, no, clause))
    flow.at = yes
    if found.how == "flip":
        flow.emit([e.TurnOver(kind, stock, source, clause)])
    else:
        mask = _contents(flow, stock)
        flow.emit([e.MoveSet(kind, mask, source, False, None, -1, True, clause)])
        _shuffle(flow, source, scope, clause)
    flow.go(no)


def _index_names(
    node: t.Expr, dims: tuple[int, ...], source: e.Target, scope: Scope
) -> dict[str, Expr]:
    """`refilled by shuffling discard[e]`: the names in its index stand for the pile's index."""
    if not isinstance(node, t.Index):
        return {}
    names = [
        k.name for k in node.keys if isinstance(k, t.Name) and k.name not in scope.draft.symbols
    ]
    return {
        n: evolve(i, type=MemberType(dim)) if not isinstance(i, Const) else i
        for n, i, dim in zip(names, source.index, dims, strict=False)
    }


def _contents(flow: Flow, stock: e.Target) -> Expr:
    place = flow.draft.places[stock.place]
    kind = SetType(flow.draft.kinds[place.kind].domain)
    if place.shape == "set":
        return Read(place.field, stock.index, kind)
    return Builtin("place_mask", (integer(stock.place), *stock.index), kind)


def _not_empty(flow: Flow, stock: e.Target) -> Expr:
    made = _contents(flow, stock)
    return Binary("!=", made, Const(0, made.type), BoolType())
