"""Checks placed in a program: each formula is asked at its point and tells the rest of the proof nothing.

A check becomes the line ``assert(true) by { assert(P); }``. Verus proves what stands in a ``by`` block on a path of its
own that then ends (``deadend`` in its intermediate language), and assumes only ``true`` afterwards; a failed ``P`` is
reported like any assertion. Nothing is assumed, so ``--no-cheating`` takes it too. Where a check of the exit stands,
``return e`` becomes ``{ let r: T = e; checks; return r }`` and a body's last expression is bound to the result's name
in the same way; ``final(x)`` is written ``x`` there. An exec function with a loop or recursion that has no
``decreases`` gets the attribute that lets Verus look at it all the same: what is not shown to end is the plain run's
to say, and without the attribute Verus would check nothing at all.

Everything is one pass over the text. Untried with a live Verus; the meaning of ``assert ... by`` is that of its source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from verulaw_rl.languages.base import Check, CheckSite, Instrumented, Span
from verulaw_rl.languages.spans import merge_spans
from verulaw_rl.languages.verus.control import falls_through
from verulaw_rl.languages.verus.names import is_unverified
from verulaw_rl.languages.verus.syntax import METHOD_KINDS, Block, Declaration, Return, Statement
from verulaw_rl.languages.verus.tokens import lex, line_starts
from verulaw_rl.languages.verus.view import RESULT, Body, Reading, loop_body, read

WITHOUT_DECREASES = "#[verifier::exec_allows_no_decreases_clause] "
_FINAL = re.compile(r"(?<![\w.])final\s*\(\s*(\w+)\s*\)")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where checks go: a character offset, and what must stand around them there."""

    offset: int
    behind: bool
    """The checks follow what ends here, rather than precede what starts here."""
    before: str = ""
    after: str = ""
    opening: int = -1
    """Where ``opened`` goes, for a value that is to be bound: its start."""
    opened: str = ""
    replaced: int = 0
    """Characters at ``opening`` that ``opened`` replaces."""
    names: frozenset[str] = field(default=frozenset(), compare=False)
    """Names that mean something else here than in the contract; no formula with them is placed."""


def instrument(program: str, checks: tuple[Check, ...], drop: tuple[Span, ...] = ()) -> Instrumented:
    """Place the checks in the program without the spans of ``drop``."""
    reading = read(program)
    dropped = merge_spans(drop)
    placer = _Placer(reading, dropped)
    by_place: dict[_Place, list[Check]] = {}
    unplaced: list[str] = []
    for check in checks:
        places = placer.places(check)
        if not places:
            unplaced.append(check.id)
        for place in places:
            by_place.setdefault(place, []).append(check)
    text, where = _emit(reading, dropped, by_place)
    starts = line_starts(text)
    sites = tuple(
        CheckSite(
            check.id,
            check.declaration,
            bisect_right(starts, begin),
            bisect_right(starts, end - 1),
            placer.loops_before(check.declaration, place),
        )
        for place, check, begin, end in where
    )
    return Instrumented(text, sites, tuple(unplaced))


def one_line(expression: str) -> str:
    """The expression without comments and line breaks, tokens and their adjacency unchanged."""
    pieces: list[str] = []
    end = 0
    for token in lex(expression).tokens:
        if token.start > end and pieces:
            pieces.append(" ")
        pieces.append(expression[token.start : token.end].replace("\n", "\\n"))
        end = token.end
    return "".join(pieces)


