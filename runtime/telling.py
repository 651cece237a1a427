"""Telling: a step of a game in words, as a seat (or a spectator) may hear it.

In: the states before and after a step, who acted and what was chosen. Out: words. A piece that the
hearer saw neither before nor after is `a card`; an order made by a shuffle is told to nobody; a
value that is kept where the hearer does not see it is `a secret choice`. A seat hears its own
choices whole, except for pieces that it cannot see itself: those are told apart by where they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from attrs import frozen

from compiler.machine import effects as e
from compiler.machine.builtins import members
from compiler.machine.record import Decision, Machine
from compiler.machine.values import MemberType, SetType, Type, VectorType
from runtime.engine import Actor, Engine, State
from runtime.labels import DECLINE, braces, chance_label, site_domain, value_label
from runtime.legal import DECLINED, NOTHING, Raw
from runtime.views import Seat, can_see, contents, seen_pieces
from runtime.sight import Sight
