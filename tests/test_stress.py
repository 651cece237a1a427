"""The stress sheet: one hard rule of a book a file, written in the language.

Every fragment parses, names the book's statements that it encodes, and opens with a line that says
which rule it is and why it is hard. Where the compiler already executes all that a fragment uses,
its names and types are right too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.config import Configuration
from compiler.pipeline import compile_spec, parse
from dsl.load import load
from dsl.problems import Problem, Report, Severity

FOLDER = Path(__file__).parent / "cases" / "stress"
FILES = sorted(FOLDER.glob("*.game"))
BOOKS = {"quicksand": "QS-", "quagmire": "QM-", "quicksilver": "QV-", "sand_art": "SA-"}
LEAST = 15
NOT_YET = "E0901"
UNKNOWN = "E0301"


# --- the check of one fragment; extend this one ---------------------------------------------------
def check(path: Path) -> list[Problem]:
    """The problems of a fragment: of its syntax, then of its names and types.

    What the compiler does not execute yet is no mistake of a fragment, nor are the names that go
    unknown with it.
    """
    report = Report()
    load(path.name, path.read_bytes(), report)
    if report.problems:
        return list(report.problems)
    report = Report()
    spec = parse(path.name, _reader(path.parent), report)
    for players in _players(path):
        compile_spec(spec, Configuration.of(players), report, check=False)
    found = [x for x in report.problems if x.severity is Severity.ERROR]
    if any(x.code == NOT_YET for x in found):
        found = [x for x in found if x.code not in (NOT_YET, UNKNOWN)]
    return found


# --------------------------------------------------------------------------------------------------
def _reader(folder: Path) -> Callable[[str], bytes | None]:
    """Files beside the fragment; there need be none."""
    return lambda name: (folder / name).read_bytes() if (folder / name).exists() else None


def _players(path: Path) -> range:
    """The numbers of players that a fragment is for."""
    found = re.search(r"^players (\d+)(?:\.\.(\d+))?", path.read_text(), re.MULTILINE)
    assert found is not None
    low = int(found.group(1))
    return range(low, int(found.group(2) or low) + 1)


def _book(path: Path) -> str:
    return path.name.split(".")[0]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_fragment_has_no_problem(path: Path) -> None:
    """A fragment parses, and means something as far as the compiler goes."""
    found = check(path)
    assert not found, "\n".join(f"{x.span} {x.code} {x.title}" for x in found)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_fragment_cites_its_book(path: Path) -> None:
    """A fragment rests on at least one statement of its book."""
    assert re.search(rf"@{BOOKS[_book(path)]}\d{{3}}\b", path.read_text())


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_fragment_reads_well(path: Path) -> None:
    """The rule and its difficulty come first; it is short; no line is too long."""
    lines = path.read_text().splitlines()
    assert lines[0].startswith("# ")
    assert lines[1].startswith("# Hard: ")
    assert max(map(len, lines)) <= 100
    assert len([x for x in lines if x.strip() and not x.startswith("#")]) <= 60


def test_every_book_has_enough() -> None:
    """Each book is stressed from many sides."""
    counts = Counter(_book(p) for p in FILES)
    assert set(counts) == set(BOOKS)
    assert min(counts.values()) >= LEAST
