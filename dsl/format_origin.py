"""Where rows came from: the lines of the language in a source, and which row each one became.

In: a source and the rows printed from its tree. Out: origins, and a map from origins to rows. A
node has the place of its first word; a row without a node (`else`, `then`, `seed`) is found by its
first word among the lines of its declaration that no other row has taken.
"""

from __future__ import annotations

from attrs import frozen

from dsl.format_doc import Row, flat
from dsl.lexer import TAB, Token, lex
from dsl.problems import Report
from dsl.source import Source


@frozen
class Origin:
    """One line of the language: its physical lines, indent, first word, citations, declaration."""

    first: int
    last: int
    width: int
    head: str
    cites: tuple[str, ...]
    chunk: int


def origins(source: Source) -> list[Origin]:
    """The lines of the language in a source without syntax errors, in order."""
    chunks, _ = lex(source, Report())
    lines = source.text.split("\n")
    out: list[Origin] = []
    for number, chunk in enumerate(chunks):
        held: list[Token] = []
        for token in chunk:
            if token.kind == "_NL":
                out.append(_origin(held, lines, number))
                held = []
            elif token.kind not in ("_INDENT", "_DEDENT"):
                held.append(token)
    return out


def _origin(tokens: list[Token], lines: list[str], chunk: int) -> Origin:
    first, last = tokens[0].span.line, tokens[-1].span.line
    cites = tuple(t.text[1:] for t in tokens if t.kind == "CITE")
    return Origin(first, last, width_of(lines[first - 1]), tokens[0].text, cites, chunk)


def width_of(line: str) -> int:
    """How far a physical line is indented."""
    shown = line.expandtabs(TAB)
    return len(shown) - len(shown.lstrip())


def _head(row: Row) -> str:
    """The first word of a row, to know it again by."""
    return flat(row.doc).replace(".", " ").split(" ", 1)[0]


def match(rows: list[Row], found: list[Origin]) -> dict[int, int]:
    """From the index of an origin to the index of the row that it became."""
    by_line = {n: i for i, o in enumerate(found) for n in range(o.first, o.last + 1)}
    owner: dict[int, int] = {}
    placed: dict[int, int] = {}
    for index, row in enumerate(rows):
        known = (row.span.line, row.span.col) != (row.span.end_line, row.span.end_col)
        at = by_line.get(row.span.line) if known else None
        if at is not None and at not in owner:
            owner[at] = index
            placed[index] = at
    chunks: dict[int, list[int]] = {}
    for at, origin in enumerate(found):
        chunks.setdefault(origin.chunk, []).append(at)
    last = 0
    for index, row in enumerate(rows):
        near = chunks[found[last].chunk]
        free = [at for at in near if at not in owner] if index not in placed else []
        same = [at for at in free if found[at].head.split(" ", 1)[0] == _head(row)]
        last = placed.get(index, next((at for at in same if at > last), same[0] if same else last))
        owner.setdefault(last, index)
    return owner
