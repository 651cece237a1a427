"""From bytes to a syntax tree: the one door of this floor."""

from __future__ import annotations

from dsl.build_decl import decl
from dsl.build_expr import span_of
from dsl.declarations import Citation, Decl, File
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
    cited = tuple(
        (number, Citation(str(token)[1:], span=span_of(name, token)))
        for number, tree in enumerate(parsed.trees)
        for token in tree.scan_values(lambda t: getattr(t, "type", "") == "CITE")
    )
    return File(name, made, cited)
