"""Whether control can get past a statement, judged by syntax alone and erring towards "it can"."""

from __future__ import annotations

from verulaw_rl.languages.lexed import Lexed
from verulaw_rl.languages.verus.syntax import Block, Statement


def falls_through(lexed: Lexed, block: Block) -> bool:
    """Whether the end of the block may be reached."""
    return all(_falls(lexed, s) for s in block.statements)


def _falls(lexed: Lexed, s: Statement) -> bool:
    words = {lexed.tokens[i].text for i in range(s.keyword, s.last)}
    if s.kind == "return" or (s.kind == "expression" and lexed.tokens[s.keyword].text in ("break", "continue")):
        return False
    if s.kind == "loop":
        return "break" in words
    if s.kind == "block":
        return all(falls_through(lexed, b) for b in s.blocks)
    if s.kind == "match" or (s.kind == "if" and s.mode == "else"):
        arms = [b for b in s.blocks if not b.closure]
        return not arms or any(falls_through(lexed, b) for b in arms)
    return True
