"""The control graph: the machine's blocks as a networkx graph.

In: a machine. Out: a directed graph with a node a block and an edge a way on; a return goes to
every place that its rule is called from. networkx is imported here and where graphs are drawn.
"""

from __future__ import annotations

from typing import assert_never

import networkx as nx

from compiler.machine import effects as e
from compiler.machine.record import Machine


def successors(machine: Machine, exit_: e.Terminator) -> tuple[int, ...]:
    """The blocks that an exit may lead to."""
    match exit_:
        case e.Goto(block):
            return (block,)
        case e.Branch(_, yes, no):
            return (yes, no)
        case e.Ask(_, to, declined, skip):
            made = machine.decisions[exit_.decision]
            more = (declined,) if made.may else ()
            return (to, *more, *((skip,) if skip >= 0 else ()))
        case e.AskMenu(_, to, declined, skip):
            made = machine.decisions[exit_.decision]
            more = (declined,) if made.may else ()
            return (*to, *more, *((skip,) if skip >= 0 else ()))
        case e.Draw(_, to):
            return (to,)
        case e.Return(rule):
            return machine.rules[rule].returns
        case e.End():
            return ()
    assert_never(exit_)


def graph(machine: Machine) -> nx.DiGraph[int]:
    """The graph of blocks."""
    made: nx.DiGraph[int] = nx.DiGraph()
    made.add_nodes_from(range(len(machine.blocks)))
    for number, block in enumerate(machine.blocks):
        made.add_edges_from((number, to) for to in successors(machine, block.exit))
    return made


def reachable(made: nx.DiGraph[int], start: int) -> set[int]:
    """The blocks that play can come to."""
    return {start} | nx.descendants(made, start)


def waits(machine: Machine, block: int) -> bool:
    """Whether a seat decides at a block."""
    return isinstance(machine.blocks[block].exit, e.Ask | e.AskMenu)


def path_words(machine: Machine, made: nx.DiGraph[int], start: int, to: int) -> str:
    """The shortest way between two blocks by the paths of what is passed, each once."""
    words: list[str] = []
    for block in nx.shortest_path(made, start, to):
        path = machine.blocks[block].path
        if not words or words[-1] != path:
            words.append(path)
    return " -> ".join(words)
