"""Rules do not call themselves: a frame holds one activation of each rule, the stack is bounded.

In: the rules with their patches and hooks. Out: a problem for each cycle of calls.
"""

from __future__ import annotations

from compiler.scope import Draft, Failed
from compiler.suspends import called, rule_bodies
from dsl import declarations as d
from dsl import tree as t


def no_recursion(draft: Draft, whens: list[d.When]) -> None:
    """Report every call that closes a cycle of rules (E0426); stops the compilation there."""
    bodies = rule_bodies(draft, whens)
    calls = {
        name: [n for n in called(tuple(body)) if n.name in bodies] for name, body in bodies.items()
    }
    failed: Failed | None = None
    done: set[str] = set()
    for start in calls:
        failed = _cycles(draft, start, calls, done) or failed
    if failed is not None:
        raise failed


def _cycles(
    draft: Draft, start: str, calls: dict[str, list[t.Name]], done: set[str]
) -> Failed | None:
    """Depth first without Python's stack: specs are untrusted, and a chain of rules may be long."""
    failed: Failed | None = None
    path: list[str] = []
    todo: list[tuple[str, t.Name | None]] = [(start, None)]
    while todo:
        name, at = todo.pop()
        if not name:
            done.add(path.pop())
        elif name in path:
            assert at is not None
            way = " calls ".join(f"'{n}'" for n in (*path[path.index(name) :], name))
            failed = draft.fail(
                "E0426", f"a rule that calls itself: {way}", at.span, help="write it as a 'repeat'"
            )
        elif name not in done:
            path.append(name)
            todo.append(("", None))
            todo += [(n.name, n) for n in reversed(calls[name])]
    return failed
