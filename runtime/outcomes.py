"""Outcomes: winners, ranks and returns from an ending.

In: an ending and the final cells. Out: an `Outcome`. A ranking is lexicographic over its criteria;
equal in all means the same rank; shared victory only where the ending says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from compiler.machine.builtins import members

if TYPE_CHECKING:
    from runtime.engine import Engine, Outcome


def outcome(engine: Engine, number: int, cells: Sequence[int]) -> Outcome:
    """The outcome of an ending."""
    from runtime.engine import Outcome

    machine = engine.machine
    made, code = machine.endings[number], engine.code.endings[number]
    count = machine.players
    who = members(code.who(cells)) if code.who is not None else ()
    ranks = (0,) * count
    winners: tuple[int, ...] = ()
    losers: tuple[int, ...] = ()
    values: tuple[tuple[int, ...], ...] = ()
    separated = ("",) * count
    if made.how == "win":
        winners = tuple(who)
    elif made.how == "lose":
        losers = tuple(who)
        winners = tuple(p for p in range(count) if p not in who) if count > len(who) else ()
    elif made.how == "rank":
        values = tuple(tuple(int(k(cells, p)) for p in range(count)) for k in code.keys)
        ranks, separated = _rank(made.keys, values, who, count)
        best = tuple(p for p in who if ranks[p] == 1)
        winners = best if made.shared or len(best) == 1 else ()
    if engine.trace is not None and made.clause >= 0:
        engine.trace.add(made.clause)
    payoff = engine.measure("payoff", cells)
    returns = tuple(float(x) for x in payoff) if payoff else _returns(winners, count, made.how)
    return Outcome(
        made.how,
        winners,
        losers,
        ranks,
        tuple(k.text for k in made.keys),
        values,
        separated,
        returns,
        made.stalled,
        made.clause,
    )


def _rank(
    keys: Sequence[object], values: tuple[tuple[int, ...], ...], who: Sequence[int], count: int
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    def order(p: int) -> tuple[int, ...]:
        return tuple(
            v[p] if getattr(k, "lowest", False) else -v[p]
            for k, v in zip(keys, values, strict=True)
        )

    ranks, separated = [0] * count, [""] * count
    best = min((order(p) for p in who), default=())
    for p in who:
        ranks[p] = 1 + sum(order(q) < order(p) for q in who)
        for key, mine, top in zip(keys, order(p), best, strict=True):
            if mine != top:
                separated[p] = str(getattr(key, "text", ""))
                break
    return tuple(ranks), tuple(separated)


def _returns(winners: tuple[int, ...], count: int, how: str) -> tuple[float, ...]:
    """Without a declared payoff: winners share 1, the others share -1, a draw is 0 for all."""
    if not winners or len(winners) == count:
        value = 1.0 if how in ("win", "lose") and len(winners) == count else 0.0
        return (value,) * count
    loss = -1.0 / (count - len(winners))
    return tuple(1.0 / len(winners) if p in winners else loss for p in range(count))
