"""The machine's values: finite domains and the closed list of types over them.

Every value is an integer or a tuple of integers: a member of a domain is its index, an empty
optional is -1, a set is a bit mask, a list or a vector is a tuple. A type tells the range, hence
the width in bits of the field that holds it.
"""

from __future__ import annotations

from attrs import frozen


@frozen
class Domain:
    """A finite universe with a label a member.

    `kind` is seat, enum, nodes, pieces, data or range. `classes` groups pieces that nobody can
    tell apart (same data); it is empty where all differ. `start` is the lowest number of a range.
    """

    name: str
    kind: str
    labels: tuple[str, ...]
    classes: tuple[int, ...] = ()
    start: int = 0

    @property
    def size(self) -> int:
        """How many members there are."""
        return len(self.labels)


@frozen
class IntType:
    """Integers low..high, both included."""

    low: int
    high: int


@frozen
class BoolType:
    """0 or 1."""


@frozen
class MemberType:
    """A member of a domain, by index; `optional` adds -1 for none."""

    domain: int
    optional: bool = False


@frozen
class SetType:
    """A subset of a domain, as a mask with bit i for member i."""

    domain: int


@frozen
class VectorType:
    """One item a member of a domain, as a tuple."""

    domain: int
    item: Type


@frozen
class ListType:
    """Up to `limit` items, as a tuple."""

    item: Type
    limit: int


@frozen
class PatternType:
    """A constant pattern over a board: a tuple (labels, edges); label -1 is the variable."""

    board: int
    label: int


@frozen
class TextType:
    """A constant text; it never lives in the state."""


Type = IntType | BoolType | MemberType | SetType | VectorType | ListType | PatternType | TextType


def bounds(kind: Type, domains: tuple[Domain, ...]) -> tuple[int, int]:
    """Lowest and highest integer that a scalar of this type can be."""
    match kind:
        case IntType(low, high):
            return low, high
        case BoolType():
            return 0, 1
        case MemberType(domain, optional):
            return (-1 if optional else 0), domains[domain].size - 1
        case SetType(domain):
            return 0, (1 << domains[domain].size) - 1
        case VectorType(_, item):
            return bounds(item, domains)
    raise TypeError(f"{kind} is not held in a field")


def bits(low: int, high: int) -> int:
    """The fixed width of a field with this range: the value is stored as an offset from `low`."""
    return max(1, (high - low).bit_length())
