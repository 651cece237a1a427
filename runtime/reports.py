"""Reports of scenario runs: text for people, JSON and JUnit XML for programs.

In: results of scenarios. Out: text. A failing scenario shows what was expected beside what was
found, the log of what happened, and the clauses that fired.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from compiler.machine.record import Machine
from runtime.scenarios import Result

LOG_LINES = 12


def fired(result: Result, machine: Machine) -> list[str]:
    """The paths of the clauses that fired, each once, in order."""
    out: list[str] = []
    for number in sorted(result.fired):
        path = machine.clauses[number].path
        if path not in out:
            out.append(path)
    return out


def text(pairs: Sequence[tuple[Result, Machine]]) -> str:
    """One line a scenario, details for those that fail, a count at the end."""
    lines = []
    for result, machine in pairs:
        mark = "ok  " if result.passed else "FAIL"
        lines.append(f"{mark} {result.name}  {result.text}")
        if not result.passed:
            lines += _details(result, machine)
    passed = sum(r.passed for r, _ in pairs)
    lines.append(f"{passed} passed, {len(pairs) - passed} failed")
    return "\n".join(lines)


def _details(result: Result, machine: Machine) -> list[str]:
    lines = []
    if not result.facts and not result.failures:
        lines.append("       it states no fact, so it proves nothing")
    for failure in result.failures:
        lines += [
            f"       {failure.span}  {failure.text}",
            f"         expected: {failure.expected}",
            f"         found:    {failure.found}",
        ]
    lines += [f"         log: {entry}" for entry in result.log[-LOG_LINES:]]
    paths = fired(result, machine)
    if paths:
        lines.append(f"         fired: {', '.join(paths)}")
    return lines


def as_json(pairs: Sequence[tuple[Result, Machine]]) -> str:
    """All results as one JSON document."""
    return json.dumps(
        [
            {
                "name": r.name,
                "text": r.text,
                "passed": r.passed,
                "failures": [
                    {"line": f.text, "expected": f.expected, "found": f.found, "at": str(f.span)}
                    for f in r.failures
                ],
                "log": list(r.log),
                "fired": fired(r, m),
            }
            for r, m in pairs
        ],
        indent=1,
        ensure_ascii=False,
    )


def junit(game: str, pairs: Sequence[tuple[Result, Machine]]) -> str:
    """All results as a JUnit test suite."""
    failed = sum(not r.passed for r, _ in pairs)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuite name={quoteattr(game)} tests="{len(pairs)}" failures="{failed}">',
    ]
    for result, machine in pairs:
        title = quoteattr(f"{result.name} {result.text}")
        head = f"  <testcase classname={quoteattr(game)} name={title}"
        if result.passed:
            lines.append(head + "/>")
            continue
        body = escape("\n".join(_details(result, machine)))
        message = quoteattr(result.failures[0].text if result.failures else "no fact")
        lines += [head + ">", f"    <failure message={message}>{body}</failure>", "  </testcase>"]
    return "\n".join([*lines, "</testsuite>"])
