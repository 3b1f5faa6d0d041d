"""Checks placed in a program: each formula is asked at its point and tells the rest of the proof nothing.

A check becomes the line ``if * { assert (P); assume false; }``: the verifier looks at ``P`` on a path of
its own that then ends. ``return e;`` where a check of the exit stands becomes an assignment to the
results, the checks, and ``return;``, so that postconditions speak of the returned values. Everything is
one pass over the text; annotations to be dropped leave a blank.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from verulaw_rl.languages.base import Check, CheckSite, Instrumented, Span
from verulaw_rl.languages.dafny.control import falls_through
from verulaw_rl.languages.dafny.names import callee
from verulaw_rl.languages.dafny.regions import ANNOTATION
from verulaw_rl.languages.dafny.syntax import METHOD_KINDS, Block, Declaration, Statement
from verulaw_rl.languages.dafny.tokens import lex, line_starts
from verulaw_rl.languages.dafny.view import Body, Reading, Visit, read
from verulaw_rl.languages.spans import merge_spans


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a check goes: a character offset, and the return statement to rewrite there, if any."""

    offset: int
    behind: bool
    """The check follows what ends here, rather than precedes what starts here."""
    rewritten: Statement | None = field(default=None, compare=False)
    new_first: bool = False
    """``new;`` must come before: a constructor that does not say it may not read ``this`` until its end."""


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
        pieces.append(token.text)
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
            if d is not None and d.kind in METHOD_KINDS and d.block is not None:
                body = self.reading.bodies[id(d)]
                found = [p for p in _FINDERS[check.point.kind](self, d, body, check.point.index) if self._alive(p)]
            self._cache[key] = found
        return self._cache[key]

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

    def _exit(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        assert d.block is not None
        returns = [v.statement for v in body.visits if v.statement.kind == "return" and v.parent is not None]
        results = [r.name for r in d.results]
        if self._shadowed(d, body) or any(s.values and not self._fits(s, results) for s in returns):
            return  # a check at some of the exits only would say too much
        for s in returns:
            if s.values:
                yield _Place(self._behind(s.last), True, s)
            else:
                yield _Place(self._start(s.keyword), False)
        if falls_through(self.lexed, d.block) and self._closed(d.block):
            unfinished = d.kind == "constructor" and all(s.kind != "new" for s in d.block.statements)
            yield _Place(self._start(d.block.last - 1), False, new_first=unfinished)

    def _closed(self, block: Block) -> bool:
        return self.lexed.tokens[block.last - 1].text == "}"

    def _shadowed(self, d: Declaration, body: Body) -> bool:
        """Whether a local variable hides a parameter or result, so that a formula may mean another thing."""
        names = {p.name for p in d.parameters + d.results}
        return any(x.name in names for v in body.visits if v.statement.kind == "var" for x in v.statement.locals)

    def _fits(self, s: Statement, results: list[str]) -> bool:
        if not results or s.values[0].first >= s.values[0].last:
            return False
        return len(s.values) == len(results) or (len(s.values) == 1 and callee(self.lexed, s.values[0]) is not None)

    def _entry(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        assert d.block is not None
        yield _Place(self._behind(d.block.first + 1), True)

    def _loop_head(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        if index < len(body.loops):
            for block in body.loops[index].blocks:
                yield _Place(self._behind(block.first + 1 if block.braced else block.first), True)

    def _after_loop(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        if index < len(body.loops) and body.loops[index].blocks:
            yield _Place(self._behind(body.loops[index].last), True)

    def _token(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        if d.path not in self._boundaries:
            self._boundaries[d.path] = dict(self._executable_boundaries(d, body))
        token = self._boundaries[d.path].get(index)
        if token is not None:
            yield _Place(self._start(token), False)

    def _executable_boundaries(self, d: Declaration, body: Body) -> Iterator[tuple[int, int]]:
        """Pairs (executable index, token) of the tokens before which a statement may be put."""
        assert d.block is not None
        before, kinds = self.reading.executable_before, self.reading.marks.tokens
        base = before[d.block.first]
        blocks = [d.block]
        for visit in body.visits:
            if not visit.in_proof:
                blocks += visit.statement.blocks
        for block in blocks:
            end = block.last - 1 if block.braced else block.last
            for token in (*(s.first for s in block.statements), end):
                if token < len(kinds) and kinds[token] != ANNOTATION:
                    yield before[token] - base, token

    def _calls(self, d: Declaration, body: Body, index: int) -> Iterator[_Place]:
        bare = {
            id(b)
            for v in body.visits
            if v.statement.kind == "forall" and not v.statement.clauses
            for b in v.statement.blocks
        }
        for visit in body.visits:
            if visit.parent is not None and id(visit.parent) not in bare and self._is_call(visit):
                yield _Place(self._behind(visit.statement.last), True)

    def _is_call(self, visit: Visit) -> bool:
        s = visit.statement
        if visit.embedded and visit.parent is None:
            return False
        if s.kind == "call":
            return True
        return s.kind in ("assign", "var") and any(
            callee(self.lexed, value) in self.reading.names.methods for value in s.values
        )


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
    edits = [_Edit(s.start, 2, s.end, " ") for s in dropped]
    results = _results_of_returns(reading)
    for place in by_place:
        edits.append(_Edit(place.offset, 0 if place.behind else 1, place.offset, place=place))
        if place.rewritten is not None:
            s = place.rewritten
            begin = reading.span(s.keyword, s.last).start
            value = reading.span(s.values[0].first, s.values[0].first + 1).start
            edits.append(_Edit(begin, 2, value, ", ".join(results[id(s)]) + " := "))
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
            if edit.end > position:
                put(edit.text)
                position = edit.end
            continue
        put("\nnew;\n" if edit.place.new_first else "\n")
        for check in by_place[edit.place]:
            begin = length
            put(f"if * {{ assert ({one_line(check.expression)}); assume false; }}")
            where.append((edit.place, check, begin, length))
            put("\n")
        if edit.place.rewritten is not None:
            put("return;\n")
    put(source[position:])
    return "".join(out), where


def _results_of_returns(reading: Reading) -> dict[int, list[str]]:
    return {
        id(v.statement): [r.name for r in body.declaration.results]
        for body in reading.bodies.values()
        for v in body.visits
        if v.statement.kind == "return"
    }
