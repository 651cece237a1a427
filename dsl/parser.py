"""The parser: tokens to a concrete tree, one declaration at a time, reporting many errors a run.

In: a `Source`. Out: Lark trees, one a declaration that could be read. On an unexpected token every
repair of one token (skip, insert, replace) is tried on a copy of the parser; the one that then
reads furthest wins, and after too many repairs the rest of the declaration is left out.
"""

from __future__ import annotations

import gc
from functools import cache

from attrs import frozen
from lark import Token as LarkToken
from lark import Tree
from lark.exceptions import UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser

from dsl import expectations
from dsl.lexer import Comment, Token, lex
from dsl.problems import Report, Span
from dsl.source import Source
from dsl.tables import lark

LOOKAHEAD = 10
PROGRESS = 3
MAX_REPAIRS = 6


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


def _actions(state: InteractiveParser) -> dict[str, object]:
    parser = state.parser_state
    row: dict[str, object] = parser.parse_conf.parse_table.states[parser.position]
    return row


def _terminal(token: Token, actions: dict[str, object]) -> str:
    """The terminal that a token is in this state: a word may be a keyword or a name."""
    if token.kind == "CALL" and "NAME" in actions:
        return "NAME"
    if token.kind in ("WORD", "CALL"):
        keyword = _literals().get(token.text, "")
        return keyword if keyword in actions else "NAME"
    if token.kind == "SYMBOL":
        return _symbols()[token.text]
    if token.kind == "ID" and "ID" not in actions:
        return "NAME"
    return token.kind


def _feed(state: InteractiveParser, token: Token) -> bool:
    kind = _terminal(token, _actions(state))
    span = token.span
    made = LarkToken(
        kind, token.text, 0, span.line, span.col, span.end_line, span.end_col
    )
    try:
        state.feed_token(made)
    except UnexpectedToken:
        return False
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
    best = (_reach(state.copy(False), tokens[at + 1 :]), state, at + 1)
    for kind in sorted(_actions(state)):
        sample = _sample(kind, tokens[at].span)
        if sample is None:
            continue
        for skip in (0, 1):
            trial = state.copy(False)
            if not _feed(trial, sample):
                continue
            kept = trial.copy(False)
            reach = _reach(trial, tokens[at + skip :])
            if reach > best[0]:
                best = (reach, kept, at + skip)
    return best


def _parse_chunk(tokens: list[Token], report: Report) -> Tree[LarkToken] | None:
    state = lark().parse_interactive("")
    at = repairs = 0
    while at < len(tokens):
        before = state.copy(False)
        if _feed(state, tokens[at]):
            at += 1
            continue
        state = before
        report.add(expectations.unexpected(tokens, at, set(_actions(state)), _literals()))
        repairs += 1
        reach, state, at = _repairs(state, tokens, at)
        if repairs > MAX_REPAIRS or reach < min(PROGRESS, len(tokens) - at):
            return None
    try:
        result = state.feed_eof()
    except UnexpectedToken:
        report.add(expectations.unfinished(tokens, set(_actions(state)), _literals()))
        return None
    return result if repairs == 0 or isinstance(result, Tree) else None


def parse_source(source: Source, report: Report) -> Parsed:
    """Every declaration of a source that could be read; the rest is in the report."""
    chunks, comments = lex(source, report)
    collecting = gc.isenabled()
    gc.disable()
    try:
        trees = [_parse_chunk(chunk, report) for chunk in chunks]
    finally:
        if collecting:
            gc.enable()
    found = tuple(d for t in trees if t is not None for d in t.children if isinstance(d, Tree))
    return Parsed(found, tuple(comments))
