"""The texts of `rulec explain`: by code a title, what it means, a failing and a mended example."""

from __future__ import annotations

HEAD = 'game "Example"\nplayers 2\n'
PLAY = "rule play\n  end game draw\n"


def _pair(broken: str, mended: str, tail: str = PLAY) -> tuple[str, str]:
    return HEAD + broken + tail, HEAD + mended + tail


EXAMPLES: dict[str, tuple[str, str, str, str]] = {
    "E0103": (
        "a character that does not belong",
        "Specs are spelt with plain letters, digits and signs outside quotes; look-alikes from word"
        " processors and invisible characters are refused by name and place.",
        *_pair(
            "define a = 5 \u2013 2\n",
            "define a = 5 - 2\n",
            "rule play\n  end game win {p in seats where a > 2}\n",
        ),
    ),
    "E0104": (
        "a text without its closing quote",
        "A text in quotes ends on the line where it begins.",
        HEAD.replace('"Example"', '"Example') + PLAY,
        HEAD + PLAY,
    ),
    "E0107": (
        "a bracket that closes nothing",
        "Each closing bracket needs the opening one of its kind.",
        *_pair(
            "var n: 0..3 = 1) seen by everyone\n",
            "var n: 0..3 = 1 seen by everyone\n",
            "rule play\n  set n to 2\n  if n = 2\n    end game draw\n",
        ),
    ),
    "E0109": (
        "a line indented like no other",
        "A line begins where its block begins; going back means going back to an outer block.",
        HEAD + "rule play\n    if players = 2\n        end game draw\n      end game draw\n",
        HEAD + "rule play\n    if players = 2\n        end game draw\n    end game draw\n",
    ),
    "E0201": (
        "a word that cannot stand here",
        "The line was understood up to this word. The note says what could stand in its place.",
        HEAD + "rule play\n  end game drawn\n",
        HEAD + PLAY,
    ),
    "E0301": (
        "an unknown name",
        "Every name is declared: a variable, a place, a definition, a rule, a member of an enumeration"
        " or of a board. The help names what is spelt almost alike.",
        *_pair("", "", "rule play\n  if scrore = 1\n    end game draw\n  end game draw\n")[:1],
        HEAD + "define scrore = 1\nrule play\n  if scrore = 1\n    end game draw\n",
    ),
    "E0302": (
        "declared twice",
        "A name means one thing in a game.",
        *_pair("enum Suit = cups, coins\nenum Suit = swords\n", "enum Suit = cups, coins\n"),
    ),
    "E0303": (
        "a member of two kinds",
        "The same word names members of two enumerations, and nothing here says which is meant.",
        *_pair(
            "enum A = x, y\nenum B = x, z\nlet_ = 1\n".replace("let_ = 1\n", ""),
            "enum A = x, y\nenum B = w, z\n",
            "rule play\n  let a = x\n  if a = a\n    end game draw\n",
        ),
    ),
    "E0304": (
        "something every game needs is missing",
        "A game declares its title, its players and a rule 'play'.",
        'game "Example"\nplayers 2\n',
        HEAD + PLAY,
    ),
    "E0401": (
        "a value of another kind",
        "Here a value of one kind is wanted and another one stands.",
        *_pair(
            "var n: 0..3 seen by everyone\n",
            "var n: 0..3 seen by everyone\n",
            "rule play\n  set n to yes\n  if n = 1\n    end game draw\n",
        )[:1],
        HEAD
        + "var n: 0..3 seen by everyone\nrule play\n  set n to 1\n  if n = 1\n    end game draw\n",
    ),
    "E0402": (
        "a number that can never fit",
        "The compiler knows the range of every number; this one lies outside whatever happens.",
        HEAD
        + "var n: 0..3 seen by everyone\nrule play\n  set n to 7\n  if n = 1\n    end game draw\n",
        HEAD
        + "var n: 0..3 seen by everyone\nrule play\n  set n to 3\n  if n = 1\n    end game draw\n",
    ),
    "E0404": (
        "a range that is empty or too large",
        "Everything in a game is finite, and of a size that can be stored.",
        *_pair(
            "var n: 5..2 seen by everyone\n",
            "var n: 2..5 seen by everyone\n",
            "rule play\n  set n to 3\n  if n = 3\n    end game draw\n",
        ),
    ),
    "E0409": (
        "a division that does not say how it rounds",
        "Write 'rounded up' or 'rounded down' after a division.",
        HEAD
        + "var n: 0..9 = 7 seen by everyone\nrule play\n  set n to n / 2\n  if n = 3\n    end game draw\n",
        HEAD
        + "var n: 0..9 = 7 seen by everyone\nrule play\n  set n to n / 2 rounded up\n  if n = 3\n    end game draw\n",
    ),
    "E0410": (
        "defined by way of itself",
        "A definition may use others, but never itself, directly or not.",
        HEAD + "define a = b + 1\ndefine b = a\nrule play\n  if a = 1\n    end game draw\n",
        HEAD + "define a = b + 1\ndefine b = 1\nrule play\n  if a = 2\n    end game draw\n",
    ),
    "E0411": (
        "a wrong number of arguments",
        "A definition, a rule or a choice takes as many values as it declares.",
        HEAD
        + "define twice(n: 0..9) = n + n\nrule play\n  if twice(1, 2) = 2\n    end game draw\n",
        HEAD + "define twice(n: 0..9) = n + n\nrule play\n  if twice(1) = 2\n    end game draw\n",
    ),
    "E0420": (
        "something that cannot be changed",
        "Only variables are changed by set, add and subtract; pieces are moved, and a name bound by a"
        " choice or a 'let' keeps its value.",
        HEAD + "rule play\n  let a = players\n  set a to 3\n  end game draw\n",
        HEAD
        + "var a: 0..3 seen by everyone\nrule play\n  set a to 3\n  if a = 3\n    end game draw\n",
    ),
    "E0424": (
        "a set that goes into a pile without an order",
        "Several pieces that move to a pile or a row need an order: shuffled, turned over, ordered by.",
        HEAD
        + "pieces Card 4\nplace deck: pile of Card seen by nobody\nrule play\n  move Card to deck\n  end game draw\n",
        HEAD
        + "pieces Card 4\nplace deck: pile of Card seen by nobody\nrule play\n  move Card to deck shuffled\n  end game draw\n",
    ),
    "E0501": (
        "two patches on one slot",
        "Two patches change the same thing and nothing says which comes last.",
        HEAD
        + "define a = 1\npatch x while players = 2\n  redefine a = 2\npatch y while players = 2\n  redefine a = 3\nrule play\n  if a = 3\n    end game draw\n",
        HEAD
        + "define a = 1\npatch x while players = 2\n  redefine a = 2\npatch y while players = 2\n  redefine a = 3\norder x before y\nrule play\n  if a = 3\n    end game draw\n",
    ),
    "E0504": (
        "a dead switch",
        "A reading whose candidates change no clause cannot matter: say what differs, or record it in"
        " the ledger.",
        HEAD + 'reading R-1 "how far"\n  chosen one "one step"\n  or two "two steps"\n' + PLAY,
        HEAD
        + 'define far = 1\nreading R-1 "how far"\n  chosen one "one step"\n  or two "two steps"\n    redefine far = 2\nrule play\n  if far = 1\n    end game draw\n',
    ),
    "E0507": (
        "a patch that changes nothing",
        "A patch addresses rules, steps, choices and definitions by path; this path is not there.",
        HEAD
        + "define a = 1\npatch x while players = 2\n  replace play.end\n    end game draw\nrule play\n  if a = 1\n    end game draw\n",
        HEAD
        + "define a = 1\npatch x while players = 2\n  replace play.finish\n    end game draw\nrule play\n  step finish\n    if a = 1\n      end game draw\n",
    ),
    "E0508": (
        "an order of something unknown",
        "'order a before b' names patches, variants or readings that are declared.",
        HEAD + "order x before y\n" + PLAY,
        HEAD + PLAY,
    ),
    "E0702": (
        "a trap",
        "From here no end of the game can be reached, whatever anybody does.",
        HEAD
        + "var n: 0..3 seen by everyone\nrule play\n  repeat\n    seat0 must pick one k in 0..3\n    set n to k\n",
        HEAD
        + "var n: 0..3 seen by everyone\nrule play\n  repeat\n    seat0 must pick one k in 0..3\n    set n to k\n    if n = 3\n      end game draw\n",
    ),
    "E0703": (
        "a case or a row is missing",
        "A match handles every member, a table has a row for every key; what the book leaves out is"
        " written as unknown, or as an 'otherwise'.",
        HEAD
        + "enum Suit = cups, coins\ndefine worth(s: Suit) = {cups -> 2}[s]\nrule play\n  if worth(cups) = 2\n    end game draw\n",
        HEAD
        + "enum Suit = cups, coins\ndefine worth(s: Suit) = {cups -> 2, coins -> 1}[s]\nrule play\n  if worth(cups) = 2\n    end game draw\n",
    ),
    "E0708": (
        "a decision at which nothing is ever legal",
        "The requirements exclude everything that could be chosen, and no fallback is given.",
        HEAD
        + 'rule play\n  seat0 must pick one k in 1..3\n    require "never" players = 3\n  end game draw\n',
        HEAD + "rule play\n  seat0 must pick one k in 1..3\n  end game draw\n",
    ),
    "W0701": (
        "a rule that play never comes to",
        "Nothing calls this rule, so nothing in it can happen.",
        HEAD + "rule play\n  end game draw\nrule bonus\n  end game draw\n",
        HEAD + "rule play\n  bonus\nrule bonus\n  end game draw\n",
    ),
    "W0712": (
        "pieces that never leave the box",
        "A kind of pieces is declared, and no rule moves one.",
        HEAD + "pieces Card 4\nplace deck: set of Card seen by nobody\n" + PLAY,
        HEAD
        + "pieces Card 4\nplace deck: set of Card seen by nobody\nrule play\n  move Card to deck\n  end game draw\n",
    ),
    "W0714": (
        "a variable that no rule changes",
        "A guard on a variable that is never written is decided from the start.",
        HEAD
        + "var n: 0..9 seen by everyone\nrule play\n  if n > 5\n    end game draw\n  end game draw\n",
        HEAD
        + "var n: 0..9 seen by everyone\nrule play\n  set n to 6\n  if n > 5\n    end game draw\n  end game draw\n",
    ),
    "W0715": (
        "a definition that nothing uses",
        "It may be misspelt where it was meant.",
        *_pair("define a = 1\n", ""),
    ),
}

