"""The invariants of docs/architecture.md, each held by reading the sources."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.core import assemble
from runtime.python_core import PythonMaker
from tests.support import ROOT, machine

FLOORS = ("dsl", "compiler", "runtime")
FILES = sorted(p for f in FLOORS for p in (ROOT / f).rglob("*.py"))
MAY_IMPORT = {
    "dsl": ("dsl",),
    "compiler": ("compiler", "dsl"),
    "runtime": ("runtime", "compiler.machine", "dsl.problems"),
}
OWNERS = {
    "lark": {
        "dsl/tables.py",
        "dsl/parser.py",
        "dsl/build_expr.py",
        "dsl/build_stmt.py",
        "dsl/build_decl.py",
        "dsl/build_parts.py",
        "dsl/build_patch.py",
        "dsl/build_scenario.py",
    },
    "networkx": {"compiler/control.py", "compiler/checks.py", "compiler/graph.py"},
    "jinja2": {"compiler/prose.py"},
    "rich": {"runtime/draw.py", "runtime/terminal.py"},
    "click": set(),
}
SPEAKS = {"runtime/terminal.py"}
TOUCHES_FILES = {"dsl/tables.py", "compiler/prose.py", "runtime/game_files.py"}


def name_of(path: Path) -> str:
    """A path below the root, with slashes."""
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> set[str]:
    """The modules that a file imports."""
    out = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            out |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)} imports relatively"
            out.add(node.module or "")
            if node.module in ("dsl", "compiler", "runtime", "compiler.machine"):
                out |= {f"{node.module}.{a.name}" for a in node.names}
                out.discard(node.module)
    return out


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nothing_runs_back_up(path: Path) -> None:
    """dsl imports nothing of ours, compiler dsl, runtime the machine and problem records."""
    floor = name_of(path).split("/")[0]
    for module in imports(path):
        if module.split(".")[0] in (*FLOORS, "rulec", "games"):
            assert module.startswith(MAY_IMPORT[floor]), f"{name_of(path)} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_library_has_its_owners(path: Path) -> None:
    """Each library is imported in the modules that own it, and nowhere else."""
    for module in imports(path):
        owners = OWNERS.get(module.split(".")[0])
        if owners is not None:
            assert name_of(path) in owners, f"{name_of(path)} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_chance_and_no_clock_but_ours(path: Path) -> None:
    """`random` nowhere, `time` and `datetime` nowhere below the door."""
    found = {m.split(".")[0] for m in imports(path)}
    assert not found & {"random", "secrets", "time", "datetime", "pickle", "marshal", "shelve"}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nothing_is_printed_or_read_below_the_door(path: Path) -> None:
    """No print, no input, no open; files only in the places named for it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {
        n.func.id
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }
    if name_of(path) not in SPEAKS:
        assert not called & {"print", "input"}
    if name_of(path) not in TOUCHES_FILES:
        assert "open" not in called
        methods = {
            n.func.attr
            for n in ast.walk(tree)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
        }
        assert not methods & {"read_text", "write_text", "read_bytes", "write_bytes"}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_are_short_and_documented(path: Path) -> None:
    """Under 400 lines, with a docstring that says what comes in and what goes out."""
    text = path.read_text(encoding="utf-8")
    if path.name == "__init__.py":
        assert text == ""
        return
    assert len(text.splitlines()) < 400
    assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "kuhn_poker", "sand_art"])
def test_generated_python_holds_indices_and_integers_only(name: str) -> None:
    """No name and no text of a spec reaches the generated source."""
    made = machine(name)
    maker = PythonMaker(made)
    assemble(made, maker)
    tree = ast.parse(maker.source())
    spelt = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    spelt |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    spelt |= {a.arg for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) for a in n.args.args}
    helpers = re.compile(r"[a-z_]+\Z|[A-Z]\Z|[a-z]\d+\Z|Batch\Z|True\Z|False\Z")
    from runtime.pysource import NAMESPACE

    ours = set(NAMESPACE) | {
        *("Batch", "bounded", "in_order", "in_range", "move_set", "move_top", "put_row", "rounds"),
        *("turn_over", "possible", "abs", "max", "min", "pow", "sum", "len", "tuple", "range"),
        *("any", "all", "enumerate", "concat"),
    }
    for word in spelt:
        assert helpers.match(word)
        assert word in ours or re.fullmatch(r"[A-Za-z]\d*", word), word
    texts = [
        n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    assert texts == []


def modules_after(code: str) -> set[str]:
    """Top-level modules loaded by a fresh process that runs some code."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv = ['rulec']; {code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


def test_version_and_help_start_light() -> None:
    """`rulec --version` imports neither the parser nor graphs nor drawing nor templates."""
    heavy = {"lark", "networkx", "rich", "jinja2"}
    assert not modules_after("import rulec") & heavy


def test_playing_needs_no_parser() -> None:
    """The runtime floor alone imports nothing that reads specs."""
    loaded = modules_after("import runtime.engine, runtime.scenarios")
    assert not loaded & {"lark", "networkx", "jinja2", "click", "dsl.load", "compiler.pipeline"}
