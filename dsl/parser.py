"""The parser: tokens to a concrete tree, one declaration at a time, reporting many errors a run.

In: a `Source`. Out: Lark trees, one a declaration that could be read. On an unexpected token every
repair of one token (skip, insert, replace) is tried on a copy of the parser; the one that then
reads furthest wins, and after too many repairs the rest of the declaration is left out.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from functools import cache

from attrs import evolve, frozen
from lark import Token as LarkToken
from lark import Tree
from lark.exceptions import UnexpectedToken
from lark.parsers.lalr_analysis import Shift
from lark.parsers.lalr_interactive_parser import InteractiveParser

from dsl import expectations
from dsl.lexer import Comment, Token, lex
from dsl.problems import Problem, Report, Span
from dsl.source import Source
from dsl.tables import lark

LOOKAHEAD = 10
PROGRESS = 3
MAX_REPAIRS = 6
MAX_TREE = 620
COSTS = {"args": 2, "block": 3, "set_where": 3, "set_for": 3}  # about the frames of building one
SHALLOWER = "give the inner part a name with 'let' or 'define', or put it into a rule"
LAYOUT = ("E0105", "E0108", "E0109")
PHRASES = {"time": "passes", "row": "of"}


@frozen
class Parsed:
    """What parsing gives: concrete trees in order, and the comments for the formatter."""

    trees: tuple[Tree[LarkToken], ...]
    comments: tuple[Comment, ...]


@cache
def _literals() -> dict[str, str]:
    """Keyword or symbol text to the name of its terminal."""
    return {t.pattern.value: t.name for t in lark().terminals if t.pattern.type == "str"}


@cache
def _symbols() -> dict[str, str]:
    plain = {t.name: t.pattern.value for t in lark().terminals}
    out = {}
    for name, value in plain.items():
        out[value.replace("\\", "")] = name
    return out


def _copy(state: InteractiveParser) -> InteractiveParser:
    copied: InteractiveParser = state.copy(False)
    return copied


def _actions(state: InteractiveParser) -> Mapping[str, object]:
    parser = state.parser_state
    row: Mapping[str, object] = parser.parse_conf.parse_table.states[parser.position]
    return row


def _takes(state: InteractiveParser, kind: str) -> bool:
    """Whether a terminal can be read here; a row alone cannot tell, as it may lead to reductions
    that were made for another context."""
    parser = state.parser_state
    table = parser.parse_conf.parse_table.states
    stack = list(parser.state_stack)
    while kind in table[stack[-1]]:
        action, rule = table[stack[-1]][kind]
        if action is Shift:
            return True
        del stack[len(stack) - len(rule.expansion) :]
        stack.append(table[stack[-1]][rule.origin.name][1])
        if stack[-1] == parser.parse_conf.end_state:
            return kind == "$END"
    return False


def _possible(state: InteractiveParser) -> set[str]:
    """The terminals that can be read here."""
    return {k for k in _actions(state) if (k.isupper() or k == "$END") and _takes(state, k)}


def _terminal(state: InteractiveParser, token: Token) -> str:
    """The terminal that a token is in this state: a word may be a keyword or a name."""
    actions = _actions(state)
    if token.kind == "CALL" and "NAME" in actions:
        return "NAME"
    if token.kind in ("WORD", "CALL"):
        keyword = _literals().get(token.text, "")
        if keyword not in actions:
            return "NAME"
        return "NAME" if "NAME" in actions and not _takes(state, keyword) else keyword
    if token.kind == "SYMBOL":
        return _symbols()[token.text]
    if token.kind == "ID" and "ID" not in actions:
        return "NAME"
    return token.kind


def _settled(tokens: list[Token]) -> list[Token]:
    """Words whose terminal is also that of a time or of a map's row: names, unless the second word
    of their phrase follows."""
    out = []
    for token, after in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        second = PHRASES.get(token.text) if token.kind == "WORD" else None
        name = second is not None and after.text != second
        out.append(evolve(token, kind="CALL") if name else token)
    return out


def _feed(state: InteractiveParser, token: Token) -> bool:
    """Read a token; a parser that cannot is left as it was."""
    kind = _terminal(state, token)
    if not _takes(state, kind):
        return False
    span = token.span
    made = LarkToken(kind, token.text, 0, span.line, span.col, span.end_line, span.end_col)
    state.feed_token(made)
    return True


def _reach(state: InteractiveParser, tokens: list[Token]) -> int:
    """How many of the next tokens a copy of the parser can read."""
    for count, token in enumerate(tokens[:LOOKAHEAD]):
        if not _feed(state, token):
            return count
    return min(len(tokens), LOOKAHEAD)


def _sample(kind: str, span: Span) -> Token | None:
    if kind in expectations.SAMPLES:
        shape, text = expectations.SAMPLES[kind]
        return Token(shape, text, span)
    for text, name in _literals().items():
        if name == kind:
            return Token("WORD" if text[0].isalpha() else "SYMBOL", text, span)
    return Token("SYMBOL", "->", span) if kind == _symbols()["->"] else None


def _repairs(
    state: InteractiveParser, tokens: list[Token], at: int
) -> tuple[int, InteractiveParser, int]:
    """The best one-token repair: tokens read after it, the parser after it, the next index."""
    best = (_reach(_copy(state), tokens[at + 1 :]), state, at + 1)
    for kind in sorted(_possible(state)):
        sample = _sample(kind, tokens[at].span)
        if sample is None:
            continue
        for skip in (0, 1):
            trial = _copy(state)
            if not _feed(trial, sample):
                continue
            kept = _copy(trial)
            reach = _reach(trial, tokens[at + skip :])
            if reach > best[0]:
                best = (reach, kept, at + skip)
    return best


def _parse_chunk(tokens: list[Token], report: Report) -> Tree[LarkToken] | None:
    state = lark().parse_interactive("")
    tokens = _settled(tokens)
    at = repairs = 0
    while at < len(tokens):
        if _feed(state, tokens[at]):
            at += 1
            continue
        report.add(expectations.unexpected(tokens, at, _possible(state), _literals()))
        repairs += 1
        reach, state, at = _repairs(state, tokens, at)
        if repairs > MAX_REPAIRS or reach < min(PROGRESS, len(tokens) - at):
            return None
    try:
        result = state.feed_eof()
    except UnexpectedToken:
        report.add(expectations.unfinished(tokens, _possible(state), _literals()))
        return None
    return result if repairs == 0 or isinstance(result, Tree) else None


def _check_depth(tree: Tree[LarkToken], name: str, report: Report) -> bool:
    """Whether a declaration is shallow enough for the recursive passes behind the parser."""
    todo = [(tree, 0)]
    while todo:
        node, depth = todo.pop()
        depth += COSTS.get(str(node.data), 1)
        if depth > MAX_TREE:
            at = tree.meta if node.meta.empty else node.meta
            where = Span(name, at.line, at.column, at.line, at.column + 1)
            report.error("E0105", "this is nested too deeply", where, help=SHALLOWER)
            return False
        todo += [(kid, depth) for kid in node.children if isinstance(kid, Tree)]
    return True


def _believable(chunk: list[Token], found: Report, lexical: Report) -> list[Problem]:
    """The syntax errors of a declaration that do not merely follow from an error of the lexer: none
    on such an error's line, and none below it where it leaves the layout in doubt."""
    first, last = chunk[0].span.line, chunk[-1].span.line
    near = [p for p in lexical.problems if first <= p.span.line <= last]
    lines = {p.span.line for p in near}
    doubt = min((p.span.line for p in near if p.code in LAYOUT), default=last + 1)
    return [p for p in found.problems if p.span.line < doubt and p.span.line not in lines]


def _read_chunk(chunk: list[Token], lexical: Report, report: Report) -> list[Tree[LarkToken]]:
    found = Report()
    tree = _parse_chunk(chunk, found)
    for problem in _believable(chunk, found, lexical):
        report.add(problem)
    kept = [] if tree is None else [d for d in tree.children if isinstance(d, Tree)]
    return [d for d in kept if _check_depth(d, chunk[0].span.file, report)]


def parse_source(source: Source, report: Report) -> Parsed:
    """Every declaration of a source that could be read; the rest is in the report."""
    lexical = Report()
    chunks, comments = lex(source, lexical)
    for problem in lexical.problems:
        report.add(problem)
    collecting = gc.isenabled()
    gc.disable()
    try:
        found = [tree for chunk in chunks for tree in _read_chunk(chunk, lexical, report)]
    finally:
        if collecting:
            gc.enable()
    return Parsed(tuple(found), tuple(comments))
