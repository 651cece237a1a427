"""The command line: each command, its statuses, and people at a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pexpect
import pytest
from click.testing import CliRunner, Result

from compiler.machine.jsonio import loads
from rulec import VERSION, main
from tests.support import ROOT, machine

DOOR = [sys.executable, str(ROOT / "rulec.py")]
DRAW = """
game "Lots"
players 2..2
enum Lot = long, short
pieces Straw for each Lot times 15
place bag: set of Straw seen by everyone
place kept[Seat]: set of Straw seen by owner
rule play
  move Straw to bag
  for each p in seats
    p must pick subset s of bag from 2 to 3 "which straws"
      require mixed "they are all alike" any(x in s: x.of = long) and any(x in s: x.of = short)
    move s to kept[p]
  end game draw
"""


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another folder, so that no file lands in this one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str, lines: str = "") -> Result:
    """A command in this process."""
    return CliRunner().invoke(main, args, input=lines)


def shell(
    *args: str, data: bytes | None = b"", folder: Path | None = None, **env: str
) -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own."""
    return subprocess.run(
        [*DOOR, *args],
        input=data,
        capture_output=True,
        cwd=folder,
        env={**os.environ, **env},
        timeout=60,
        check=False,
    )


def written(folder: Path, text: str, name: str = "spec.game") -> str:
    """A spec in a file."""
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


# -- about the door --------------------------------------------------------------------------------


def test_version_and_help() -> None:
    """Both start without a game; each command has an example."""
    assert VERSION in run("--version").output
    assert 'version = "0.1.0"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert set(main.commands) >= {
        *("compile", "check", "play", "test", "audit", "docs", "graph", "fmt", "explain")
    }
    for name in main.commands:
        done = run(name, "--help")
        assert done.exit_code == 0
        assert f"Example: rulec {name}" in done.output


@pytest.mark.parametrize("args", [("--version",), ("--help",), ("play", "--help")])
def test_help_imports_nothing_heavy(args: tuple[str, ...]) -> None:
    """No parser, no graphs, no drawing, no templates."""
    code = (
        f"import sys, rulec\nsys.argv = ['rulec', *{args!r}]\n"
        "try: rulec.main()\nexcept SystemExit: pass\n"
        "print('loaded', *(m for m in ('lark', 'networkx', 'rich', 'jinja2') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().splitlines()[-1] == "loaded"


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("nothing",),
        ("compile",),
        ("compile", "tic_tac_toe", "--players", "none"),
        ("compile", "tic_tac_toe", "--option", "first"),
        ("compile", "tic_tac_toe", "--all", "-o", "m.json"),
        ("play", "tic_tac_toe", "--seats", "human,wizard"),
        ("play", "tic_tac_toe", "--seats", "human,random,random"),
        ("play", "tic_tac_toe", "--resume", "x", "--seed", "1"),
        ("graph", "tic_tac_toe", "--format", "png"),
    ],
)
def test_wrong_usage_is_two(args: tuple[str, ...]) -> None:
    """Usage is told apart from errors in the input."""
    assert run(*args).exit_code == 2


# -- compile and check -----------------------------------------------------------------------------


def test_compile_says_what_was_made() -> None:
    """Phases, decisions, clauses, citations, switches, the size of the state."""
    done = run("compile", "sand_art")
    assert done.exit_code == 0
    for word in (
        "Sand Art, 2 players",
        "phases",
        "decisions",
        "clauses",
        "citations",
        "bytes",
        "bits",
    ):
        assert word in done.output
    assert "A-04=local" in done.output
    assert "G-09=default" in done.output


def test_compile_all_and_json() -> None:
    """One object a number of players."""
    done = CliRunner().invoke(main, ["compile", "sand_art", "--all", "--format", "json"])
    found = [json.loads(x) for x in done.stdout.splitlines()]
    assert [x["players"] for x in found] == [2, 3, 4]
    assert all(x["bytes"] * 8 >= x["bits"] > 0 for x in found)


def test_compile_layout_accounts_for_every_cell() -> None:
    """Each field with its type, range and bits."""
    done = CliRunner().invoke(main, ["compile", "kuhn_poker", "--layout", "--format", "json"])
    made = json.loads(done.stdout)
    assert sum(r["cells"] for r in made["layout"]) == made["cells"]
    assert sum(r["cells"] * r["bits"] for r in made["layout"]) == made["bits"]
    text = run("compile", "kuhn_poker", "--layout").output
    assert "hand[Seat]" in text
    assert "owner" in text


