"""A Python text, its tree and where its nodes stand, without loss.

The tree is Python's own (``ast``), with ``# type:`` comments, which are part of the program here. Positions
become character offsets into the text as it is, so that every piece of it can be shown, cut out or kept. Text
that Python cannot read has no tree and says why; nothing raises.
"""

from __future__ import annotations

import ast
import re
import tokenize
import warnings
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from verulaw_rl.languages.base import Span
from verulaw_rl.languages.lexed import Lexed

FILE_NAME = "<nagini>"
MAX_BYTES = 400_000
"""Longer texts are not read: no program of this kind is longer, and the verifier would not end."""
MAX_BRACKETS = 90
"""Deepest nesting of brackets that is read."""
MAX_LEVELS = 120
"""Deepest tree that is read (recursion over it must end well); public programs have at most thirty levels."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)

warnings.filterwarnings("ignore", module=re.escape(FILE_NAME))


@dataclass(frozen=True)
class Source:
    """A text with its tree (``None`` where Python cannot read it; ``error`` then says why)."""

    text: str
    tree: ast.Module | None
    error: str | None
    line_starts: tuple[int, ...]

    def line(self, offset: int) -> int:
        """1-based line of a character offset."""
        return bisect_right(self.line_starts, offset)

    def offset(self, line: int, column: int) -> int:
        """Character offset of a 1-based line and a column in UTF-8 bytes, as ``ast`` counts them."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        text = self.text[start:end]
        if text.isascii():
            return start + column
        return start + len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def span(self, node: ast.AST) -> Span:
        """Characters of an expression or statement, the decorators of a definition included."""
        first = node
        decorated = getattr(node, "decorator_list", None)
        if decorated:
            at = self.start(decorated[0])
            begin = self.text.rfind("@", 0, at)
            return Span(begin if begin >= 0 else at, self.end(node))
        return Span(self.start(first), self.end(node))

    def start(self, node: ast.AST) -> int:
        """Offset of the first character of a node."""
        return self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        """Offset behind the last character of a node."""
        return self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def slice(self, span: Span) -> str:
        """Characters of a span."""
        return self.text[span.start : span.end]

    @cached_property
    def comments(self) -> tuple[Span, ...]:
        """Comments in order; those before the first mistake where the text cannot be cut into tokens."""
        found: list[Span] = []
        lines = iter(_split_lines(self.text, self.line_starts))
        try:
            for token in tokenize.generate_tokens(lambda: next(lines, "")):
                if token.type == tokenize.COMMENT:
                    # tokenize counts characters, not bytes
                    start = self.line_starts[token.start[0] - 1] + token.start[1]
                    found.append(Span(start, start + len(token.string)))
        except (tokenize.TokenError, SyntaxError, ValueError):
            pass
        return tuple(found)

    @cached_property
    def lexed(self) -> Lexed:
        """The text, its lines and its comments, for those who cut stretches out of it."""
        return Lexed(self.text, (), self.comments, {}, self.line_starts)

    @property
    def coding(self) -> tuple[int, str] | None:
        """Line and name of a declared encoding other than UTF-8: who reads the bytes would see another text."""
        for number, line in enumerate(_split_lines(self.text, self.line_starts)[:2], start=1):
            found = _CODING.match(line)
            if found and found[1].lower().replace("_", "-") not in ("utf-8", "utf8"):
                return number, found[1]
            if line.strip() and not line.lstrip().startswith("#"):
                break
        return None


def read_source(text: str) -> Source:
    """Read any text; never raises."""
    starts = (0, *(m.end() for m in _LINE_END.finditer(text)))
    tree, error = _tree(text)
    return Source(text, tree, error, starts)


def _tree(text: str) -> tuple[ast.Module | None, str | None]:
    if not text.strip():
        return None, "the file is empty"
    if len(text) > MAX_BYTES:
        return None, f"the file has more than {MAX_BYTES} characters"
    if deepest(text) > MAX_BRACKETS:
        return None, f"brackets are nested more than {MAX_BRACKETS} deep"
    try:
        tree = ast.parse(text, FILE_NAME, type_comments=True)
    except SyntaxError as error:
        return None, f"line {error.lineno or 1}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return None, f"Python cannot read it: {error}"
    if _too_deep(tree):
        return None, f"the program's tree is more than {MAX_LEVELS} levels deep"
    return tree, None


def deepest(text: str) -> int:
    """A bound on the nesting of brackets, strings and comments taken for code."""
    depth = most = 0
    for character in text:
        if character in "([{":
            depth += 1
            most = max(most, depth)
        elif character in ")]}" and depth:
            depth -= 1
    return most


def _too_deep(tree: ast.AST) -> bool:
    """Whether the tree is deeper than recursion over it may go."""
    level: list[ast.AST] = [tree]
    for _ in range(MAX_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _split_lines(text: str, starts: tuple[int, ...]) -> list[str]:
    """Lines as Python counts them, each with a plain line end."""
    ends = (*starts[1:], len(text))
    return [_LINE_END.sub("\n", text[a:b]) for a, b in zip(starts, ends, strict=True)]


def parse_expression(text: str) -> ast.expr | None:
    """The tree of an expression on its own, or ``None``."""
    try:
        return ast.parse(f"({text}\n)", FILE_NAME, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
