"""Checks put into a program's text in one pass, for languages that are read into ranges of tokens (Dafny, Verus).

The ``instrument`` module of a language subclasses :class:`Placer`: it says where the points of a body are, how a check
is written there, and what else has to be edited for it. The program itself stays as it is, less what is dropped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from verulaw_rl.languages.base import Check, CheckSite, Instrumented, Span
from verulaw_rl.languages.lexed import Lexed
from verulaw_rl.languages.parsed import Declared
from verulaw_rl.languages.spans import merge_spans


class _Loop(Protocol):
    """A loop that begins with the token ``first``."""

    first: int


class _Body(Protocol):
    """The body of a declaration, with its loops in numbering order."""

    @property
    def declaration(self) -> Declared: ...
    @property
    def loops(self) -> Sequence[_Loop]: ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where checks go: a character offset, and what must stand around them there."""

    offset: int
    behind: bool
    """The checks follow what ends here, rather than precede what starts here."""
    before: str = "\n"
    after: str = ""


class Edit(NamedTuple):
    """Replace ``[start, end)`` by a text. Edits that start at one offset are made by rank."""

    start: int
    rank: int
    end: int
    text: str
    always: bool = False
    """Also where nothing of ``[start, end)`` is left to replace."""


class _Written(NamedTuple):
    """A check in the new text, at ``[start, end)``."""

    place: Place
    check: Check
    start: int
    end: int


_BEHIND, _BEFORE = 0, 1
"""Ranks of checks; those of :class:`Edit` are greater."""
B = TypeVar("B", bound=_Body)
P = TypeVar("P", bound=Place)


class Placer(ABC, Generic[B, P]):
    """Finds the places of points, and puts checks there; what is the same for many checks is computed once."""

    def __init__(self, lexed: Lexed, drop: Iterable[Span]) -> None:
        self.lexed = lexed
        self.dropped = merge_spans(drop)
        self._starts = [s.start for s in self.dropped]
        self._cache: dict[tuple[str, str, int], list[P]] = {}
        self._boundaries: dict[str, dict[int, int]] = {}
        self._finders = {
            "entry": self._entry,
            "exit": self._exit,
            "loop_head": self._loop_head,
            "after_loop": self._after_loop,
            "token": self._token,
            "calls": self._calls,
        }

    def instrument(self, checks: Iterable[Check]) -> Instrumented:
        """The program less what is dropped, with the checks at their places."""
        by_place: dict[P, list[Check]] = {}
        unplaced: list[str] = []
        for check in checks:
            places = self.places(check)
            if not places:
                unplaced.append(check.id)
            for place in places:
                by_place.setdefault(place, []).append(check)
        text, written = self._emit(by_place)
        starts = self._line_starts(text)
        sites = tuple(
            CheckSite(
                w.check.id,
                w.check.declaration,
                bisect_right(starts, w.start),
                bisect_right(starts, w.end - 1),
                self._loops_before(w.check.declaration, w.place),
            )
            for w in written
        )
        return Instrumented(text, sites, tuple(unplaced))

    def places(self, check: Check) -> list[P]:
        """The places of a check's point that are not dropped."""
        key = (check.declaration, check.point.kind, check.point.index)
        if key not in self._cache:
            body = self._body_of(check.declaration)
            found = () if body is None else self._finders[check.point.kind](body, check.point.index)
            self._cache[key] = [p for p in found if self._alive(p)]
        return self._cache[key]

    # --- what a language says -----------------------------------------------------------------------------------

    @abstractmethod
    def _body_of(self, path: str) -> B | None:
        """The body of the declaration of that path, if checks can be placed in it."""

    @abstractmethod
    def _entry(self, body: B, index: int) -> Iterator[P]: ...

    @abstractmethod
    def _exit(self, body: B, index: int) -> Iterator[P]: ...

    @abstractmethod
    def _loop_head(self, body: B, index: int) -> Iterator[P]: ...

    @abstractmethod
    def _after_loop(self, body: B, index: int) -> Iterator[P]: ...

    @abstractmethod
    def _before(self, offset: int) -> P:
        """The place in front of what starts at an offset."""

    @abstractmethod
    def _calls(self, body: B, index: int) -> Iterator[P]: ...

    @abstractmethod
    def _executable_boundaries(self, body: B) -> Iterator[tuple[int, int]]:
        """Pairs (executable index, token) of the tokens before which a statement may be put."""

    @abstractmethod
    def _edits(self, places: Iterable[P]) -> Iterator[Edit]:
        """What is edited beside the checks at those places: what is dropped, and what must be written anew."""

    @abstractmethod
    def _check(self, check: Check) -> str:
        """The check as one line of the program."""

    @abstractmethod
    def _line_starts(self, text: str) -> tuple[int, ...]:
        """Offsets at which lines begin, as the language counts them."""

    # --- places -------------------------------------------------------------------------------------------------

    def _token(self, body: B, index: int) -> Iterator[P]:
        path = body.declaration.path
        if path not in self._boundaries:
            self._boundaries[path] = dict(self._executable_boundaries(body))
        token = self._boundaries[path].get(index)
        if token is not None:
            yield self._before(self._start(token))

    def _loops_before(self, path: str, place: Place) -> tuple[int, ...]:
        body = self._body_of(path)
        loops = body.loops if body is not None else ()
        return tuple(i for i, s in enumerate(loops) if self._start(s.first) < place.offset)

    def _alive(self, place: Place) -> bool:
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

    # --- text ---------------------------------------------------------------------------------------------------

    def _emit(self, by_place: dict[P, list[Check]]) -> tuple[str, list[_Written]]:
        """The edited text, and the checks in it."""
        source = self.lexed.source
        steps: list[tuple[int, int, Edit | P]] = [(e.start, e.rank, e) for e in self._edits(by_place)]
        steps += [(p.offset, _BEHIND if p.behind else _BEFORE, p) for p in by_place]
        steps.sort(key=lambda step: step[:2])
        out: list[str] = []
        length = 0
        written: list[_Written] = []
        position = 0

        def put(text: str) -> None:
            nonlocal length
            out.append(text)
            length += len(text)

        for start, _, step in steps:
            if start > position:
                put(source[position:start])
                position = start
            if isinstance(step, Edit):
                if step.end > position or step.always:
                    put(step.text)
                    position = max(position, step.end)
                continue
            put(step.before)
            for check in by_place[step]:
                begin = length
                put(self._check(check))
                written.append(_Written(step, check, begin, length))
                put("\n")
            put(step.after)
        put(source[position:])
        return "".join(out), written


def on_one_line(lexed: Lexed, line_break: str) -> str:
    """A text without comments and line breaks, tokens and their adjacency unchanged.

    Args:
        lexed: the text.
        line_break: what is written for a line break inside of a token.
    """
    pieces: list[str] = []
    end = 0
    for token in lexed.tokens:
        if token.start > end and pieces:
            pieces.append(" ")
        pieces.append(lexed.source[token.start : token.end].replace("\n", line_break))
        end = token.end
    return "".join(pieces)
