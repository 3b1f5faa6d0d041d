"""The lexical structure of Dafny, for both dialects at once.

:func:`lex` turns any text into a :class:`Lexed`: the significant tokens, the comments, the line
table, and for every opening bracket the token that closes it. It never raises; what no dialect
knows becomes a token of kind :attr:`TokenKind.ERROR`. Choices where the dialects differ:

* ``{:`` and ``{ :`` are two tokens (2.x reads them so; 3.0 and later write them without blank);
* ``<<``, ``>>`` and ``<-`` are two tokens each, since type arguments end with ``>>`` and 2.3 reads
  ``x<-1`` as a comparison;
* words are all of kind :attr:`TokenKind.WORD`: which of them are keywords depends on place and
  dialect, and the parser decides.

Lines end where Dafny's scanner ends them: LF, CR LF, or a lone CR (which also ends a ``//`` comment).
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


_TOKEN = re.compile(
    r"""
    (?P<space>[\ \t\r\n\f\v\ufeff]+)
  | (?P<line_comment>//[^\n\r]*)
  | (?P<block_comment>/\*)
  | (?P<CHAR>'(?:\\u[0-9a-fA-F]{4}|\\U\{[0-9a-fA-F_]*\}|\\[^\n\r]|[^'\\\n\r])')
  | (?P<WORD>[A-Za-z_?'][A-Za-z0-9_?']*)
  | (?P<NUMBER>0x[0-9a-fA-F][0-9a-fA-F_]*|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?)
  | (?P<STRING>@"(?:[^"]|"")*"|"(?:[^"\\\n\r]|\\[^\n\r])*")
  | (?P<OPERATOR>
        <==>|\.\.\.|==>|<==|!in(?![A-Za-z0-9_?'])|-->|::|:=|:\||:-|==|!=|!!|<=|>=|=>|->|~>|&&|\|\||\.\.
      | [-+*/%<>=!&|^.,:;()\[\]{}@\#`~∀∃•⇔⇒⇐∧∨≠≤≥¬]
    )
    """,
    re.VERBOSE,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_LINE_END = re.compile(r"\r\n|\r|\n")
_KINDS = {kind.name: kind for kind in TokenKind}
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(")]}")


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
        """1-based line of a character offset, as Dafny counts lines."""
        return bisect_right(self.line_starts, offset)

    def canonical(self, first: int, last: int) -> str:
        """Texts of the tokens ``[first, last)`` joined by one blank."""
        return " ".join(t.text for t in self.tokens[first:last])


def words(text: str) -> frozenset[str]:
    """The set of blank-separated words."""
    return frozenset(text.split())


def lex(source: str) -> Lexed:
    """Cut any text into tokens and comments."""
    tokens: list[Token] = []
    comments: list[Span] = []
    position, length = 0, len(source)
    match_at = _TOKEN.match
    while position < length:
        match = match_at(source, position)
        if match is None:
            end = position + 1
            if source[position] == '"':  # unterminated: the rest of the line is lost, not the rest of the file
                line_end = _LINE_END.search(source, position)
                end = line_end.start() if line_end else length
            elif source.startswith('@"', position):
                end = length
            tokens.append(Token(TokenKind.ERROR, source[position:end], position, end))
            position = end
            continue
        group, end = match.lastgroup, match.end()
        if group == "space":
            pass
        elif group == "line_comment":
            comments.append(Span(position, end))
        elif group == "block_comment":
            end = _block_comment_end(source, position)
            comments.append(Span(position, end))
        else:
            assert group is not None
            tokens.append(Token(_KINDS[group], match.group(), position, end))
        position = end
    starts = line_starts(source)
    strays = _stray_braces(source, tokens, starts)
    kept = [t for i, t in enumerate(tokens) if i not in strays] if strays else tokens
    return Lexed(source, tuple(kept), tuple(comments), _closers(kept), starts, tuple(tokens[i] for i in sorted(strays)))


def line_starts(source: str) -> tuple[int, ...]:
    """Offsets at which lines begin, as Dafny's scanner counts lines."""
    return (0, *(m.end() for m in _LINE_END.finditer(source)))


def canonical(text: str) -> str:
    """Tokens of a text joined by one blank: equal for texts that differ in layout and comments only."""
    return " ".join(t.text for t in lex(text).tokens)


def _block_comment_end(source: str, start: int) -> int:
    """End of the nested comment that opens at ``start``: the end of the text if none closes it, as Dafny has it."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(source, start):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end()
    return len(source)


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
