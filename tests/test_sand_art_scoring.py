"""Sand Art's scoring against an independent one: networkx finds the patterns, brute force packs.

P12 of the study: a score does not depend on any order in memory, since this one has none in common.
"""

from __future__ import annotations

import tomllib
from itertools import combinations, groupby
from typing import Any

import networkx as nx
import pytest
from networkx.algorithms.isomorphism import DiGraphMatcher

from runtime.engine import Engine, State
from tests.support import GAMES, engine, playout

COLORS = ("red", "yellow", "blue", "orange", "green", "purple")
LEFT = ["A1", "B1", "D1", "E1", "G1", "H1", "I1", "J1", "K1", "L1", "M1", "N1"]
RIGHT = ["A1", "B3", "D5", "E4", "G6", "H3", "I4", "J4", "K3", "L3", "M1", "N1"]
MAP = """
.. .. .. .. N1 N1 N1 N1 .. .. .. ..
.. .. .. M1 M1 M1 M1 M1 M1 .. .. ..
.. .. L1 L1 L1 L2 L2 L3 L3 L3 .. ..
.. K1 K1 K2 K2 K2 K2 K2 K2 K3 K3 ..
J1 J1 J1 J2 J2 J2 J3 J3 J3 J4 J4 J4
I1 I1 I1 I2 I2 I2 I3 I3 I3 I4 I4 I4
H1 H1 H1 H1 H2 H2 H2 H2 H3 H3 H3 H3
G1 G1 G2 G3 G3 G3 G4 G4 G4 G5 G6 G6
E1 E1 E1 F1 F1 F1 F1 F1 F1 E4 E4 E4
E1 E1 E1 E2 E2 E2 E3 E3 E3 E4 E4 E4
D1 D1 D2 D3 D3 D3 D3 D3 D3 D4 D5 D5
B1 B1 B1 C1 C1 C1 C2 C2 C2 B3 B3 B3
B1 B1 B1 B2 B2 B2 B2 B2 B2 B3 B3 B3
A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1
"""
TWO = {"A1", "B1", "B2", "B3", "D3", "E1", "E4", "F1", "H1", "H3", "K2", "N1"}
DOTS = {**dict.fromkeys(TWO, 2), **dict.fromkeys(("D2", "D4", "G2", "G5", "L2"), 0), "M1": 3}


def relations() -> nx.DiGraph[str]:
    """An edge x -> y 'above' when x lies on y, 'left' when x is left of y."""
    made: nx.DiGraph[str] = nx.DiGraph()
    rows = [line.split() for line in MAP.split("\n") if line]
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if cell == "..":
                continue
            made.add_node(cell)
            for other, kind in (
                (rows[y + 1][x] if y + 1 < len(rows) else "..", "above"),
                (row[x + 1] if x + 1 < len(row) else "..", "left"),
            ):
                if other not in ("..", cell):
                    made.add_edge(cell, other, kind=kind)
    return made


GRAPH = relations()


def cards(name: str) -> dict[str, dict[str, Any]]:
    """The cards of a data file by name."""
    rows = tomllib.loads((GAMES / "sand_art" / name).read_text(encoding="utf-8"))["cards"]
    return {row["name"]: row for row in rows}


LAYERS, PATTERNS, OBJECTIVES = cards("layers.toml"), cards("patterns.toml"), cards("colors.toml")


def most(groups: list[tuple[frozenset[str], int]]) -> int:
    """The best total of disjoint groups, by trying every combination."""
    return max(
        (
            sum(v for _, v in some)
            for size in range(len(groups) + 1)
            for some in combinations(groups, size)
            if len(frozenset().union(*(g for g, _ in some))) == sum(len(g) for g, _ in some)
        ),
        default=0,
    )


