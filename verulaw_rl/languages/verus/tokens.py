"""The lexical structure of Rust with Verus's operators.

:func:`lex` turns any text into a :class:`~verulaw_rl.languages.lexed.Lexed` and never raises; what Rust does
not know becomes a token of kind ``ERROR``. Choices:

* block comments nest; doc comments are comments (Verus reads no contract from them);
* ``<<`` and ``>>`` are two tokens each, since type arguments end with ``>>``;
* a quote begins a character where one closes it in time (``'a'``), else a lifetime (``'a``);
* a raw identifier ``r#name`` is the word ``name``: to Rust they are the same.

No parser of others is used: Verus is not Rust (clauses, ``assert ... by``, ``==>``), so a Rust grammar such as
tree-sitter's breaks on every file, and no package index has a grammar of Verus.

Lines end with LF, as rustc counts them.
"""

from __future__ import annotations

import re

from verulaw_rl.languages.base import Span
from verulaw_rl.languages.lexed import Lexed, Token, TokenKind, block_comment_end, make_lexed

_TOKEN = re.compile(
    r"""
    (?P<space>[\s\u200e\u200f\ufeff]+)
  | (?P<line_comment>//[^\n]*)
  | (?P<block_comment>/\*)
  | (?P<raw>(?:b|c)?r(?P<hashes>\#*)")
  | (?P<STRING>[bc]?"(?:[^"\\]|\\[\s\S])*")
  | (?P<CHAR>b?'(?:\\(?:u\{[0-9a-fA-F_]*\}|x[0-9a-fA-F]{2}|[^\n])|[^'\\\n\r\t])')
  | (?P<raw_word>r\#(?=[^\W\d]))
  | (?P<lifetime>'[^\W\d]\w*)
  | (?P<WORD>[^\W\d]\w*)
  | (?P<NUMBER>0[xob][0-9a-fA-F_]+\w*|[0-9][0-9_]*(?:\.(?![.\w])|\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9_]+)?\w*)
  | (?P<OPERATOR>
        <==>|=~~=|!~~=|=~=|!~=|&&&|\|\|\||===|!==|==>|<==|\.\.=|\.\.\.|::|->|=>|==|!=|<=|>=|&&|\|\||\.\.
      | \+=|-=|\*=|/=|%=|\^=|&=|\|=
      | [-+*/%^!&|=<>@.,;:\#$?~(){}\[\]]
    )
    """,
    re.VERBOSE,
)
_LINE_END = re.compile(r"\n")
_KINDS = {kind.name: kind for kind in TokenKind}
LIFETIME = "'"
"""First character of a lifetime's text; its kind is CHAR, which no word is."""


def lex(source: str) -> Lexed:
    """Cut any text into tokens and comments."""
    tokens: list[Token] = []
    comments: list[Span] = []
    position, length = 0, len(source)
    while position < length:
        match = _TOKEN.match(source, position)
        if match is None:
            end = length if source[position] == '"' else position + 1
            tokens.append(Token(TokenKind.ERROR, source[position:end], position, end))
            position = end
            continue
        group, end = match.lastgroup, match.end()
        if group == "line_comment":
            comments.append(Span(position, end))
        elif group == "block_comment":
            end = block_comment_end(source, position)
            comments.append(Span(position, end))
        elif match["raw"] is not None:
            closing = source.find('"' + match["hashes"], end)
            kind = TokenKind.ERROR if closing < 0 else TokenKind.STRING
            end = length if closing < 0 else closing + 1 + len(match["hashes"])
            tokens.append(Token(kind, source[position:end], position, end))
        elif group == "raw_word":
            word = _TOKEN.match(source, end)
            assert word is not None
            tokens.append(Token(TokenKind.WORD, word.group(), position, word.end()))
            end = word.end()
        elif group == "lifetime":
            tokens.append(Token(TokenKind.CHAR, match.group(), position, end))
        elif group != "space":
            assert group is not None
            tokens.append(Token(_KINDS[group], match.group(), position, end))
        position = end
    return make_lexed(source, tokens, comments, line_starts(source))


def line_starts(source: str) -> tuple[int, ...]:
    """Offsets at which lines begin."""
    return (0, *(m.end() for m in _LINE_END.finditer(source)))


def canonical(text: str) -> str:
    """Tokens of a text joined by one blank: equal for texts that differ in layout and comments only."""
    return " ".join(t.text for t in lex(text).tokens)
