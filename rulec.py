"""The door: the command line of rulec. Each command is a few lines over the three floors.

Exit status: 0 fine, 1 errors in the input (with --strict warnings too), 2 wrong usage, 130
interrupted. Nothing heavy is imported before a command needs it.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from attrs import asdict, evolve, fields, frozen

if TYPE_CHECKING:
    from compiler.config import Configuration
    from compiler.ledger import Ledger
    from compiler.machine.record import Machine
    from compiler.pipeline import Spec
    from dsl.problems import Problem, Report
    from runtime.match import Match

VERSION = "0.1.0"
GAMES = Path(__file__).resolve().parent / "games"
FILE = click.Path(dir_okay=False)
Pairs = tuple[tuple[str, str], ...]


# -- what every command asks for -------------------------------------------------------------------


@frozen
class Wanted:
    """The common options of a command."""

    players: int | None
    options: Pairs
    variants: tuple[str, ...]
    readings: Pairs
    assumes: Pairs
    every: bool
    form: str
    strict: bool

    @property
    def as_json(self) -> bool:
        """Whether a program reads the answer."""
        return self.form == "json"

    @property
    def plain(self) -> bool:
        """Whether nothing about the configuration was said."""
        return not (self.players or self.options or self.variants or self.readings or self.assumes)

    def config(self, players: int | None = None) -> Configuration:
        """The configuration, for a number of players."""
        from compiler.config import Configuration

        return Configuration.of(
            players or self.players,
            dict(self.options),
            self.variants,
            dict(self.readings),
            dict(self.assumes),
        )


def _pairs(_ctx: click.Context, option: click.Parameter, values: tuple[str, ...]) -> Pairs:
    out = []
    for value in values:
        name, mark, rest = value.partition("=")
        if not (mark and name.strip() and rest.strip()):
            raise click.BadParameter(f"'{value}' is not {option.metavar}")
        out.append((name.strip(), rest.strip()))
    return tuple(out)


def common(*forms: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """GAME and the common options, handed over as `game` and `wanted`; `forms` are the formats."""
    many: dict[str, Any] = {"multiple": True, "callback": _pairs}
    adds = (
        click.option("--strict", is_flag=True, help="Warnings count as errors."),
        click.option(
            "--format", "form", type=click.Choice(forms), default=forms[0], help="What to print."
        ),
        click.option("--all", "every", is_flag=True, help="Every number of players."),
        click.option("--assume", "assumes", metavar="ID=VALUE", help="Set an assumption.", **many),
        click.option(
            "--reading", "readings", metavar="ID=CHOICE", help="Choose a reading.", **many
        ),
        click.option(
            "--variant", "variants", metavar="NAME", multiple=True, help="Switch a variant on."
        ),
        click.option("--option", "options", metavar="NAME=VALUE", help="Set an option.", **many),
        click.option(
            "--players", type=click.IntRange(1, 16), help="How many (default: the fewest)."
        ),
        click.argument("game"),
    )

    def around(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def inner(**given: Any) -> Any:
            wanted = Wanted(*(given.pop(f.name) for f in fields(Wanted)))
            return command(wanted=wanted, **given)

        return functools.reduce(lambda made, add: add(made), adds, inner)

    return around


settings = common("text", "json")


# -- games and problems ----------------------------------------------------------------------------


def find_game(name: str) -> str:
    """The path of a game: a file, or the name of a shipped one."""
    if Path(name).is_file():
        return name
    shipped = GAMES / f"{name.removesuffix('.game')}.game"
    if "/" not in name and "\\" not in name and shipped.is_file():
        return str(shipped)
    return name


def reader(path: str) -> Callable[[str], bytes | None]:
    """Reads a game's file and the files in the folder beside it, none elsewhere."""
    folder = Path(path).resolve().parent

    def read(name: str) -> bytes | None:
        target = Path(path) if name == path else folder / name
        if name != path and not target.resolve().is_relative_to(folder):
            return None
        try:
            return target.read_bytes()
        except OSError:
            return None

    return read


