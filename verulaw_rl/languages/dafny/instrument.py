"""Checks placed in a program: each formula is asked at its point and tells the rest of the proof nothing.

A check becomes the line ``if * { assert (P); assume false; }``: the verifier looks at ``P`` on a path of
its own that then ends. ``return e;`` where a check of the exit stands becomes an assignment to the
results, the checks, and ``return;``, so that postconditions speak of the returned values. Everything is
one pass over the text; annotations to be dropped leave a blank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from verulaw_rl.languages.base import Check, Instrumented, Span
from verulaw_rl.languages.dafny.control import falls_through
from verulaw_rl.languages.dafny.names import callee
from verulaw_rl.languages.dafny.syntax import METHOD_KINDS, Declaration, Statement
from verulaw_rl.languages.dafny.tokens import lex, line_starts
from verulaw_rl.languages.dafny.view import Body, Reading, Visit, read
from verulaw_rl.languages.marks import ANNOTATION
from verulaw_rl.languages.placing import Edit, Place, Placer, on_one_line


@dataclass(frozen=True, slots=True)
class _Place(Place):
    """Where checks go; those at one offset share its place, and with it the return statement to rewrite there."""

    after: str = field(default="", compare=False)
    rewritten: Statement | None = field(default=None, compare=False)


def instrument(program: str, checks: tuple[Check, ...], drop: tuple[Span, ...] = ()) -> Instrumented:
    """Place the checks in the program without the spans of ``drop``."""
    return _Placer(read(program), drop).instrument(checks)


def one_line(expression: str) -> str:
    """The expression without comments and line breaks, tokens and their adjacency unchanged."""
    return on_one_line(lex(expression), "\n")


class _Placer(Placer[Body, _Place]):
    def __init__(self, reading: Reading, drop: tuple[Span, ...]) -> None:
        super().__init__(reading.program.lexed, drop)
        self.reading = reading

    def _body_of(self, path: str) -> Body | None:
        d = self.reading.by_path.get(path)
        if d is None or d.kind not in METHOD_KINDS or d.block is None:
            return None
        return self.reading.bodies[id(d)]

    # --- points -------------------------------------------------------------------------------------------------

    def _before(self, offset: int) -> _Place:
        return _Place(offset, False)

    def _exit(self, body: Body, index: int) -> Iterator[_Place]:
        d = body.declaration
        assert d.block is not None
        returns = [v.statement for v in body.visits if v.statement.kind == "return" and v.parent is not None]
        results = [r.name for r in d.results]
        if self._shadowed(d, body) or any(s.values and not self._fits(s, results) for s in returns):
            return  # a check at some of the exits only would say too much
        for s in returns:
            if s.values:
                yield _Place(self._behind(s.last), True, after="return;\n", rewritten=s)
            else:
                yield _Place(self._start(s.keyword), False)
        if falls_through(self.lexed, d.block) and self._closed(d.block.last):
            # a constructor that does not say ``new;`` may not read ``this`` until its end
            unfinished = d.kind == "constructor" and all(s.kind != "new" for s in d.block.statements)
            yield _Place(self._start(d.block.last - 1), False, "\nnew;\n" if unfinished else "\n")

    def _shadowed(self, d: Declaration, body: Body) -> bool:
        """Whether a local variable hides a parameter or result, so that a formula may mean another thing."""
        names = {p.name for p in d.parameters + d.results}
        return any(x.name in names for v in body.visits if v.statement.kind == "var" for x in v.statement.locals)

    def _fits(self, s: Statement, results: list[str]) -> bool:
        if not results or s.values[0].first >= s.values[0].last:
            return False
        return len(s.values) == len(results) or (len(s.values) == 1 and callee(self.lexed, s.values[0]) is not None)

    def _entry(self, body: Body, index: int) -> Iterator[_Place]:
        block = body.declaration.block
        assert block is not None
        yield _Place(self._behind(block.first + 1), True)

    def _loop_head(self, body: Body, index: int) -> Iterator[_Place]:
        if index < len(body.loops):
            for block in body.loops[index].blocks:
                yield _Place(self._behind(block.first + 1 if block.braced else block.first), True)

    def _after_loop(self, body: Body, index: int) -> Iterator[_Place]:
        if index < len(body.loops) and body.loops[index].blocks:
            yield _Place(self._behind(body.loops[index].last), True)

    def _executable_boundaries(self, body: Body) -> Iterator[tuple[int, int]]:
        outermost = body.declaration.block
        assert outermost is not None
        before, kinds = self.reading.executable_before, self.reading.marks.tokens
        base = before[outermost.first]
        blocks = [outermost]
        for visit in body.visits:
            if not visit.in_proof:
                blocks += visit.statement.blocks
        for block in blocks:
            end = block.last - 1 if block.braced else block.last
            for token in (*(s.first for s in block.statements), end):
                if token < len(kinds) and kinds[token] != ANNOTATION:
                    yield before[token] - base, token

    def _calls(self, body: Body, index: int) -> Iterator[_Place]:
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

    # --- text ---------------------------------------------------------------------------------------------------

    def _edits(self, places: Iterable[_Place]) -> Iterator[Edit]:
        for span in self.dropped:
            yield Edit(span.start, 2, span.end, " ")
        results = _results_of_returns(self.reading)
        for s in (place.rewritten for place in places):
            if s is not None:
                begin, value = self._start(s.keyword), self._start(s.values[0].first)
                yield Edit(begin, 2, value, ", ".join(results[id(s)]) + " := ")

    def _check(self, check: Check) -> str:
        return f"if * {{ assert ({one_line(check.expression)}); assume false; }}"

    def _line_starts(self, text: str) -> tuple[int, ...]:
        return line_starts(text)


def _results_of_returns(reading: Reading) -> dict[int, list[str]]:
    return {
        id(v.statement): [r.name for r in body.declaration.results]
        for body in reading.bodies.values()
        for v in body.visits
        if v.statement.kind == "return"
    }
