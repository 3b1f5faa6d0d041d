"""What comparing a candidate with its given has in common where declarations are ranges of tokens (Dafny, Verus).

Declarations are matched by path and kind; headers, attributes and clauses are compared here, and findings are worded
here. The ``specification`` module of a language subclasses :class:`TokenComparison`: it says what stands in a head and
in a contract, which bodies are open for a task, and what may be added.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, TypeVar

from verulaw_rl.languages.attributes import Attribute, Effect
from verulaw_rl.languages.base import Finding, FindingKind, Task
from verulaw_rl.languages.lexed import Range
from verulaw_rl.languages.parsed import Declared, Readable

R = TypeVar("R", bound=Readable)
D = TypeVar("D", bound=Declared)


@dataclass(frozen=True, slots=True)
class Wording:
    """How a language calls what findings speak of."""

    lemma: str
    proof_text: str
    """What may be added to a frozen body."""
    additions: str
    """What declarations may be added."""
    statement: str
    """What is gone where executable text is gone."""
    helper: str
    """With ``{}`` for a name: names of helpers, up to a number."""
    separator: str = ""
    """What ends a clause and is not shown."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference in frozen code. ``given`` or ``candidate`` is ``None`` where there is nothing on that side."""

    construct: str
    given: Range | None
    candidate: Range | None


class Stated(NamedTuple):
    """One clause of a contract: what it says, where, and whether it is believed without proof (Dafny's ``free``)."""

    text: str
    tokens: Range
    free: bool = False