def open_game(game: str, report: Report) -> Spec:
    """A parsed game; an unknown name is reported with those that it may have meant."""
    from compiler.pipeline import parse

    path = find_game(game)
    if not Path(path).is_file():
        from compiler.pipeline import Spec
        from dsl.problems import did_you_mean

        shipped = sorted(p.stem for p in GAMES.glob("*.game"))
        what = "is a folder" if Path(path).is_dir() else "is neither a file nor a shipped game"
        hint = did_you_mean(game, shipped) or f"shipped: {', '.join(shipped)}"
        report.error("E0100", f"'{game}' {what}", help=hint)
        return Spec(game, (), (), lambda _: None, False)
    return parse(path, reader(path), report)


def compiled(game: str, wanted: Wanted, report: Report) -> Iterator[tuple[Machine, Configuration]]:
    """The machines of a game: one, or with --all one a number of players."""
    from compiler.pipeline import compile_spec
    from dsl.problems import Report

    spec = open_game(game, report)
    if report.failed:
        return
    if not wanted.every or wanted.players:
        made = compile_spec(spec, wanted.config(), report)
        if made is not None:
            yield made, wanted.config(made.players)
        return
    from compiler.show import player_counts

    for count in player_counts(spec.decls):
        own = Report(sources=report.sources)
        made = compile_spec(spec, wanted.config(count), own)
        if any(p.code == "E0305" for p in own):
            continue
        for problem in own:
            report.add(problem)
        if made is not None:
            yield made, wanted.config(count)


def show(report: Report, wanted: Wanted, err: bool = True, notes: bool = True) -> None:
    """Print the problems, and how many there were; without `notes` those are only counted."""
    from dsl.problems import Severity, render, render_json

    found = list(report)
    if wanted.as_json:
        if found:
            click.echo(render_json(found), err=err)
        return
    colours = {"error": "red", "warning": "yellow", "note": "cyan"}
    for problem in found:
        if problem.severity is Severity.NOTE and not notes:
            continue
        head, mark, rest = render(problem, report.sources).partition("]")
        click.echo(
            click.style(head + mark, fg=colours[problem.severity.value], bold=True) + rest, err=err
        )
    counts = [
        f"{n} {s.value}{'' if n == 1 else 's'}"
        for s in Severity
        if (n := sum(p.severity is s for p in found))
    ]
    if counts:
        more = (
            ""
            if notes or not any(p.severity is Severity.NOTE for p in found)
            else " ('rulec check' shows the notes)"
        )
        click.echo(", ".join(counts) + more, err=err)


def finish(report: Report, wanted: Wanted) -> NoReturn:
    """Leave with the status that the problems ask for."""
    sys.exit(1 if report.failed or (wanted.strict and report.warned) else 0)


def fail(problem: Problem, report: Report, wanted: Wanted) -> NoReturn:
    """Print one more problem and leave with 1."""
    report.problems = [problem]
    show(report, wanted)
    sys.exit(1)


def one(game: str, wanted: Wanted, report: Report) -> tuple[Machine, Configuration]:
    """The machine of a command that needs one; leaves when there is none."""
    if wanted.every:
        raise click.UsageError("this command takes one configuration: leave out --all")
    found = next(iter(compiled(game, wanted, report)), None)
    if found is None or report.failed or (wanted.strict and report.warned):
        show(report, wanted)
        sys.exit(1)
    return found


@contextmanager
def refusing(report: Report, wanted: Wanted) -> Iterator[None]:
    """What the floors below refuse becomes a printed problem and status 1."""
    from compiler.machine.builtins import Fault
    from dsl.problems import Problem, Refused

    try:
        yield
    except Refused as bad:
        fail(bad.problem, report, wanted)
    except Fault as bad:
        fail(Problem("R0107", f"a rule asks for the impossible: {bad}"), report, wanted)


# -- commands --------------------------------------------------------------------------------------


