"""Explanations of problem codes: what each means, a spec that draws it, and one that does not.

In: a code. Out: an `Explanation`. A test compiles both examples: the first must draw exactly this
code, the second none.
"""

from __future__ import annotations

from attrs import frozen

from dsl import explanations
from dsl.explanations_rules import MORE, MORE_LINES

EXAMPLES = {**explanations.EXAMPLES, **MORE}
COMMAND_LINE = {**explanations.COMMAND_LINE, **MORE_LINES}


@frozen
class Explanation:
    """`broken` draws the code, `mended` does not; both are empty where no spec can show it."""

    code: str
    title: str
    text: str
    broken: str = ""
    mended: str = ""


def explain(code: str) -> Explanation | None:
    """The explanation of a code, or None."""
    code = code.upper()
    if code in EXAMPLES:
        title, text, broken, mended = EXAMPLES[code]
        return Explanation(code, title, text, broken, mended)
    if code in COMMAND_LINE:
        title, text = COMMAND_LINE[code]
        return Explanation(code, title, text)
    return None


def codes() -> tuple[str, ...]:
    """Every code that has an explanation."""
    return tuple(sorted([*EXAMPLES, *COMMAND_LINE]))
