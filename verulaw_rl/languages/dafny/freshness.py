"""Which names an added declaration may have: none that already means something in the given program.

A new class member captures a module's predicate, a constant captures a datatype constructor, a
declaration shadows an opened import, and not one given line changes. Names that occur nowhere in the
given specification cannot capture anything.
"""

from __future__ import annotations

import re

from verulaw_rl.languages.dafny.names import callee
from verulaw_rl.languages.dafny.syntax import Declaration
from verulaw_rl.languages.dafny.view import Reading
from verulaw_rl.languages.lexed import TokenKind

_BUILT_IN = re.compile(
    r"""int|nat|bool|real|char|string|bv\d+|ORDINAL|object\??|array\d*\??|seq|i?set|i?map|multiset|_\w*|this|old|fresh
    |Length\d*|Keys|Values|Items|Floor|IsLimit|IsSucc|Offset|IsNat|RotateLeft|RotateRight|MoveNext
    |unchanged|allocated""",
    re.VERBOSE,
)


def taken_names(given: Reading) -> frozenset[str]:
    """Every identifier of the given specification, and the names of what its bodies call.

    Bodies of methods and lemmas are no specification: their local names may be used again.
    """
    lexed = given.program.lexed
    words = {i: t.text for i, t in enumerate(lexed.tokens) if t.kind == TokenKind.WORD}
    called: set[str] = set()
    for declaration in given.declarations:
        for block in (declaration.block, declaration.by_method):
            if block is not None:
                for index in range(block.first, block.last):
                    words.pop(index, None)
        body = given.bodies.get(id(declaration))
        for visit in body.visits if body else ():
            for call in (*visit.statement.targets, *visit.statement.values):
                called.add(callee(lexed, call) or "")
    return frozenset({*words.values(), *called})


def is_built_in(name: str) -> bool:
    """Whether the name means something in every program."""
    return _BUILT_IN.fullmatch(name) is not None


def declared_names(reading: Reading, declaration: Declaration) -> list[str]:
    """Names that a declaration puts into the scope around it: its own, and constructors of a datatype."""
    names = [declaration.name]
    if declaration.kind in ("datatype", "codatatype"):
        lexed = reading.program.lexed
        depth = 0
        for index in range(declaration.named_at + 1, declaration.signature.last):
            text = lexed.tokens[index].text
            depth += (text in ("(", "{", "<")) - (text in (")", "}", ">"))
            previous = lexed.tokens[index - 1].text
            word = lexed.tokens[index].kind == TokenKind.WORD
            if word and depth == 0 and previous in ("=", "|", "}", "ghost") and text != "ghost":
                names.append(text)
    return names
