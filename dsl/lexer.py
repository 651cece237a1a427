"""The lexer: clean text to tokens, with layout (line ends, indents, dedents) made explicit.

In: a `Source` and a report. Out: one list of `Token` a top-level declaration, so that an error in
one cannot hide another. A word stays a `WORD`; the parser decides in its state whether it is a
keyword or a name.
"""

from __future__ import annotations

import re

from attrs import define, field, frozen

from dsl.problems import Report, Span
from dsl.source import Source, advice, name_of

MAX_DEPTH = 200
MAX_ERRORS = 40
TAB = 8

PATTERN = re.compile(
    r"""(?P<SPACE>[ \t]+)
    |(?P<COMMENT>\#[^\n]*)
    |(?P<DURATION>\d{1,9}(?:\.\d{1,3})?[ ]?(?:ms|s|min)\b)
    |(?P<INT>\d+)
    |(?P<ID>[A-Z]{1,4}-[A-Z]*\d+\b)
    |(?P<WORD>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<STRING>"[^"\n]*")
    |(?P<CITE>@[A-Za-z0-9_.~\#-]+)
    |(?P<MAPROW>\|[^\n|]*\|)
    |(?P<CMP><=|>=|!=|<|>)
    |(?P<SYMBOL>->|\.\.|[-+*/&()\[\]{},:.=])
    |(?P<NL>\n)""",
    re.VERBOSE | re.ASCII,
)
TOUCHED = re.compile(r"[(\[]|\.(?!\.)")
PREFIXES = frozenset(("not", "if", "and", "or", "in", "is", "where", "then", "else", "by", "to"))
WORD = re.compile(r"(?P<WORD>[A-Za-z_][A-Za-z0-9_]*)")
OPEN = {"(": ")", "[": "]", "{": "}"}
CLOSE = {v: k for k, v in OPEN.items()}


@frozen
class Token:
    """One token; `kind` is WORD, CALL (a word that a bracket or a dot touches), SYMBOL, _NL,
    _INDENT, _DEDENT or a terminal of the grammar."""

    kind: str
    text: str
    span: Span


@frozen
class Comment:
    """A comment with its place; `alone` when nothing else stands on its line."""

    text: str
    span: Span
    alone: bool


@define
class _Lexer:
    source: Source
    report: Report
    tokens: list[Token] = field(factory=list)
    chunks: list[list[Token]] = field(factory=list)
    comments: list[Comment] = field(factory=list)
    brackets: list[Token] = field(factory=list)
    levels: list[int] = field(factory=lambda: [0])
    line: int = 1
    start: int = 0
    errors: int = 0

    def span(self, begin: int, end: int) -> Span:
        col = begin - self.start + 1
        return Span(self.source.name, self.line, col, self.line, col + end - begin)

    def error(self, code: str, title: str, span: Span, help: str = "") -> None:
        self.errors += 1
        if self.errors <= MAX_ERRORS:
            self.report.error(code, title, span, help=help)

    def run(self) -> None:
        text, at = self.source.text, 0
        fresh = True
        while at < len(text):
            match = PATTERN.match(text, at)
            if match is None:
                at = self.stray(text, at)
                continue
            if match.lastgroup == "ID" and not self.names_an_id():
                match = WORD.match(text, at) or match
            kind, word = match.lastgroup or "", match.group()
            if kind == "NL":
                self.newline(at, fresh)
                fresh = True
                self.line, self.start = self.line + 1, match.end()
            elif kind == "COMMENT":
                self.comments.append(Comment(word, self.span(at, match.end()), fresh))
            elif kind != "SPACE":
                if fresh:
                    self.indent(at, text[self.start : at])
                    fresh = False
                if kind == "WORD" and word not in PREFIXES and TOUCHED.match(text, match.end()):
                    kind = "CALL"
                self.token(kind, word, self.span(at, match.end()))
            at = match.end()
        self.newline(at, fresh)
        self.close(self.span(at, at))

    def names_an_id(self) -> bool:
        """Whether an id such as G-04 can stand here; elsewhere `N-1` is a difference."""
        return bool(self.tokens) and self.tokens[-1].text in ("assume", "reading", "scenario")

    def stray(self, text: str, at: int) -> int:
        char = text[at]
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        span = self.span(at, at + 1)
        if char == '"':
            self.error("E0104", "this text has no closing quote on its line", span)
            self.token("STRING", text[at:end] + '"', self.span(at, end))
            return end
        title = f"this character cannot be used here: {name_of(char)}"
        self.error("E0103", title, span, advice(char))
        return at + 1

    def token(self, kind: str, word: str, span: Span) -> None:
        if kind == "INT" and len(word) > 15:
            self.error("E0106", "this number has more than 15 digits", span)
            word = "0"
        if word in OPEN:
            self.brackets.append(Token(kind, word, span))
            if len(self.brackets) == MAX_DEPTH:
                self.error("E0105", f"brackets are nested deeper than {MAX_DEPTH}", span)
            if len(self.brackets) >= MAX_DEPTH:
                return
        elif word in CLOSE:
            if not self.brackets or self.brackets[-1].text != CLOSE[word]:
                self.error("E0107", f"'{word}' closes nothing that is open", span)
                return
            self.brackets.pop()
            if len(self.brackets) >= MAX_DEPTH - 1:
                return
        self.tokens.append(Token(kind, word, span))

    def indent(self, at: int, blank: str) -> None:
        if self.brackets:
            if at > self.start or self.source.text[at] in CLOSE:
                return
            bracket = self.brackets[0]
            self.error("E0108", f"'{bracket.text}' is never closed", bracket.span)
            self.brackets.clear()
            self.tokens.append(Token("_NL", "\n", self.span(at, at)))
        width = len(blank.expandtabs(TAB))
        here = self.span(at, at)
        if width > self.levels[-1]:
            self.levels.append(width)
            self.tokens.append(Token("_INDENT", "", here))
            return
        while width < self.levels[-1]:
            self.levels.pop()
            self.tokens.append(Token("_DEDENT", "", here))
        if width > self.levels[-1]:
            title = "this line is indented like no line above it"
            self.error("E0109", title, here, "align it with its block")
        if width == 0:
            self.flush()

    def newline(self, at: int, fresh: bool) -> None:
        if not fresh and not self.brackets:
            self.tokens.append(Token("_NL", "\n", self.span(at, at + 1)))

    def flush(self) -> None:
        if self.tokens:
            self.chunks.append(self.tokens)
            self.tokens = []

    def close(self, here: Span) -> None:
        if self.brackets:
            bracket = self.brackets[0]
            self.error("E0108", f"'{bracket.text}' is never closed", bracket.span)
            self.tokens.append(Token("_NL", "\n", here))
        self.tokens += [Token("_DEDENT", "", here) for _ in self.levels[1:]]
        self.flush()


def lex(source: Source, report: Report) -> tuple[list[list[Token]], list[Comment]]:
    """Tokens by top-level declaration, and every comment."""
    lexer = _Lexer(source, report)
    lexer.run()
    return lexer.chunks, lexer.comments
