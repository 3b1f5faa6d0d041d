"""A cursor over the tokens of a text: the ground that the parsers of Dafny and Verus stand on."""

from __future__ import annotations

from verulaw_rl.languages.lexed import Lexed, Range, TokenKind

_AHEAD = 6
"""Empty tokens behind the last, so that a parser may look ahead without asking where the text ends."""


class Cursor:
    """Where a parser is, and the first thing that it could not read."""

    def __init__(self, lexed: Lexed) -> None:
        self.lexed = lexed
        self.tokens = lexed.tokens
        self.text = [t.text for t in lexed.tokens] + [""] * _AHEAD
        self.kind = [int(t.kind) for t in lexed.tokens] + [int(TokenKind.ERROR)] * _AHEAD
        self.count = len(lexed.tokens)
        self.at = 0
        self.depth = 0
        self.error: str | None = None
        self.garbage: list[Range] = []
        """Stretches that could not be read as anything."""

    def fail(self, expected: str, at: int | None = None) -> None:
        """Note the first thing that could not be read."""
        if self.error is None:
            at = self.at if at is None else at
            if at < self.count:
                line, found = self.lexed.line(self.tokens[at].start), self.text[at][:40]
                self.error = f"line {line}: expected {expected}, found {found!r}"
            else:
                line = self.lexed.line(len(self.lexed.source))
                self.error = f"line {line}: expected {expected}, found the end of the text"

    def is_word(self, at: int) -> bool:
        """Whether the token is a word."""
        return self.kind[at] == TokenKind.WORD

    def accept(self, text: str) -> bool:
        """Step over the token if it has that text."""
        if self.text[self.at] == text and self.at < self.count:
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> bool:
        """Step over the token that must have that text, or note an error and stay."""
        if self.accept(text):
            return True
        self.fail(repr(text))
        return False