COMMAND_LINE: dict[str, tuple[str, str]] = {
    "E0100": ("no such file", "The game is neither a file nor the name of a shipped game."),
    "E0101": (
        "a file that is too large",
        "A spec may have a million bytes; data belongs into data files.",
    ),
    "E0102": ("not UTF-8 text", "Save the file as UTF-8."),
    "E0105": ("nested too deeply", "Brackets, blocks and chains of operators have a limit."),
    "E0106": ("a number with too many digits", "Numbers have at most 15 digits."),
    "E0108": ("a bracket that is never closed", "The place shown is where it was opened."),
    "E0120": (
        "not a machine file",
        "The file is not what 'rulec compile -o' writes, or was damaged.",
    ),
    "E0202": ("an unfinished declaration", "The file or the block ends where more was expected."),
    "E0305": ("a wrong number of players", "The game is not for so many."),
    "E0306": ("a value that cannot be read", "A value given on the command line is an expression."),
    "E0307": (
        "an unknown setting",
        "The game has no option, variant, reading or assumption of this name.",
    ),
    "E0308": ("an unknown candidate", "A reading is set to a number or the name of a candidate."),
    "E0309": ("something else in a scenario file", "It holds scenarios and definitions only."),
    "E0601": ("a data file that cannot be read", "It stands beside the spec under the name given."),
    "E0602": ("a data file that is not TOML", "Or one that is too large."),
    "E0603": ("a table that the data file lacks", "Data are lists of tables: [[name]]."),
    "E0604": (
        "a row without a name",
        "Each row has a name of letters, digits and underscores, once.",
    ),
    "E0605": ("a column that no field reads", "Declare the field, or drop the column."),
    "E0606": ("a missing column", "Add the column to the row, or a default to the field."),
    "E0607": ("a cell of another kind", "The field's type says what can stand there."),
    "E0608": ("a broken constraint", "A 'check' on the data does not hold for this row."),
    "E0705": (
        "an unknown cell",
        "The book's table has a hole here, so this configuration cannot be played.",
    ),
    "E0810": ("a citation of nothing", "The ledger of the game has no such id."),
    "E0811": ("a ledger that cannot be read", "It is TOML with [[statement]] entries."),
    "E0812": (
        "an entry of the ledger that does not hold",
        "Status, class, reason or reading is not of the list.",
    ),
    "E0901": (
        "not executed by this version",
        "The construct is read and typed, but games with it cannot be run yet.",
    ),
    "N0708": (
        "nothing says what happens if nothing is legal",
        "Only play could tell whether it can happen.",
    ),
    "N0720": ("the game may not end", "Rounds without a falling measure may go on for ever."),
    "N0810": ("citations are not checked", "There is no ledger beside the spec."),
    "R0101": (
        "stuck",
        "A decision came up at which nothing is legal, and the rules give no fallback.",
    ),
    "R0102": ("not a legal choice", "Ask 'why' to see which requirement refuses it."),
    "R0103": ("the game is over", "No choice can be made after the end."),
    "R0104": ("not a result of chance", "A script gave something that chance cannot give here."),
}