class Door(click.Group):
    """Commands whose interruption is 130, and whose reader may go away without noise."""

    def main(self, *args: Any, standalone_mode: bool = True, **more: Any) -> Any:
        """Run and leave with a status; errors of usage are shown by click."""
        gc.freeze()
        gc.set_threshold(500_000)  # short commands: most of what they make lives to their end
        run: Callable[..., Any] = super().main
        if not standalone_mode:
            return run(*args, standalone_mode=False, **more)
        try:
            status = run(*args, standalone_mode=False, **more)
        except (click.exceptions.Abort, KeyboardInterrupt):
            status = 130
        except click.ClickException as bad:
            bad.show()
            status = bad.exit_code
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            status = 1
        except OSError as bad:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            click.echo(f"error[R0206]: the output cannot be written: {bad.strerror}", err=True)
            status = 1
        sys.exit(status or 0)


@click.group(cls=Door, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="rulec")
def main() -> None:
    """Rules of tabletop games: check, compile and play them.

    GAME is a path or the name of a shipped game, for example: rulec play tic_tac_toe
    """


@main.command("compile")
@settings
@click.option("--layout", is_flag=True, help="List the fields of the state.")
@click.option("-o", "--output", type=FILE, help="Write the machine as JSON.")
def compile_(game: str, wanted: Wanted, layout: bool, output: str | None) -> None:
    """Parse, check and compile; say what was made.

    Example: rulec compile sand_art --players 3 -o sand_art.json
    """
    from compiler import show as shown
    from dsl.problems import Report

    if output and wanted.every:
        raise click.UsageError("-o writes one machine: leave out --all")
    report = Report()
    found = list(checked(game, wanted, report))
    show(report, wanted, notes=False)
    for machine, config in found if not report.failed else []:
        if wanted.as_json:
            rows = {"layout": [asdict(r) for r in shown.layout(machine)]} if layout else {}
            click.echo(json.dumps({**shown.summary(machine, config), **rows}, ensure_ascii=False))
            continue
        click.echo(shown.summary_text(machine, config))
        if layout:
            click.echo(shown.layout_text(machine))
    if output and found and not report.failed:
        from compiler.machine.jsonio import dumps
        from runtime.game_files import write

        with refusing(report, wanted):
            write(output, dumps(found[0][0]))
    finish(report, wanted)


def checked(game: str, wanted: Wanted, report: Report) -> Iterator[tuple[Machine, Configuration]]:
    """Machines, with the checks that need to play."""
    for machine, config in compiled(game, wanted, report):
        from runtime import probe
        from runtime.engine import Engine

        for problem in probe.setup(Engine(machine)):
            report.add(problem)
        yield machine, config


@main.command()
@settings
@click.option(
    "--games", type=click.IntRange(0, 100_000), default=0, help="Also play so many random games."
)
def check(game: str, wanted: Wanted, games: int) -> None:
    """Say what is wrong with a game, and nothing else.

    Example: rulec check my.game --all --format json
    """
    from dsl.problems import Report

    report = Report()
    for machine, _ in checked(game, wanted, report):
        if games and not report.failed:
            from runtime import probe
            from runtime.engine import Engine

            for problem in probe.games(Engine(machine), games):
                report.add(problem)
    show(report, wanted, err=False)
    finish(report, wanted)


@main.command()
@settings
@click.option(
    "--seats",
    default="",
    metavar="KINDS",
    help="human, random, greedy, by commas; one kind fills all.",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="The seed of chance (default 0).")
@click.option("--script", type=FILE, help="Choices of people, one a line, # comments.")
@click.option("--resume", type=FILE, help="Go on with a saved game.")
@click.option("--save", type=FILE, help="Where the game is saved, at each choice of a person.")
def play(
    game: str,
    wanted: Wanted,
    seats: str,
    seed: int | None,
    script: str | None,
    resume: str | None,
    save: str | None,
) -> None:
    """Play in the terminal, with people and bots.

    Without --seats a person plays against random bots. A game that is left is saved.

    Example: rulec play kuhn_poker --seats human,random --seed 7
    """
    from dsl.problems import Report

    report = Report()
    if resume and (seed is not None):
        raise click.UsageError("a resumed game has its seed already: leave out --seed")
    with refusing(report, wanted):
        match = (
            _resumed(game, wanted, report, resume)
            if resume
            else _begun(game, wanted, report, seed or 0)
        )
        match.seats = _seats(seats, len(match.seats), match.seats if resume else ())
        status = _sitting(game, match, wanted, script, save or resume)
    sys.exit(status)


