"""From bytes to a syntax tree: the one door of this floor."""

from __future__ import annotations

from dsl.build_decl import decl
from dsl.declarations import Decl, File
from dsl.parser import parse_source
from dsl.problems import Report
from dsl.source import clean


def load(name: str, data: bytes, report: Report) -> File:
    """The declarations of a file that could be read; problems go to the report."""
    source = clean(name, data, report)
    if source is None:
        return File(name, ())
    parsed = parse_source(source, report)
    made: tuple[Decl, ...] = tuple(decl(name, tree) for tree in parsed.trees)
    return File(name, made)
