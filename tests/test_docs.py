"""The documents are true: every example compiles and runs, every word of the language is there.

Blocks of docs/language.md, by the word behind the fence:

- `game`: a complete spec that compiles.
- `stage`: a complete spec too, onto which the fragments below it are put.
- `fragment`: lines for the stage, under `# in: declarations` or `# in: rule play`; they take the
  place of the comment of that name in the stage.
- `scenario`: scenarios of the last complete spec, all of which pass.
- `broken CODE`: a complete spec, or a fragment, that draws this error and no other.
- `toml`: a data file of the complete specs below it, named by its first line `# file: NAME`.
"""

from __future__ import annotations

import re

import pytest
from attrs import frozen

from compiler import scenarios
from compiler.config import Configuration
from compiler.folds import NAMES
from compiler.functions import FUNCTIONS
from compiler.machine import effects, exprs, record, scenario, values
from compiler.pipeline import Spec, compile_spec, parse
from dsl import declarations as d
from dsl import tree as t
from dsl.format import format_source
from dsl.load import load
from dsl.problems import Report, Severity, render
from dsl.source import clean
from dsl.tables import lark
from runtime.scenarios import run
from tests.support import ROOT, text_reader

FENCE = re.compile(r"^```(.*)\n((?:.*\n)*?)^```$", re.MULTILINE)
SECTION = re.compile(r"^ *# in: (.+)$", re.MULTILINE)
LANGUAGE = ROOT / "docs" / "language.md"
MACHINE = ROOT / "docs" / "machine.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
KINDS = {"game", "stage", "fragment", "scenario", "broken", "toml", "text"}


@frozen
class Block:
    """An example: its kind, the code that it draws, its text with the stage around it, the spec
    and the data files that it belongs to, and the line that it stands on."""

    kind: str
    code: str
    text: str
    spec: str
    files: tuple[tuple[str, str], ...]
    line: int

    @property
    def label(self) -> str:
        """A name for the report of pytest."""
        return f"{self.kind}{self.code}-line{self.line}"


def staged(stage: str, text: str) -> str:
    """A fragment on its stage: each section in place of the comment of its name."""
    _, *parts = SECTION.split(text)
    for name, lines in zip(parts[::2], parts[1::2], strict=True):
        mark = re.search(rf"^( *)# in: {re.escape(name)}\n", stage, re.MULTILINE)
        assert mark is not None, f"the stage has no '# in: {name}'"
        inside = "".join(mark[1] + x + "\n" for x in lines.strip("\n").split("\n") if x.strip())
        stage = stage[: mark.start()] + inside + stage[mark.end() :]
    return stage


def examples() -> list[Block]:
    """The blocks of the reference, in order."""
    text = LANGUAGE.read_text(encoding="utf-8")
    stage = spec = ""
    files: dict[str, str] = {}
    out = []
    for found in FENCE.finditer(text):
        kind, _, code = found[1].partition(" ")
        body, line = found[2], text.count("\n", 0, found.start()) + 1
        if kind == "toml":
            files[body.splitlines()[0].removeprefix("# file: ")] = body
        if kind in ("game", "stage"):
            spec = body
        if kind == "stage":
            stage = body
        if kind == "fragment" or (kind == "broken" and SECTION.match(body)):
            body = staged(stage, body)
        out.append(Block(kind, code, body, spec, tuple(files.items()), line))
    return out


EXAMPLES = examples()
SPECS = [b for b in EXAMPLES if b.kind in ("game", "stage", "fragment")]


def configurations(spec: Spec) -> list[Configuration]:
    """As it comes, for each number of players, with each variant, under each reading."""
    out = [Configuration()]
    for made in spec.decls:
        match made:
            case d.Players(range=t.Range(t.Int(low), t.Int(high))):
                out += [Configuration(players=n) for n in range(low, high + 1)]
            case d.Patch(kind="variant"):
                out.append(Configuration(variants=(made.name,)))
            case d.Reading():
                names = [a.name for a in made.alternatives]
                out += [Configuration(readings=((made.id, n),)) for n in names]
    return out


def errors(block: Block) -> tuple[set[str], str]:
    """The codes of the errors that a spec draws, and the problems in words."""
    report = Report()
    spec = parse("spec.game", text_reader(block.text, **dict(block.files)), report)
    for config in configurations(spec) if block.kind != "broken" else [Configuration()]:
        compile_spec(spec, config, report)
    found = {p.code for p in report if p.severity is Severity.ERROR}
    return found, "\n".join(render(p, report.sources) for p in report)


