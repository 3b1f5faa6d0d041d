"""Honest rewrites of a Dafny program: what a person may do to a proof without changing what is claimed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from verulaw_rl.languages.base import Span, Task
from verulaw_rl.languages.dafny.places import clause_places, declaration_places, statement_places, statements
from verulaw_rl.languages.dafny.syntax import METHOD_KINDS, Declaration
from verulaw_rl.languages.dafny.view import Reading
from verulaw_rl.languages.lexed import Range, TokenKind
from verulaw_rl.languages.rewrites import Edit, Family, Rewrite, insertion

WORDS = 'assume false; {:verify false} {:axiom} expect free include "x" decreases * lemma L() ensures false'
"""What a comment or a string may say."""
_LAYOUTS = 6
_GHOST = {
    "assert": "assert true;",
    "labelled_assert": "assert honest__: 1 + 1 == 2;",
    "label": "label Honest__: assert true;",
    "ghost_variable": "ghost var honest__ := 3; assert honest__ > 2;",
    "ghost_variables": "ghost var honest1__, honest2__ := {1}, [2]; honest1__ := honest1__ + {3};",
    "forall": "forall k__: int ensures k__ == k__ { }",
    "forall_by": "forall k__: int | k__ > 3 ensures k__ > 2 { assert k__ > 1; }",
    "calc": "calc { 1 + 1; == { assert true; } 2; }",
    "assert_by": "assert 2 > 1 by { assert true; }",
    "ghost_if": "if 1 < 2 { assert true; } else { assert false; }",
    "ghost_block": "{ assert true; }",
    "ghost_match": "match 1 { case _ => assert true; }",
    "assert_false_where_dead": "if 2 < 1 { assert false; }",
    "string": f'assert "{WORDS.replace(chr(34), "")}" != "";',
    "verbatim_string": """assert @"\\ ""assume false;"" /* {:axiom}" != "";""",
    "character": "assert '\\\"' != 'a';",
}
_LEMMAS = {
    "lemma": "lemma Honest__(n: nat) ensures n + 1 > n { }",
    "lemma_by_induction": "lemma {:induction false} Honest__(n: nat) ensures n >= 0 decreases n "
    "{ if n > 0 { Honest__(n - 1); } }",
    "lemma_from_false": "lemma Honest__() requires false ensures false { }",
    "function": "function Honest__(n: nat): nat decreases n { if n == 0 then 0 else Honest__(n - 1) + 1 }",
    "predicate": "predicate Honest__(x: int) { x > 3 }",
    "opaque_function": "function {:opaque} Honest__(x: int): int { x + 1 }",
    "constant": "ghost const honest__: int := 3",
    "datatype": "datatype Honest__ = Honest1__ | Honest2__(value__: int)",
    "steered_lemma": "lemma {:timeLimitMultiplier 2} {:vcs_split_on_every_assert} Honest__() ensures 1 < 2 { }",
}


def honest_rewrites(task: Task, reading: Reading) -> Iterator[Rewrite]:
    """Every honest rewrite at every place; none at all for a program that cannot be read."""
    yield from _layout(reading)
    yield from _comments(reading)
    yield from _reordered(reading)
    for place in statement_places(reading):
        if not _is_open(task, place.declaration):
            continue
        embedded = not (place.declaration.block or place.declaration.by_method)
        for kind, text in _GHOST.items():
            if not embedded or kind in ("assert", "calc", "string", "assert_by"):
                yield _inserted(f"ghost_{kind}", place.at, f"{text} ")
    for at, holder in declaration_places(reading):
        for kind, text in _LEMMAS.items():
            if not holder or kind.startswith("lemma"):
                static = "static " if holder in ("class", "trait") and kind == "lemma" else ""
                yield _inserted(f"added_{kind}", at, f"\n{static}{text}\n")
    yield from _called(task, reading)
    yield from _annotations(task, reading)


def _inserted(kind: str, at: int, text: str) -> Rewrite:
    return Rewrite(Family.HONEST, kind, (insertion(at, text),))


def _gaps(reading: Reading) -> list[Span]:
    """White space and comments between tokens that are apart."""
    tokens = reading.program.lexed.tokens
    return [Span(a.end, b.start) for a, b in itertools.pairwise(tokens) if a.end < b.start]


def _layout(reading: Reading) -> Iterator[Rewrite]:
    """The same tokens with other white space and other comments between them."""
    gaps = _gaps(reading)
    fills = (
        " ",
        "\n",
        "\r\n",
        "\t",
        "  \n\n  ",
        f" /* {WORDS} */ ",
        f" // {WORDS}\n",
        " /* /* nested */ */ ",
        "\n//\r",
    )
    for number in range(_LAYOUTS):
        chooser = random.Random(number)
        yield Rewrite(Family.HONEST, "layout", tuple(Edit(gap, chooser.choice(fills)) for gap in gaps))
    yield Rewrite(Family.HONEST, "one_line", tuple(Edit(gap, " ") for gap in gaps))
    yield Rewrite(Family.HONEST, "one_token_a_line", tuple(Edit(gap, "\n") for gap in gaps))


def _comments(reading: Reading) -> Iterator[Rewrite]:
    """One comment with words that would be escapes, anywhere."""
    for gap in _gaps(reading)[::5]:
        yield _inserted("comment", gap.end, f"/* {WORDS} /* nested */ */ ")
        yield _inserted("line_comment", gap.end, f"// {WORDS}\n")


def _reordered(reading: Reading) -> Iterator[Rewrite]:
    """Declarations of a file, or members of what holds them, in another order."""
    holders = [reading.program.declarations, *(d.members for d in reading.declarations if d.kind != "iterator")]
    for members in holders:
        spans = [reading.span(d.first, d.last) for d in members]
        alone = all(a.end <= b.start for a, b in itertools.pairwise(spans))  # not `var x, y: int`
        if len(members) < 2 or not alone or any(d.kind in ("include", "module") for d in members):
            continue
        texts = [reading.program.lexed.source[s.start : s.end] for s in spans]
        for number in range(3):
            order = list(range(len(members)))
            random.Random(number).shuffle(order)
            edits = tuple(Edit(s, f"{texts[k]}\n") for s, k in zip(spans, order, strict=True))
            yield Rewrite(Family.HONEST, "reordered", edits)


def _is_open(task: Task, d: Declaration) -> bool:
    """Whether proof text may be added in the declaration's body: code generation freezes what it does not ask for."""
    return task is not Task.CODE_GENERATION or d.kind in METHOD_KINDS


