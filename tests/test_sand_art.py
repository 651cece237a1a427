"""Sand Art: the property tests P1 to P15 of its study, checked after each decision."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import pytest
from attrs import define, field

from compiler.config import Configuration
from compiler.machine.builtins import members
from compiler.pipeline import compile_spec, parse
from dsl.problems import Report
from runtime.engine import Actor, Engine, State
from tests.support import GAMES, engine, playout, reader

COLORS = range(6)
PLAYERS = (2, 3, 4)


@define
class Table:
    """Reads a Sand Art state by names."""

    engine: Engine

    def cells(self, state: State, name: str) -> tuple[int, ...]:
        """The cells of a field."""
        made = next(f for f in self.engine.machine.fields if f.name == name)
        return state.cells[made.base : made.base + len(made.default)]

    def by_seat(self, state: State, name: str) -> list[tuple[int, ...]]:
        """The cells of a field, a row a seat."""
        cells = self.cells(state, name)
        width = len(cells) // self.engine.machine.players
        return [cells[i : i + width] for i in range(0, len(cells), width)]

    def lookup(self, name: str) -> tuple[Any, ...]:
        """A constant table by name."""
        return next(t.cells for t in self.engine.machine.tables if t.name == name)


SHELF = (25, 25, 25, 15, 15, 15)


@define
class Watch:
    """Follows a game and holds the properties after every step."""

    table: Table
    before: State
    poured: list[list[int]] = field(factory=list)
    spread: list[list[int]] = field(factory=list)
    mixed: list[list[int]] = field(factory=list)
    color: int = -1
    recipe: int = -1
    turns: list[int] = field(factory=list)
    mover: int = -1

    def __attrs_post_init__(self) -> None:
        count = self.table.engine.machine.players
        for ledger in (self.poured, self.spread, self.mixed):
            ledger.extend([0] * 6 for _ in range(count))
        self.turns.extend([0] * count)

    def step(self, actor: Actor, raw: Any, state: State) -> None:
        """After each choice."""
        self.account(actor, raw)
        self.boxes(state)
        self.bottles(state)
        self.abilities(actor, state)
        self.places(actor, state)
        assert not self.table.engine.broken(state)  # P2, P7, P1
        self.before = state

    def account(self, actor: Actor, raw: Any) -> None:
        """Keep books of what was poured, spread and mixed."""
        dots = self.table.lookup("Section.dots")
        seat = actor.seat
        match actor.path:
            case "pour_sand.c" | "shake_up.c":
                self.color = raw
            case "pour_sand.area":
                self.poured[seat][self.color] += sum(dots[s] for s in members(raw))
            case "shake_up.area":
                self.spread[seat][self.color] += sum(dots[s] for s in members(raw))
            case "mix_sand.r":
                self.recipe = raw
            case "mix_sand.k":
                parts = {3: (0, 1), 4: (1, 2), 5: (0, 2)}[self.recipe]
                for c in parts:
                    self.mixed[seat][c] += raw + 1
            case "move_hand.x" if self.extra is False:
                self.turns[seat] += 1
        self.extra = actor.path == "turn.action.extra_turn.extra" and raw != ()

    extra: bool = False

    def boxes(self, state: State) -> None:
        """P1, P4: boxes add up, used ones never fall and equal what was poured and mixed away."""
        marked, crossed = (self.table.by_seat(state, n) for n in ("marked", "crossed"))
        old = self.table.by_seat(self.before, "crossed")
        for p in range(len(marked)):
            for c in COLORS:
                assert marked[p][c] + crossed[p][c] <= SHELF[c]
                assert crossed[p][c] >= old[p][c]
                assert crossed[p][c] == self.poured[p][c] + self.mixed[p][c]

    def bottles(self, state: State) -> None:
        """P3, P4: sand never changes colour; the dots in a bottle were poured or spread."""
        dots = self.table.lookup("Section.dots")
        now, old = (self.table.by_seat(s, "sand") for s in (state, self.before))
        for p, bottle in enumerate(now):
            assert all(a in (-1, b) for a, b in zip(old[p], bottle, strict=True))
            for c in COLORS:
                held = sum(dots[s] for s, x in enumerate(bottle) if x == c)
                assert held == self.poured[p][c] + self.spread[p][c]

    def abilities(self, actor: Actor, state: State) -> None:
        """P5: abilities grow; one becomes active only when its owner's next turn begins."""
        for name in ("extra_scoop", "double_arrow", "extra_turn", "up_down"):
            now, old = self.table.cells(state, name), self.table.cells(self.before, name)
            for p, (a, b) in enumerate(zip(old, now, strict=True)):
                assert a <= b <= a + 1
                if b == 2 and a == 1:
                    nxt = self.table.engine.to_act(state)
                    assert (nxt.seat, nxt.path) == (p, "move_hand.x")

    def places(self, actor: Actor, state: State) -> None:
        """P6, P10, P11: thumbs at the ends, one First Finished, all Layers cards somewhere."""
        nxt = self.table.engine.to_act(state)
        hands = self.table.cells(state, "hands")
        thumb = self.table.cells(state, "thumb")
        if nxt.path == "move_hand.x":
            for p in range(len(thumb)):
                if hands[0] >> p & 1:
                    assert thumb[p] == 1
                if hands[-1] >> p & 1:
                    assert thumb[p] == 0
        assert sum(x >= 0 for x in self.table.cells(state, "prize")) <= 1
        where = self.table.cells(state, "Layer.where")
        if "setup" not in actor.path:
            assert all(where)

    def finish(self, state: State) -> None:
        """P9: equal turns, unless the play was cut short."""
        assert len(set(self.turns)) == 1


