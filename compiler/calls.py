"""Calls, attributes, states and maps: the parts of an expression that look names up by kind.

In: syntax and scope. Out: machine expressions. The functions of the language that are not folds
are listed in `FUNCTIONS`, each with what it means in docs/language.md.
"""

from __future__ import annotations

from compiler import folds, maps
from compiler.definitions import invoke, original_call
from compiler.elaborate import elaborate, folded
from compiler.functions import FUNCTIONS, args_of
from compiler.machine.exprs import Binary, Builtin, Const, Expr, Lookup, Unary
from compiler.machine.values import (
    BoolType,
    IntType,
    ListType,
    MemberType,
    SetType,
    Type,
    VectorType,
)
from compiler.scope import (
    DefineSymbol,
    DomainSymbol,
    PlaceSymbol,
    RuleSymbol,
    Scope,
    Symbol,
    TableSymbol,
)
from compiler.types import fits, integer, show
from dsl import tree as t

comprehension = folds.comprehension
map_value = maps.map_value
index_table = maps.index_table


def call(node: t.Call, scope: Scope, want: Type | None) -> Expr:
    """A call by name: a fold, a definition, a relation of a board, or a function."""
    if not isinstance(node.function, t.Name):
        raise scope.draft.fail("E0407", "only a name can be called", node.span)
    name = node.function.name
    symbol = scope.draft.symbols.get(name)
    if name in folds.NAMES and folds.is_fold(node):
        return folds.fold(name, node, scope)
    if name == "packing":
        return folds.packing(node, scope)
    if node.folds:
        raise scope.draft.fail(
            "E0414",
            f"'{name}' does not go through anything",
            node.span,
            notes=("these do: " + ", ".join(folds.NAMES),),
        )
    if name == "original":
        return original_call(node.args, node, scope)
    if isinstance(symbol, DefineSymbol):
        return invoke(name, node.args, node, scope)
    if isinstance(symbol, RuleSymbol):
        raise scope.draft.fail(
            "E0415", f"'{name}' is a rule: a rule is called on a line of its own", node.span
        )
    if isinstance(symbol, DomainSymbol):
        return _piece_of(name, symbol.domain, node, scope)
    if name in FUNCTIONS:
        return FUNCTIONS[name](node, scope)
    return _relation(name, node, scope)


def _piece_of(name: str, domain: int, node: t.Call, scope: Scope) -> Expr:
    """`Hand(p)`: the piece of a kind that was declared `for each` of something."""
    (arg,) = args_of(node, 1, scope)
    found = scope.draft.attributes.get((domain, "of"))
    if found is None:
        raise scope.draft.fail("E0407", f"'{name}' is a type, not a function", node.span)
    _, kind = found
    assert isinstance(kind, MemberType)
    pick = scope.draft.relations[(domain, "of")]
    owner = elaborate(arg, scope, MemberType(kind.domain))
    return folded(Lookup(pick, (owner,), MemberType(domain)), scope)


def _relation(name: str, node: t.Call, scope: Scope) -> Expr:
    """`below(x)`: the image of a node, or of a set of nodes, under a relation of its board."""
    draft = scope.draft
    if len(node.args) != 1:
        raise draft.unknown(name, node.span, "function")
    known = {rel for _, rel in draft.relations}
    if name not in known:
        raise draft.unknown(name, node.span, "function")
    made = elaborate(node.args[0], scope)
    kind = made.type
    domain = getattr(kind, "domain", -1)
    table = draft.relations.get((domain, name))
    if table is None:
        raise draft.fail("E0416", f"{show(draft, kind)} has no relation '{name}'", node.span)
    if isinstance(kind, SetType):
        rows = Lookup(table, (), VectorType(domain, kind))
        return Builtin("reach", (made, rows), kind)
    node_ = fits(draft, made, MemberType(domain), node.span)
    return folded(Lookup(table, (node_,), SetType(domain)), scope)


