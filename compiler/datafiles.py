"""Data files: rows of a TOML file checked against the fields that a spec declares.

In: bytes, the table's name and what fields are expected. Out: rows as plain Python values (still
words for members). The values are turned into machine values by the names pass.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from dsl.problems import Report, Span, did_you_mean

MAX_BYTES = 2_000_000
MAX_ROWS = 2000
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def read_rows(
    file: str, data: bytes | None, table: str, report: Report, span: Span
) -> list[dict[str, Any]]:
    """The rows of one table of a data file; problems go to the report."""
    if data is None:
        report.error("E0601", f"the data file '{file}' cannot be read", span)
        return []
    if len(data) > MAX_BYTES:
        report.error("E0602", f"the data file '{file}' is larger than {MAX_BYTES:,} bytes", span)
        return []
    try:
        found = tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as bad:
        report.error("E0602", f"the data file '{file}' is not TOML: {bad}", span)
        return []
    rows = found.get(table)
    if not isinstance(rows, list) or not all(isinstance(r, dict) for r in rows):
        report.error(
            "E0603",
            f"'{file}' has no list of tables [[{table}]]",
            span,
            help=did_you_mean(table, found),
        )
        return []
    if len(rows) > MAX_ROWS:
        report.error("E0602", f"'{file}' has {len(rows)} rows; {MAX_ROWS} are allowed", span)
        return []
    return [r for i, r in enumerate(rows) if _named(file, table, i, r, rows, report, span)]


def _named(
    file: str,
    table: str,
    index: int,
    row: dict[str, Any],
    rows: list[dict[str, Any]],
    report: Report,
    span: Span,
) -> bool:
    name = row.get("name")
    where = f"row {index + 1} of [[{table}]] in '{file}'"
    if not isinstance(name, str) or not NAME.match(name):
        report.error("E0604", f"{where} has no usable name", span, help='name = "letters_digits"')
        return False
    if any(r.get("name") == name for r in rows[:index]):
        report.error("E0604", f"{where} repeats the name '{name}'", span)
        return False
    return True


def check_columns(
    file: str, table: str, row: dict[str, Any], fields: set[str], report: Report, span: Span
) -> None:
    """Report columns that no declared field reads."""
    for column in sorted(set(row) - fields - {"name", "copies"}):
        report.error(
            "E0605",
            f"'{column}' of {row['name']} in '{file}' is no field of [[{table}]]",
            span,
            help=did_you_mean(column, fields),
        )