def test_compile_writes_the_machine(away: Path) -> None:
    """What is written reads back as the same machine."""
    assert run("compile", "kuhn_poker", "-o", "m.json").exit_code == 0
    assert loads((away / "m.json").read_text(encoding="utf-8")).cells == machine("kuhn_poker").cells
    assert [p.name for p in away.iterdir()] == ["m.json"]
    assert run("compile", "kuhn_poker", "-o", "no/where.json").exit_code == 1


def test_settings_reach_the_compiler() -> None:
    """Options, readings and assumptions; unknown ones are errors."""
    done = run(
        *("compile", "sand_art", "--players", "3", "--option", "first=seat1"),
        *("--reading", "A-11=each", "--assume", "G-09=3"),
    )
    assert "players=3 option:first=seat1 reading:A-11=each assume:G-09=3" in done.output
    assert run("compile", "tic_tac_toe", "--players", "3").exit_code == 1
    assert "E0307" in run("compile", "tic_tac_toe", "--variant", "x").output


def test_check_finds_and_counts(away: Path) -> None:
    """Errors are 1, warnings are 0 unless strict; JSON is one object a problem."""
    bad = written(away, 'game "Bad"\nplayers 2..2\nrule play\n  set x to 1\n')
    done = run("check", bad)
    assert done.exit_code == 1
    assert "error[E0301]" in done.output
    assert "set x to 1" in done.output
    done = CliRunner().invoke(main, ["check", bad, "--format", "json"])
    assert [json.loads(x)["code"] for x in done.stdout.splitlines()] == ["E0301"]
    warned = written(away, 'game "W"\nplayers 2..2\nvar x: 0..1\nrule play\n  end game draw\n')
    assert run("check", warned).exit_code == 0
    assert run("check", warned, "--strict").exit_code == 1
    assert run("check", "tic_tac_toe", "--games", "5").exit_code == 0


def test_a_game_is_a_path_or_a_shipped_name(away: Path) -> None:
    """Files beside the spec are read, files elsewhere are not."""
    assert run("check", str(ROOT / "games" / "tic_tac_toe.game")).exit_code == 0
    done = run("check", "tictactoe")
    assert done.exit_code == 1
    assert "did you mean 'tic_tac_toe'" in done.output
    assert run("check", str(away)).exit_code == 1
    (away / "inner").mkdir()
    (away / "secret.toml").write_text('[[rows]]\nname = "a"\n', encoding="utf-8")
    text = 'game "X"\nplayers 2..2\ndata Row from "../secret.toml" rows\n  n: 0..9 = 0\n'
    text += "rule play\n  end game draw\n"
    assert "E060" in run("check", written(away / "inner", text)).output


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n# only a comment\n", b"\xff\xfe\x00g", "game “X”\n".encode(), b"\x00" * 50],
)
def test_bytes_that_are_no_game_are_problems(away: Path, data: bytes) -> None:
    """No traceback, whatever the file holds."""
    (away / "x.game").write_bytes(data)
    done = shell("check", "x.game", folder=away)
    assert done.returncode == 1
    assert b"error[E" in done.stdout
    assert b"Traceback" not in done.stdout + done.stderr


def test_marks_and_line_ends_do_not_matter(away: Path) -> None:
    """The same machine, byte for byte, with a mark, CRLF, CR and mixed ends."""
    plain = (ROOT / "games" / "kuhn_poker.game").read_bytes()
    lines = plain.split(b"\n")
    forms = [
        plain,
        b"\xef\xbb\xbf" + plain,
        plain.replace(b"\n", b"\r\n"),
        plain.replace(b"\n", b"\r"),
        b"\r\n".join(lines[:9]) + b"\n" + b"\r".join(lines[9:]),
    ]
    made = set()
    for data in forms:
        (away / "k.game").write_bytes(data)
        assert run("compile", "k.game", "-o", "k.json").exit_code == 0
        made.add((away / "k.json").read_bytes())
    assert len(made) == 1


