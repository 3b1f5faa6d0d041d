"""Attributes, ``{:name …}`` and ``@Name(…)``: an allow-list of those that cannot change what is proved.

An attribute that is on no list here is taken for a way around the verifier: Dafny 2.3 passes every
attribute on to Boogie, where several switch checks off (``{:verify false}``, ``{:inline}``,
``{:verified_under true}``, ``{:selective_checking}``).
"""

from __future__ import annotations

from collections.abc import Iterator

from verulaw_rl.languages.attributes import Attribute, Effect
from verulaw_rl.languages.lexed import Lexed, TokenKind

_STEERING = frozenset(
    {
        "trigger",
        "induction",
        "split",
        "split_here",
        "focus",
        "isolate_assertions",
        "subsumption",
        "tailrecursion",
        "nowarn",
        "contradiction",
        "autotriggers",
        "matchinglooprewrite",
        "warnShadowing",
    }
)
_MEANING_ON_GIVEN = frozenset(["opaque", "fuel", "nativeType", "compile", "abstemious", "autoReq"])
_CONTRACT = frozenset(["autocontracts", "options"])
_AUTHOR = frozenset(["main", "print", "test", "timeLimit", "rlimit"])
_RESOURCE_BOUNDS = {
    "rlimit": (100, 10**12),
    "resource_limit": (100, 10**12),
    "timeLimit": (5, 600),
    "timeLimitMultiplier": (1, 20),
}
_AT_NAMES = {
    "AutoContracts": "autocontracts",
    "AutoRequires": "autoReq",
    "Compile": "compile",
    "Fuel": "fuel",
    "Induction": "induction",
    "IsolateAssertions": "isolate_assertions",
    "Options": "options",
    "ResourceLimit": "rlimit",
    "TailRecursion": "tailrecursion",
    "TimeLimit": "timeLimit",
    "TimeLimitMultiplier": "timeLimitMultiplier",
}
_AT_EXPRESSIONS = frozenset({"old", "unchanged", "fresh", "allocated"})


def attributes_in(lexed: Lexed, first: int, last: int) -> Iterator[Attribute]:
    """The attributes that stand in a range of tokens, at any depth."""
    tokens = lexed.tokens
    for at in range(first, min(last, len(tokens) - 1)):
        text = tokens[at].text
        if text == "{" and tokens[at + 1].text == ":":
            end = min(lexed.closer.get(at, last - 1) + 1, last)
            name = tokens[at + 2].text if at + 2 < end else ""
            yield _attribute(lexed, name, at, end, at + 3, end - 1)
        elif text == "@" and tokens[at + 1].kind == TokenKind.WORD and tokens[at - 1].text not in _AT_EXPRESSIONS:
            end, inner = at + 2, (at + 2, at + 2)
            if end < len(tokens) and tokens[end].text == "(":
                end = min(lexed.closer.get(end, last - 1) + 1, last)
                inner = (at + 3, end - 1)
            name = tokens[at + 1].text
            yield _attribute(lexed, _AT_NAMES.get(name, f"@{name}"), at, end, *inner)


def is_known_to_authors(attribute: Attribute) -> bool:
    """Whether a program's author may use it and still have everything proved."""
    harmless = attribute.name in _AUTHOR or attribute.canonical == "{ : verify true }"
    return attribute.effect is not Effect.ESCAPE or harmless


def _attribute(lexed: Lexed, name: str, first: int, last: int, inner: int, inner_last: int) -> Attribute:
    return Attribute(name, first, last, lexed.canonical(first, last), _effect(lexed, name, inner, inner_last))


def _effect(lexed: Lexed, name: str, first: int, last: int) -> Effect:
    if name in _RESOURCE_BOUNDS:
        low, high = _RESOURCE_BOUNDS[name]
        amount = lexed.tokens[first].text.strip('"') if last - first == 1 else ""
        bounded = amount.isascii() and amount.isdigit() and low <= int(amount[:20]) <= high
        return Effect.STEERING if bounded else Effect.ESCAPE
    if name in _STEERING or name.startswith("vcs_"):
        return Effect.STEERING
    if name in _MEANING_ON_GIVEN:
        return Effect.MEANING
    return Effect.CONTRACT if name in _CONTRACT else Effect.ESCAPE