def test_there_is_no_other_kind_of_block() -> None:
    """Nothing that looks like an example goes unread; plain output is `text`."""
    assert {b.kind for b in EXAMPLES} <= KINDS
    assert LANGUAGE.read_text(encoding="utf-8").count("\n```") == 2 * len(EXAMPLES)


@pytest.mark.parametrize("block", SPECS, ids=lambda b: b.label)
def test_example_compiles(block: Block) -> None:
    """Every spec and every fragment on its stage draws no error."""
    found, words = errors(block)
    assert not found, words


@pytest.mark.parametrize(
    "block", [b for b in EXAMPLES if b.kind == "broken"], ids=lambda b: b.label
)
def test_broken_example_draws_its_error(block: Block) -> None:
    """A broken example draws the error that it shows, and no other."""
    found, words = errors(block)
    assert found == {block.code}, words


@pytest.mark.parametrize(
    "block", [b for b in EXAMPLES if b.kind == "scenario"], ids=lambda b: b.label
)
def test_scenarios_hold(block: Block) -> None:
    """Every scenario passes on the complete spec above it."""
    report = Report()
    spec = parse("spec.game", text_reader(block.spec, **dict(block.files)), report)
    file = load("spec.scenarios", block.text.encode(), report)
    found = tuple(x for x in file.decls if isinstance(x, d.Scenario))
    groups = scenarios.group(spec, found, Configuration(), report)
    assert not report.failed, "\n".join(render(p, report.sources) for p in report)
    results = [run(g.machine, p) for g in groups if g.machine is not None for p in g.plans]
    assert len(results) == len(found) > 0
    assert not [r for r in results if not r.passed]


@pytest.mark.parametrize(
    "block",
    [b for b in EXAMPLES if b.kind in ("game", "stage", "scenario")],
    ids=lambda b: b.label,
)
def test_example_is_well_formed(block: Block) -> None:
    """What people copy stands in the one layout that `rulec fmt` writes."""
    report = Report()
    source = clean("spec.game", block.text.encode(), report)
    assert source is not None
    assert format_source(source, report) == block.text


# -- nothing is left out ---------------------------------------------------------------------------


def code_of(text: str) -> str:
    """What stands in code: blocks, and words between backticks."""
    plain = FENCE.sub("\n", text)
    return "\n".join([m[2] for m in FENCE.finditer(text)] + re.findall(r"`([^`\n]+)`", plain))


def keywords() -> list[str]:
    """The words of the grammar."""
    found = [x.pattern.value for x in lark().terminals if x.pattern is not None]
    return sorted(w for w in found if w.isalpha())


def missing(words: list[str] | tuple[str, ...], text: str) -> list[str]:
    """The words that a text does not have."""
    return [w for w in words if not re.search(rf"(?<!\w){re.escape(w)}(?!\w)", text)]


def test_every_keyword_is_shown() -> None:
    """Each word of the grammar occurs in code of the reference."""
    assert len(keywords()) > 150
    assert not missing(keywords(), code_of(LANGUAGE.read_text(encoding="utf-8")))


def test_every_function_and_fold_is_shown() -> None:
    """Each function and each fold occurs in code of the reference, called."""
    code = code_of(LANGUAGE.read_text(encoding="utf-8"))
    wanted = (*FUNCTIONS, *NAMES, "packing", "original")
    assert not [n for n in wanted if not re.search(rf"(?<!\w){n}\(", code)]


def classes() -> list[str]:
    """The names of the classes that a machine and its scenarios are made of."""
    found: list[str] = []
    for module in (values, exprs, effects, record, scenario):
        found += [
            name
            for name, made in vars(module).items()
            if isinstance(made, type) and made.__module__ == module.__name__
        ]
    return found


def test_every_part_of_the_machine_is_described() -> None:
    """Each class of the machine and each operator stands in docs/machine.md, in backticks."""
    text = MACHINE.read_text(encoding="utf-8")
    code = re.findall(r"`([^`\n]+)`", text)
    operators = (*exprs.UNARY, *exprs.BINARY, *exprs.FOLDS, *exprs.BUILTINS)
    assert not [n for n in (*classes(), *operators) if n not in code]


def test_every_module_has_its_line() -> None:
    """docs/architecture.md names each module of the three floors, and no other."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:dsl|compiler|runtime)/[a-z_/]+\.py)`", text))
    there = {
        p.relative_to(ROOT).as_posix()
        for floor in ("dsl", "compiler", "runtime")
        for p in (ROOT / floor).rglob("*.py")
        if p.name != "__init__.py"
    }
    assert named == there