def _seats(text: str, count: int, before: tuple[str, ...]) -> tuple[str, ...]:
    from runtime.logs import SEATS

    kinds = tuple(k.strip() for k in text.split(",") if k.strip())
    for kind in kinds:
        if kind not in SEATS:
            raise click.UsageError(f"'{kind}' is no kind of seat: {', '.join(SEATS)}")
    if not kinds:
        return before or ("human",) + ("random",) * (count - 1)
    if len(kinds) == 1:
        return kinds * count
    if len(kinds) != count:
        raise click.UsageError(f"--seats names {len(kinds)} seats; {count} play")
    return kinds


def _begun(game: str, wanted: Wanted, report: Report, seed: int) -> Match:
    from compiler.show import config_lines
    from runtime.engine import Engine
    from runtime.match import Match

    machine, config = one(game, wanted, report)
    return Match(Engine(machine), config_lines(config), seed)


def _resumed(game: str, wanted: Wanted, report: Report, path: str) -> Match:
    """The match of a save; where it parts from the rules, its position is only shown."""
    from compiler.show import config_lines
    from runtime import logs
    from runtime.engine import Engine
    from runtime.game_files import read
    from runtime.replay import replay

    log = logs.loads(read(path), path)
    machine, config = one(game, _as_saved(log.settings, wanted), report)
    made = replay(Engine(machine), log, config_lines(config))
    if made.problem is not None:
        report.problems = [made.problem]
        show(report, wanted)
        if not made.usable or wanted.strict:
            _terminal(game, made.match, "").look(None)
            sys.exit(1)
    return made.match


def _as_saved(lines: tuple[str, ...], wanted: Wanted) -> Wanted:
    """The configuration of a save, unless the command line names one."""
    from compiler.show import config_of

    if not wanted.plain:
        return wanted
    made = config_of(lines)
    return evolve(
        wanted,
        players=made.players,
        options=made.options,
        variants=made.variants,
        readings=made.readings,
        assumes=made.assumes,
    )


def _terminal(game: str, match: Match, save: str) -> Any:
    from rich.console import Console

    from runtime.terminal import Terminal, person

    again = f"rulec play {game} --resume {save}"
    return Terminal(match, Console(highlight=False), person, save, again)


def _free_save(name: str) -> str:
    """A file for a game that is left, which is no other game's file."""
    from itertools import count

    names = (f"rulec-{name}{'' if n == 1 else f'-{n}'}.save" for n in count(1))
    return next(x for x in names if not Path(x).exists())


def _sitting(game: str, match: Match, wanted: Wanted, script: str | None, save: str | None) -> int:
    """Play, save at the end if asked to, and return the status."""
    from runtime.game_files import read, write

    table = _terminal(game, match, save or _free_save(match.engine.machine.name))
    table.keep = save is not None
    if script:
        lines = enumerate(read(script).splitlines(), 1)
        bare = ((n, x.split("#")[0].strip()) for n, x in lines)
        table.script = [(script, n, x) for n, x in bare if x]
    if wanted.as_json:
        table.console.quiet = True
    status: int = table.play()
    if status == 0 and save and match.over:
        write(save, match.text())
    if wanted.as_json:
        click.echo(json.dumps(match.result(), ensure_ascii=False))
    return status


@main.command()
@common("text", "json", "junit")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False))
def test(game: str, wanted: Wanted, files: tuple[str, ...]) -> None:
    """Run the worked examples and scenarios of a game, or those of FILES.

    Example: rulec test sand_art my.scenarios
    """
    from dsl.problems import Report
    from runtime import reports

    report = Report()
    pairs = _scenarios(open_game(game, report), game, wanted, files, report)
    show(report, wanted)
    if not report.failed:
        forms = {"text": reports.text, "json": reports.as_json}
        made = forms[wanted.form](pairs) if wanted.form in forms else reports.junit(game, pairs)
        click.echo(made)
    good = not report.failed and pairs and all(r.passed for r, _ in pairs)
    if not pairs and not report.failed:
        click.echo("there is no scenario to run", err=True)
    sys.exit(0 if good else 1)