class TokenComparison(ABC, Generic[R, D]):
    """Compares the readings of a given and a candidate; ``findings`` is what comes of it."""

    wording: ClassVar[Wording]

    def __init__(self, task: Task, before: R, after: R) -> None:
        self.task = task
        self.before = before
        self.after = after
        self.findings: list[Finding] = []

    @abstractmethod
    def _head(self, reading: R, d: D) -> tuple[list[str], list[Attribute]]:
        """Tokens of a declaration outside of clauses and bodies, and the attributes among them apart."""

    @abstractmethod
    def _clauses(self, given: D, candidate: D) -> None:
        """Compare two contracts."""

    @abstractmethod
    def _body(self, given: D, candidate: D) -> None:
        """Compare two bodies."""

    def _declarations(self, expected: Iterable[D], found: Sequence[D]) -> list[D]:
        """Compare every given declaration; the candidate's own ones are returned."""
        candidates: dict[str, list[D]] = {}
        for d in found:
            candidates.setdefault(d.path, []).append(d)
        pairs: list[tuple[D, D]] = []
        for given in expected:
            same_path = candidates.get(given.path, [])
            match = self._best(given, same_path)
            if match is None:
                self._missing(given)
            else:
                same_path.remove(match)
                pairs.append((given, match))
        for given, candidate in pairs:
            self._header(given, candidate)
            if given.callable and candidate.callable:
                self._clauses(given, candidate)
                self._body(given, candidate)
        added = {id(d) for rest in candidates.values() for d in rest}
        return [d for d in found if id(d) in added]

    def _best(self, given: D, candidates: list[D]) -> D | None:
        same_kind = [c for c in candidates if c.kind == given.kind]
        if len(same_kind) > 1:
            text = self.before.program.lexed.canonical(given.first, given.last)
            same_kind.sort(key=lambda c: self.after.program.lexed.canonical(c.first, c.last) != text)
        return next(iter(same_kind or candidates), None)

    # --- findings -----------------------------------------------------------------------------------------------

    def _find(self, construct: str, d: str, line: int, message: str, advice: str, *, proof: bool = False) -> None:
        kind = FindingKind.PROOF if proof else FindingKind.SPECIFICATION
        self.findings.append(Finding(kind, construct, d, line, message, advice))

    @staticmethod
    def _line(reading: R, token: int) -> int:
        lexed = reading.program.lexed
        return lexed.line(lexed.tokens[min(token, len(lexed.tokens) - 1)].start) if lexed.tokens else 1

    def _shown(self, reading: R, node: Range) -> str:
        """Source text of tokens on one line, without comments."""
        lexed = reading.program.lexed
        pieces = []
        for index in range(node.first, node.last):
            token = lexed.tokens[index]
            apart = index > node.first and lexed.tokens[index - 1].end < token.start
            pieces.append(f" {token.text}" if apart else token.text)
        return _short("".join(pieces).removesuffix(self.wording.separator))

    # --- heads --------------------------------------------------------------------------------------------------

    def _missing(self, given: D) -> None:
        self._find(
            "declaration_missing",
            given.path,
            self._line(self.before, given.named_at),
            f"the given {given.kind} `{given.path}` is gone",
            f"keep `{given.path}` where the given program has it: "
            f"`{_short(' '.join(self._head(self.before, given)[0]))}`",
        )

    def _header(self, given: D, candidate: D) -> None:
        expected, attributes = self._head(self.before, given)
        found, new_attributes = self._head(self.after, candidate)
        if expected != found or given.kind != candidate.kind:
            self._find(
                "signature_changed",
                given.path,
                self._line(self.after, candidate.named_at),
                f"the declaration of `{given.path}` reads `{_short(' '.join(found))}`, "
                f"given is `{_short(' '.join(expected))}`",
                f"restore `{_short(' '.join(expected))}`; modifiers, types, parameters and results are fixed",
                proof=candidate.kind == "axiom" and given.kind != "axiom",
            )
        kept = Counter(a.canonical for a in attributes)
        for attribute in new_attributes:
            if kept[attribute.canonical]:
                kept[attribute.canonical] -= 1
            elif attribute.effect is not Effect.STEERING:
                self._find(
                    "attribute",
                    given.path,
                    self._line(self.after, attribute.first),
                    f"`{_short(attribute.canonical)}` was added to `{given.path}`",
                    f"remove the attribute `{attribute.name}` from `{given.path}`",
                    proof=attribute.effect is Effect.ESCAPE,
                )
        for text in sorted(+kept):
            self._find(
                "attribute_removed",
                given.path,
                self._line(self.after, candidate.named_at),
                f"`{given.path}` lost its attribute `{_short(text)}`",
                f"restore `{_short(text)}`",
            )

    # --- contracts ----------------------------------------------------------------------------------------------

    def _unordered_clauses(self, given: D, expected: list[Stated], found: list[Stated]) -> None:
        """Compare clauses of one kind, in any order."""
        old, new = Counter(c.text for c in expected), Counter(c.text for c in found)
        self._clauses_differ(given, _pick(expected, old - new), _pick(found, new - old))

    def _clauses_differ(self, given: D, lost: list[Stated], gained: list[Stated]) -> None:
        for old, new in zip(lost, gained, strict=False):
            before, now = self._shown(self.before, old.tokens), self._shown(self.after, new.tokens)
            freed = new.free and not old.free
            self._find(
                "free_clause" if freed else "clause_changed",
                given.path,
                self._line(self.after, new.tokens.first),
                f"a clause of `{given.path}` reads `{now}`, given is `{before}`",
                f"restore `{before}`; prove it as it is",
                proof=freed,
            )
        for old in lost[len(gained) :]:
            text = self._shown(self.before, old.tokens)
            line = self._line(self.before, old.tokens.first)
            self._find("clause_missing", given.path, line, f"`{given.path}` lost `{text}`", f"restore `{text}`")
        for new in gained[len(lost) :]:
            self._find(
                "free_clause" if new.free else "clause_added",
                given.path,
                self._line(self.after, new.tokens.first),
                f"`{self._shown(self.after, new.tokens)}` was added to the contract of `{given.path}`",
                "remove the clause: contracts of given declarations are fixed; "
                f"a {self.wording.lemma} of your own may have any contract that it proves",
                proof=new.free,
            )

    # --- bodies -------------------------------------------------------------------------------------------------

    def _target_left(self, given: D, candidate: D, message: str) -> None:
        """A body that was to be written is not there."""
        line, advice = self._line(self.after, candidate.named_at), f"write the body of `{given.path}` itself"
        self._find("bodyless_target", given.path, line, message, advice, proof=True)

    def _body_lost(self, given: D, candidate: D) -> None:
        self._find(
            "bodyless_declaration",
            given.path,
            self._line(self.after, candidate.named_at),
            f"`{given.path}` lost its body, so its contract is taken on trust",
            f"restore the body of `{given.path}`",
            proof=True,
        )

    def _body_defined(self, given: D, candidate: D) -> None:
        self._find(
            "body_added",
            given.path,
            self._line(self.after, candidate.named_at),
            f"`{given.path}` has no body in the given program and may mean anything; here it has one",
            f"remove the body of `{given.path}`",
        )

    def _change(self, given: D, change: Change, candidate: D) -> None:
        """Report a difference in frozen code."""
        old = self._shown(self.before, change.given) if change.given else ""
        new = self._shown(self.after, change.candidate) if change.candidate else ""
        message, advice = {
            "statement_changed": (f"`{new}` stands where the given has `{old}`", f"restore `{old}`"),
            "statement_added": (
                f"`{new}` was added, and it is executable",
                f"remove it; only proof text may be added: {self.wording.proof_text}",
            ),
            "statement_removed": (f"the given {self.wording.statement} `{old}` is gone", f"restore `{old}`"),
            "annotation_removed": (f"the given proof text `{old}` is gone", f"restore `{old}` at its place"),
            "captured_name": (
                f"`{new}` declares a name that the given body uses",
                "give the ghost variable a new name",
            ),
            "body_changed": ("its body differs from the given one", f"restore the body of `{given.path}`"),
        }[change.construct]
        if change.candidate is not None:
            line = self._line(self.after, change.candidate.first)
        elif change.given is not None:
            line = self._line(self.before, change.given.first)
        else:
            line = self._line(self.after, candidate.named_at)
        self._find(change.construct, given.path, line, f"in `{given.path}`: {message}", advice)

    # --- what is added ------------------------------------------------------------------------------------------

    def _not_allowed(self, d: D) -> None:
        self._find(
            "declaration_not_allowed",
            d.path,
            self._line(self.after, d.named_at),
            f"the {d.kind} `{d.path}` was added",
            f"remove it; what may be added are {self.wording.additions}, each with a body",
        )

    def _not_fresh(self, d: D, name: str, taken: frozenset[str]) -> None:
        """An added declaration declares a name that is taken in the given program."""
        suffix = 1
        helper = self.wording.helper.format(name)
        while f"{helper}{suffix}" in taken:
            suffix += 1
        self._find(
            "name_not_fresh",
            d.path,
            self._line(self.after, d.named_at),
            f"the added {d.kind} declares `{name}`, which already means something in the given program",
            f"choose a name that does not occur in the given program, such as `{helper}{suffix}`",
        )


def _pick(clauses: list[Stated], wanted: Counter[str]) -> list[Stated]:
    left = Counter(wanted)
    picked = []
    for clause in clauses:
        if left[clause.text]:
            left[clause.text] -= 1
            picked.append(clause)
    return picked


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
