"""A text cut into tokens, whatever the language: what the parsers of the C family stand on.

The lexer of each language (its ``tokens`` module) decides what a token, a comment and a line end is and
makes a :class:`Lexed` with :func:`make_lexed`: the significant tokens, the comments, the line table, and
for every opening bracket the token that closes it. Nothing here raises on any sequence of tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from verulaw_rl.languages.base import Span


class TokenKind(IntEnum):
    """What a token is, lexically."""

    WORD = 0
    NUMBER = 1
    STRING = 2
    CHAR = 3
    OPERATOR = 4
    ERROR = 5


class Token(NamedTuple):
    """A significant token: kind, text, and its character offsets ``[start, end)``."""

    kind: TokenKind
    text: str
    start: int
    end: int


class Range(NamedTuple):
    """Half-open range of token indices."""

    first: int
    last: int


NOWHERE = Range(0, 0)
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(")]}")
_COMMENT_EDGE = re.compile(r"/\*|\*/")


@dataclass(frozen=True, slots=True)
class Lexed:
    """A text cut into tokens. ``closer[i]`` is the token that closes bracket ``i``, ``len(tokens)`` if none does."""

    source: str
    tokens: tuple[Token, ...]
    comments: tuple[Span, ...]
    closer: dict[int, int]
    line_starts: tuple[int, ...]
    strays: tuple[Token, ...] = ()
    """Closing braces that close nothing. They are not among the tokens, so that what surrounds them can be read."""

    def line(self, offset: int) -> int:
        """1-based line of a character offset, as the language counts lines."""
        return bisect_right(self.line_starts, offset)

    def span(self, first: int, last: int) -> Span:
        """Characters covered by the tokens ``[first, last)``."""
        if first >= last or first >= len(self.tokens):
            offset = self.tokens[first].start if first < len(self.tokens) else len(self.source)
            return Span(offset, offset)
        return Span(self.tokens[first].start, self.tokens[last - 1].end)

    def canonical(self, first: int, last: int) -> str:
        """Texts of the tokens ``[first, last)`` joined by one blank."""
        return " ".join(t.text for t in self.tokens[first:last])


def block_comment_end(source: str, start: int) -> int:
    """End of the nested comment ``/* */`` that opens at ``start``: the end of the text if none closes it."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(source, start):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end()
    return len(source)


def words(text: str) -> frozenset[str]:
    """The set of blank-separated words."""
    return frozenset(text.split())


def make_lexed(source: str, tokens: list[Token], comments: list[Span], starts: tuple[int, ...]) -> Lexed:
    """Match the brackets of a text's tokens.

    Args:
        source: the text.
        tokens: its significant tokens, in order.
        comments: its comments, in order.
        starts: offsets at which its lines begin.
    """
    strays = _stray_braces(source, tokens, starts)
    kept = [t for i, t in enumerate(tokens) if i not in strays] if strays else tokens
    return Lexed(source, tuple(kept), tuple(comments), _closers(kept), starts, tuple(tokens[i] for i in sorted(strays)))


def _stray_braces(source: str, tokens: list[Token], starts: tuple[int, ...]) -> set[int]:
    """Closing braces too many, if any: first those that stand at another indentation than what they would close."""
    braces = [i for i, t in enumerate(tokens) if t.kind is TokenKind.OPERATOR and t.text in "{}"]
    excess = _unopened(tokens, braces)
    if not excess:
        return set()
    strays: set[int] = set()
    stack: list[int] = []
    for i in braces:
        begin = starts[bisect_right(starts, tokens[i].start) - 1]
        column = len(source[begin : tokens[i].start]) - len(source[begin : tokens[i].start].lstrip())
        alone = not source[begin : tokens[i].start].strip()
        if tokens[i].text == "{":
            stack.append(column)
        elif not stack or (alone and column > stack[-1] and len(strays) < excess):
            strays.add(i)
        else:
            stack.pop()
    return strays


def _unopened(tokens: list[Token], braces: list[int]) -> int:
    """How many closing braces find nothing open."""
    depth = excess = 0
    for i in braces:
        depth += 1 if tokens[i].text == "{" else -1
        if depth < 0:
            depth, excess = 0, excess + 1
    return excess


def _closers(tokens: list[Token]) -> dict[int, int]:
    """Match brackets; a closing brace also ends brackets left open inside it, a stray closer is ignored."""
    closer: dict[int, int] = {}
    stack: list[tuple[str, int]] = []
    braces = 0
    for index, (kind, text, _, _) in enumerate(tokens):
        if kind is not TokenKind.OPERATOR:
            continue
        if text in _OPENERS:
            stack.append((_OPENERS[text], index))
            braces += text == "{"
        elif text in _CLOSERS and stack:
            if stack[-1][0] == text:
                closer[stack.pop()[1]] = index
                braces -= text == "}"
            elif text == "}" and braces:
                while stack[-1][0] != "}":
                    closer[stack.pop()[1]] = index
                closer[stack.pop()[1]] = index
                braces -= 1
    for _, index in stack:
        closer[index] = len(tokens)
    return closer
