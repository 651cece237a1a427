"""Documents with places to break, and their layout within a width.

In: a `Doc` made by the printers of `dsl.format_expr` and its neighbours. Out: physical lines. A
group stays on one line when it fits there with what follows it; else all its own lines break. The
last line of a document may have less room than the others, since citations stand at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from attrs import frozen

from dsl.problems import NOWHERE, Span

WIDTH = 100
STEP = 2
SHORT = 24


@frozen
class Line:
    """A place to break: `flat` stands there while the group is on one line."""

    flat: str = " "


@frozen
class IfBroken:
    """A text that stands only where the group around it is broken."""

    text: str


@frozen
class Nest:
    """One step further in for the lines that begin inside."""

    doc: Doc


@frozen
class Group:
    """What breaks together."""

    doc: Doc


Doc: TypeAlias = "str | tuple[Doc, ...] | Line | IfBroken | Nest | Group"
Work: TypeAlias = tuple[int, bool, Doc]


@frozen
class Row:
    """One line of the language: how deep, what it says, what it cites, where it came from."""

    level: int
    doc: Doc
    cites: tuple[str, ...] = ()
    span: Span = NOWHERE


def joined(docs: Iterable[Doc], between: Doc) -> Doc:
    """Documents with another one between each two."""
    out: list[Doc] = []
    for doc in docs:
        if out:
            out.append(between)
        out.append(doc)
    return tuple(out)


def _pieces(doc: Doc) -> Iterator[str]:
    """The texts of a document on one line."""
    todo = [doc]
    while todo:
        match todo.pop():
            case str() as text:
                yield text
            case Line(text):
                yield text
            case Nest(inner) | Group(inner):
                todo.append(inner)
            case tuple() as docs:
                todo += reversed(docs)
            case IfBroken():
                pass


def flat(doc: Doc) -> str:
    """A document on one line."""
    return "".join(_pieces(doc))


def short(doc: Doc) -> bool:
    """Whether nothing is gained by breaking a document."""
    length = 0
    for piece in _pieces(doc):
        length += len(piece)
        if length > SHORT:
            return False
    return True


def _fits(first: Doc, rest: list[Work], col: int, last: int) -> bool:
    """Whether a group fits on its line, with what follows it up to the next place to break."""
    todo: list[Work] = [(0, False, first)]
    after = len(rest)
    while todo or after:
        if not todo:
            after -= 1
            todo.append(rest[after])
        _, broken, doc = todo.pop()
        match doc:
            case str():
                col += len(doc)
            case Line(text):
                if broken:
                    return True
                col += len(text)
            case IfBroken(text):
                col += len(text) if broken else 0
            case Nest(inner) | Group(inner):
                todo.append((0, broken, inner))
            case tuple():
                todo += [(0, broken, d) for d in reversed(doc)]
        if col > WIDTH:
            return False
    return col <= last


def layout(doc: Doc, indent: int, last: int = WIDTH) -> list[str]:
    """The physical lines of a document; `last` is how far its last line may reach."""
    lines = [" " * indent]
    todo: list[Work] = [(indent, True, doc)]
    while todo:
        depth, broken, here = todo.pop()
        match here:
            case str():
                lines[-1] += here
            case Line(text):
                if broken:
                    lines.append(" " * depth)
                else:
                    lines[-1] += text
            case IfBroken(text):
                lines[-1] += text if broken else ""
            case Nest(inner):
                todo.append((depth + STEP, broken, inner))
            case Group(inner):
                whole = _fits(inner, todo, len(lines[-1]), last)
                todo.append((depth, not whole, inner))
            case tuple():
                todo += [(depth, broken, d) for d in reversed(here)]
    return [line.rstrip() for line in lines]
