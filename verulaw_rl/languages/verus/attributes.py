"""Attributes, ``#[...]``: an allow-list of those that cannot change what is proved.

Spellings are one: ``#[verifier::rlimit(5)]`` and ``#[verifier(rlimit(5))]`` are named ``rlimit``; what ``cfg_attr``
holds counts as well as ``cfg_attr`` itself, which is on no list. An attribute that is on no list is taken for a way
around the verifier: several switch it off (``external_body``, ``external``, ``assume_termination``).
"""

from __future__ import annotations

from collections.abc import Iterator

from verulaw_rl.languages.attributes import Attribute, Effect
from verulaw_rl.languages.lexed import Lexed, Range, TokenKind, words

_STEERING = words(
    """
    spinoff_prover loop_isolation allow_complex_invariants auto_ext_equal auto trigger all_triggers integer_ring
    nonlinear bit_vector spec_checked proof_note via_fn truncate skip allow warn deny inline must_use
    """
)
_MEANING = words("opaque opaque_outside_module memoize doc prune_unless_this_module_is_used")
_SPECIFICATION = words(
    """
    cfg derive type_invariant when_used_as_spec allow_in_spec dual_spec derive_ctor sealed reject_recursive_types
    reject_recursive_types_in_ground_variants broadcast_forall returns default
    """
)
_AUTHOR = words("test main global accept_recursive_types")
_PATHS = frozenset({"verifier", "verus", "rustfmt", "verusfmt", "clippy"})
_MOST_RLIMIT = 200.0
"""Twenty times Verus's default. The attribute outdoes the limit of the command line; the wall clock then guards."""


def attributes_in(lexed: Lexed, first: int, last: int) -> Iterator[Attribute]:
    """The attributes that stand in a range of tokens, at any depth."""
    tokens = lexed.tokens
    for at in range(first, min(last, len(tokens)) - 1):
        if tokens[at].text != "#":
            continue
        opening = at + 2 if tokens[at + 1].text == "!" else at + 1
        if opening < len(tokens) and tokens[opening].text == "[":
            yield attribute(lexed, Range(at, min(lexed.closer.get(opening, last - 1) + 1, last)))


def attribute(lexed: Lexed, at: Range) -> Attribute:
    """The attribute that stands there, brackets included."""
    opening = at.first + (2 if lexed.tokens[at.first + 1].text == "!" else 1)
    inside = Range(opening + 1, at.last - 1)
    names = _names(lexed, inside)
    effects = [_effect(lexed, name, inside) for name in names] or [Effect.ESCAPE]
    strongest = max(effects, key=list(Effect).index)
    named = names[effects.index(strongest)] if names else ""
    return Attribute(named, at.first, at.last, lexed.canonical(*at), strongest)


def is_known_to_authors(found: Attribute) -> bool:
    """Whether a program's author may use it and still have everything proved."""
    return found.effect is not Effect.ESCAPE or found.name in _AUTHOR


def _names(lexed: Lexed, inside: Range) -> list[str]:
    """What an attribute asks for: its path's last word, and what ``verifier(...)`` or ``cfg_attr`` hold."""
    tokens = lexed.tokens
    head: list[str] = []
    at = inside.first
    while at < inside.last and tokens[at].kind == TokenKind.WORD:
        head.append(tokens[at].text)
        at += 1
        if at >= inside.last or tokens[at].text != "::":
            break
        at += 1
    if not head:
        return []
    if head[0] == "verus" and head[1:2] == ["internal"]:
        return ["internal"]
    rest = Range(at + 1, inside.last - 1)
    if head == ["verifier"] and at < inside.last and tokens[at].text == "(":
        return [name for part in _parts(lexed, rest) for name in _names(lexed, part)] or ["verifier"]
    if head[0] in ("cfg_attr", "unsafe"):
        return [head[0], *(name for part in _parts(lexed, rest) for name in _names(lexed, part))]
    return [head[-1] if len(head) == 1 or head[0] in _PATHS else "::".join(head)]


def _parts(lexed: Lexed, inside: Range) -> Iterator[Range]:
    first = at = inside.first
    while at < inside.last:
        if lexed.tokens[at].text == ",":
            yield Range(first, at)
            first = at + 1
        at = max(at, lexed.closer.get(at, at)) + 1
    if first < inside.last:
        yield Range(first, inside.last)


def _effect(lexed: Lexed, name: str, inside: Range) -> Effect:
    if name == "rlimit":
        return Effect.STEERING if _bounded(lexed, inside) else Effect.ESCAPE
    for effect, list_ in (
        (Effect.STEERING, _STEERING),
        (Effect.MEANING, _MEANING),
        (Effect.CONTRACT, _SPECIFICATION),
    ):
        if name in list_:
            return effect
    return Effect.ESCAPE


def _bounded(lexed: Lexed, inside: Range) -> bool:
    numbers = [t.text for t in lexed.tokens[inside.first : inside.last] if t.kind == TokenKind.NUMBER]
    try:
        return len(numbers) == 1 and 1 <= float(numbers[0].replace("_", "")) <= _MOST_RLIMIT
    except ValueError:
        return False
