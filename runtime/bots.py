"""Bots: what the kinds of seats that are not people choose.

In: a match in which such a seat must act. Out: one of its legal choices. `random` is uniform over
the legal choices of a step. `greedy` looks one ply ahead: it takes the choice after which its own
`progress`, else its own `score`, is best. It evaluates the position after its own choice, before
chance or anybody else acts, and nothing else: a measure that counts what the seat does not see is
left alone, and a choice that would uncover something (a drawn card, a showdown) is worth what the
position is worth before it. A bot's numbers come from streams of their own, so that it never moves
the dice of a game.
"""

from __future__ import annotations

from compiler.machine.builtins import Fault
from dsl.problems import Refused
from runtime import views
from runtime.engine import State
from runtime.legal import Raw
from runtime.match import Match
from runtime.rng import Stream

MOST = 400
WON = 1 << 60
MEASURES = ("progress", "score")


def choose(match: Match, kind: str) -> Raw:
    """What a bot of some kind chooses for the seat that must act."""
    seat = match.actor.seat
    before = sum(1 for s in match.steps if s.actor.seat == seat)
    stream = Stream(match.seed, f"bot{seat}", before)
    legal = match.state.legal
    if kind == "greedy" and len(legal) > 1:
        return _best(match, seat, stream)
    return legal[stream.below(len(legal))]


def _best(match: Match, seat: int, stream: Stream) -> Raw:
    """A choice with the best value one ply ahead; among many, a sample is tried."""
    order = stream.permutation(len(match.state.legal))[:MOST]
    best: Raw = match.state.legal[order[0]]
    top: int | None = None
    for at in order:
        raw = match.state.legal[at]
        value = _value(match, seat, raw)
        if value is not None and (top is None or value > top):
            best, top = raw, value
    return best


def _value(match: Match, seat: int, raw: Raw) -> int | None:
    """The own measure after a choice; None where there is none to be seen."""
    engine = match.engine
    try:
        after = engine.apply(match.state, raw)
        if views.learned_by(engine, match.state, after, seat):
            return _measure(match, match.state, seat)
        outcome = engine.outcome(after)
        if outcome is not None and outcome.winners == (seat,):
            return WON
        return _measure(match, after, seat)
    except (Fault, Refused):
        return None


def _measure(match: Match, state: State, seat: int) -> int | None:
    for kind in MEASURES:
        found = views.own_measure(match.engine, state, kind, seat)
        if found is not None:
            return found
    return None
