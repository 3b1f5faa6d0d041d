"""Whether a frozen body is still there: the same executable text, and the given proof text at its places.

Verus tells executable text from proof text by syntax alone, so the text less its annotations must be the same,
token for token. Between any two of those tokens the given annotations must all be there, in their order; what the
candidate has beyond them is proof text that it added, which is returned for the search for escapes. ``decreases``
is open. An assertion may gain a proof (``by``), and ``proof`` blocks may be cut and joined: their statements count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from verulaw_rl.languages.comparison import Change
from verulaw_rl.languages.lexed import Range
from verulaw_rl.languages.marks import ANNOTATION
from verulaw_rl.languages.verus.regions import ASSERTIONS
from verulaw_rl.languages.verus.syntax import Block, Declaration, Statement
from verulaw_rl.languages.verus.view import Reading

_OPEN = "decreases"
"""Text of the pieces that may change."""


@dataclass(slots=True)
class Outcome:
    """What a comparison found: offences, and the proof text that the candidate added."""

    changes: list[Change] = field(default_factory=list)
    added: list[Range] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Piece:
    """One annotation: the executable tokens before it, what it says, where it stands."""

    place: int
    text: str
    tokens: Range
    names: tuple[str, ...] = ()
    """Variables that it puts into the scope of what follows."""


def compare_bodies(before: Reading, after: Reading, given: Declaration, candidate: Declaration) -> Outcome:
    """Compare two bodies whose executable text must be the same."""
    assert given.block is not None
    assert candidate.block is not None
    outcome = Outcome()
    code, new_code = _executable(before, given.block), _executable(after, candidate.block)
    change = _code_changed(before, after, code, new_code)
    if change is not None:
        outcome.changes.append(change)
    kept = [piece for piece in _pieces(before, given) if piece.text != _OPEN]
    found = list(_pieces(after, candidate))
    words = {before.program.lexed.tokens[i].text for i in range(given.first, given.last)}
    at = 0
    for piece in kept:
        match = next((i for i in range(at, len(found)) if _same(found[i], piece, change is None)), None)
        if match is None:
            outcome.changes.append(Change("annotation_removed", piece.tokens, None))
            continue
        for extra in found[at:match]:
            _add(outcome, extra, words)
        at = match + 1
        if found[match].tokens.last - found[match].tokens.first > piece.tokens.last - piece.tokens.first:
            outcome.added.append(found[match].tokens)  # an assertion that gained a proof
    for extra in found[at:]:
        _add(outcome, extra, words)
    return outcome


def asserted(reading: Reading, d: Declaration) -> dict[str, Statement]:
    """Assertions of a body by what they say."""
    visits = reading.bodies[id(d)].visits
    statements = (v.statement for v in visits if v.statement.kind in ASSERTIONS)
    return {reading.program.lexed.canonical(s.keyword, s.expression.last): s for s in statements}


def _add(outcome: Outcome, piece: _Piece, words: set[str]) -> None:
    outcome.added.append(piece.tokens)
    if words.intersection(piece.names):
        outcome.changes.append(Change("captured_name", None, piece.tokens))


def _same(found: _Piece, wanted: _Piece, placed: bool) -> bool:
    return found.text == wanted.text and (not placed or found.place == wanted.place)


def _executable(reading: Reading, block: Block) -> list[int]:
    kinds = reading.marks.tokens
    return [i for i in range(block.first, block.last) if i < len(kinds) and kinds[i] != ANNOTATION]


def _code_changed(before: Reading, after: Reading, code: list[int], new_code: list[int]) -> Change | None:
    old = [before.program.lexed.tokens[i].text for i in code]
    new = [after.program.lexed.tokens[i].text for i in new_code]
    if old == new:
        return None
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    lost = _line_range(before, code[start : len(code) - end])
    gained = _line_range(after, new_code[start : len(new_code) - end])
    kind = "statement_changed" if lost and gained else "statement_removed" if lost else "statement_added"
    if gained is None and lost is None:
        kind = "statement_changed"
    if gained is None and start < len(new_code):
        gained = Range(new_code[start], new_code[start] + 1) if kind == "statement_changed" else None
    return Change(kind, lost, gained)


def _line_range(reading: Reading, tokens: list[int]) -> Range | None:
    """Tokens, widened to whole words of their first line, so that a person sees what changed."""
    if not tokens:
        return None
    lexed = reading.program.lexed
    line = lexed.line(lexed.tokens[tokens[0]].start)
    first = tokens[0]
    while first > 0 and lexed.line(lexed.tokens[first - 1].start) == line:
        first -= 1
    return Range(first, tokens[-1] + 1)


def _pieces(reading: Reading, d: Declaration) -> Iterator[_Piece]:
    """The annotations of a body that must stay, in source order."""
    assert d.block is not None
    lexed, before = reading.program.lexed, reading.executable_before
    base = before[d.block.first]
    for visit in reading.bodies[id(d)].visits:
        s = visit.statement
        for group in s.groups if s.is_loop and not visit.in_proof else ():
            if group.kind == "decreases":
                yield _Piece(before[group.first] - base, _OPEN, Range(group.first, group.last))
                continue
            for c in group.clauses:
                text = f"{group.kind} {lexed.canonical(c.first, c.expression.last)}"
                yield _Piece(before[group.first] - base, text, Range(c.first, c.last))
        if visit.in_proof and not visit.nested and visit.around is None:
            names = tuple(s.names) if s.kind == "let" else ()
            yield from _proof_pieces(reading, s, before[s.first] - base, names)


def _proof_pieces(reading: Reading, s: Statement, place: int, names: tuple[str, ...] = ()) -> Iterator[_Piece]:
    """A proof statement: itself, but for compound ones what they consist of, each by itself."""
    canonical = reading.program.lexed.canonical
    whole = Range(s.first, s.last)
    if s.kind in ASSERTIONS:
        yield _Piece(place, canonical(s.keyword, s.expression.last), whole)
    elif s.blocks:
        if s.kind != "proof":
            inside = {i for b in s.blocks for i in range(b.first + b.braced, b.last - b.braced)}
            words = [reading.program.lexed.tokens[i].text for i in range(*whole) if i not in inside]
            yield _Piece(place, " ".join(words), whole, names)
        for block in s.blocks:
            for inner in block.statements:
                yield from _proof_pieces(reading, inner, place)
    elif s.kind != "empty":
        yield _Piece(place, canonical(s.keyword, s.last - s.semicolon), whole, names)
