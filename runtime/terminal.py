"""The terminal: a match played by people at one screen, with or without bots.

In: a match, where lines come from and where text goes. Out: an exit status. End of input is no
answer: the game is saved, one line says how to go on, and the status is 1. A stream of lines that
mean nothing ends the same way. Where seats hide things from each other, the screen is handed over.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from attrs import define, field
from rich.columns import Columns
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from dsl.problems import Problem, Refused, Span
from runtime import asking, bots, draw, game_files
from runtime.asking import Menu
from runtime.legal import Raw
from runtime.match import Match
from runtime.printed import printed
from runtime.telling import UNTOLD
from runtime.views import Seat, measure, open_to_all

PATIENCE = 25
RECENT = 6
HELP = """\
a number or the choice itself   choose (a set: {A1, B1}; amounts: {red -> 2}; decline)
?               what is being decided, and what the rules require of it
why CHOICE      why a choice is refused
/TEXT           show only choices that hold a text; / shows all      more   the next page
undo            take back your last choice, while nobody learned anything from it
show NAME       what is printed on a card, a piece or a section
look            draw the position again      log   what has happened, as you may know it
save FILE       save the game      quit   save and leave
a set is built member by member:  done  choose it   back  drop the last   cancel  begin again"""


class Ended(Exception):  # the end of input, not an error of ours
    """No more lines come, or none that mean anything."""


class Left(Exception):  # a person leaves
    """A person typed `quit`."""


def person() -> str:
    """One line from the keyboard or a pipe; raises `Ended` at its end."""
    if sys.stdin is None or sys.stdin.closed:
        raise Ended
    try:
        return input()
    except (EOFError, RuntimeError, ValueError, OSError):
        raise Ended from None


@define
class Terminal:
    """One sitting. `save` is where the game goes when it is left; `again` how to come back."""

    match: Match
    console: Console
    read: Callable[[], str]
    save: str
    again: str
    keep: bool = False
    script: list[tuple[str, int, str]] = field(factory=list)
    told: dict[Seat, int] = field(factory=dict)
    last: Seat = None
    misses: int = 0
    first: int = 0

    # -- the whole sitting ------------------------------------------------------------------------
    def play(self) -> int:
        """Play to the end, or to where the people leave."""
        title = self.match.engine.machine.title
        self.first = max(0, len(self.match.steps) - RECENT)
        self.console.print(Text(title, style="bold"), Text(f"seats: {', '.join(self.match.seats)}"))
        try:
            while not self.match.over:
                self.turn()
        except Ended:
            self.put_away(f"input ended at step {len(self.match.steps)}")
            return 1
        except Left:
            self.put_away(f"left at step {len(self.match.steps)}")
            return 0
        except KeyboardInterrupt:
            self.put_away(f"interrupted at step {len(self.match.steps)}")
            return 130
        self.news(self.audience)
        self.finish()
        return 0

    def put_away(self, what: str) -> None:
        """Save, and say in one line how to go on."""
        game_files.write(self.save, self.match.text())
        self.console.print()
        line = f"{what}; go on with: {self.again}"
        Console(stderr=True, highlight=False).print(line, markup=False, soft_wrap=True)

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [i for i, kind in enumerate(self.match.seats) if kind == "human"]

    @property
    def audience(self) -> Seat:
        """For whose eyes the screen is when nobody is asked: the only person's, or everybody's."""
        return self.people[0] if len(self.people) == 1 else None

    def turn(self) -> None:
        """One step of whoever must act."""
        actor = self.match.actor
        if actor.kind == "chance":
            self.match.chance()
        elif actor.kind == "table":
            if self.people:
                self.ask()
            else:
                self.match.agree()
        elif self.match.seats[actor.seat] == "human":
            self.ask()
            if self.keep:
                game_files.write(self.save, self.match.text())
        else:
            self.match.choose(bots.choose(self.match, self.match.seats[actor.seat]))
        if not self.people:
            self.news(None)

    # -- showing ----------------------------------------------------------------------------------
    def say(self, *lines: str) -> None:
        """Plain lines."""
        for line in lines:
            self.console.print(line, markup=False, highlight=False)

    def news(self, seat: Seat) -> None:
        """What has happened since this seat last looked, as it may know it."""
        total = len(self.match.steps)
        for number in range(min(self.told.get(seat, self.first), total), total):
            actor = self.match.steps[number].actor
            if not self.people:
                self.say(str(self.match.steps[number].entry))
                continue
            line = self.match.told(number, seat)
            if (actor.kind != "seat" or actor.seat != seat) and not line.endswith(f" {UNTOLD}"):
                self.say(line)
        self.told[seat] = total

    def look(self, seat: Seat) -> None:
        """The position."""
        match = self.match
        measures = [
            (kind, found)
            for kind in ("score", "payoff")
            if (found := measure(match.engine, match.state, kind, seat)) is not None
        ]
        heads = [
            f"seat{i}"
            + (
                " (you)"
                if i == seat and kind == "human"
                else f" ({kind})"
                if kind != "human"
                else ""
            )
            for i, kind in enumerate(match.seats)
        ]
        self.console.print(draw.position(match.engine.machine, match.view(seat), measures, heads))

    def hand_over(self, seat: int) -> None:
        """Where people hide things from each other, the next one takes the screen."""
        several = len(self.people) > 1 and not open_to_all(self.match.engine.machine)
        if (
            several
            and self.last not in (None, seat)
            and not self.script
            and self.console.is_terminal
        ):
            self.console.clear()
            self.say(f"seat{seat} is next: take the screen and press Enter")
            self.read()
        self.last = seat

    # -- asking -----------------------------------------------------------------------------------
    def ask(self) -> None:
        """Ask the person of the seat that must act until one choice is made."""
        actor = self.match.actor
        seat: Seat = actor.seat if actor.kind == "seat" else self.audience
        if self.script:
            self.scripted()
            return
        if seat is not None:
            self.hand_over(seat)
        self.news(seat)
        self.look(seat)
        menu = Menu.of(self.match)
        self.offer(menu)
        steps = len(self.match.steps)
        while len(self.match.steps) == steps:
            self.console.print(f"{self.who()}> ", end="", markup=False, highlight=False)
            line = self.read().strip()
            if line and not self.obey(line, menu):
                single = menu.builds and not line.startswith("{")
                self.missed(line, f"{{{line}}}" if single else line)
            elif line:
                self.misses = 0
        if len(self.match.steps) > steps and seat is not None:
            self.told[seat] = len(self.match.steps)

    def who(self) -> str:
        """Who is asked, for the prompt."""
        actor = self.match.actor
        return f"seat{actor.seat}" if actor.kind == "seat" else "table"

    def missed(self, line: str, meant: str) -> None:
        """A line that means nothing; too many from a pipe end the sitting."""
        self.misses += 1
        if self.misses >= PATIENCE and not sys.stdin.isatty():
            raise Ended
        self.say(f"'{line[:60]}' is no choice here", *asking.reasons(self.match, meant)[:4])
        self.say("type a number from the list, ? to have it explained, or help")

    def offer(self, menu: Menu) -> None:
        """The question and what may be answered."""
        actor = self.match.actor
        prompt = self.match.decision.prompt if actor.kind == "seat" else ""
        if actor.kind == "table":
            prompt = self.match.engine.machine.sites[actor.number].prompt
        self.console.print(
            Text.assemble((f"{self.who()}: ", "bold"), prompt, (f"  {actor.path}", "dim"))
        )
        if menu.builds:
            self.offer_steps(menu)
            return
        pairs = menu.page()
        if menu.numeric:
            self.say("choose: " + " ".join(key for key, _ in pairs))
        else:
            width = max(len(key) for key, _ in pairs)
            self.console.print(
                Columns(
                    [f"[bold]{k:>{width}}[/]  {escape(w)}" for k, w in pairs],
                    column_first=True,
                    padding=(0, 3),
                )
            )
        if len(menu.shown) > len(pairs):
            last = menu.start + len(pairs)
            here = f"{menu.start + 1}-{last} of {len(menu.shown)}"
            self.say(f"{here}; 'more' turns the page, /TEXT searches")

    def offer_steps(self, menu: Menu) -> None:
        """A subset in the making."""
        labels = menu.labels()
        steps = [f"[bold]{i}[/] {escape(labels[m])}" for i, m in enumerate(menu.steps(), 1)]
        self.say(f"{len(self.match.state.legal):,} sets are legal; so far {menu.built()}")
        if steps:
            self.console.print(Columns(steps, padding=(0, 3)))
        words = ["'done' chooses it"] if menu.complete else ["it is not legal yet"]
        self.say("; ".join([*words, "'back' drops the last", "'cancel' begins again"]))

    # -- obeying ----------------------------------------------------------------------------------
    def obey(self, line: str, menu: Menu) -> bool:
        """Carry out a line; False when it means nothing here."""
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        raw = self.match.find(line)
        if raw is None:
            raw = menu.by_key(line)
        if raw is not None:
            self.match.choose(raw)
            return True
        if line.startswith("/"):
            self.search(line[1:], menu)
            return True
        command = {
            "?": lambda: self.say(*asking.explanation(self.match)),
            "help": lambda: self.say(HELP),
            "look": lambda: self.look(self.seat()),
            "log": lambda: self.say(self.match.seat_log(self.seat()).rstrip()),
            "more": lambda: self.page(menu),
            "why": lambda: (
                self.say(*asking.reasons(self.match, rest)) if rest else self.say("why CHOICE")
            ),
            "show": lambda: self.say(*printed(self.match.engine.machine, rest)),
            "undo": self.undo,
            "save": lambda: self.store(rest),
            "quit": self.leave,
        }.get(word)
        if command is not None and (not rest or word in ("why", "save", "show")):
            command()
            return True
        return menu.builds and self.build(line, menu)

    def seat(self) -> Seat:
        """Whose eyes are on the screen."""
        actor = self.match.actor
        return actor.seat if actor.kind == "seat" else self.audience

    def page(self, menu: Menu) -> None:
        """The next page of choices."""
        menu.more()
        self.offer(menu)

    def search(self, text: str, menu: Menu) -> None:
        """Show only some of the choices."""
        if menu.builds or not menu.search(text):
            self.say(
                "no choice holds this text" if not menu.builds else "members are typed by name"
            )
            return
        self.offer(menu)

    def build(self, line: str, menu: Menu) -> bool:
        """A step of building a subset."""
        if line == "done" and menu.complete:
            self.match.choose(menu.mask)
            return True
        if line == "done":
            self.say(f"{menu.built()} is not legal", *asking.reasons(self.match, menu.built()))
            return True
        if line == "back" and menu.picked:
            menu.picked.pop()
        elif line == "cancel":
            menu.picked.clear()
        elif not menu.add_all(line.replace(",", " ").split()):
            return False
        self.offer_steps(menu)
        return True

    def undo(self) -> None:
        """Take back the last choice of a person, if that is fair; asks anew."""
        last = self.match.steps[-1].actor if self.match.steps else None
        if last is not None and last.kind == "seat" and self.match.seats[last.seat] != "human":
            self.say(f"this cannot be undone: seat{last.seat} has acted since")
            return
        try:
            step = self.match.undo()
        except Refused as bad:
            self.say(bad.problem.title)
            return
        self.say(
            f"taken back: {step.entry}" if open_to_all(self.match.engine.machine) else "taken back"
        )
        self.told = {k: min(v, len(self.match.steps)) for k, v in self.told.items()}

    def store(self, path: str) -> None:
        """Save on request."""
        try:
            game_files.write(path or self.save, self.match.text())
            self.say(f"saved to {path or self.save}")
        except Refused as bad:
            self.say(bad.problem.title)

    def leave(self) -> None:
        """A person leaves."""
        raise Left

    # -- scripts ----------------------------------------------------------------------------------
    def scripted(self) -> None:
        """The next choice from the script; one that is not legal ends the command."""
        file, number, text = self.script.pop(0)
        raw: Raw | None = self.match.find(text)
        if raw is None:
            why = asking.reasons(self.match, text)
            who = f"{self.who()} at {self.match.actor.path}"
            title = f"step {len(self.match.steps) + 1}: '{text}' is not a legal choice of {who}"
            raise Refused(Problem("R0204", title, Span(file, number), notes=tuple(why)))
        self.match.choose(raw)

    # -- the end ----------------------------------------------------------------------------------
    def finish(self) -> None:
        """The last position, who won, and why."""
        self.look(self.audience)
        outcome = self.match.outcome()
        assert outcome is not None
        self.say(*asking.ending(outcome, self.match))
