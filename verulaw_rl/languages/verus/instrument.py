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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from verulaw_rl.languages.base import Check, Instrumented, Span
from verulaw_rl.languages.placing import Edit, Place, Placer, on_one_line
from verulaw_rl.languages.verus.control import falls_through
from verulaw_rl.languages.verus.names import is_unverified
from verulaw_rl.languages.verus.syntax import METHOD_KINDS, Block, Declaration, Return, Statement
from verulaw_rl.languages.verus.tokens import lex, line_starts
from verulaw_rl.languages.verus.view import RESULT, Body, Reading, loop_body, read

WITHOUT_DECREASES = "#[verifier::exec_allows_no_decreases_clause] "
_FINAL = re.compile(r"(?<![\w.])final\s*\(\s*(\w+)\s*\)")


@dataclass(frozen=True, slots=True)
class _Place(Place):
    """Where checks go, and where a value that is to be bound begins."""

    opening: int = -1
    """Where ``opened`` goes, for a value that is to be bound: its start."""
    opened: str = ""
    replaced: int = 0
    """Characters at ``opening`` that ``opened`` replaces."""
    names: frozenset[str] = field(default=frozenset(), compare=False)
    """Names that mean something else here than in the contract; no formula with them is placed."""


def instrument(program: str, checks: tuple[Check, ...], drop: tuple[Span, ...] = ()) -> Instrumented:
    """Place the checks in the program without the spans of ``drop``."""
    return _Placer(read(program), drop).instrument(checks)


def one_line(expression: str) -> str:
    """The expression without comments and line breaks, tokens and their adjacency unchanged."""
    return on_one_line(lex(expression), "\\n")


class _Placer(Placer[Body, _Place]):
    def __init__(self, reading: Reading, drop: tuple[Span, ...]) -> None:
        super().__init__(reading.program.lexed, drop)
        self.reading = reading

    def places(self, check: Check) -> list[_Place]:
        """The places of a check's point, none where a name of the check means something else there."""
        found = super().places(check)
        captured = found[0].names if found else frozenset()
        if captured and captured.intersection(t.text for t in lex(check.expression).tokens):
            return []  # a check at some of the exits only, or of something else, would say too much
        return found

    def _body_of(self, path: str) -> Body | None:
        d = self.reading.by_path.get(path)
        if d is None or d.kind not in METHOD_KINDS or d.block is None or not self._closed(d.block.last):
            return None
        return None if is_unverified(self.lexed, d) or d.prover.last != 0 else self.reading.bodies[id(d)]

    # --- points -------------------------------------------------------------------------------------------------

    def _before(self, offset: int) -> _Place:
        return _Place(offset, False)

    def _entry(self, body: Body, index: int) -> Iterator[_Place]:
        block = body.declaration.block
        assert block is not None
        yield self._inside(block.first)

    def _inside(self, opening: int) -> _Place:
        """Behind an opening brace and the inner attributes that follow it."""
        tokens = self.lexed.tokens
        at = opening + 1
        while at + 2 < len(tokens) and tokens[at].text == "#" and tokens[at + 1].text == "!":
            at = min(self.lexed.closer.get(at + 2, at + 2) + 1, len(tokens))  # one that nothing closes ends there
        return _Place(self._behind(at), True)

    def _exit(self, body: Body, index: int) -> Iterator[_Place]:
        d = body.declaration
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
            return _Place(close, False, "\n" if last.block_like or self._closed(last.last) else ";\n", names=names)
        start = self._start(last.first)
        return _Place(self._behind(last.last), True, ";\n", self._result(d), start, self._binding(d), names=names)

    def _result(self, d: Declaration) -> str:
        return d.result_name or RESULT

    def _binding(self, d: Declaration) -> str:
        span = self.reading.span(*d.result_type)
        type_ = one_line(self.lexed.source[span.start : span.end])
        named = "" if re.search(r"\bimpl\b", type_) or not type_ else f": {type_}"
        return f"let {'tracked ' if d.result_tracked else ''}{self._result(d)}{named} = "

    def _loop_head(self, body: Body, index: int) -> Iterator[_Place]:
        block = loop_body(body.loops[index]) if index < len(body.loops) else None
        if block is not None:
            yield self._inside(block.first)

    def _after_loop(self, body: Body, index: int) -> Iterator[_Place]:
        if index >= len(body.loops) or loop_body(body.loops[index]) is None:
            return
        loop = body.loops[index]
        parent = next((v.parent for v in body.visits if v.statement is loop), None)
        if parent is None or not parent.braced:
            return
        if loop.kind == "loop" and not loop.semicolon and parent.statements[-1] is loop:
            return  # its value is that of the block
        yield _Place(self._behind(loop.last), True)

    def _executable_boundaries(self, body: Body) -> Iterator[tuple[int, int]]:
        d = body.declaration
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

    def _calls(self, body: Body, index: int) -> Iterator[_Place]:
        for visit in body.visits:
            if visit.statement.kind == "call" and visit.statement.semicolon and visit.parent.braced:
                yield _Place(self._behind(visit.statement.last), True)

    # --- text ---------------------------------------------------------------------------------------------------

    def _edits(self, places: Iterable[_Place]) -> Iterator[Edit]:
        for span in self.dropped:
            yield Edit(span.start, 3, span.end, " ")
        places = list(places)
        for at in _unmeasured(self.reading) if places else ():
            yield Edit(at, 2, at, WITHOUT_DECREASES, always=True)
        for place in places:
            if place.opened:
                yield Edit(place.opening, 2, place.opening + place.replaced, place.opened, always=True)

    def _check(self, check: Check) -> str:
        return f"assert(true) by {{ assert({_formula(check)}); }}"

    def _line_starts(self, text: str) -> tuple[int, ...]:
        return line_starts(text)


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
