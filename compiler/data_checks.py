"""Constraints on data: every `check` holds for every row, or is reported with the row's name.

In: declarations with checks, after all fields are known. Out: problems in the report.
"""

from __future__ import annotations

from typing import Any

from compiler.elaborate import condition
from compiler.machine.builtins import Fault
from compiler.machine.evaluate import evaluate
from compiler.machine.exprs import Local, Lookup
from compiler.machine.values import (
    MemberType,
)
from compiler.scope import (
    BoardSymbol,
    DomainSymbol,
    Draft,
    Scope,
    guarded,
)
from dsl import declarations as d


def checks(draft: Draft, decls: tuple[d.Decl, ...]) -> None:
    """The constraints on data: `check` for each row, its fields by name."""
    for made in decls:
        if not isinstance(made, d.Data | d.Pieces | d.Board):
            continue
        symbol = draft.symbols.get(made.node if isinstance(made, d.Board) else made.name)
        if not isinstance(symbol, DomainSymbol | BoardSymbol):
            continue
        domain = symbol.domain
        names = [n for dom, n in draft.attributes if dom == domain]
        for check in (f for f in made.fields if isinstance(f, d.Check)):
            with guarded():
                scope = Scope(draft, slots=[1])
                it = Local(0, MemberType(domain))
                fields = {n: _attribute(draft, domain, n, it) for n in names}
                test = condition(check.test, scope.child(it=it, **fields))
                for row in range(draft.domains[domain].size):
                    try:
                        good = evaluate(test, draft.world(), {0: row})
                    except Fault:
                        good = 0
                    if not good:
                        label = draft.domains[domain].labels[row]
                        draft.report.error(
                            "E0608",
                            f"{label} breaks a constraint of its kind: {check.text}",
                            check.span,
                            cites=check.cites,
                        )


def _attribute(draft: Draft, domain: int, name: str, it: Local) -> Any:

    table, kind = draft.attributes[(domain, name)]
    return Lookup(table, (it,), kind)
