"""The audit: a spec against the ledger of its book, in both directions.

In: machines of a game (one a configuration), its declarations, its ledger and, if scenarios were
run, what they fired. Out: an `Audit` with figures and lists. A figure is a numerator over a
denominator; a percentage is rounded down and is 100 only when both are equal. A statement may be
in several figures: cited and resting on an assumption, say.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from compiler.ledger import Ledger, Statement
from compiler.machine.record import Clause, Machine
from dsl import declarations as d

Citations = tuple[tuple[str, d.Citation], ...]


@frozen
class Figure:
    """`count` of `of`."""

    name: str
    count: int
    of: int

    def __str__(self) -> str:
        percent = 100 * self.count // self.of if self.of else 0
        return f"{self.name:<14}{self.count:>5} / {self.of:<5}{percent:>4} %"


@frozen
class Row:
    """One statement with what was found of it."""

    statement: Statement
    citing: tuple[str, ...]
    executed: bool
    badges: tuple[str, ...]


@frozen
class Audit:
    """The result for one game."""

    title: str
    rows: tuple[Row, ...]
    figures: tuple[Figure, ...]
    uncovered: tuple[str, ...]
    uncited: tuple[str, ...]
    checked: int
    scenarios: int


def clauses_by_id(machines: Iterable[Machine]) -> dict[str, dict[str, Clause]]:
    """For each cited id the clauses that cite it, by path."""
    out: dict[str, dict[str, Clause]] = {}
    for machine in machines:
        for clause in machine.clauses:
            for id_ in clause.cites:
                out.setdefault(id_, {}).setdefault(clause.path, clause)
    return out


def declared_by_id(citations: Citations) -> dict[str, set[str]]:
    """For each cited id the declarations in which it is cited."""
    out: dict[str, set[str]] = {}
    for name, found in citations:
        if name.startswith("scenario "):
            continue
        out.setdefault(found.id, set()).add(name)
    return out


def audit(
    citations: Citations,
    ledger: Ledger,
    machines: tuple[Machine, ...],
    executed: frozenset[str] | None = None,
    scenarios: int = 0,
) -> Audit:
    """Hold a spec against its ledger; `executed` are paths that a passing scenario fired."""
    by_id = clauses_by_id(machines)
    declared = declared_by_id(citations)
    rows = tuple(_row(s, by_id, declared, executed) for s in ledger.statements)
    counted = [r for r in rows if r.statement.normative or r.statement.kind == "undecided"]
    total = len(counted)
    names = ["accounted", "encoded", "assumed", "ambiguous", "data", "out of scope", "uncovered"]
    if executed is not None:
        names.append("executed")
    figures = tuple(Figure(n, sum(n in r.badges for r in counted), total) for n in names)
    uncovered = tuple(r.statement.id for r in counted if "uncovered" in r.badges)
    todo = tuple(r.statement.id for r in rows if r.statement.status == "todo")
    return Audit(
        ledger.title,
        rows,
        figures,
        uncovered + todo,
        uncited(machines, {name for name, _ in citations}),
        len(citations),
        scenarios,
    )


def _row(
    statement: Statement,
    by_id: dict[str, dict[str, Clause]],
    declared: dict[str, set[str]],
    executed: frozenset[str] | None,
) -> Row:
    found = set(by_id.get(statement.id, {})) | declared.get(statement.id, set())
    citing = tuple(sorted(found))
    badges = []
    if citing:
        badges.append("encoded")
    if statement.gap or statement.status == "assumed":
        badges.append("assumed")
    if statement.status == "ambiguous" and statement.reading:
        badges.append("ambiguous")
    if statement.status == "data":
        badges.append("data")
    if statement.status == "out":
        badges.append("out of scope")
    covered = bool(badges) and not (badges == ["assumed"] and statement.status != "assumed")
    badges.append("accounted" if covered else "uncovered")
    done = executed is not None and any(c in executed for c in citing)
    if done:
        badges.append("executed")
    return Row(statement, citing, done, tuple(badges))


def uncited(machines: tuple[Machine, ...], citing: set[str]) -> tuple[str, ...]:
    """Paths of rules, choices, definitions and requirements in which nothing cites or assumes."""
    cites: dict[str, bool] = {}
    for machine in machines:
        for clause in machine.clauses:
            if clause.kind in (
                "rule",
                "step",
                "effect",
                "requirement",
                "define",
                "choice",
                "option",
            ):
                cites[clause.path] = cites.get(clause.path, False) or bool(clause.cites)
    return tuple(
        sorted(
            p for p, yes in cites.items() if not yes and p not in citing and not _covered(p, cites)
        )
    )


def _covered(path: str, cites: dict[str, bool]) -> bool:
    """An inner path is covered by what its own steps cite, or by the step that it stands in."""
    if any(yes and other.startswith(path + ".") for other, yes in cites.items()):
        return True
    parent = path.rpartition(".")[0]
    while parent:
        if cites.get(parent):
            return True
        parent = parent.rpartition(".")[0]
    return False


def report_text(made: Audit) -> str:
    """The report for people."""
    normative = made.figures[0].of
    lines = [
        f"{made.title}: {normative} normative statements, {made.checked} citations checked",
        "",
        *(str(f) for f in made.figures),
        "",
    ]
    if made.uncovered:
        lines.append("uncovered: " + " ".join(made.uncovered))
    else:
        lines.append("uncovered: none")
    if made.uncited:
        lines.append(
            f"clauses that neither cite nor assume ({len(made.uncited)}): "
            + ", ".join(made.uncited)
        )
    else:
        lines.append("every clause cites a statement or an assumption")
    if made.scenarios:
        lines.append(f"scenarios run: {made.scenarios}")
    return "\n".join(lines)


def report_json(made: Audit) -> dict[str, object]:
    """The report as data."""
    return {
        "title": made.title,
        "figures": {f.name: [f.count, f.of] for f in made.figures},
        "uncovered": list(made.uncovered),
        "uncited": list(made.uncited),
        "citations": made.checked,
        "scenarios": made.scenarios,
        "statements": [
            {
                "id": r.statement.id,
                "section": r.statement.section,
                "line": r.statement.line,
                "normative": r.statement.normative,
                "status": r.statement.status,
                "badges": list(r.badges),
                "clauses": list(r.citing),
            }
            for r in made.rows
        ],
    }


def why(
    id_: str,
    decls: tuple[d.Decl, ...],
    citations: Citations,
    ledger: Ledger,
    machines: tuple[Machine, ...],
) -> list[str] | None:
    """What is known of an id: the statement or note, and every clause that cites it."""
    by_id = clauses_by_id(machines).get(id_, {})
    lines: list[str] = []
    statement = ledger.statement(id_)
    if statement is not None:
        lines += [
            f"{id_}  line {statement.line}, {statement.section}",
            f"  {statement.gist}",
            f"  class {statement.kind}, {'normative' if statement.normative else 'not normative'}"
            + (f", {statement.status}" if statement.status else "")
            + (f" ({statement.reason})" if statement.reason else ""),
        ]
        for other in (*statement.reading, *statement.gap):
            lines += _note(other, ledger)
    lines += _note(id_, ledger) if statement is None else []
    for decl in decls:
        if isinstance(decl, d.Assume | d.Reading) and decl.id == id_:
            lines.append(
                f"{id_}  {decl.text or getattr(decl, 'name', '')} (because {decl.because})"
            )
    if not lines:
        return None
    for path, clause in sorted(by_id.items()):
        text = f'  "{clause.text}"' if clause.text else ""
        lines.append(f"  cited by {clause.kind} {path}{text} at {clause.span}")
    rest = declared_by_id(citations).get(id_, set()) - set(by_id)
    lines += [f"  cited by the declaration of {name}" for name in sorted(rest)]
    if not by_id and not rest:
        lines.append("  cited by no clause")
    return lines


def _note(id_: str, ledger: Ledger) -> list[str]:
    return [
        f"  {n.kind} {n.id}: {n.text}" + (f" -> {n.detail}" if n.detail else "")
        for n in ledger.notes
        if n.id == id_
    ]


def clause(name: str, ledger: Ledger | None, machines: tuple[Machine, ...]) -> list[str] | None:
    """The clauses of a path with the gist of what they cite."""
    found: dict[tuple[str, str], Clause] = {}
    for machine in machines:
        for made in machine.clauses:
            inside = made.path == name or made.path.startswith(name + ".")
            kinds = ("rule", "requirement", "choice", "define")
            if inside and (made.cites or made.kind in kinds):
                found.setdefault((made.path, str(made.span)), made)
    if not found:
        return None
    lines = []
    for (path, _), made in sorted(found.items()):
        text = f'  "{made.text}"' if made.text else ""
        lines.append(f"{made.kind} {path}{text}  ({made.span})")
        for id_ in made.cites:
            statement = None if ledger is None else ledger.statement(id_)
            gist = (
                statement.gist
                if statement
                else "".join(_note(id_, ledger)).strip()
                if ledger
                else ""
            )
            lines.append(f"  @{id_}  {gist}")
    return lines
