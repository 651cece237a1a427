"""The state diagram: decisions, chance, ends and the ways between them, grouped by rule.

In: a machine. Out: a networkx graph whose nodes are what play waits for, and that graph as DOT,
Mermaid or SVG text. Blocks that run by themselves are folded into the edges. A rule that is called
from several places returns to each of them here: the diagram shows more ways than one play has.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from itertools import pairwise

import networkx as nx

from compiler import control
from compiler.machine import effects as e
from compiler.machine.record import Machine

START = "start"
SHAPES = {
    "start": "circle",
    "decision": "box",
    "chance": "diamond",
    "table": "hexagon",
    "end": "doublecircle",
}
FILL = {
    "start": "#333333",
    "decision": "#e8f0fe",
    "chance": "#fff3cd",
    "table": "#e2f0d9",
    "end": "#f8d7da",
}


def diagram(machine: Machine) -> nx.DiGraph[str]:
    """The graph; nodes have `kind`, `label` and `rule`, edges have `label`."""
    made: nx.DiGraph[str] = nx.DiGraph(title=machine.title)
    names = _names(machine)
    made.add_node(START, kind="start", label="start", rule="")
    ways = [(START, machine.start, "")]
    seen = set()
    while ways:
        source, block, label = ways.pop()
        for stop in _stops(machine, block):
            name = names[stop]
            if name not in made:
                made.add_node(name, **_facts(machine, stop, name))
            _join(made, source, name, label)
            if stop not in seen:
                seen.add(stop)
                ways += [(name, to, word) for to, word in _ways(machine, stop)]
    return made


def _names(machine: Machine) -> dict[int, str]:
    """A name for each block at which play waits or ends: its path, numbered if it is not alone."""
    out: dict[int, str] = {}
    taken: dict[str, int] = {}
    for number, block in enumerate(machine.blocks):
        match block.exit:
            case e.Ask(decision) | e.AskMenu(decision):
                path = machine.decisions[decision].path
            case e.Draw(site):
                path = machine.sites[site].path
            case e.End():
                path = f"{block.path}.end"
            case _:
                continue
        taken[path] = taken.get(path, 0) + 1
        out[number] = path if taken[path] == 1 else f"{path} {taken[path]}"
    return out


def _facts(machine: Machine, block: int, name: str) -> dict[str, str]:
    exit_ = machine.blocks[block].exit
    kind, label = "decision", name
    match exit_:
        case e.Ask(decision) | e.AskMenu(decision):
            prompt = machine.decisions[decision].prompt
            label = f"{name}\n{prompt}" if prompt else name
        case e.Draw(site):
            kind = "table" if machine.sites[site].kind == "table" else "chance"
        case e.End(ending):
            kind, how = "end", machine.endings[ending].how.replace("_", " ")
            label = f"end: {how}"
    return {"kind": kind, "label": label, "rule": name.split(".")[0]}


def _stops(machine: Machine, block: int) -> list[int]:
    """Where play can come to from a block without anybody acting."""
    found, seen, todo = [], {block}, [block]
    while todo:
        at = todo.pop()
        exit_ = machine.blocks[at].exit
        if isinstance(exit_, e.Ask | e.AskMenu | e.Draw | e.End):
            found.append(at)
            continue
        for to in control.successors(machine, exit_):
            if to not in seen:
                seen.add(to)
                todo.append(to)
    return sorted(found)


def _ways(machine: Machine, block: int) -> list[tuple[int, str]]:
    """Where an act leads, with the word for it."""
    match machine.blocks[block].exit:
        case e.Ask(decision, to, declined, skip):
            out = [(to, "")]
        case e.AskMenu(decision, options, declined, skip):
            made = machine.decisions[decision].options
            out = [(to, o.name) for to, o in zip(options, made, strict=True)]
        case e.Draw(_, to):
            return [(to, "")]
        case _:
            return []
    if machine.decisions[decision].may:
        out.append((declined, "decline"))
    if skip >= 0:
        out.append((skip, "nothing legal"))
    return out


def _join(made: nx.DiGraph[str], source: str, to: str, label: str) -> None:
    words = made.edges[source, to]["label"].split(", ") if made.has_edge(source, to) else []
    if label and label not in words:
        words.append(label)
    made.add_edge(source, to, label=", ".join(w for w in words if w))


# -- text -----------------------------------------------------------------------------------------


def _rules(made: nx.DiGraph[str]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for node, facts in made.nodes(data=True):
        out.setdefault(facts["rule"], []).append(node)
    return out


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def dot(made: nx.DiGraph[str]) -> str:
    """The diagram for Graphviz."""
    lines = [
        f"digraph {_quoted(made.graph['title'])} {{",
        "  node [fontname=Helvetica, style=filled];",
    ]
    lines.append("  edge [fontname=Helvetica, fontsize=10];")
    for number, (rule, nodes) in enumerate(_rules(made).items()):
        if rule:
            lines.append(f"  subgraph cluster_{number} {{ label={_quoted(rule)}; color=gray;")
        for node in nodes:
            kind = made.nodes[node]["kind"]
            look = f"shape={SHAPES[kind]}, fillcolor={_quoted(FILL[kind])}"
            look += (
                ', label="", width=0.2'
                if kind == "start"
                else f", label={_quoted(made.nodes[node]['label'])}"
            )
            lines.append(f"    {_quoted(node)} [{look}];")
        if rule:
            lines.append("  }")
    for source, to, label in made.edges(data="label", default=""):
        more = f" [label={_quoted(label)}]" if label else ""
        lines.append(f"  {_quoted(source)} -> {_quoted(to)}{more};")
    return "\n".join([*lines, "}"]) + "\n"


def mermaid(made: nx.DiGraph[str]) -> str:
    """The diagram for Mermaid."""
    numbers = {node: f"n{i}" for i, node in enumerate(made)}
    lines = ["flowchart TD"]
    for number, (rule, nodes) in enumerate(_rules(made).items()):
        if rule:
            lines.append(f"  subgraph r{number} [{_plain(rule)}]")
        lines += [f"    {numbers[n]}{_shaped(made.nodes[n])}" for n in nodes]
        if rule:
            lines.append("  end")
    for source, to, label in made.edges(data="label", default=""):
        word = f"|{_plain(label)}|" if label else ""
        lines.append(f"  {numbers[source]} -->{word} {numbers[to]}")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return '"' + html.escape(text, quote=True).replace("\n", "<br/>") + '"'


def _shaped(facts: dict[str, str]) -> str:
    text = _plain(facts["label"])
    left, right = {
        "start": ("((", "))"),
        "decision": ("[", "]"),
        "chance": ("{", "}"),
        "table": ("{{", "}}"),
        "end": ("(((", ")))"),
    }[facts["kind"]]
    return f"{left}{text}{right}"


# -- a layout of our own --------------------------------------------------------------------------

HIGH, GAP, LEVEL, CHAR = 40, 30, 100, 7.2


def _layers(made: nx.DiGraph[str]) -> list[list[str]]:
    """Nodes by their distance from the start, each layer ordered by where its sources stand."""
    far = nx.single_source_shortest_path_length(made, START)
    layers: list[list[str]] = [[] for _ in range(max(far.values()) + 1)]
    for node, distance in far.items():
        layers[distance].append(node)
    for above, layer in pairwise(layers):
        rank = {n: i for i, n in enumerate(above)}

        def middle(node: str, rank: dict[str, int] = rank) -> tuple[float, str]:
            near = [rank[p] for p in made.predecessors(node) if p in rank]
            return (sum(near) / len(near) if near else 0.0, node)

        layer.sort(key=middle)
    return layers


def _wide(label: str) -> float:
    return max(60.0, CHAR * max(len(x) for x in label.split("\n")) + 20)


def svg(made: nx.DiGraph[str]) -> str:
    """The diagram as SVG, in layers from the top."""
    layers = _layers(made)
    width = max(sum(_wide(made.nodes[n]["label"]) + GAP for n in layer) for layer in layers) + 160
    spots: dict[str, tuple[float, float, float]] = {}
    for depth, layer in enumerate(layers):
        sizes = [_wide(made.nodes[n]["label"]) for n in layer]
        x = (width - sum(sizes) - GAP * (len(sizes) - 1)) / 2
        for node, size in zip(layer, sizes, strict=True):
            spots[node] = (x + size / 2, 40 + depth * LEVEL, size)
            x += size + GAP
    height = 80 + (len(layers) - 1) * LEVEL
    body = [*_edges(made, spots), *_nodes(made, spots)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12">'
    )
    arrow = (
        '<defs><marker id="to" viewBox="0 0 8 8" refX="8" refY="4" '
        'markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#555"/></marker></defs>'
    )
    title = f"<title>{html.escape(made.graph['title'])}</title>"
    return "\n".join([head, title, arrow, *body, "</svg>"]) + "\n"


def _edges(made: nx.DiGraph[str], spots: dict[str, tuple[float, float, float]]) -> Iterable[str]:
    for source, to, label in made.edges(data="label", default=""):
        (x1, y1, w1), (x2, y2, w2) = spots[source], spots[to]
        if y2 > y1:
            path = f"M{x1:.0f} {y1 + HIGH / 2} C{x1:.0f} {y1 + LEVEL / 2} "
            path += f"{x2:.0f} {y2 - LEVEL / 2} {x2:.0f} {y2 - HIGH / 2}"
            at = ((x1 + x2) / 2, (y1 + y2) / 2)
        else:
            bend = max(x1 + w1 / 2, x2 + w2 / 2) + 50
            path = f"M{x1 + w1 / 2:.0f} {y1} C{bend:.0f} {y1 + 30} "
            path += f"{bend:.0f} {y2 - 30} {x2 + w2 / 2:.0f} {y2}"
            at = (bend - 10, (y1 + y2) / 2)
        yield f'<path d="{path}" fill="none" stroke="#555" marker-end="url(#to)"/>'
        if label:
            words = html.escape(label)
            spot = f'x="{at[0]:.0f}" y="{at[1]:.0f}" text-anchor="middle"'
            yield f'<text {spot} fill="#333" font-size="10">{words}</text>'


def _nodes(made: nx.DiGraph[str], spots: dict[str, tuple[float, float, float]]) -> Iterable[str]:
    for node, (x, y, wide) in spots.items():
        kind, label = made.nodes[node]["kind"], made.nodes[node]["label"]
        if kind == "start":
            yield f'<circle cx="{x:.0f}" cy="{y}" r="8" fill="{FILL[kind]}"/>'
            continue
        round_ = {"decision": 4, "end": 20}.get(kind, 12)
        yield (
            f'<rect x="{x - wide / 2:.0f}" y="{y - HIGH / 2}" width="{wide:.0f}" height="{HIGH}" '
            f'rx="{round_}" fill="{FILL[kind]}" stroke="#555"/>'
        )
        lines = label.split("\n")
        for number, line in enumerate(lines):
            down = y + 4 + (number - (len(lines) - 1) / 2) * 15
            spot = f'x="{x:.0f}" y="{down:.0f}" text-anchor="middle"'
            yield f"<text {spot}>{html.escape(line)}</text>"
