"""The texts of `rulec explain`, continued: types, names, patches, places and the machine's checks."""

from __future__ import annotations

HEAD = 'game "Example"\nplayers 2\n'
PLAY = "rule play\n  end game draw\n"
CARDS = "pieces Card 4\n"
DECK = "place deck: pile of Card seen by nobody\n"

Entry = tuple[str, str, str, str]


def _shown(title: str, text: str, broken: str, mended: str) -> Entry:
    return title, text, HEAD + broken, HEAD + mended


MORE: dict[str, Entry] = {
    "E0403": _shown(
        "a type that cannot be used here",
        "A type is a range, a declared name, or optional, set of or list of one.",
        "var n: optional 0..3 seen by everyone\n" + PLAY,
        "var n: -1..3 = -1 seen by everyone\nrule play\n  set n to 1\n  if n = 1\n    end game draw\n",
    ),
    "E0405": _shown(
        "something that must be known when the game is compiled",
        "Sizes, options, first values and keys of maps are constants.",
        "var n: 1..3 seen by everyone\ndefine worth(p: Seat) = {seat0 -> n, seat1 -> 1}[p]\nrule play\n  set n to 2\n  if worth(seat0) = 2\n    end game draw\n",
        "define n = 2\ndefine worth(p: Seat) = {seat0 -> n, seat1 -> 1}[p]\nrule play\n  if worth(seat0) = 2\n    end game draw\n",
    ),
    "E0406": _shown(
        "a range out of place",
        "A range stands after 'in', in a type, or in a choice; it is not a value.",
        "define few = 1..3\nrule play\n  if 2 in few\n    end game draw\n",
        "define few: set of 1..3 = {1, 2, 3}\nrule play\n  if 2 in few\n    end game draw\n",
    ),
    "E0407": _shown(
        "an index that does not fit",
        "A variable, a place or a table takes as many indices as it declares.",
        "var n[Seat]: 0..3 seen by everyone\nrule play\n  set n[seat0, seat1] to 1\n  if n[seat0] = 1\n    end game draw\n",
        "var n[Seat]: 0..3 seen by everyone\nrule play\n  set n[seat0] to 1\n  if n[seat0] = 1\n    end game draw\n",
    ),
    "E0412": _shown(
        "cases without an 'otherwise'",
        "A definition has a value whatever happens.",
        "define a\n  1 if players = 2\nrule play\n  if a = 1\n    end game draw\n",
        "define a\n  1 if players = 2\n  0 otherwise\nrule play\n  if a = 1\n    end game draw\n",
    ),
    "E0413": _shown(
        "'original' out of place",
        "It stands for what a patch replaced or redefined, inside that patch.",
        "rule play\n  original\n  end game draw\n",
        PLAY,
    ),
    "E0414": _shown(
        "a fold that does not go through anything",
        "Folds name a member and what it goes through: count(p in seats where ...).",
        "rule play\n  if all(p in seats where p = p)\n    end game draw\n",
        "rule play\n  if all(p in seats: p = p)\n    end game draw\n",
    ),
    "E0415": _shown(
        "a rule where a value is wanted",
        "A rule does something; a definition is worth something.",
        "rule play\n  if bonus(1) = 1\n    end game draw\n  bonus(1)\nrule bonus(n: 0..3)\n  end game draw\n",
        "define bonus(n: 0..3) = n\nrule play\n  if bonus(1) = 1\n    end game draw\n",
    ),
    "E0416": _shown(
        "a field or a relation that is not there",
        "The note lists the fields of the kind.",
        "board grid of Cell: grid(2, 2)\nrule play\n  seat0 must pick one c in Cell\n  if c.height = 1\n    end game draw\n",
        "board grid of Cell: grid(2, 2)\nrule play\n  seat0 must pick one c in Cell\n  if c.row = 1\n    end game draw\n",
    ),
    "E0417": _shown(
        "a state that this never has",
        "Optionals are none or set, places empty or full, patches active or waiting.",
        "var n: 0..3 seen by everyone\nrule play\n  set n to 1\n  if n is empty\n    end game draw\n",
        "var n: 0..3 seen by everyone\nrule play\n  set n to 1\n  if n = 0\n    end game draw\n",
    ),
    "E0418": _shown(
        "possible() of something that is no choice",
        "It asks whether a declared choice has any legal value.",
        "rule play\n  if possible(players)\n    end game draw\n",
        "choice some: one k in 1..3\nrule play\n  if possible(some)\n    end game draw\n",
    ),
    "E0419": _shown(
        "amounts without a total",
        "Say how many in all: total 1..n.",
        "rule play\n  seat0 must pick amounts v over p in seats\n  end game draw\n",
        "rule play\n  seat0 must pick amounts v over p in seats total 1..2\n  end game draw\n",
    ),
    "E0426": _shown(
        "a rule that calls itself",
        "Each rule is under way once at a time, so that the state has a fixed size. What goes on is a"
        " repeat, what spreads over a board is a region or a closure.",
        "rule play\n  seat0 must pick one k in 1..2\n  if k = 1\n    end game draw\n  play\n",
        "rule play\n  repeat\n    seat0 must pick one k in 1..2\n    if k = 1\n      end game draw\n",
    ),
    "E0421": _shown(
        "a line that does nothing",
        "Only a rule can be called on a line of its own.",
        "define a = 1\nrule play\n  a\n  end game draw\n",
        "rule a\n  end game draw\nrule play\n  a\n",
    ),
    "E0422": _shown(
        "something that is not a place",
        "Pieces move to places and to the box.",
        CARDS
        + "var n: 0..3 seen by everyone\nrule play\n  set n to 1\n  move Card to n\n  end game draw\n",
        CARDS
        + "place table_top: set of Card seen by everyone\nrule play\n  move Card to table_top\n  end game draw\n",
    ),
    "E0423": _shown(
        "a piece of another kind",
        "A place takes one kind of pieces.",
        CARDS
        + "pieces Token 2\n"
        + DECK
        + "rule play\n  move Token to deck shuffled\n  end game draw\n",
        CARDS + DECK + "rule play\n  move Card to deck shuffled\n  end game draw\n",
    ),
    "E0502": _shown(
        "a patch that does not meet the rule",
        "A patch with parameters changes rules that have parameters of the same names.",
        "patch x(p: Seat)\n  replace play.finish\n    end game draw\nrule play\n  apply x(seat0)\n  step finish\n    end game draw\n",
        "patch x\n  replace play.finish\n    end game draw\nrule play\n  apply x\n  step finish\n    end game draw\n",
    ),
    "E0506": _shown(
        "apply of something that is no patch",
        "Only a declared patch can be applied.",
        "define x = 1\nrule play\n  apply x\n  end game draw\n",
        "patch x\n  replace play.finish\n    end game draw\nrule play\n  apply x\n  step finish\n    end game win seat0\n",
    ),
    "E0701": _shown(
        "a board that cannot be made",
        "Boards are map, grid(w, h), hex(w, h), track(n), and rows of slots.",
        "board b of Cell: circle(3)\n" + PLAY,
        "board b of Cell: track(3)\nrule play\n  seat0 must pick one c in Cell\n  end game draw\n",
    ),
    "E0704": _shown(
        "a key in two rows",
        "Each key of a map or a table, and each case of a match, stands once.",
        "enum Suit = cups, coins\ndefine worth(s: Suit) = {cups -> 2, coins -> 1, cups -> 3}[s]\nrule play\n  if worth(cups) = 2\n    end game draw\n",
        "enum Suit = cups, coins\ndefine worth(s: Suit) = {cups -> 2, coins -> 1}[s]\nrule play\n  if worth(cups) = 2\n    end game draw\n",
    ),
    "E0706": _shown(
        "a loop that asks nobody and never ends",
        "Without a decision inside, a loop needs a test or a count.",
        "var n: 0..3 seen by everyone\nrule play\n  count_up\n  end game draw\nrule count_up\n  repeat\n    set n to 1\n",
        "var n: 0..3 seen by everyone\nrule play\n  count_up\n  end game draw\nrule count_up\n  repeat while n < 3\n    add 1 to n\n",
    ),
    "E0707": _shown(
        "an end by score without a score",
        "Declare the score: score p = points[p].",
        "rule play\n  end game by score\n",
        "score p = 1\nrule play\n  end game by score\n",
    ),
    "E0801": _shown(
        "an owner that is not there",
        "'seen by owner' needs an index that is a Seat.",
        "var n: 0..3 seen by owner\nrule play\n  set n to 1\n  end game draw\n",
        "var n[Seat]: 0..3 seen by owner\nrule play\n  set n[seat0] to 1\n  end game draw\n",
    ),
    "W0710": _shown(
        "drawing from a pile that may be empty",
        "Say what happens then: as much as there is, a refill, or a test of the pile.",
        CARDS
        + DECK
        + "place hand[Seat]: set of Card seen by owner\nrule play\n  move Card to deck shuffled\n  repeat\n    seat0 must pick one k in 1..2\n    move top 1 of deck to hand[seat0]\n    if k = 2\n      end game draw\n",
        CARDS
        + DECK
        + "place hand[Seat]: set of Card seen by owner\nrule play\n  move Card to deck shuffled\n  repeat\n    seat0 must pick one k in 1..2\n    move top 1 of deck to hand[seat0] as much as there is\n    if k = 2\n      end game draw\n",
    ),
    "W0713": _shown(
        "a place into which nothing is ever put",
        "It may be misspelt where it was meant, or left over.",
        CARDS
        + DECK
        + "place shelf: set of Card seen by everyone\nrule play\n  move Card to deck shuffled\n  end game draw\n",
        CARDS + DECK + "rule play\n  move Card to deck shuffled\n  end game draw\n",
    ),
}

