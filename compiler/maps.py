"""Maps and tables: `{a, b -> x, else -> y}` and the tables of a book, both as constant tables.

In: rows with their keys. Out: a lookup. A key without a row is a finding (E0703), so is one with
two; a cell that the book leaves unknown may exist, but not be looked at in this configuration.
"""

from __future__ import annotations

from typing import Any

from compiler.elaborate import constant, elaborate, folded
from compiler.machine.exprs import Const, Expr, Lookup
from compiler.machine.values import IntType, MemberType, SetType, Type, VectorType
from compiler.scope import Draft, Scope
from compiler.types import as_key, dimension, fits, join, resolve, walkable
from dsl import declarations as d
from dsl import tree as t


def map_value(
    rows: tuple[tuple[tuple[t.Expr, ...], t.Expr], ...],
    other: t.Expr | None,
    node: t.Expr,
    scope: Scope,
    want: Type | None,
) -> Expr:
    """A map as a vector over the domain of its keys; its values must be constants."""
    draft = scope.draft
    domain = want.domain if isinstance(want, VectorType) else _key_domain(rows, scope)
    item = want.item if isinstance(want, VectorType) else None
    cells: dict[int, Expr] = {}
    for keys, value in rows:
        made = elaborate(value, scope, item)
        for key in keys:
            for at in key_indices(key, domain, scope):
                if at in cells and at in cells and want is None:
                    raise draft.fail("E0704", "this key stands in two rows", key.span)
                cells[at] = made
    size = draft.domains[domain].size
    missing = [draft.domains[domain].labels[i] for i in range(size) if i not in cells]
    if missing and other is None:
        raise draft.fail(
            "E0703",
            f"no row for {', '.join(missing[:6])}",
            node.span,
            help="add the rows, or 'else -> ...'",
        )
    if missing and other is not None:
        rest = elaborate(other, scope, item)
        cells.update({i: rest for i in range(size) if i not in cells})
    return vector([cells[i] for i in range(size)], domain, node, scope, item)


def vector(cells: list[Expr], domain: int, node: t.Expr, scope: Scope, item: Type | None) -> Expr:
    """A constant vector as a lookup into a table of its own."""
    draft = scope.draft
    kind = item or cells[0].type
    if item is None:
        for cell in cells[1:]:
            kind = join(draft, kind, cell.type, node.span)
    if not all(isinstance(c, Const) for c in cells):
        raise draft.fail(
            "E0405", "the values of a map must be known when the game is compiled", node.span
        )
    values = tuple(c.value for c in cells if isinstance(c, Const))
    table = draft.table("map", (domain,), values)
    return Lookup(table, (), VectorType(domain, kind))


def _key_domain(rows: tuple[tuple[tuple[t.Expr, ...], t.Expr], ...], scope: Scope) -> int:
    first = elaborate(rows[0][0][0], scope)
    kind = first.type
    if isinstance(kind, MemberType | SetType):
        return kind.domain
    if isinstance(kind, IntType):
        values = [constant(k, scope) for keys, _ in rows for k in keys]
        return scope.draft.range_domain(min(values), max(values))
    raise scope.draft.fail("E0401", "this cannot be a key", rows[0][0][0].span)


def key_indices(key: t.Expr, domain: int, scope: Scope) -> list[int]:
    """The indices that a key names: one member, all members of a set, or a range."""
    draft = scope.draft
    made_domain = draft.domains[domain]
    if isinstance(key, t.Range):
        low, high = constant(key.low, scope), constant(key.high, scope)
        walkable(draft, IntType(low, high), key.span)
        return [i - made_domain.start for i in range(low, high + 1)]
    want = (
        None if made_domain.kind == "range" or not isinstance(key, t.Name) else MemberType(domain)
    )
    made = elaborate(key, scope, want)
    if isinstance(made.type, SetType) and isinstance(made, Const) and isinstance(made.value, int):
        fits(draft, made, SetType(domain), key.span)
        return [i for i in range(made_domain.size) if made.value >> i & 1]
    index = folded(as_key(draft, domain, made, key.span), scope)
    if not isinstance(index, Const) or not isinstance(index.value, int):
        raise draft.fail("E0405", "a key must be known when the game is compiled", key.span)
    return [index.value]