def _called(task: Task, reading: Reading) -> Iterator[Rewrite]:
    """A lemma of one's own, and a call of it."""
    end = len(reading.program.lexed.source)
    in_module = {id(m) for d in reading.declarations if d.kind == "module" for m in _below(d)}
    for place in statement_places(reading):
        d = place.declaration
        if id(d) not in in_module and (d.block or d.by_method) and _is_open(task, d):
            edits = (
                insertion(place.at, "Honest__(3); "),
                insertion(end, "\nlemma Honest__(n: nat) ensures n >= 0 { }\n"),
            )
            yield Rewrite(Family.HONEST, "lemma_called", edits)


def _below(d: Declaration) -> Iterator[Declaration]:
    for member in d.members:
        yield member
        yield from _below(member)


def _annotations(task: Task, reading: Reading) -> Iterator[Rewrite]:
    """Annotations repeated, split at their conjunctions, made weaker by more of them; clauses in another order."""
    lexed = reading.program.lexed
    for at, where, d in clause_places(reading):
        if where == "loop" and _is_open(task, d):
            yield _inserted("added_invariant", at, "invariant true invariant 1 < 2 ")
    for d, s, _ in statements(reading):
        if not _is_open(task, d):
            continue
        for clause in s.clauses:
            if clause.kind != "invariant":
                continue
            text = lexed.source[lexed.tokens[clause.first].start : lexed.tokens[clause.last - 1].end]
            span = reading.span(clause.first, clause.last)
            yield _inserted("repeated_invariant", span.end, f" {text} ")
            parts = _conjuncts(reading, clause.expression)
            if len(parts) > 1 and clause.attributes.first == clause.attributes.last:
                split = " ".join(f"invariant {p}" for p in parts)
                yield Rewrite(Family.HONEST, "split_invariant", (Edit(span, split),))
        if s.kind == "assert":
            span = reading.span(s.first, s.last)
            text = lexed.source[span.start : span.end]
            if s.label is None:
                yield _inserted("repeated_assert", span.start, f"{text} ")
            parts = _conjuncts(reading, s.expression)
            if len(parts) > 1 and not s.blocks and s.label is None:
                split = " ".join(f"assert {p};" for p in parts)
                yield _inserted("split_assert", span.start, f"{split} ")
    for d in reading.declarations:
        for a, b in zip(d.clauses, d.clauses[1:], strict=False):
            if a.kind == b.kind and a.kind in ("requires", "ensures"):
                first, second = reading.span(a.first, a.last), reading.span(b.first, b.last)
                texts = [lexed.source[x.start : x.end] for x in (first, second)]
                edits = (Edit(first, texts[1]), Edit(second, texts[0]))
                yield Rewrite(Family.HONEST, "clauses_swapped", edits)


def _conjuncts(reading: Reading, expression: Range) -> list[str]:
    """Texts of the conjuncts of an expression that is nothing but a conjunction of plain comparisons."""
    lexed = reading.program.lexed
    parts: list[str] = []
    start = at = expression.first
    plain = True
    while at < expression.last:
        token = lexed.tokens[at]
        if token.text == "&&":
            parts.append(lexed.source[lexed.tokens[start].start : lexed.tokens[at - 1].end])
            start = at + 1
        elif (
            token.text
            in (
                "||",
                "==>",
                "<==>",
                "<==",
                "forall",
                "exists",
                "if",
                "match",
                "var",
                "assert",
                "calc",
                ";",
            )
            or token.kind == TokenKind.ERROR
        ):
            plain = False
        at = min(lexed.closer.get(at, at), expression.last) + 1
    parts.append(lexed.source[lexed.tokens[start].start : lexed.tokens[expression.last - 1].end])
    return parts if plain else []
