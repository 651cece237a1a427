"""Asking: the legal choices of a decision as lists that a person can find the way in.

In: a match in which a person must act. Out: pages of numbered choices, searches by text, subsets
built member by member (only those steps are offered that still lead to a legal set), and words that
explain a decision. Nothing is printed or read here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, field

from compiler.machine.builtins import members
from compiler.machine.record import Demand
from compiler.machine.values import SetType
from dsl.problems import Problem, Refused
from runtime.engine import Outcome
from runtime.legal import DECLINED, NOTHING, Raw
from runtime.match import Match

PAGE = 20


@define
class Menu:
    """The choices of one decision; `keys` are what a person types for each."""

    match: Match
    items: list[tuple[str, Raw]] = field(factory=list)
    shown: list[int] = field(factory=list)
    start: int = 0
    picked: list[int] = field(factory=list)

    @classmethod
    def of(cls, match: Match) -> Menu:
        """The menu of the decision that waits."""
        made = cls(match)
        if not made.builds:
            made.items = match.options()
            made.shown = list(range(len(made.items)))
        return made

    @property
    def builds(self) -> bool:
        """Whether the choice is a subset with so many legal sets that it is built by steps."""
        actor = self.match.actor
        if actor.kind != "seat" or self.match.decision.chooser < 0:
            return False
        kind = self.match.engine.machine.choosers[self.match.decision.chooser].type
        return isinstance(kind, SetType) and self._sets and len(self.match.state.legal) > PAGE

    @property
    def _sets(self) -> bool:
        machine = self.match.engine.machine
        return machine.choosers[self.match.decision.chooser].form == "subset"

    # -- lists ------------------------------------------------------------------------------------
    @property
    def numeric(self) -> bool:
        """Whether the choices are numbers themselves: then they are typed as they are."""
        return all(w.lstrip("-").isdigit() or r in (DECLINED, NOTHING) for w, r in self.items)

    def key(self, at: int) -> str:
        """What to type for a choice."""
        return self.items[at][0] if self.numeric else str(at + 1)

    def page(self) -> list[tuple[str, str]]:
        """Key and words of the choices on the present page."""
        here = self.shown[self.start : self.start + PAGE]
        return [(self.key(at), self.words(at)) for at in here]

    def words(self, at: int) -> str:
        """A choice with the text of its option."""
        text, raw = self.items[at]
        if self.match.actor.kind == "seat" and self.match.decision.chooser < 0 and raw != NOTHING:
            said = self.match.decision.options[raw[0]].text
            return f"{text}  {said}".rstrip()
        return text

    def more(self) -> None:
        """Turn the page; after the last comes the first."""
        self.start += PAGE
        if self.start >= len(self.shown):
            self.start = 0

    def search(self, text: str) -> int:
        """Show only the choices that hold a text; an empty text shows all. Returns how many."""
        text = text.strip().lower()
        found = [i for i in range(len(self.items)) if text in self.words(i).lower()]
        if found:
            self.shown, self.start = found, 0
        return len(found)

    def by_key(self, key: str) -> Raw | None:
        """The choice of a number, or None."""
        if (
            self.numeric
            or not key.isdigit()
            or len(key) > 9
            or not 1 <= int(key) <= len(self.items)
        ):
            return None
        return self.items[int(key) - 1][1]

    # -- subsets ----------------------------------------------------------------------------------
    @property
    def mask(self) -> int:
        """What was picked so far."""
        return sum(1 << m for m in self.picked)

    @property
    def complete(self) -> bool:
        """Whether what was picked is a legal set."""
        return self.mask in self.match.state.legal

    def labels(self) -> tuple[str, ...]:
        """The names of the members."""
        kind = self.match.engine.machine.choosers[self.match.decision.chooser].type
        assert isinstance(kind, SetType)
        labels = self.match.engine.machine.domains[kind.domain].labels
        if kind.domain not in self.match.teller.kinds:
            return labels
        here, actor = len(self.match.steps), self.match.actor
        return tuple(
            self.match.teller.own(self.match.state, actor, 1 << i, here).strip("{}")
            for i in range(len(labels))
        )

    def steps(self) -> list[int]:
        """The members with which what was picked can still become a legal set."""
        mask, found = self.mask, 0
        for raw in self.match.state.legal:
            if isinstance(raw, int) and raw >= 0 and raw & mask == mask:
                found |= raw
        return [m for m in members(found) if not mask >> m & 1]

    def add_all(self, words: Sequence[str]) -> bool:
        """Add members by number or name, all or none; False when one of them is no step.

        Numbers are those of the list that is on the screen when the line is typed.
        """
        before, shown = list(self.picked), self.steps()
        if all(self._add(word, shown) for word in words):
            return True
        self.picked[:] = before
        return False

    def _add(self, word: str, shown: Sequence[int]) -> bool:
        labels, open_now = self.labels(), self.steps()
        named = {labels[m].lower(): m for m in (*shown, *self.picked)}
        found = named.get(word.lower())
        if found is None and word.isdigit() and len(word) < 9 and 1 <= int(word) <= len(shown):
            found = shown[int(word) - 1]
        if found is None or (found not in open_now and found not in self.picked):
            return False
        if found not in self.picked:
            self.picked.append(found)
        return True

    def built(self) -> str:
        """What was picked so far, in words."""
        labels = self.labels()
        return "{" + ", ".join(labels[m] for m in sorted(self.picked)) + "}"


# -- explanations ---------------------------------------------------------------------------------


def explanation(match: Match) -> list[str]:
    """What is being decided: the path in the rules, the prompt, what is required and cited."""
    machine, actor = match.engine.machine, match.actor
    if actor.kind != "seat":
        site = machine.sites[actor.number]
        return [f"the table answers at {site.path}", *([site.prompt] if site.prompt else [])]
    made = match.decision
    lines = [f"seat{actor.seat} decides at {made.path}{_cited(match, made.clause)}"]
    lines += [made.prompt] if made.prompt else []
    lines += ["declining is allowed"] if made.may else []
    if made.chooser >= 0:
        return lines + _demands(match, machine.choosers[made.chooser].demands, "  ")
    for option in made.options:
        lines.append(f"  {option.name}  {option.text}".rstrip() + _cited(match, option.clause))
        lines += _demands(match, option.demands, "    ")
    return lines


def _cited(match: Match, clause: int) -> str:
    cites = match.engine.machine.clauses[clause].cites if clause >= 0 else ()
    return "".join(f" @{c}" for c in cites)


def _demands(match: Match, demands: Sequence[Demand], indent: str) -> list[str]:
    out = []
    for demand in demands:
        word = "preferred" if demand.prefer else "refused if"
        out.append(f"{indent}{word}: {demand.text}{_cited(match, demand.clause)}")
    return out


def reasons(match: Match, text: str) -> list[str]:
    """Why a choice is refused, in lines; a legal one says so."""
    try:
        found = match.why(text)
    except Refused as bad:
        return _lines(bad.problem)
    return [f"refused: {r}" for r in found] or ["this choice is legal"]


def _lines(problem: Problem) -> list[str]:
    return [problem.title, *([problem.help] if problem.help else [])]


def ending(made: Outcome, match: Match) -> Iterable[str]:
    """The outcome in lines."""
    names = [f"seat{p}" for p in made.winners]
    if made.stalled:
        yield "the play was cut short; it did not end by the rules"
    if made.how == "lose" and not names:
        yield f"{' and '.join(f'seat{p}' for p in made.losers)} lost"
    elif names:
        yield f"{' and '.join(names)} {'wins' if len(names) == 1 else 'win together'}"
    else:
        yield {"draw": "a draw", "no_winner": "nobody wins"}.get(made.how, "no winner")
    for seat in sorted(range(len(made.ranks)), key=lambda p: made.ranks[p]):
        if made.ranks[seat]:
            values = ", ".join(
                f"{c} {v[seat]}" for c, v in zip(made.criteria, made.values, strict=True)
            )
            yield f"{made.ranks[seat]}. seat{seat}: {values}"
    if any(m.kind == "payoff" for m in match.engine.machine.measures):
        yield "returns: " + ", ".join(f"seat{i} {r:g}" for i, r in enumerate(made.returns))