class _Placer:
    """Finds the places of points; what is the same for many checks is computed once."""

    def __init__(self, reading: Reading, dropped: list[Span]) -> None:
        self.reading = reading
        self.lexed = reading.program.lexed
        self.dropped = dropped
        self._starts = [s.start for s in dropped]
        self._cache: dict[tuple[str, str, int], list[_Place]] = {}
        self._boundaries: dict[str, dict[int, int]] = {}

    def places(self, check: Check) -> list[_Place]:
        key = (check.declaration, check.point.kind, check.point.index)
        if key not in self._cache:
            d = self.reading.by_path.get(check.declaration)
            found: list[_Place] = []
            if d is not None and self._can_hold_checks(d):
                body = self.reading.bodies[id(d)]
                found = [p for p in _FINDERS[check.point.kind](self, d, body, check.point.index) if self._alive(p)]
            self._cache[key] = found
        found = self._cache[key]
        captured = found[0].names if found else frozenset()
        if captured and captured.intersection(t.text for t in lex(check.expression).tokens):
            return []  # a check at some of the exits only, or of something else, would say too much
        return found

    def _can_hold_checks(self, d: Declaration) -> bool:
        verified = not is_unverified(self.lexed, d) and d.prover.last == 0
        return d.kind in METHOD_KINDS and d.block is not None and verified and self._closed(d.block.last)

    def loops_before(self, path: str, place: _Place) -> tuple[int, ...]:
        loops = self.reading.bodies[id(self.reading.by_path[path])].loops
        return tuple(i for i, s in enumerate(loops) if self._start(s.first) < place.offset)

    def _alive(self, place: _Place) -> bool:
        """Whether the place is not inside dropped text."""
        at = bisect_right(self._starts, place.offset) - 1
        if at < 0:
            return True
        span = self.dropped[at]
        return place.offset >= span.end or place.offset == span.start

    def _start(self, token: int) -> int:
        tokens = self.lexed.tokens
        return tokens[token].start if token < len(tokens) else len(self.lexed.source)

    def _behind(self, last: int) -> int:
        return self.lexed.tokens[last - 1].end

    def _closed(self, last: int) -> bool:
        return self.lexed.tokens[last - 1].text == "}"

    # --- points -------------------------------------------------------------------------------------------------

    def _entry(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        assert d.block is not None
        yield self._inside(d.block.first)

    def _inside(self, opening: int) -> _Place:
        """Behind an opening brace and the inner attributes that follow it."""
        tokens = self.lexed.tokens
        at = opening + 1
        while at + 2 < len(tokens) and tokens[at].text == "#" and tokens[at + 1].text == "!":
            at = self.lexed.closer.get(at + 2, at + 2) + 1
        return _Place(self._behind(at), True)

    def _exit(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        assert d.block is not None
        names = self._captured(d, body)
        for visit in body.visits:
            for found in visit.statement.returns if not visit.closure else ():
                yield self._return(d, found, names)
        if falls_through(self.lexed, d.block):
            yield self._end(d, names)

    def _captured(self, d: Declaration, body: Body) -> frozenset[str]:
        """Parameters that a local variable hides, or that the body may change without the contract seeing it."""
        bound = {n for v in body.visits for n in (v.statement.names if v.statement.kind in ("let", "for") else ())}
        parameters = {n for p in d.parameters for n in p.names}
        return frozenset((parameters & bound) | {n for p in d.parameters if p.mutable for n in p.names})

    def _return(self, d: Declaration, found: Return, names: frozenset[str]) -> _Place:
        keyword = self._start(found.keyword)
        if found.value.first >= found.value.last:
            return _Place(
                self._behind(found.keyword + 1), True, "\n", "return }", keyword, "{", len("return"), names=names
            )
        end, value = self._behind(found.value.last), self._start(found.value.first)
        opened = f"{{ {self._binding(d)}"
        return _Place(end, True, ";\n", f"return {self._result(d)} }}", keyword, opened, value - keyword, names=names)

    def _end(self, d: Declaration, names: frozenset[str]) -> _Place:
        assert d.block is not None
        last = d.block.statements[-1] if d.block.statements else None
        close = self._start(d.block.last - 1)
        if last is None or not self._is_value(last):
            return _Place(close, False, names=names)
        unit = self.lexed.canonical(*d.result_type) in ("", "( )")
        if unit:
            return _Place(close, False, "" if last.block_like or self._closed(last.last) else ";\n", names=names)
        start = self._start(last.first)
        return _Place(self._behind(last.last), True, ";\n", self._result(d), start, self._binding(d), names=names)

    def _result(self, d: Declaration) -> str:
        return d.result_name or RESULT

    def _binding(self, d: Declaration) -> str:
        span = self.reading.span(*d.result_type)
        type_ = one_line(self.lexed.source[span.start : span.end])
        named = "" if re.search(r"\bimpl\b", type_) or not type_ else f": {type_}"
        return f"let {'tracked ' if d.result_tracked else ''}{self._result(d)}{named} = "

    def _loop_head(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        block = loop_body(body.loops[index]) if index < len(body.loops) else None
        if block is not None:
            yield self._inside(block.first)

    def _after_loop(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        if index >= len(body.loops) or loop_body(body.loops[index]) is None:
            return
        loop = body.loops[index]
        parent = next((v.parent for v in body.visits if v.statement is loop), None)
        if parent is None or not parent.braced:
            return
        if loop.kind == "loop" and not loop.semicolon and parent.statements[-1] is loop:
            return  # its value is that of the block
        yield _Place(self._behind(loop.last), True)

    def _token(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        if d.path not in self._boundaries:
            self._boundaries[d.path] = dict(self._executable_boundaries(d, body))
        token = self._boundaries[d.path].get(index)
        if token is not None:
            yield _Place(self._start(token), False)

    def _executable_boundaries(self, d: Declaration, body: Body) -> Iterator[tuple[int, int]]:
        """Pairs (executable index, token) of the tokens before which a statement may be put."""
        assert d.block is not None
        before = self.reading.executable_before
        base = before[d.block.first]
        unit = self.lexed.canonical(*d.result_type) in ("", "( )")
        for block, valueless in self._code_blocks(d.block, unit):
            last = block.statements[-1] if block.statements else None
            behind = last is None or not self._is_value(last) or (valueless and last.block_like)
            ends = [block.last - 1] if behind and self._closed(block.last) else []
            starts = [s.first for s in block.statements if not self.reading.marks.is_proof(s)]
            for token in (*starts, *ends):
                yield before[token] - base, token

    def _code_blocks(self, block: Block, valueless: bool) -> Iterator[tuple[Block, bool]]:
        """The braced blocks of compiled code, and whether each is known to have no value."""
        if block.braced:
            yield block, valueless
        for s in block.statements:
            if self.reading.marks.is_proof(s) or s.kind == "item":
                continue
            is_value = s is block.statements[-1] and not s.semicolon
            for inner in s.blocks:
                if s.is_loop:
                    below = inner is loop_body(s)
                else:
                    below = s.kind in ("if", "match", "block") and (valueless or not is_value)
                if not inner.closure:
                    yield from self._code_blocks(inner, below)

    @staticmethod
    def _is_value(s: Statement) -> bool:
        """Whether a block's last statement is the block's value, so that nothing may follow it."""
        return not s.semicolon and s.kind in ("expression", "call", "macro", "if", "match", "block", "loop", "return")

    def _calls(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        for visit in body.visits:
            if visit.statement.kind == "call" and visit.statement.semicolon and visit.parent.braced:
                yield _Place(self._behind(visit.statement.last), True)


_FINDERS: dict[str, Callable[[_Placer, Declaration, Body, int], Iterator[_Place]]] = {
    "entry": _Placer._entry,
    "exit": _Placer._exit,
    "loop_head": _Placer._loop_head,
    "after_loop": _Placer._after_loop,
    "token": _Placer._token,
    "calls": _Placer._calls,
}


@dataclass(frozen=True, slots=True)
class _Edit:
    """Replace ``[start, end)`` by a text, or (with a place) insert its checks at ``start``."""

    start: int
    rank: int
    end: int
    text: str = ""
    place: _Place | None = None


def _emit(
    reading: Reading, dropped: list[Span], by_place: dict[_Place, list[Check]]
) -> tuple[str, list[tuple[_Place, Check, int, int]]]:
    """The edited text, and the character range of each check in it."""
    source = reading.program.lexed.source
    edits = [_Edit(s.start, 3, s.end, " ") for s in dropped]
    edits += [_Edit(at, 2, at, WITHOUT_DECREASES) for at in _unmeasured(reading)] if by_place else []
    for place in by_place:
        edits.append(_Edit(place.offset, 0 if place.behind else 1, place.offset, place=place))
        if place.opened:
            edits.append(_Edit(place.opening, 2, place.opening + place.replaced, place.opened))
    edits.sort(key=lambda e: (e.start, e.rank))
    out: list[str] = []
    length = 0
    where: list[tuple[_Place, Check, int, int]] = []
    position = 0

    def put(text: str) -> None:
        nonlocal length
        out.append(text)
        length += len(text)

    for edit in edits:
        if edit.start > position:
            put(source[position : edit.start])
            position = edit.start
        if edit.place is None:
            if edit.end > position or edit.text == WITHOUT_DECREASES or edit.rank == 2:
                put(edit.text)
                position = max(position, edit.end)
            continue
        put(edit.place.before or "\n")
        for check in by_place[edit.place]:
            begin = length
            put(f"assert(true) by {{ assert({_formula(check)}); }}")
            where.append((edit.place, check, begin, length))
            put("\n")
        put(edit.place.after)
    put(source[position:])
    return "".join(out), where


def _formula(check: Check) -> str:
    expression = one_line(check.expression)
    return _FINAL.sub(r"\1", expression) if check.point.kind == "exit" else expression


def _unmeasured(reading: Reading) -> Iterator[int]:
    """Offsets before which exec functions begin that Verus would refuse for want of a ``decreases``."""
    allowed = "exec_allows_no_decreases_clause"
    for d in reading.declarations:
        if d.kind != "method" or d.block is None:
            continue
        text = reading.program.lexed.canonical(d.first, d.signature.last)
        loops = reading.bodies[id(d)].loops
        endless = any(s.kind != "for" and all(g.kind != "decreases" for g in s.groups) for s in loops)
        view = reading.view.by_path.get(d.path)
        measured = any(g.kind == "decreases" for g in d.groups)
        if allowed not in text and (endless or (view is not None and view.recursive and not measured)):
            yield reading.program.lexed.tokens[d.signature.first].start