def watched(players: int, seed: int) -> tuple[Watch, State]:
    """A random game with every property held."""
    made = engine("sand_art", players)
    watch = Watch(Table(made), made.start())
    state = playout(made, seed, watch.step)
    watch.finish(state)
    return watch, state


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("seed", range(4))
def test_random_games_hold_every_property(players: int, seed: int) -> None:
    """P1 to P11 over whole games."""
    watched(players, seed)


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_three_hundred_random_games_hold_every_property(players: int) -> None:
    """P1 to P11, 300 games a player count."""
    for seed in range(1000, 1300):
        watched(players, seed)


@pytest.mark.parametrize("players", PLAYERS)
def test_walker_and_generated_core_agree(players: int) -> None:
    """The oracle and the generated engine play the same games, move by move."""
    fast, slow = engine("sand_art", players), engine("sand_art", players, "walker")
    seen: list[tuple[str, Any, tuple[int, ...], tuple[Any, ...]]] = []
    playout(fast, 7, lambda a, r, s: seen.append((a.path, r, s.cells, s.legal)))
    found: list[tuple[str, Any, tuple[int, ...], tuple[Any, ...]]] = []
    playout(slow, 7, lambda a, r, s: found.append((a.path, r, s.cells, s.legal)))
    assert seen == found


def floats(area: int, filled: int, below: tuple[int, ...]) -> bool:
    """Whether a section of an area has nothing under it (written anew for P13)."""
    return any(below[s] & ~(area | filled) for s in members(area))


def one_piece(area: int, sides: tuple[int, ...]) -> bool:
    """Whether an area is connected, by flooding (written anew for P13)."""
    todo = [members(area)[0]]
    seen = set(todo)
    while todo:
        for other in members(sides[todo.pop()] & area):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen) == area.bit_count()


def brute_pours(table: Table, filled: int, sand: int) -> set[int]:
    """Every legal pour by trying every subset of up to so many empty sections."""
    dots = table.lookup("Section.dots")
    below, sides = table.lookup("bottle.below"), table.lookup("bottle.sides")
    empty = [s for s in range(len(dots)) if not filled >> s & 1]
    found = set()
    for size in range(1, min(8, len(empty)) + 1):
        for chosen in combinations(empty, size):
            area = sum(1 << s for s in chosen)
            cost = sum(dots[s] for s in chosen)
            if not 1 <= cost <= min(5, sand) or floats(area, filled, below):
                continue
            alone = any(
                dots[s] == 0 and not any(dots[u] for u in members(sides[s] & area)) for s in chosen
            )
            if not alone and one_piece(area, sides):
                found.add(area)
    return found


def test_legal_pours_are_what_brute_force_accepts() -> None:
    """P13, on late positions where every subset can be tried."""
    made = engine("sand_art", 2)
    table = Table(made)
    compared = 0

    def step(actor: Actor, raw: Any, state: State) -> None:
        nonlocal compared
        nxt = made.to_act(state)
        if nxt.path != "pour_sand.area":
            return
        bottle = table.by_seat(state, "sand")[nxt.seat]
        filled = sum(1 << s for s, c in enumerate(bottle) if c >= 0)
        if len(bottle) - filled.bit_count() > 17:
            return
        sand = table.by_seat(state, "marked")[nxt.seat][raw]
        assert set(state.legal) == brute_pours(table, filled, sand)
        compared += 1

    for seed in range(8):
        playout(made, seed, step)
    assert compared > 10


def test_sixty_gain_choices_with_the_extra_scoop() -> None:
    """SC-21 (c): 12 amounts of one colour, 18 of two, 4 of three give 60 ways with the extra."""
    made = engine("sand_art", 2)
    table = Table(made)
    ways: set[tuple[int, ...]] = set()
    for seed in range(60):
        state = made.start()
        while made.to_act(state).kind != "end":
            actor = made.to_act(state)
            if actor.path == "gain_sand.scoops.v" and not any(
                table.by_seat(state, "crossed")[actor.seat]
            ):
                ways |= set(state.legal)
                break
            state = made.apply(
                state,
                made.draw(state, seed)
                if actor.kind != "seat"
                else state.legal[seed % len(state.legal)],
            )
        if ways:
            break
    four = [w for w in ways if sum(w) <= 4]
    assert len(four) == 34
    assert sum(sum(x > 0 for x in w) for w in four) == 60


@pytest.mark.parametrize("file", ["bench", "layers", "patterns", "colors"])
def test_every_count_of_cards_is_held(file: str) -> None:
    """A card too few in any data file is an error, not a shorter game."""
    read = reader(GAMES)

    def shorter(name: str) -> bytes | None:
        data = read(name)
        if name != f"sand_art/{file}.toml" or data is None:
            return data
        return re.sub(rb"(?ms)^\[\[cards\]\].*?(?=^\[\[|\Z)", b"", data, count=1)

    assert shorter(f"sand_art/{file}.toml") != read(f"sand_art/{file}.toml")
    report = Report()
    compile_spec(parse("sand_art.game", shorter, report), Configuration(), report)
    assert "E0608" in [p.code for p in report]
