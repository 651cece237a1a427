"""Problem records: what every floor returns instead of printing or raising.

This is the one leaf module that everybody may import. A problem is data (code, place, what was
found, what was expected, what to try); the words shown to people are put together in `render`.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from attrs import define, field, frozen


class Severity(Enum):
    """How bad a problem is; only `ERROR` makes a command fail (warnings too under --strict)."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@frozen(order=True)
class Span:
    """A stretch of one source: lines and columns are 1-based, columns count code points."""

    file: str = ""
    line: int = 1
    col: int = 1
    end_line: int = 1
    end_col: int = 1

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of another."""
        return Span(self.file, self.line, self.col, other.end_line, other.end_col)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}"


NOWHERE = Span()


@frozen
class Problem:
    """One diagnostic: `code` is stable, `tier` is how sure it is: proved, witness or suspected."""

    code: str
    title: str
    span: Span = NOWHERE
    severity: Severity = Severity.ERROR
    notes: tuple[str, ...] = ()
    help: str = ""
    clause: str = ""
    cites: tuple[str, ...] = ()
    tier: str = "proved"

    def as_dict(self) -> dict[str, object]:
        """A JSON-able record of the problem."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "title": self.title,
            "file": self.span.file,
            "line": self.span.line,
            "column": self.span.col,
            "end_line": self.span.end_line,
            "end_column": self.span.end_col,
            "notes": list(self.notes),
            "help": self.help,
            "clause": self.clause,
            "cites": list(self.cites),
            "tier": self.tier,
        }


class Refused(Exception):
    """Raised across a floor when one problem ends the work, such as an illegal choice."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.code}: {problem.title}")
        self.problem = problem


@define
class Report:
    """Where passes put their problems; `limit` keeps one bad file from flooding a screen."""

    problems: list[Problem] = field(factory=list)
    sources: dict[str, str] = field(factory=dict)
    limit: int = 200

    def add(self, problem: Problem) -> None:
        """Record a problem once, up to the limit."""
        if len(self.problems) < self.limit and problem not in self.problems:
            self.problems.append(problem)

    def error(self, code: str, title: str, span: Span = NOWHERE, **more: Any) -> None:
        """Record an error; `more` takes the other fields of `Problem`."""
        self.add(Problem(code, title, span, **more))

    def warn(self, code: str, title: str, span: Span = NOWHERE, **more: Any) -> None:
        """Record a warning."""
        self.add(Problem(code, title, span, Severity.WARNING, **more))

    def __iter__(self) -> Iterator[Problem]:
        return iter(sorted(self.problems, key=lambda p: (p.span, p.code)))

    @property
    def failed(self) -> bool:
        """Whether any error was recorded."""
        return any(p.severity is Severity.ERROR for p in self.problems)

    @property
    def warned(self) -> bool:
        """Whether any warning was recorded."""
        return any(p.severity is Severity.WARNING for p in self.problems)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A help line naming the closest known names, or an empty string."""
    lowered = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), list(lowered), n=3, cutoff=0.6)
    if not close:
        return ""
    return "did you mean " + " or ".join(f"'{lowered[c]}'" for c in close) + "?"


def render(problem: Problem, sources: Mapping[str, str]) -> str:
    """One problem as text for people: place, source line with caret, notes, help."""
    lines = [f"{problem.severity.value}[{problem.code}]: {problem.title}"]
    text = sources.get(problem.span.file, "")
    rows = text.split("\n")
    if problem.span.file:
        lines.append(f"  --> {problem.span}")
    if text and problem.span.line <= len(rows):
        lines += _excerpt(problem.span, rows[problem.span.line - 1])
    if problem.clause:
        lines.append(f"  = clause: {problem.clause}")
    if problem.cites:
        lines.append("  = cites: " + " ".join("@" + c for c in problem.cites))
    if problem.tier != "proved":
        lines.append(f"  = certainty: {problem.tier}")
    lines += [f"  = note: {n}" for n in problem.notes]
    if problem.help:
        lines.append(f"  = help: {problem.help}")
    return "\n".join(lines)


def _excerpt(span: Span, row: str) -> list[str]:
    row = row.rstrip("\r")[:200].replace("\t", " ")
    width = span.end_col - span.col if span.end_line == span.line else len(row) - span.col + 1
    caret = " " * (span.col - 1) + "^" * max(1, min(width, len(row) - span.col + 2))
    number = str(span.line)
    gap = " " * len(number)
    return [f" {gap} |", f" {number} | {row}", f" {gap} | {caret}"]


def render_json(problems: Iterable[Problem]) -> str:
    """One JSON object a line."""
    return "\n".join(json.dumps(p.as_dict(), ensure_ascii=False) for p in problems)
