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

from verulaw_rl.languages.base import Span
from verulaw_rl.languages.lexed import Lexed, Token, TokenKind, block_comment_end, make_lexed

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
_LINE_END = re.compile(r"\r\n|\r|\n")
_KINDS = {kind.name: kind for kind in TokenKind}


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
            end = block_comment_end(source, position)
            comments.append(Span(position, end))
        else:
            assert group is not None
            tokens.append(Token(_KINDS[group], match.group(), position, end))
        position = end
    return make_lexed(source, tokens, comments, line_starts(source))


def line_starts(source: str) -> tuple[int, ...]:
    """Offsets at which lines begin, as Dafny's scanner counts lines."""
    return (0, *(m.end() for m in _LINE_END.finditer(source)))


def canonical(text: str) -> str:
    """Tokens of a text joined by one blank: equal for texts that differ in layout and comments only."""
    return " ".join(t.text for t in lex(text).tokens)