def layer_points(bottle: dict[str, str], card: dict[str, Any]) -> int:
    """A Layers card on both walls."""
    found = []
    for wall in (LEFT, RIGHT):
        runs = [(k, list(g)) for k, g in groupby(wall, key=lambda s: bottle.get(s, ""))]
        size = len(card["layers"])
        for at in range(len(runs) - size + 1):
            if [k for k, _ in runs[at : at + size]] == card["layers"]:
                found.append(
                    (frozenset(s for _, g in runs[at : at + size] for s in g), card["points"])
                )
    return most(found)


def pattern_points(bottle: dict[str, str], card: dict[str, Any]) -> int:
    """A pattern card, by induced subgraph isomorphism."""
    shape: nx.DiGraph[int] = nx.DiGraph()
    for number, color in enumerate(card["shape"]["nodes"]):
        shape.add_node(number, color=color)
    for a, kind, b in card["shape"]["edges"]:
        shape.add_edge(a, b, kind=kind)
    filled = GRAPH.subgraph(bottle).copy()
    nx.set_node_attributes(filled, bottle, "color")
    matcher = DiGraphMatcher(
        filled,
        shape,
        node_match=lambda a, b: b["color"] in ("any", a["color"]),
        edge_match=lambda a, b: a["kind"] == b["kind"],
    )
    found = set()
    for match in matcher.subgraph_isomorphisms_iter():
        area = frozenset(match)
        used = {bottle[s] for s in area}
        if "any" in card["shape"]["nodes"] and len(used) > 1:
            continue
        near = {u for s in area for u in (*GRAPH.successors(s), *GRAPH.predecessors(s))} - area
        touching = any(
            bottle.get(u) == bottle[s]
            for s in area
            for u in near
            if GRAPH.has_edge(u, s) or GRAPH.has_edge(s, u)
        )
        if not touching:
            high = bool(used & {"orange", "green", "purple"})
            found.add((area, card["high"] if high else card["low"]))
    return most(sorted(found, key=lambda f: sorted(f[0])))


def cells(made: Engine, state: State, name: str) -> tuple[int, ...]:
    """The cells of a field."""
    found = next(f for f in made.machine.fields if f.name == name)
    return state.cells[found.base : found.base + len(found.default)]


def labels(made: Engine, name: str) -> tuple[str, ...]:
    """The labels of a domain."""
    return next(d.labels for d in made.machine.domains if d.name == name)


def expected(made: Engine, state: State) -> list[int]:
    """The score of every seat."""
    sections, layers = labels(made, "Section"), labels(made, "Layer")
    sand = cells(made, state, "sand")
    bottles = [
        {
            s: COLORS[sand[p * len(sections) + i]]
            for i, s in enumerate(sections)
            if sand[p * len(sections) + i] >= 0
        }
        for p in range(made.machine.players)
    ]
    held, prize = cells(made, state, "held"), cells(made, state, "prize")
    goals = cells(made, state, "goals")[0]
    shared = [c for i, c in enumerate(labels(made, "Pattern")) if goals >> i & 1]
    totals = []
    covered = [
        {c: sum(DOTS.get(s, 1) for s, x in b.items() if x == c) for c in COLORS} for b in bottles
    ]
    for p, bottle in enumerate(bottles):
        total = 5 if prize[p] >= 0 else 0
        for card in OBJECTIVES.values():
            top = max(x[card["color"]] for x in covered)
            total += card["points"] if top and covered[p][card["color"]] == top else 0
        total += sum(
            layer_points(bottle, LAYERS[c]) for i, c in enumerate(layers) if held[p] >> i & 1
        )
        total += sum(pattern_points(bottle, PATTERNS[c]) for c in shared)
        totals.append(total)
    return totals


@pytest.mark.parametrize("players", [2, 3, 4])
def test_scores_agree_with_an_independent_scorer(players: int) -> None:
    """Over the final bottles of random games, every summand together."""
    made = engine("sand_art", players)
    for seed in range(12):
        state = playout(made, seed)
        wanted = expected(made, state)
        assert list(made.measure("score", state.cells) or ()) == wanted
        outcome = made.outcome(state)
        assert outcome is not None
        ranked = list(outcome.values[0])
        assert ranked == wanted, "what decides the game is what is shown"