def attribute(value: t.Expr, name: str, node: t.Expr, scope: Scope) -> Expr:
    """`x.name`: a field of a node, piece or data row, or a column of a table."""
    draft = scope.draft
    if isinstance(value, t.Index) and isinstance(value.value, t.Name):
        symbol = draft.symbols.get(value.value.name)
        if isinstance(symbol, TableSymbol):
            return maps.index_table(symbol.decl, value.keys, name, node, scope)
    made = elaborate(value, scope)
    kind = made.type
    if not isinstance(kind, MemberType):
        raise draft.fail("E0416", f"{show(draft, kind)} has no field '{name}'", node.span)
    found = draft.attributes.get((kind.domain, name))
    if found is None:
        names = [n for d, n in draft.attributes if d == kind.domain]
        raise draft.fail(
            "E0416",
            f"{show(draft, kind)} has no field '{name}'",
            node.span,
            notes=("its fields: " + ", ".join(sorted(names)),) if names else (),
        )
    table, type_ = found
    member = fits(draft, made, MemberType(kind.domain), node.span)
    return folded(Lookup(table, (member,), type_), scope)


def index_symbol(
    name: str, symbol: Symbol, keys: tuple[t.Expr, ...], node: t.Expr, scope: Scope
) -> Expr | None:
    """`name[keys]` where the name is a table with one column."""
    if isinstance(symbol, TableSymbol):
        if len(symbol.decl.columns) != 1:
            raise scope.draft.fail(
                "E0407", f"say which column of '{name}' is meant: {name}[...].column", node.span
            )
        return maps.index_table(symbol.decl, keys, symbol.decl.columns[0].name, node, scope)
    return None


def state_test(value: t.Expr, state: str, node: t.Expr, scope: Scope) -> Expr:
    """`x is state`."""
    draft = scope.draft
    yes = BoolType()
    if state in ("active", "waiting"):
        made = elaborate(value, scope)
        return Binary("=", made, integer(2 if state == "active" else 1), yes)
    full = _is_full(value, scope) if state == "full" else None
    if full is not None:
        return full
    made = elaborate(value, scope)
    kind = made.type
    match state, kind:
        case ("none" | "empty", MemberType()):
            return folded(Unary("not", folded(Unary("some", made, yes), scope), yes), scope)
        case ("set" | "full", MemberType()):
            return folded(Unary("some", made, yes), scope)
        case ("empty", SetType()):
            return folded(Binary("=", made, Const(0, kind), yes), scope)
        case ("empty", ListType()):
            return Binary("=", Unary("size", made, IntType(0, kind.limit)), integer(0), yes)
        case (_, MemberType(domain)):
            return _is_word(made, domain, state, node, scope)
    raise draft.fail("E0417", f"{show(draft, kind)} is never '{state}'", node.span)


def _is_word(made: Expr, domain: int, state: str, node: t.Expr, scope: Scope) -> Expr:
    draft = scope.draft
    for name in (state, f"is_{state}"):
        found = draft.attributes.get((domain, name))
        if found is not None:
            member = fits(draft, made, MemberType(domain), node.span)
            cell = Lookup(found[0], (member,), found[1])
            return folded(Binary("!=", cell, integer(0), BoolType()), scope)
    for owner, index in draft.members.get(state, []):
        if owner == domain:
            return folded(Binary("=", made, Const(index, MemberType(domain)), BoolType()), scope)
    raise draft.fail("E0417", f"{show(draft, made.type)} is never '{state}'", node.span)


def _is_full(value: t.Expr, scope: Scope) -> Expr | None:
    """Whether a place holds as many pieces as it can."""
    name = value.value if isinstance(value, t.Index) else value
    symbol = scope.draft.symbols.get(name.name) if isinstance(name, t.Name) else None
    if not isinstance(symbol, PlaceSymbol):
        return None
    place = scope.draft.places[symbol.place]
    if place.shape == "one":
        return None
    size = folds.count(t.Call(t.Name("count"), (value,), span=value.span), scope)
    return Binary(">=", size, integer(place.capacity), BoolType())
