"""The ledger of a rulebook: every atomic statement under a frozen id, and what was declared of it.

In: the bytes of `NAME/ledger.toml`. Out: a `Ledger`, or problems in the report. What follows from
citations (encoded, uncovered) is never written in the file; see `audit`.
"""

from __future__ import annotations

import tomllib
from typing import Any

from attrs import frozen

from dsl import declarations as d
from dsl.problems import NOWHERE, Problem, Report, Severity, Span, did_you_mean

STATUSES = ("", "assumed", "ambiguous", "contradicts", "gap", "out", "data", "todo")
CLASSES = (
    *("normative", "definition", "option", "table row", "component", "example"),
    *("caption", "advice", "flavour", "editorial", "undecided"),
)
REASONS = ("physical handling", "etiquette", "flavour", "duplicate of", "app only", "not modelled")


@frozen
class Statement:
    """One atomic statement of the book, in our own words."""

    id: str
    section: str
    line: str
    kind: str
    normative: bool
    status: str
    gist: str
    reason: str = ""
    reading: tuple[str, ...] = ()
    gap: tuple[str, ...] = ()


@frozen
class Note:
    """A reading, a gap or a contradiction that the ledger records."""

    id: str
    kind: str
    text: str
    detail: str
    statements: tuple[str, ...]


@frozen
class Ledger:
    """All of a book's statements in its order, and the notes on them."""

    title: str
    statements: tuple[Statement, ...]
    notes: tuple[Note, ...]

    def statement(self, id_: str) -> Statement | None:
        """A statement by id."""
        return next((s for s in self.statements if s.id == id_), None)

    def ids(self) -> set[str]:
        """Every id that may be cited."""
        return {s.id for s in self.statements} | {n.id for n in self.notes}


def read(data: bytes | None, file: str, report: Report) -> Ledger | None:
    """The ledger of a game; None where there is none or it cannot be used."""
    if data is None:
        return None
    here = Span(file)
    try:
        raw = tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
        statements = tuple(_statement(x) for x in raw.get("statement", []))
        notes = tuple(
            _note(x, kind)
            for kind in ("reading", "gap", "contradiction")
            for x in raw.get(kind, [])
        )
    except (
        UnicodeDecodeError,
        tomllib.TOMLDecodeError,
        KeyError,
        TypeError,
        AttributeError,
    ) as bad:
        report.error("E0811", f"the ledger cannot be read: {bad}", here)
        return None
    ledger = Ledger(str(raw.get("book", {}).get("title", "")), statements, notes)
    _check(ledger, here, report)
    return ledger


def _statement(raw: dict[str, Any]) -> Statement:
    return Statement(
        raw["id"],
        raw["section"],
        str(raw["line"]),
        raw["class"],
        bool(raw["normative"]),
        raw["status"],
        raw["gist"],
        raw.get("reason", ""),
        tuple(raw.get("reading", ())),
        tuple(raw.get("gap", ())),
    )


def _note(raw: dict[str, Any], kind: str) -> Note:
    text = raw.get("question") or raw.get("hole") or raw.get("gist") or ""
    detail = raw.get("resolution") or raw.get("default") or ""
    if kind == "reading":
        names = raw.get("candidates", [])
        chosen = raw.get("chosen", 1)
        detail = names[chosen - 1] if 0 < chosen <= len(names) else ""
    because = raw.get("because", "")
    detail = f"{detail} (because {because})" if because else str(detail)
    return Note(raw["id"], kind, text, detail, tuple(raw.get("statements", ())))


def _check(ledger: Ledger, here: Span, report: Report) -> None:
    seen: set[str] = set()
    for made in ledger.statements:
        if made.id in seen:
            report.error("E0812", f"the ledger has {made.id} twice", here)
        seen.add(made.id)
        if made.status not in STATUSES:
            report.error("E0812", f"{made.id} has the unknown status '{made.status}'", here)
        if made.kind not in CLASSES:
            report.error("E0812", f"{made.id} has the unknown class '{made.kind}'", here)
        if made.status == "out" and not made.reason.startswith(REASONS):
            report.error(
                "E0812", f"{made.id} is out without one of the reasons: {', '.join(REASONS)}", here
            )
        if made.status == "ambiguous" and not made.reading:
            report.error("E0812", f"{made.id} is ambiguous, but names no reading", here)


def check_citations(
    cited: tuple[tuple[str, d.Citation], ...],
    decls: tuple[d.Decl, ...],
    ledger: Ledger | None,
    report: Report,
) -> None:
    """Every cited id exists: in the ledger, or as an assumption or a reading of the spec."""
    own = {x.id for x in decls if isinstance(x, d.Assume | d.Reading)}
    if ledger is None:
        if cited:
            report.add(
                Problem(
                    "N0810",
                    "this game has no ledger: its citations are not checked",
                    NOWHERE,
                    Severity.NOTE,
                )
            )
        return
    known = ledger.ids() | own
    for _, found in cited:
        if found.id not in known:
            report.error(
                "E0810",
                f"'@{found.id}' is cited, but the ledger has no such id",
                found.span,
                help=did_you_mean(found.id, known),
            )
