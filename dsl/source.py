"""Sources: bytes of a `.game` file to clean text with one kind of line end, or a problem.

In: a name and bytes. Out: `Source` (text without byte-order mark, lines ended by a line feed), or
an entry in the report. Positions are counted on the cleaned text, so that a mark or a carriage
return moves nothing.
"""

from __future__ import annotations

import unicodedata

from attrs import frozen

from dsl.problems import Report, Span

MAX_BYTES = 1_000_000
LOOKALIKES = {
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u201c": '"',
    "\u201d": '"',
    "\u2018": "'",
    "\u2019": "'",
    "\u2026": "...",
    "\u2192": "->",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2260": "!=",
    "\uff08": "(",
    "\uff09": ")",
    "\uff0c": ",",
}


@frozen
class Source:
    """A named text, ready for the lexer."""

    name: str
    text: str


def clean(name: str, data: bytes, report: Report) -> Source | None:
    """Decode and normalise; returns None after reporting what made that impossible."""
    here = Span(name)
    if len(data) > MAX_BYTES:
        report.error(
            "E0101",
            f"the file has {len(data):,} bytes; a spec may have {MAX_BYTES:,}",
            here,
            help="move component data into data files beside the spec",
        )
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        report.error(
            "E0102",
            f"the file is not UTF-8 text (byte {bad.start} is 0x{data[bad.start]:02x})",
            here,
            help="save the file as UTF-8",
        )
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    report.sources[name] = text
    if "\x00" in text:
        report.error("E0102", "the file holds NUL characters: it is not a text file", here)
        return None
    return Source(name, text)


def name_of(char: str) -> str:
    """`U+00A0 NO-BREAK SPACE`, for a message about a character that does not belong."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'unnamed character')}"


def advice(char: str) -> str:
    """What to type instead of a look-alike, or an empty string."""
    if char in LOOKALIKES:
        return f"type {LOOKALIKES[char]!r} instead"
    if unicodedata.category(char) in ("Zs", "Cf"):
        return "delete this invisible character"
    if unicodedata.category(char).startswith("L"):
        return "names are spelt with the letters a to z, digits and '_'"
    return ""
