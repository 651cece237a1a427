"""The formatter: a source to its canonical text.

In: a `Source`. Out: text that parses to the same tree, or None after reporting what could not be
read. The printers make rows from the tree; comments and blank lines follow the line they were at. A
comment alone goes before the line after it, or ends the block it is indented to; a comment behind a
line stays behind it; one inside brackets goes before the line, as brackets may be laid out anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from attrs import define, field, frozen

from dsl import declarations as d
from dsl.build_decl import decl
from dsl.format_decl import decl_rows
from dsl.format_doc import STEP, WIDTH, Row, layout
from dsl.format_origin import Origin, match, origins, width_of
from dsl.lexer import Comment
from dsl.parser import parse_source
from dsl.problems import Report, Span
from dsl.source import Source

COLUMN = 66
SPACED = (d.Rule, d.Scenario, d.Patch, d.Reading, d.When, d.Window)


@frozen
class _Note:
    """A comment to print; `moved` when it comes out of the line that it now precedes."""

    text: str
    level: int
    blank: bool = False
    moved: bool = False


@frozen
class _Item:
    """Physical lines that stay together; `blank` before them unless they open a block."""

    level: int
    lines: tuple[str, ...]
    blank: bool
    opens: bool


@define
class _Printed:
    """A row with what stands around it."""

    row: Row
    spaced: bool = False
    blank: bool = False
    before: list[_Note] = field(factory=list)
    after: list[_Note] = field(factory=list)
    trailing: str = ""

    def items(self) -> Iterator[_Item]:
        """The comments before the row, the row, the comments after it."""
        blank, spaced, level = self.blank, self.spaced, self.row.level
        for note in self.before:
            had = note.blank or spaced or (note.moved and blank)
            blank, spaced = blank and not note.moved, False
            yield _item(note, had)
        yield _Item(level, tuple(laid(self.row, self.trailing)), blank or spaced, True)
        yield from (_item(note, note.blank) for note in self.after)


def _item(note: _Note, blank: bool) -> _Item:
    return _Item(note.level, (" " * STEP * note.level + note.text,), blank, False)


def format_source(source: Source, report: Report) -> str | None:
    """The canonical text of a source, or None when it has syntax errors."""
    own = Report()
    parsed = parse_source(source, own)
    for problem in own:
        report.add(problem)
    if own.failed:
        return None
    try:
        printed = _print(decl(source.name, tree) for tree in parsed.trees)
    except RecursionError:
        report.error("E0105", "this is nested too deeply to format", Span(source.name))
        return None
    found = origins(source)
    owner = match([p.row for p in printed], found) if printed else {}
    sheet = _Sheet(printed, found, source.text.split("\n"), owner)
    sheet.keep_blanks()
    sheet.keep_cites()
    for comment in parsed.comments:
        sheet.keep_comment(comment)
    return _text(printed, sheet.loose)


def format_decls(decls: Iterable[d.Decl]) -> str:
    """The canonical text of declarations that came from no source."""
    return _text(_print(decls), [])


def _print(decls: Iterable[d.Decl]) -> list[_Printed]:
    out: list[_Printed] = []
    was = False
    for one in decls:
        spaced = isinstance(one, SPACED)
        rows = [_Printed(row) for row in decl_rows(one)]
        rows[0].spaced = spaced or was
        out += rows
        was = spaced
    return out


@define
class _Sheet:
    """Rows beside the lines that they came from; `owner` leads from a line to its row."""

    rows: list[_Printed]
    origins: list[Origin]
    lines: list[str]
    owner: dict[int, int]
    loose: list[_Note] = field(factory=list)

    def blank_before(self, line: int) -> bool:
        """Whether the author left a blank line there."""
        return line > 1 and not self.lines[line - 2].strip()

    def keep_blanks(self) -> None:
        """Mark the rows that the author set apart."""
        for at, index in self.owner.items():
            self.rows[index].blank = self.blank_before(self.origins[at].first)

    def keep_cites(self) -> None:
        """Keep the citations of lines whose node holds none."""
        for at, origin in enumerate(self.origins):
            row = self.rows[self.home(at)].row
            if origin.cites and not (at in self.owner and row.cites):
                cites = tuple(dict.fromkeys(row.cites + origin.cites))
                self.rows[self.home(at)].row = Row(row.level, row.doc, cites, row.span)

    def home(self, at: int) -> int:
        """The row of a line, or of the nearest line before it that has one."""
        return next(self.owner[i] for i in range(at, -1, -1) if i in self.owner)

    def keep_comment(self, comment: Comment) -> None:
        """Give a comment to the row it belongs to."""
        text, line = comment.text.rstrip(), comment.span.line
        at = bisect_right(self.origins, line, key=lambda o: o.first) - 1
        if at >= 0 and line <= self.origins[at].last:
            self.keep_inside(at, text, comment.alone or line < self.origins[at].last)
            return
        waiting = at + 1 in self.owner and self.rows[self.owner[at + 1]].before
        level = None if waiting else self.closing(at, width_of(self.lines[line - 1]))
        blank = self.blank_before(line)
        if level is not None:
            self.rows[self.home(at)].after.append(_Note(text, level, blank))
        elif at + 1 in self.owner:
            home = self.rows[self.owner[at + 1]]
            home.before.append(_Note(text, home.row.level, blank))
        elif at >= 0:
            home = self.rows[self.home(at)]
            home.after.append(_Note(text, home.row.level, blank))
        else:
            self.loose.append(_Note(text, 0, blank))

    def keep_inside(self, at: int, text: str, alone: bool) -> None:
        """Give a comment on a line of the language to its row."""
        home = self.rows[self.home(at)]
        level = home.row.level
        if at not in self.owner:
            home.after.append(_Note(text, level))
        elif alone:
            home.before.append(_Note(text, level, moved=True))
        else:
            home.trailing = text

    def closing(self, at: int, width: int) -> int | None:
        """The level of a comment that ends the block of the line before it, or None."""
        floor = self.origins[at + 1].width if at + 1 < len(self.origins) else -1
        last = at
        while at > 0 and self.origins[at].width > width:
            deep = self.origins[at].width
            at = next((i for i in range(at, -1, -1) if self.origins[i].width < deep), 0)
        if at < 0 or self.origins[at].width <= floor:
            return None
        return self.rows[self.owner.get(at, self.home(last))].row.level


def _text(printed: list[_Printed], loose: list[_Note]) -> str:
    """Everything, one under the other, with blank lines where they belong."""
    out: list[str] = []
    inside = 0
    items = [item for one in printed for item in one.items()]
    for item in [*items, *(_item(note, note.blank) for note in loose)]:
        if item.blank and out and item.level <= inside:
            out.append("")
        out += item.lines
        inside = item.level if item.opens else max(inside, item.level)
    return "\n".join([*out, ""]) if out else ""


def laid(row: Row, trailing: str = "") -> list[str]:
    """The physical lines of a row, with its citations in their column."""
    cites = " ".join("@" + c for c in row.cites)
    last = max(COLUMN - STEP, WIDTH - STEP - len(cites)) if cites else WIDTH
    lines = layout(row.doc, STEP * row.level, last)
    if cites:
        lines[-1] = lines[-1].ljust(COLUMN - STEP) + "  " + cites
    if trailing:
        lines[-1] += "  " + trailing
    return lines
