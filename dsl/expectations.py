"""Words for syntax errors: what stands there, what could stand there, what is being read.

No terminal name of the grammar reaches a person: every one has a phrase here or is quoted text.
"""

from __future__ import annotations

from dsl.lexer import Token
from dsl.problems import Problem, Span, did_you_mean

SAMPLES = {
    "NAME": ("WORD", "missing"),
    "INT": ("INT", "1"),
    "STRING": ("STRING", '""'),
    "CMP": ("CMP", "<"),
    "DURATION": ("DURATION", "1 s"),
    "MAPROW": ("MAPROW", "| |"),
    "ID": ("ID", "X-1"),
    "_NL": ("_NL", "\n"),
    "_INDENT": ("_INDENT", ""),
    "_DEDENT": ("_DEDENT", ""),
}
PHRASES = {
    "NAME": "a name",
    "INT": "a number",
    "STRING": 'a text in "quotes"',
    "DURATION": "a time such as 60 s",
    "ID": "an id such as G-04",
    "CITE": "a citation such as @SA-001",
    "CMP": "a comparison",
    "MAPROW": "a row of a map",
    "_NL": "the end of the line",
    "_INDENT": "an indented block",
    "_DEDENT": "the end of the block",
    "$END": "the end of the file",
}
EXPRESSION = {"NAME", "INT", "LPAR", "LBRACE", "LSQB", "MINUS", "NOT"}
OPERATORS = {"PLUS", "MINUS", "STAR", "SLASH", "AMPERSAND", "MOD", "LSQB", "LPAR", "DOT"}
OPERATORS |= {"AND", "OR"}
READING = {
    "game": "the game's heading",
    "rule": "a rule",
    "scenario": "a scenario",
    "define": "a definition",
    "board": "a board",
    "pieces": "pieces",
    "place": "a place",
    "var": "a variable",
    "patch": "a patch",
    "reading": "a reading",
    "assume": "an assumption",
    "choice": "a choice",
    "when": "a trigger",
    "table": "a table",
    "window": "a window",
    "enum": "an enumeration",
    "data": "a data declaration",
    "option": "an option",
    "variant": "a variant",
}


def _shown(token: Token) -> str:
    if token.kind in PHRASES:
        named = PHRASES[token.kind]
        return f"{named} ({token.text})" if token.text.strip() else named
    return f"'{token.text}'"


def _expected(actions: set[str], literals: dict[str, str]) -> str:
    names = set(actions)
    parts = []
    if names >= EXPRESSION:
        parts.append("an expression")
        names -= EXPRESSION | {"DURATION", "STRING", "IF", "NONE"}
    elif {"PLUS", "STAR", "AND"} <= names or {"PLUS", "STAR", "DOT"} <= names:
        names -= OPERATORS | {"CMP", "EQUAL", "IN", "NOT", "IS", "__ANON_1"}
        parts.append("an operator")
    words = {name: text for text, name in literals.items()}
    parts += [PHRASES[n] for n in sorted(names) if n in PHRASES]
    quoted = sorted(f"'{words[n]}'" for n in names if n in words)
    if len(quoted) > 10:
        quoted = [*quoted[:10], "..."]
    return ", ".join(parts + quoted)


def _context(tokens: list[Token]) -> str:
    head = tokens[0].text
    name = f" '{tokens[1].text}'" if len(tokens) > 1 and tokens[1].kind in ("WORD", "CALL") else ""
    return f"while reading {READING.get(head, 'a declaration')}{name if head in READING else ''}"


def _hint(token: Token, actions: set[str], literals: dict[str, str]) -> str:
    if token.kind not in ("WORD", "CALL"):
        return ""
    words = {name: text for text, name in literals.items()}
    return did_you_mean(token.text, [words[a] for a in actions if a in words])


def unexpected(
    tokens: list[Token], at: int, actions: set[str], literals: dict[str, str]
) -> Problem:
    """The problem of a token that cannot stand where it stands."""
    token = tokens[at]
    return Problem(
        "E0201",
        f"{_shown(token)} cannot stand here",
        token.span,
        notes=(f"expected {_expected(actions, literals)}", _context(tokens)),
        help=_hint(token, actions, literals),
    )


def unfinished(tokens: list[Token], actions: set[str], literals: dict[str, str]) -> Problem:
    """The problem of a declaration that stops too early."""
    last = tokens[-1].span
    return Problem(
        "E0202",
        "this declaration is not finished",
        Span(last.file, last.line, last.col, last.line, last.col + 1),
        notes=(f"expected {_expected(actions, literals)}", _context(tokens)),
    )
