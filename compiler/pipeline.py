"""The whole compiler on one screen: names -> types -> lower -> machine -> graph -> checks.

In: files as bytes through a reader, and a configuration. Out: a machine, and a report of problems.
Types are found while names and statements are lowered (`elaborate`), since a definition is typed
anew for the arguments of each call.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from attrs import frozen

from compiler import endings, flow, layout, ledger, lower, names
from compiler.config import Configuration
from compiler.machine import record as m
from compiler.scope import Draft, Failed
from dsl import declarations as d
from dsl.load import load
from dsl.problems import Report

Reader = Callable[[str], bytes | None]


@frozen
class Spec:
    """A parsed game: its declarations, scenarios apart, and how to read files beside it.

    `whole` is no when something could not be read: then nothing is compiled, so that one misspelt
    line does not draw errors all over.
    """

    name: str
    decls: tuple[d.Decl, ...]
    scenarios: tuple[d.Scenario, ...]
    reader: Reader
    whole: bool = True
    citations: tuple[tuple[str, d.Citation], ...] = ()


def parse(path: str, reader: Reader, report: Report) -> Spec:
    """Read and parse a game's file."""
    data = reader(path)
    if data is None:
        report.error("E0100", f"there is no file '{path}'")
        return Spec(PurePosixPath(path).stem, (), (), reader, False)
    file = load(path, data, report)
    plain = tuple(x for x in file.decls if not isinstance(x, d.Scenario))
    scenarios = tuple(x for x in file.decls if isinstance(x, d.Scenario))
    cited = tuple((_name(file.decls[i]), c) for i, c in file.citations)
    return Spec(PurePosixPath(path).stem, plain, scenarios, reader, not report.failed, cited)


def _name(decl: d.Decl) -> str:
    """What a declaration is called in the audit."""
    found = getattr(decl, "name", "") or getattr(decl, "id", "")
    if isinstance(decl, d.Scenario):
        return f"scenario {found}"
    return str(found or type(decl).__name__.lower())


def read_ledger(spec: Spec, report: Report) -> ledger.Ledger | None:
    """The ledger beside a spec, if there is one."""
    file = f"{spec.name}/ledger.toml"
    return ledger.read(spec.reader(file), file, report)


def compile_spec(
    spec: Spec,
    config: Configuration,
    report: Report,
    check: bool = True,
    typed: bool = False,
) -> m.Machine | None:
    """A spec in one configuration as a machine; None when it has errors.

    With `typed` nothing is asked but that names and types hold: constructs that this version does
    not execute are no error, and no check is run.
    """
    if not spec.whole:
        return None
    try:
        made = _compile(spec, config, report, check, typed)
    except RecursionError:
        report.error("E0105", "the rules of this game are nested too deeply")
        return None
    if made is None and not typed and not report.failed:
        report.error("E0311", "this game cannot be compiled, and no pass says why")
    return made


def _compile(
    spec: Spec, config: Configuration, report: Report, check: bool, typed: bool
) -> m.Machine | None:
    draft = Draft(report, config, spec.reader, name=spec.name)
    try:
        decls = names.collect(draft, spec.decls)
    except Failed:
        return None
    if not draft.title:
        return None
    ledger.check_citations(spec.citations, decls, read_ledger(spec, report), report)
    try:
        before = lower.prepare(draft, decls)
        measures = endings.measures(draft, decls)
        graph, start = flow.build(draft, before)
    except (Failed, KeyError):
        lower.no_play(draft)
        return None
    invariants = lower.invariants(draft, decls)
    lower.unused(draft, decls)
    for what, span in () if typed else draft.later:
        report.error("E0901", f"{what} are not executed by this version", span)
    if report.failed:
        return None
    machine = layout.finish(draft, graph, start, measures, invariants)
    if check and not typed:
        from compiler import checks  # networkx, a fifth of a second: only where a graph is built

        checks.run(machine, decls, report)
    return None if report.failed else machine
