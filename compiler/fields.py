"""Fields, places and pieces: data rows to constant tables, declarations to the state's cells.

In: data, pieces, place and variable declarations. Out: domains, tables and fields in the draft.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from compiler.data_values import cell
from compiler.datafiles import check_columns, read_rows
from compiler.elaborate import condition, constant, elaborate
from compiler.machine import record as m
from compiler.machine.exprs import Const, Local, Lookup
from compiler.machine.values import (
    Domain,
    IntType,
    ListType,
    MemberType,
    PatternType,
    SetType,
    TextType,
    Type,
    VectorType,
)
from compiler.scope import (
    BoardSymbol,
    DomainSymbol,
    Draft,
    FieldSymbol,
    PlaceSymbol,
    Scope,
    guarded,
)
from compiler.types import dimension, resolve
from dsl import declarations as d
from dsl import tree as t
from dsl.problems import Span, did_you_mean

MAX_CELLS = 100_000
MAX_PIECES = 4096


def _rows(draft: Draft, made: d.Data | d.Pieces) -> list[dict[str, Any]]:
    replaced = {kind: (file, table) for kind, file, table in draft.config.data}
    file, table = replaced.get(made.name, (made.file, made.table))
    return read_rows(file, draft.reader(file), table, draft.report, made.span)


def replacements(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    """A data file that replaces another must replace one that is there."""
    known = [x.name for x in decls if isinstance(x, d.Data | d.Pieces) and x.file]
    for kind, file, _ in draft.config.data:
        if kind not in known:
            draft.report.error(
                "E0307",
                f"no data '{kind}' is read from a file, so '{file}' cannot replace it",
                help=did_you_mean(kind, known),
            )


def data(draft: Draft, made: d.Data) -> None:
    """A kind of data: a domain with a member a row."""
    rows = _rows(draft, made)
    index = draft.domain(Domain(made.name, "data", tuple(r["name"] for r in rows)))
    draft.declare(made.name, DomainSymbol(index), made.span)
    draft.rows[index] = rows


def pieces(draft: Draft, made: d.Pieces) -> None:
    """A kind of pieces: a domain, the box, and the field that says where each piece is."""
    rows: list[dict[str, Any]] = []
    classes: tuple[int, ...] = ()
    owner = None
    if made.file:
        found = _rows(draft, made)
        for number, row in enumerate(found):
            copies = row.get("copies", 1)
            names = (
                [row["name"]] if copies == 1 else [f"{row['name']}_{i + 1}" for i in range(copies)]
            )
            rows += [{**row, "name": n} for n in names]
            classes += (number,) * copies
        if len(set(classes)) == len(classes):
            classes = ()
    elif made.each is not None:
        owner, rows = _for_each(draft, made)
        count = 1 if made.count is None else _copies(draft, made.count)
        classes = () if count == 1 else tuple(i // count for i in range(len(rows)))
    else:
        assert made.count is not None
        count = _copies(draft, made.count)
        base = made.name.lower()
        rows = [{"name": base if count == 1 else f"{base}{i + 1}"} for i in range(count)]
        classes = () if count == 1 else (0,) * count
    index = draft.domain(Domain(made.name, "pieces", tuple(r["name"] for r in rows), classes))
    draft.declare(made.name, DomainSymbol(index), made.span)
    draft.rows[index] = rows
    clause = draft.clause(made.name, "component", "", made.cites, made.span)
    number = len(draft.kinds)
    where = draft.add_field(
        f"{made.name}.where", "system", (index,), IntType(0, 1 << 16), visible=m.Visible("hidden")
    )
    draft.kinds[number] = m.PieceKind(made.name, index, where, 1, clause)
    if owner is not None:
        _owners(draft, index, owner, rows)


def _copies(draft: Draft, node: t.Expr) -> int:
    count = constant(node, Scope(draft))
    if not 0 <= count <= MAX_PIECES:
        raise draft.fail("E0404", f"a kind has 0 to {MAX_PIECES:,} pieces", node.span)
    return count


def _for_each(draft: Draft, made: d.Pieces) -> tuple[int, list[dict[str, Any]]]:
    assert made.each is not None
    over = elaborate(made.each, Scope(draft))
    if not isinstance(over.type, SetType) or not isinstance(over, Const):
        raise draft.fail("E0405", "pieces are made for each member of a known set", made.span)
    count = 1 if made.count is None else constant(made.count, Scope(draft))
    domain = draft.domains[over.type.domain]
    rows = []
    for i in range(domain.size):
        if isinstance(over.value, int) and over.value >> i & 1:
            base = f"{made.name.lower()}_{domain.labels[i]}"
            names = [base] if count == 1 else [f"{base}_{k + 1}" for k in range(count)]
            rows += [{"name": n, "of": i} for n in names]
    return over.type.domain, rows


def _owners(draft: Draft, index: int, owner: int, rows: list[dict[str, Any]]) -> None:
    cells = tuple(r["of"] for r in rows)
    name = draft.domains[index].name
    table = draft.table(f"{name}.of", (index,), cells)
    draft.attributes[(index, "of")] = (table, MemberType(owner))
    back = tuple(cells.index(i) if i in cells else -1 for i in range(draft.domains[owner].size))
    draft.relations[(index, "of")] = draft.table(f"{name} by owner", (owner,), back)
    kind = draft.domains[owner].kind
    if kind == "seat":
        draft.attributes[(index, "owner")] = (table, MemberType(owner))


def fill(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    """The fields of data, pieces and boards, once every name is known."""
    for made in decls:
        if isinstance(made, d.Data | d.Pieces | d.Board):
            name = made.node if isinstance(made, d.Board) else made.name
            symbol = draft.symbols.get(name)
            if isinstance(symbol, DomainSymbol | BoardSymbol):
                _fill_one(draft, made, symbol.domain)


def _fill_one(draft: Draft, made: d.Data | d.Pieces | d.Board, index: int) -> None:
    rows = draft.rows.get(index, [])
    declared = [f for f in made.fields if isinstance(f, d.FieldDecl)]
    for field in declared:
        with guarded():
            _field(draft, made, field, index, rows)
    if not isinstance(made, d.Board) and made.file:
        names = {f.name for f in declared} | {"of"}
        for row in rows:
            check_columns(made.file, made.table, row, names, draft.report, made.span)


def _field(
    draft: Draft,
    made: d.Data | d.Pieces | d.Board,
    field: d.FieldDecl,
    index: int,
    rows: list[dict[str, Any]],
) -> None:
    scope = Scope(draft)
    kind = resolve(draft, field.type, lambda e: constant(e, scope))
    key = None if field.key is None else dimension(draft, field.key, lambda e: constant(e, scope))
    dims = (index,) if key is None else (index, key)
    whole: Type = kind if key is None else VectorType(key, kind)
    if isinstance(made, d.Board):
        cells = _board_cells(draft, field, index, kind)
    else:
        cells = []
        for row in rows:
            value = cell(draft, made, field, row, whole)
            cells += list(value) if key is not None else [value]
    table = draft.table(f"{draft.domains[index].name}.{field.name}", dims, tuple(cells), kind)
    draft.attributes[(index, field.name)] = (table, whole)
    draft.clause(
        f"{draft.domains[index].name}.{field.name}", "component", "", field.cites, field.span
    )


def _board_cells(draft: Draft, field: d.FieldDecl, index: int, kind: Type) -> list[Any]:
    if field.default is None:
        raise draft.fail("E0606", f"the field '{field.name}' of a board needs values", field.span)
    want = VectorType(index, kind)
    if isinstance(field.default, t.MapOf):
        made = elaborate(field.default, Scope(draft), want)
        assert isinstance(made, Lookup)  # a map is a lookup in a table of its own
        return list(draft.tables[made.table].cells)
    value = elaborate(field.default, Scope(draft), kind)
    if not isinstance(value, Const):
        raise draft.fail("E0405", "a board's values must be known", field.span)
    return [value.value] * draft.domains[index].size


def visible(
    draft: Draft, made: d.Visibility | None, dims: tuple[int, ...], default: str
) -> m.Visible:
    """Who sees a field. What is declared without a word is seen by its owner alone (closed)."""
    if made is None:
        return m.Visible(default)
    owned = any(draft.domains[x].kind == "seat" for x in dims)
    if made.kind in ("owner", "others") and not owned:
        raise draft.fail("E0801", "this has no owner: no index of it is a Seat", made.span)
    test = None if made.while_ is None else condition(made.while_, Scope(draft))
    seats = 0
    if made.seats is not None:
        value = elaborate(made.seats, Scope(draft), SetType(0))
        if not isinstance(value, Const) or not isinstance(value.value, int):
            raise draft.fail("E0405", "the seats must be known", made.span)
        seats = value.value
    return m.Visible(made.kind, seats, test)


def _dims(draft: Draft, written: tuple[t.Type, ...]) -> tuple[int, ...]:
    scope = Scope(draft)
    return tuple(dimension(draft, x, lambda e: constant(e, scope)) for x in written)


def _count(draft: Draft, dims: tuple[int, ...], span: Span) -> int:
    size = 1
    for dim in dims:
        size *= draft.domains[dim].size
    if size > MAX_CELLS:
        raise draft.fail("E0404", f"this has {size:,} cells; {MAX_CELLS:,} are allowed", span)
    return size


def place(draft: Draft, made: d.Place) -> None:
    """A zone with its contents field, its size field and its instance numbers."""
    dims = _dims(draft, made.dims)
    count = _count(draft, dims, made.span)
    found = next((k for k in draft.kinds.values() if k.name == made.of), None)
    if found is None:
        raise draft.unknown(made.of, made.span, "kind of pieces")
    number = next(n for n, k in draft.kinds.items() if k is found)
    domain = found.domain
    most = draft.domains[domain].size
    capacity = most if made.limit is None else min(most, constant(made.limit, Scope(draft)))
    seen = visible(draft, made.visibility, dims, "owner" if _owned(draft, dims) else "nobody")
    clause = draft.clause(made.name, "place", "", made.cites, made.span)
    size = -1
    if made.kind == "set":
        field = draft.add_field(made.name, "place", dims, SetType(domain), (0,), seen, clause)
    elif made.kind == "one":
        capacity = 1
        field = draft.add_field(
            made.name, "place", dims, MemberType(domain, True), (-1,), seen, clause
        )
    else:
        slots = draft.range_domain(0, max(capacity, 1) - 1)
        field = draft.add_field(
            made.name, "place", (*dims, slots), MemberType(domain, True), (-1,), seen, clause
        )
        size = draft.add_field(
            f"{made.name}.size", "place", dims, IntType(0, capacity), (0,), seen, clause
        )
    made_place = m.Place(
        made.name, made.kind, number, dims, capacity, field, size, found.box, seen, clause
    )
    draft.kinds[number] = evolve(found, box=found.box + count)
    draft.places.append(made_place)
    draft.declare(made.name, PlaceSymbol(len(draft.places) - 1), made.span)
    if made.refill is not None:
        draft.refills[len(draft.places) - 1] = made.refill
        if made.refill.now:
            draft.not_yet("'refilled at once'", made.refill.span)


def _owned(draft: Draft, dims: tuple[int, ...]) -> bool:
    return any(draft.domains[x].kind == "seat" for x in dims)


def var(draft: Draft, made: d.Var) -> None:
    """A variable with its range and its first value."""
    scope = Scope(draft)
    dims = _dims(draft, made.dims)
    count = _count(draft, dims, made.span)
    kind = resolve(draft, made.type, lambda e: constant(e, scope))
    if isinstance(kind, VectorType | ListType | TextType | PatternType):
        raise draft.fail("E0403", "a variable holds one value; give it an index", made.span)
    clause = draft.clause(made.name, "var", "", made.cites, made.span)
    seen = visible(draft, made.visibility, dims, "everyone" if not _owned(draft, dims) else "owner")
    low = kind.low if isinstance(kind, IntType) else (-1 if getattr(kind, "optional", False) else 0)
    default: tuple[int, ...] = (
        (low,)
        if low > 0
        else ((-1,) if low == -1 and not isinstance(kind, IntType) else (max(low, 0),))
    )
    if isinstance(kind, IntType) and kind.high < 0:
        default = (kind.high,)
    if made.default is not None:
        default = _first(draft, made.default, kind, dims, count)
    number = draft.add_field(made.name, "var", dims, kind, default, seen, clause)
    draft.declare(made.name, FieldSymbol(number), made.span)


def clock(draft: Draft, made: d.Clock) -> None:
    """A clock: typed as a variable that holds a time; a game that has one is refused (E0901)."""
    dims = _dims(draft, made.dims)
    _count(draft, dims, made.span)
    scope = Scope(draft)
    names = {d_: Local(i, MemberType(d_)) for i, d_ in enumerate(dims)}
    lower = {draft.domains[k].name[:1].lower(): v for k, v in names.items()}
    elaborate(made.capacity, scope.child(**lower))
    clause = draft.clause(made.name, "var", "", made.cites, made.span)
    number = draft.add_field(made.name, "var", dims, IntType(0, 10**9), clause=clause)
    draft.declare(made.name, FieldSymbol(number), made.span)
    draft.not_yet("clocks", made.span)


def _first(
    draft: Draft, written: t.Expr, kind: Type, dims: tuple[int, ...], count: int
) -> tuple[int, ...]:
    scope = Scope(draft)
    if isinstance(written, t.MapOf):
        if not dims:
            raise draft.fail("E0403", "a map needs an index to run over", written.span)
        made = elaborate(written, scope, VectorType(dims[-1], kind))
        assert isinstance(made, Lookup)
        cells = tuple(int(c) for c in draft.tables[made.table].cells if isinstance(c, int))
        return cells * (count // len(cells))
    value = elaborate(written, scope, kind)
    if not isinstance(value, Const) or not isinstance(value.value, int):
        raise draft.fail("E0405", "a first value must be a constant", written.span)
    return (value.value,)
