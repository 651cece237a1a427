"""The LALR tables: built by Lark from `grammar.lark`, shipped as JSON keyed by the grammar's hash.

Building takes about a second and loading a tenth of one; `python -m dsl.tables` writes the file
anew after a change of the grammar (a test fails while the two disagree). JSON, not pickle: a table
file can then do no more than mislead the parser.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

GRAMMAR = Path(__file__).with_name("grammar.lark")
TABLES = Path(__file__).with_name("tables.json")
OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "lexer": "basic",
    "maybe_placeholders": True,
    "propagate_positions": True,
}


def key_of(grammar: str) -> str:
    """The hash that ties a table file to a grammar."""
    return hashlib.sha256(grammar.encode()).hexdigest()[:16]


def build(grammar: str) -> str:
    """The table file for a grammar, as JSON text."""
    lark = Lark(grammar, **OPTIONS)
    data, memo = lark.memo_serialize([TerminalDef, Rule])
    return json.dumps({"key": key_of(grammar), "data": data, "memo": memo}, separators=(",", ":"))


def _integers(table: dict[str, Any]) -> dict[int, Any]:
    return {int(k): v for k, v in table.items()}


@cache
def lark() -> Lark:
    """The parser, from the shipped tables when they fit the grammar, else built here and now."""
    grammar = GRAMMAR.read_text(encoding="utf-8")
    raw: dict[str, Any] = {"key": ""}
    if TABLES.exists():
        raw = json.loads(TABLES.read_text(encoding="utf-8"))
    if raw["key"] != key_of(grammar):
        return Lark(grammar, **OPTIONS)
    table = raw["data"]["parser"]["parser"]
    table["tokens"] = _integers(table["tokens"])
    table["states"] = {int(s): _integers(row) for s, row in table["states"].items()}
    parser = Lark.__new__(Lark)
    parser._load({"data": raw["data"], "memo": _integers(raw["memo"])})
    return parser


if __name__ == "__main__":
    TABLES.write_text(build(GRAMMAR.read_text(encoding="utf-8")) + "\n", encoding="utf-8")
