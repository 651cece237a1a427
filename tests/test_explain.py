"""`rulec explain`: the failing example draws exactly its code, the mended one nothing at all."""

from __future__ import annotations

import re

import pytest

from compiler.config import Configuration
from compiler.pipeline import compile_spec, parse
from dsl.explain import codes, explain
from dsl.problems import Report, Severity
from tests.support import ROOT, text_reader

SHOWN = [c for c in codes() if (found := explain(c)) is not None and found.broken]


def drawn(text: str) -> set[str]:
    """The codes of errors and warnings of a spec."""
    report = Report()
    spec = parse("spec.game", text_reader(text), report)
    compile_spec(spec, Configuration(), report)
    return {p.code for p in report if p.severity is not Severity.NOTE}


@pytest.mark.parametrize("code", SHOWN)
def test_the_failing_example_draws_its_code(code: str) -> None:
    """And no other."""
    found = explain(code)
    assert found is not None
    assert drawn(found.broken) == {code}


@pytest.mark.parametrize("code", SHOWN)
def test_the_mended_example_draws_nothing(code: str) -> None:
    """No error and no warning."""
    found = explain(code)
    assert found is not None
    assert drawn(found.mended) == set()


def test_every_code_that_is_raised_is_explained() -> None:
    """No diagnostic without a page of its own."""
    raised = set()
    for floor in ("dsl", "compiler", "runtime"):
        for path in (ROOT / floor).rglob("*.py"):
            raised |= set(re.findall(r'"([EWNR]0\d{3})"', path.read_text(encoding="utf-8")))
    assert raised <= set(codes())


def test_an_unknown_code_has_no_explanation() -> None:
    """And a known one is found in any case."""
    assert explain("E9999") is None
    assert explain("e0301") is not None