def index_table(
    decl: d.Table, keys: tuple[t.Expr, ...], column: str, node: t.Expr, scope: Scope
) -> Expr:
    """One cell of a declared table."""
    draft = scope.draft
    names = [c.name for c in decl.columns]
    if column not in names:
        raise draft.fail(
            "E0416",
            f"the table '{decl.name}' has no column '{column}'",
            node.span,
            notes=("its columns: " + ", ".join(names),),
        )
    dims, cells, kind, unknown = _column(decl, names.index(column), scope)
    if len(keys) != len(dims):
        raise draft.fail("E0407", f"'{decl.name}' wants {len(dims)} key(s)", node.span)
    made = []
    for domain, key in zip(dims, keys, strict=True):
        value = elaborate(
            key, scope, None if draft.domains[domain].kind == "range" else MemberType(domain)
        )
        made.append(folded(as_key(draft, domain, value, key.span), scope))
    at = _flat(made, dims, scope)
    if at is not None and at in unknown:
        raise draft.fail(
            "E0705",
            f"the book's table '{decl.name}' has no value here",
            node.span,
            notes=(f"row {unknown[at]}",),
        )
    table = _table(decl, column, dims, cells, draft)
    return folded(Lookup(table, tuple(made), kind), scope)


def _flat(keys: list[Expr], dims: list[int], scope: Scope) -> int | None:
    at = 0
    for domain, key in zip(dims, keys, strict=True):
        if not isinstance(key, Const) or not isinstance(key.value, int):
            return None
        at = at * scope.draft.domains[domain].size + key.value
    return at


def _table(
    decl: d.Table, column: str, dims: list[int], cells: tuple[Any, ...], draft: Draft
) -> int:
    name = f"{decl.name}.{column}"
    for i, made in enumerate(draft.tables):
        if made.name == name and made.cells == cells:
            return i
    return draft.table(name, tuple(dims), cells)


def _column(
    decl: d.Table, column: int, scope: Scope
) -> tuple[list[int], tuple[Any, ...], Type, dict[int, str]]:
    draft = scope.draft
    inner = Scope(draft)
    dims = []
    for param in decl.keys:
        if param.type is None:
            raise draft.fail("E0403", f"the key '{param.name}' needs a type", param.span)
        dims.append(dimension(draft, param.type, lambda e: constant(e, inner)))
    written = decl.columns[column].type
    want = None if written is None else resolve(draft, written, lambda e: constant(e, inner))
    size = 1
    for domain in dims:
        size *= draft.domains[domain].size
    cells: list[Any] = [None] * size
    unknown: dict[int, str] = {}
    kind: Type | None = want
    for keys, values, _ in decl.rows:
        for at in _row_indices(keys, dims, inner):
            if cells[at] is not None or at in unknown:
                raise draft.fail("E0704", "this key stands in two rows", keys[0].span)
            value = values[column] if column < len(values) else None
            if value is None:
                unknown[at] = str(at)
                continue
            made = elaborate(value, inner, want)
            if not isinstance(made, Const):
                raise draft.fail("E0405", "a cell must be a constant", value.span)
            kind = made.type if kind is None else join(draft, kind, made.type, value.span)
            cells[at] = made.value
    missing = [i for i in range(size) if cells[i] is None and i not in unknown]
    if missing:
        labels = ", ".join(_label(i, dims, draft) for i in missing[:6])
        raise draft.fail("E0703", f"the table '{decl.name}' has no row for {labels}", decl.span)
    assert kind is not None
    fill = next((c for c in cells if c is not None), 0)
    return dims, tuple(fill if c is None else c for c in cells), kind, unknown


def _label(at: int, dims: list[int], draft: Draft) -> str:
    words = []
    for domain in reversed(dims):
        made = draft.domains[domain]
        at, rest = divmod(at, made.size)
        words.append(made.labels[rest])
    return " ".join(reversed(words))


def _row_indices(keys: tuple[t.Expr, ...], dims: list[int], scope: Scope) -> list[int]:
    if len(dims) == 1:
        return [i for key in keys for i in key_indices(key, dims[0], scope)]
    if len(keys) != len(dims):
        raise scope.draft.fail("E0407", f"a row wants {len(dims)} keys", keys[0].span)
    found = [0]
    for domain, key in zip(dims, keys, strict=True):
        size = scope.draft.domains[domain].size
        found = [f * size + i for f in found for i in key_indices(key, domain, scope)]
    return found


def pattern_relations(draft: Draft, board: int) -> tuple[Any, ...]:
    """The relations that patterns of a board speak of: above and left, each with its inverse."""
    graph = draft.graphs[board].relations
    pairs = (("above", "below"), ("left", "right"))
    return tuple((graph[one], graph[two]) for one, two in pairs if one in graph)


PATTERN_RELATIONS = ("above", "left")