def _scenarios(
    spec: Spec, game: str, wanted: Wanted, files: tuple[str, ...], report: Report
) -> list[tuple[Any, Machine]]:
    """Every scenario run, in the order of the files: results with the machines they ran on."""
    from compiler import scenarios
    from runtime.scenarios import run

    if report.failed:
        return []
    found = list(files)
    if not found:
        folder = Path(find_game(game)).parent / spec.name
        found = sorted(str(p) for p in folder.glob("*.scenarios"))
    texts = [(f, Path(f).read_bytes()) for f in found]
    own = () if files else spec.scenarios
    made = (*own, *(scenarios.collect(spec, texts, report) if texts else ()))
    groups = scenarios.group(spec, made, wanted.config(), report)
    if any(g.machine is None for g in groups):
        return []
    order = {s.name: i for i, s in enumerate(made)}
    pairs = [(run(g.machine, p), g.machine) for g in groups if g.machine for p in g.plans]
    return sorted(pairs, key=lambda pair: order[pair[0].name])


class Audit(click.Group):
    """`audit GAME` is short for `audit report GAME`."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """A first word that is no subcommand is the game of a report."""
        known = not args or args[0] in self.commands
        return super().resolve_command(ctx, args if known else ["report", *args])


@main.group(cls=Audit)
def audit() -> None:
    """Hold a game against its rulebook, statement by statement.

    Example: rulec audit sand_art; rulec audit why sand_art SA-111; rulec audit clause sand_art flow
    """


@audit.command("report")
@settings
@click.option("--run", is_flag=True, help="Run the scenarios too: which statements are executed.")
def audit_report(game: str, wanted: Wanted, run: bool) -> None:
    """Figures, what is uncovered, and clauses that cite nothing.

    Example: rulec audit report sand_art --run
    """
    from compiler import audit as audits
    from dsl.problems import Report

    report = Report()
    spec, ledger, machines = _audited(game, wanted, report)
    executed, count = None, 0
    if run:
        pairs = _scenarios(spec, game, wanted, (), report)
        passed = [(r, m) for r, m in pairs if r.passed]
        executed = frozenset(m.clauses[n].path for r, m in passed for n in r.fired)
        count = len(pairs)
    made = audits.audit(spec.citations, ledger, machines, executed, count)
    if wanted.as_json:
        click.echo(json.dumps(audits.report_json(made), ensure_ascii=False))
    else:
        click.echo(audits.report_text(made))
    sys.exit(1 if report.failed or (wanted.strict and made.uncovered) else 0)


@audit.command("why")
@settings
@click.argument("statement")
def audit_why(game: str, wanted: Wanted, statement: str) -> None:
    """What is known of a statement, and which clauses cite it.

    Example: rulec audit why sand_art SA-111
    """
    from compiler import audit as audits
    from dsl.problems import Report, did_you_mean

    spec, ledger, machines = _audited(game, wanted, Report())
    id_ = statement.removeprefix("@")
    lines = audits.why(id_, spec.decls, spec.citations, ledger, machines)
    if lines is None:
        hint = did_you_mean(id_, ledger.ids())
        click.echo(f"neither the ledger nor the spec has the id '{id_}'. {hint}".rstrip(), err=True)
        sys.exit(1)
    click.echo("\n".join(lines))


@audit.command("clause")
@settings
@click.argument("name")
def audit_clause(game: str, wanted: Wanted, name: str) -> None:
    """A clause by its path, with the gist of what it cites.

    Example: rulec audit clause sand_art flow.floating
    """
    from compiler import audit as audits
    from dsl.problems import Report, did_you_mean

    _, ledger, machines = _audited(game, wanted, Report())
    lines = audits.clause(name, ledger, machines)
    if lines is None:
        hint = did_you_mean(name, {c.path for m in machines for c in m.clauses})
        click.echo(f"no clause is called '{name}'. {hint}".rstrip(), err=True)
        sys.exit(1)
    click.echo("\n".join(lines))


def _audited(game: str, wanted: Wanted, report: Report) -> tuple[Spec, Ledger, tuple[Machine, ...]]:
    """A spec, its ledger and its machines for every player count; leaves when one is missing."""
    from compiler.pipeline import read_ledger

    spec = open_game(game, report)
    every = evolve(wanted, every=wanted.players is None)
    machines = tuple(m for m, _ in compiled(game, every, report))
    ledger = read_ledger(spec, report)
    if ledger is None and not report.failed:
        report.error("E0811", f"'{game}' has no ledger: there is no {spec.name}/ledger.toml")
    if report.failed or ledger is None:
        show(report, wanted)
        sys.exit(1)
    return spec, ledger, machines


@main.command()
@settings
def docs(game: str, wanted: Wanted) -> None:
    """Write the rules of a game as a Markdown document.

    Example: rulec docs sand_art > sand_art.md
    """
    from compiler.prose import document
    from dsl.problems import Report

    machine, _ = one(game, wanted, Report())
    click.echo(document(machine), nl=False)


@main.command()
@common("dot", "mermaid", "svg")
def graph(game: str, wanted: Wanted) -> None:
    """Draw the state diagram of a game: decisions, chance, ends.

    Example: rulec graph kuhn_poker --format svg > kuhn.svg
    """
    from compiler import graph as drawn
    from dsl.problems import Report

    machine, _ = one(game, wanted, Report())
    made = drawn.diagram(machine)
    text = {"dot": drawn.dot, "mermaid": drawn.mermaid, "svg": drawn.svg}[wanted.form](made)
    if wanted.form == "svg":
        text = _by_dot(drawn.dot(made)) or text
    click.echo(text, nl=False)


def _by_dot(text: str) -> str:
    """SVG made by Graphviz, or nothing where it is not installed or fails."""
    import shutil
    import subprocess

    program = shutil.which("dot")
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "-Tsvg"], input=text, capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="GAME...")
@click.option("--check", "only_check", is_flag=True, help="Change nothing; say what would change.")
def fmt(files: tuple[str, ...], only_check: bool) -> None:
    """Write games in the one canonical form.

    Example: rulec fmt --check my.game
    """
    from dsl.problems import Report

    plain = Wanted(None, (), (), (), (), False, "text", False)
    report = Report()
    with refusing(report, plain):
        changed = [f for f in files if _formatted(find_game(f), only_check, report)]
    show(report, plain)
    for file in changed:
        click.echo(f"{'would change' if only_check else 'formatted'}: {file}")
    sys.exit(1 if report.failed or (only_check and changed) else 0)


def _formatted(path: str, only_check: bool, report: Report) -> bool:
    """Format one file; whether that changes it."""
    from dsl.format import format_source
    from dsl.source import clean
    from runtime.game_files import write

    try:
        data = Path(path).read_bytes()
    except OSError as bad:
        report.error("E0100", f"'{path}' cannot be read: {bad.strerror}")
        return False
    source = clean(path, data, report)
    text = None if source is None else format_source(source, report)
    if text is None or text.encode() == data:
        return False
    if not only_check:
        write(path, text)
    return True


@main.command()
@click.argument("code")
def explain(code: str) -> None:
    """Say what the code of a problem means, with an example.

    Example: rulec explain E0301
    """
    from dsl.explain import codes
    from dsl.explain import explain as look_up
    from dsl.problems import did_you_mean

    found = look_up(code)
    if found is None:
        click.echo(
            f"no problem has the code '{code}'. {did_you_mean(code, codes())}".rstrip(), err=True
        )
        sys.exit(1)
    click.echo(f"{found.code}: {found.title}\n\n{found.text}")
    for head, text in (("This draws it", found.broken), ("This does not", found.mended)):
        if text:
            click.echo(
                f"\n{head}:\n\n" + "\n".join("    " + x for x in text.strip("\n").split("\n"))
            )


if __name__ == "__main__":
    main()
