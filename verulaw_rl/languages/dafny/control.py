"""Whether control can get past a statement, judged by syntax alone and erring towards "it can"."""

from __future__ import annotations

from collections.abc import Iterator

from verulaw_rl.languages.dafny.syntax import Block, Statement
from verulaw_rl.languages.lexed import Lexed


def falls_through(lexed: Lexed, block: Block) -> bool:
    """Whether the end of the block may be reached."""
    return all(_falls(lexed, s) for s in block.statements)


def _falls(lexed: Lexed, s: Statement) -> bool:
    if s.label is not None and s.kind != "assert" and any(b.operator == s.label for b, _ in _breaks(lexed, s)):
        return True
    if s.kind in ("return", "break"):
        return False
    if s.kind == "block":
        return all(falls_through(lexed, b) for b in s.blocks)
    if s.kind == "match" or (s.kind == "if" and (s.has_else or s.operator == "case")):
        return not s.blocks or any(falls_through(lexed, b) for b in s.blocks)
    if s.kind == "while" and lexed.canonical(*s.expression) in ("true", "( true )"):
        return any(levels == 0 for _, levels in _breaks(lexed, s))
    return True


def _breaks(lexed: Lexed, s: Statement, inside: int = 0) -> Iterator[tuple[Statement, int]]:
    """Break statements in ``s`` with the number of loops of ``s``'s body that they stay inside of, -1 if labelled."""
    for block in s.blocks:
        for inner in block.statements:
            if inner.kind == "break":
                words = [t.text for t in lexed.tokens[inner.keyword : inner.last]]
                if "continue" not in words:
                    yield inner, -1 if inner.operator else max(0, inside - words.count("break") + 1)
            elif inner.blocks:
                yield from _breaks(lexed, inner, inside + inner.is_loop)
