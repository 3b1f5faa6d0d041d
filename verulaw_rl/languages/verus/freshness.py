"""Which names an added declaration may have: none that already means something in the given program.

A local item wins over a glob import, an inherent function over a trait's, and not one given line changes. Names that
occur nowhere in the given specification cannot capture anything.
"""

from __future__ import annotations

import re

from verulaw_rl.languages.lexed import TokenKind
from verulaw_rl.languages.verus.syntax import METHOD_KINDS, Declaration
from verulaw_rl.languages.verus.view import Reading

_BUILT_IN = re.compile(
    r"""int|nat|bool|char|str|String|[iu](?:8|16|32|64|128|size)|f32|f64|Self|self|old|final|Seq|Set|Map|Multiset|ISet
    |Vec|Option|Some|None|Result|Ok|Err|Box|Rc|Arc|Ghost|Tracked|FnSpec|spec_fn|view|View|deep_view|arbitrary|choose
    |seq|set|map|assert|assume|admit|vec|unreached|verulaw_\w*|_""",
    re.VERBOSE,
)


def taken_names(given: Reading) -> frozenset[str]:
    """Every identifier of the given specification, and the names of what its bodies call.

    Bodies of exec and proof functions are no specification: their local names may be used again.
    """
    lexed = given.program.lexed
    words = {i: t.text for i, t in enumerate(lexed.tokens) if t.kind == TokenKind.WORD}
    called: set[str] = set()
    for d in given.declarations:
        if d.block is not None and d.kind in METHOD_KINDS:
            for index in range(d.block.first, d.block.last):
                name = words.pop(index, None)
                following = lexed.tokens[index + 1].text if index + 1 < len(lexed.tokens) else ""
                if name is not None and (following in ("(", "::", "!") or lexed.tokens[index - 1].text in (".", "::")):
                    called.add(name)
    return frozenset({*words.values(), *called})


def is_built_in(name: str) -> bool:
    """Whether the name means something in every program."""
    return _BUILT_IN.fullmatch(name) is not None


def declared_names(d: Declaration) -> list[str]:
    """Names that a declaration puts into the scope around it."""
    return [] if d.kind in ("impl", "use", "broadcast_use", "attribute", "global") else [d.name]
