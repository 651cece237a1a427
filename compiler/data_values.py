"""Cells of data files: TOML values to machine values of a declared type.

In: a raw value and a type. Out: an integer, a mask or a tuple; or a problem that names row, column
and file.
"""

from __future__ import annotations

from typing import Any

from compiler.elaborate import elaborate
from compiler.machine.exprs import Const
from compiler.machine.values import (
    BoolType,
    IntType,
    ListType,
    MemberType,
    PatternType,
    SetType,
    TextType,
    Type,
    VectorType,
)
from compiler.maps import PATTERN_RELATIONS
from compiler.scope import (
    Draft,
    Scope,
)
from dsl import declarations as d


def cell(
    draft: Draft, made: d.Data | d.Pieces, field: d.FieldDecl, row: dict[str, Any], kind: Type
) -> Any:
    """The value of a field in a row of a data file, or its default."""
    if field.name not in row:
        if field.default is None:
            raise draft.fail(
                "E0606",
                f"{row['name']} in '{made.file}' has no column '{field.name}'",
                field.span,
                help="add the column, or a default to the field",
            )
        return _default(draft, field, kind)
    try:
        return convert(draft, row[field.name], kind, row)
    except ValueError as bad:
        raise draft.fail(
            "E0607", f"{row['name']}.{field.name} in '{made.file}': {bad}", field.span
        ) from None


def _default(draft: Draft, field: d.FieldDecl, kind: Type) -> Any:
    assert field.default is not None
    item = kind.item if isinstance(kind, VectorType) else kind
    value = elaborate(field.default, Scope(draft), item)
    if not isinstance(value, Const):
        raise draft.fail("E0405", "a default must be a constant", field.span)
    if isinstance(kind, VectorType):
        return (value.value,) * draft.domains[kind.domain].size
    return value.value


def convert(draft: Draft, raw: Any, kind: Type, row: dict[str, Any]) -> Any:
    """A TOML value as a machine value of a type; raises ValueError with the reason."""
    match kind:
        case BoolType():
            if not isinstance(raw, bool):
                raise ValueError(f"{raw!r} is not true or false")
            return int(raw)
        case IntType(low, high):
            if not isinstance(raw, int) or isinstance(raw, bool) or not low <= raw <= high:
                raise ValueError(f"{raw!r} is not a number {low}..{high}")
            return raw
        case MemberType(domain, optional):
            return _label(draft, raw, domain, optional)
        case SetType(domain):
            return sum(1 << i for i in {_label(draft, r, domain, False) for r in _list(raw)})
        case ListType(item, limit):
            if len(_list(raw)) > limit:
                raise ValueError(f"more than {limit} items")
            return tuple(convert(draft, r, item, row) for r in raw)
        case VectorType(domain, item):
            return _vector(draft, raw, domain, item, row)
        case PatternType(_, label):
            return _pattern(draft, raw, label)
        case TextType():
            return (str(raw),)
    raise ValueError("a value of this type cannot come from a data file")


def _list(raw: Any) -> list[Any]:
    if not isinstance(raw, list):
        raise ValueError(f"{raw!r} is not a list")
    return raw


def _label(draft: Draft, raw: Any, domain: int, optional: bool) -> int:
    labels = draft.domains[domain].labels
    if optional and raw == "none":
        return -1
    if isinstance(raw, int) and draft.domains[domain].kind == "range":
        raw = str(raw)
    if raw not in labels:
        raise ValueError(f"{raw!r} is not one of {', '.join(labels[:8])}")
    return labels.index(raw)


def _vector(draft: Draft, raw: Any, domain: int, item: Type, row: dict[str, Any]) -> Any:
    if not isinstance(raw, dict):
        raise ValueError(f"{raw!r} is not a table of values")
    labels = draft.domains[domain].labels
    for key in raw:
        if key not in labels:
            raise ValueError(f"{key!r} is not one of {', '.join(labels[:8])}")
    return tuple(convert(draft, raw.get(label, 0), item, row) for label in labels)


def _pattern(draft: Draft, raw: Any, label: int) -> Any:
    if not isinstance(raw, dict) or set(raw) != {"nodes", "edges"}:
        raise ValueError("a pattern is {nodes = [...], edges = [[i, relation, j], ...]}")
    nodes = tuple(-1 if n == "any" else _label(draft, n, label, False) for n in _list(raw["nodes"]))
    edges = []
    for edge in _list(raw["edges"]):
        if len(_list(edge)) != 3 or edge[1] not in PATTERN_RELATIONS:
            raise ValueError(f"{edge!r} is not [i, {' or '.join(PATTERN_RELATIONS)}, j]")
        if not all(isinstance(edge[k], int) and 0 <= edge[k] < len(nodes) for k in (0, 2)):
            raise ValueError(f"{edge!r} names a node that is not there")
        edges.append((edge[0], PATTERN_RELATIONS.index(edge[1]), edge[2]))
    return (nodes, tuple(edges))