# -- graph, fmt, explain ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tic_tac_toe", "kuhn_poker", "sand_art"])
def test_graph(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three formats; the SVG is well formed without Graphviz too."""
    assert run("graph", name).output.startswith('digraph "')
    assert run("graph", name, "--format", "mermaid").output.startswith("flowchart")
    monkeypatch.setenv("PATH", "")
    done = run("graph", name, "--format", "svg")
    assert done.exit_code == 0
    root = ET.fromstring(done.output)
    words = "".join(root.itertext())
    for decision in machine(name).decisions:
        assert decision.path in words


def test_graph_of_kuhn_poker_names_its_ways() -> None:
    """Options are the words on the edges."""
    text = run("graph", "kuhn_poker").output
    assert '"play.shuffle_deck" -> "speak.word"' in text
    assert "call" in text
    assert "end: win" in text


def test_fmt(away: Path) -> None:
    """--check changes nothing; the result is canonical; a broken file stays."""
    loose = 'game   "X"\nplayers 2..2\nrule play\n   end game draw\n'
    path = written(away, loose)
    assert run("fmt", "--check", path).exit_code == 1
    assert Path(path).read_text(encoding="utf-8") == loose
    assert run("fmt", path).exit_code == 0
    assert run("fmt", "--check", path).exit_code == 0
    broken = written(away, "game game game\n", "broken.game")
    assert run("fmt", broken).exit_code == 1
    assert Path(broken).read_text(encoding="utf-8") == "game game game\n"
    for name in ("tic_tac_toe", "connect_four", "kuhn_poker"):
        assert run("fmt", "--check", name).exit_code == 0


def test_explain() -> None:
    """Text and both examples; an unknown code is 1."""
    done = run("explain", "e0301")
    assert done.output.startswith("E0301: ")
    assert "This draws it" in done.output
    assert run("explain", "E9999").exit_code == 1


# -- playing ---------------------------------------------------------------------------------------


def test_bots_play_to_the_end(away: Path) -> None:
    """The log, the last position, the winner; nothing is left behind."""
    done = run("play", "kuhn_poker", "--seats", "random", "--seed", "3")
    assert done.exit_code == 0
    assert "seat0 speak.word" in done.output
    assert "wins" in done.output
    assert list(away.iterdir()) == []


def test_logs_of_bots_do_not_depend_on_process_or_folder(away: Path) -> None:
    """The same bytes under each hash seed, from each folder."""
    for folder, salt in ((away, "0"), (away, "1"), (ROOT / "tests", "12345")):
        file = str(away / f"{salt}.log")
        args = ("play", "connect_four", "--seats", "greedy,random", "--seed", "7", "--save", file)
        assert shell(*args, folder=folder, PYTHONHASHSEED=salt).returncode == 0
    assert len({(away / f"{s}.log").read_bytes() for s in ("0", "1", "12345")}) == 1


def test_a_script_plays(away: Path) -> None:
    """Choices of people, one a line; one that is not legal names its line and the requirement."""
    moves = "c2r2 # the middle\n\nc1r1\nc2r1\nc3r3\nc2r3\n"
    written(away, moves, "moves")
    done = run("play", "tic_tac_toe", "--seats", "human", "--script", "moves")
    assert done.exit_code == 0
    assert "seat0 wins" in done.output
    written(away, "c2r2\nc2r2\n", "moves")
    done = run("play", "tic_tac_toe", "--seats", "human", "--script", "moves")
    assert done.exit_code == 1
    assert "moves:2" in done.output
    assert "there is a mark already" in done.output


def test_play_json(away: Path) -> None:
    """One object for programs."""
    done = CliRunner().invoke(main, ["play", "kuhn_poker", "--seats", "random", "--format", "json"])
    made = json.loads(done.stdout)
    assert made["seats"] == ["random", "random"]
    assert sum(made["outcome"]["returns"]) == 0


def test_leave_and_resume(away: Path) -> None:
    """quit is 0 and says how to go on; the game goes on where it was."""
    done = run("play", "tic_tac_toe", "--seats", "human", lines="c2r2\nquit\n")
    assert done.exit_code == 0
    assert "rulec play tic_tac_toe --resume rulec-tic_tac_toe.save" in done.output
    done = run(
        *("play", "tic_tac_toe", "--resume", "rulec-tic_tac_toe.save"),
        lines="c1r1\nc2r1\nc3r3\nc2r3\n",
    )
    assert done.exit_code == 0
    assert "seat0 wins" in done.output


def test_a_save_that_cannot_go_on_is_1_and_stays_as_it_is(away: Path) -> None:
    """Cut, edited, of other rules: a code, a reason, the position, an untouched file."""
    run("play", "tic_tac_toe", "--seats", "human", "--save", "s", lines="c2r2\nc1r1\nquit\n")
    good = (away / "s").read_text(encoding="utf-8")
    for bad, code in (
        (good[:-30], "R0201"),
        (good.replace("c1r1", "c2r2"), "R0204"),
        (good.replace("c1r1", "c3r1"), "R0201"),
    ):
        written(away, bad, "bad")
        done = run("play", "tic_tac_toe", "--resume", "bad")
        assert done.exit_code == 1
        assert f"error[{code}]" in done.output
        assert (away / "bad").read_text(encoding="utf-8") == bad
    assert run("play", "tic_tac_toe", "--resume", "nothing").exit_code == 1
    text = (ROOT / "games" / "tic_tac_toe.game").read_text(encoding="utf-8")
    rule = '    require edge "no corners" c in {c2r2, c2r1} @X-9\n'
    changed = text.replace("  set mark[c] to p", rule + "  set mark[c] to p")
    done = run("play", written(away, changed, "tic_tac_toe.game"), "--resume", "s")
    assert done.exit_code == 1
    assert "R0202" in done.output
    assert "step 2 of 2" in done.output
    assert "no corners @X-9" in done.output
    assert "c2r2" not in done.output.split("error")[0]
    assert (away / "s").read_text(encoding="utf-8") == good
    commented = written(away, "# a comment\n" + text, "tic_tac_toe.game")
    assert run("play", commented, "--resume", "s", lines="quit\n").exit_code == 0


def test_a_save_carries_its_configuration(away: Path) -> None:
    """It goes on with the players, options and readings that it was begun with."""
    args = ("--players", "3", "--option", "first=seat2", "--reading", "A-11=each")
    run("play", "sand_art", *args, "--seats", "human", "--save", "s", lines="quit\n")
    done = run("play", "sand_art", "--resume", "s", "--seats", "random", "--format", "json")
    assert done.exit_code == 0
    made = json.loads(done.stdout.splitlines()[-1])
    assert made["settings"] == ["players 3", "option first=seat2", "reading A-11=each"]


# -- people at a prompt ----------------------------------------------------------------------------


def test_end_of_input_ends(away: Path) -> None:
    """Status 1, one line, no traceback, and a save that goes on."""
    for data in (b"", b"c2r2\n"):
        done = shell("play", "tic_tac_toe", "--seats", "human", data=data, folder=away)
        assert done.returncode == 1
        last = done.stderr.decode().splitlines()
        step = data.count(b"\n")
        how = "go on with: rulec play tic_tac_toe --resume rulec-tic_tac_toe.save"
        assert last == [f"input ended at step {step}; {how}"]
        (away / "rulec-tic_tac_toe.save").unlink()


def test_a_closed_input_ends(away: Path) -> None:
    """As the end of input."""
    command = f"exec {sys.executable} {ROOT / 'rulec.py'} play tic_tac_toe <&-"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, cwd=away, timeout=60, check=False
    )
    assert done.returncode == 1
    assert b"input ended at step 0" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "line", [b"zzz\n", b"\xff\xfe\n", b"\x1b[A\n", b"{{{(\n", b"9" * 5000 + b"\n", b"\n"]
)
def test_garbage_ends(away: Path, line: bytes) -> None:
    """A thousand lines that mean nothing are not answered a thousand times."""
    done = shell("play", "connect_four", data=line * 1000, folder=away)
    assert done.returncode == 1
    assert b"input ended at step 0" in done.stderr
    assert b"Traceback" not in done.stderr
    assert len(done.stdout) < 60_000


def test_a_reader_that_goes_away_makes_no_noise(away: Path) -> None:
    """`| head -1`"""
    command = f"{sys.executable} {ROOT / 'rulec.py'} play sand_art --seats random | head -1"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, cwd=away, timeout=60, check=False
    )
    assert done.stdout.startswith(b"Sand Art")
    assert done.stderr == b""


def test_questions_at_the_prompt(away: Path) -> None:
    """?, why, log, help, undo, save, search, nonsense."""
    lines = "?\nwhy c1r1\nhelp\nc2r2\nwhy c2r2\nundo\nc2r2\nlog\nsave mine\n/r3\nmore\nhm\nquit\n"
    done = run("play", "tic_tac_toe", "--seats", "human", lines=lines)
    assert done.exit_code == 0
    for text in (
        "seat0 decides at turn.c",
        "refused if: there is a mark already",
        "this choice is legal",
        "why CHOICE",
        "refused: there is a mark already",
        "taken back: seat0 turn.c c2r2",
        "seat0 turn.c c2r2",
        "saved to mine",
        "'hm' is no choice here",
    ):
        assert text in done.output
    assert (away / "mine").read_text(encoding="utf-8").splitlines()[-2] == "seat0 turn.c c2r2"


def test_a_subset_is_built_by_steps(away: Path) -> None:
    """Only steps that can still be completed; done, back, cancel; or typed at once."""
    lots = written(away, DRAW, "lots.game")
    lines = (
        "straw_long_1\nstraw_long_2\ndone\nback\ncancel\nstraw_short_1\n1\ndone\n"
        "{straw_long_5, straw_short_9}\n"
    )
    done = run("play", lots, "--seats", "human", lines=lines)
    assert done.exit_code == 0, done.output
    assert "so far {straw_long_1, straw_long_2}" in done.output
    assert "it is not legal yet" in done.output
    assert "refused: they are all alike" in done.output
    assert "a draw" in done.output


def test_nothing_hidden_is_printed(away: Path) -> None:
    """A person at Kuhn poker is shown one card until the showdown."""
    done = run("play", "kuhn_poker", "--seats", "human", "--seed", "2", lines="?\nlog\nbet\nlog\n")
    assert done.exit_code == 1
    mine, _, others = done.output.partition("seat1 (you)")
    assert len({w for w in mine.replace(",", " ").split() if w.startswith("card_")}) == 1
    assert len({w for w in others.replace(",", " ").split() if w.startswith("card_")}) == 1
    assert "seed" not in done.output


def test_a_game_in_a_terminal(away: Path) -> None:
    """A person plays tic-tac-toe: colours, numbers, a refusal, undo, the end."""
    child = pexpect.spawn(
        DOOR[0], [DOOR[1], "play", "tic_tac_toe", "--seats", "human"], cwd=str(away), timeout=20
    )
    child.expect("seat0> ")
    child.sendline("5")
    child.expect("seat1> ")
    child.sendline("c2r2")
    child.expect("there is a mark already")
    child.sendline("undo")
    child.expect("taken back")
    child.expect("seat0> ")
    for seat, text in enumerate(("c2r2", "c1r1", "c2r1", "c3r3")):
        child.sendline(text)
        child.expect(f"seat{(seat + 1) % 2}> ")
    child.sendline("c2r3")
    child.expect("seat0 wins")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_interrupting_is_130_and_saves(away: Path) -> None:
    """Ctrl-C in the middle leaves a whole save."""
    child = pexpect.spawn(
        DOOR[0], [DOOR[1], "play", "tic_tac_toe", "--seats", "human", "--save", "s"], cwd=str(away)
    )
    child.expect("seat0> ")
    child.sendline("c2r2")
    child.expect("seat1> ")
    child.sendintr()
    child.expect("interrupted at step 1; go on with: rulec play tic_tac_toe --resume s")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert (away / "s").read_text(encoding="utf-8").splitlines()[-2] == "seat0 turn.c c2r2"
    assert run("play", "tic_tac_toe", "--resume", "s", lines="quit\n").exit_code == 0


def test_people_who_hide_things_hand_over_the_screen(away: Path) -> None:
    """In a terminal the next person is asked to take it before anything is shown."""
    child = pexpect.spawn(
        DOOR[0], [DOOR[1], "play", "kuhn_poker", "--seats", "human"], cwd=str(away), timeout=20
    )
    child.expect("seat0> ")
    child.sendline("bet")
    child.expect("seat1 is next: take the screen and press Enter")
    assert b"card_" not in child.before
    child.sendline("")
    child.expect("seat1> ")
    child.sendline("fold")
    child.expect("seat0 wins")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_a_game_that_is_left_overwrites_no_other(away: Path) -> None:
    """Games left without --save lie in files of their own; a resumed one stays in its file."""
    for _ in range(2):
        run("play", "tic_tac_toe", lines="1\nquit\n")
    saves = ["rulec-tic_tac_toe-2.save", "rulec-tic_tac_toe.save"]
    assert sorted(p.name for p in away.glob("*.save")) == saves
    before = (away / saves[1]).read_text()
    run("play", "tic_tac_toe", "--resume", saves[1], lines="1\nquit\n")
    assert (away / saves[1]).read_text() != before
    assert sorted(p.name for p in away.glob("*.save")) == saves