MORE_LINES: dict[str, tuple[str, str]] = {
    "E0311": ("a fault of the compiler", "Please report it with the spec that shows it."),
    "E0310": (
        "a scenario begins where nobody waits",
        "`at` names a rule in which somebody decides.",
    ),
    "E0503": ("variants that exclude each other", "One says 'incompatible with' the other."),
    "E0505": ("one patch with two durations", "Apply it everywhere until the same moment."),
    "E0709": ("the setup asks for more than there is", "Found by playing it; see the place named."),
    "E0711": ("components are lost or made", "Only a move may write where a piece is."),
    "R0105": ("chance has nothing to choose from", "The set that chance picks from is empty."),
    "R0106": ("an invariant does not hold", "An 'always' line was broken in play."),
    "R0107": ("a rule asks for the impossible", "A range was left, an empty pile drawn from, ..."),
    "R0201": ("a log that cannot be read", "It is truncated, edited, or no log at all."),
    "R0202": (
        "a log of another version",
        "The rules have changed since; the first difference is named.",
    ),
    "R0203": ("a log of another game", "Or of another configuration of it."),
    "R0204": ("a step that is not legal", "A line of a log or a script is refused by the rules."),
    "R0205": ("no undo", "Somebody learned something, or somebody else has acted since."),
    "R0206": ("a file that cannot be used", "It cannot be read or written, or is no text."),
    "W0408": ("a comparison that is always false", "The ranges of both sides do not meet."),
}
