"""The comparison of a candidate with its given: every declaration there, at its place, unchanged.

Declarations are matched by path and kind; order does not matter, nor do layout, comments and optional
semicolons. What a task leaves open (bodies to be written, proof text, ``decreases`` in annotation repair)
is not compared but handed on, together with every added declaration, as :class:`Added` text in which
``escapes`` looks for ways around the verifier. What the candidate keeps of the given is never looked at
there: an escape that the instance's author wrote is allowed at its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from verulaw_rl.languages.base import Finding, FindingKind, Task
from verulaw_rl.languages.dafny.added import Added, header, parents, whole
from verulaw_rl.languages.dafny.attributes import Effect
from verulaw_rl.languages.dafny.freshness import declared_names, is_built_in, taken_names
from verulaw_rl.languages.dafny.frozen import Change, FrozenBody, Outcome, clause_text
from verulaw_rl.languages.dafny.regions import is_star
from verulaw_rl.languages.dafny.syntax import (
    FUNCTION_KINDS,
    METHOD_KINDS,
    Block,
    ClauseNode,
    Declaration,
    Range,
    Statement,
)
from verulaw_rl.languages.dafny.view import Reading

_MAY_BE_ADDED = frozenset(
    {"function", "predicate", "lemma", "method", "const", "datatype", "codatatype", "type", "newtype"}
)
_ONLY_BY_AUTHORS = frozenset({"axiom", "extern"})


@dataclass(slots=True)
class Comparison:
    """Findings of the comparison, and the added text."""

    findings: list[Finding] = field(default_factory=list)
    added: list[Added] = field(default_factory=list)
    endless: set[str] = field(default_factory=set)
    """Given declarations whose contract gained ``decreases *``; their loops may then say it too."""


def compare(task: Task, before: Reading, after: Reading) -> Comparison:
    """Compare the readings of a given and a candidate."""
    comparison = _Comparison(task, before, after)
    comparison.run()
    return comparison.result


class _Comparison:
    def __init__(self, task: Task, before: Reading, after: Reading) -> None:
        self.task = task
        self.before = before
        self.after = after
        self.result = Comparison()
        self.holders = parents(before.declarations)

    def run(self) -> None:
        candidates: dict[str, list[Declaration]] = {}
        for d in self.after.declarations:
            candidates.setdefault(d.path, []).append(d)
        pairs: list[tuple[Declaration, Declaration]] = []
        for given in self.before.declarations:
            same_path = candidates.get(given.path, [])
            match = self._best(given, same_path)
            if match is None:
                self._missing(given)
            else:
                same_path.remove(match)
                pairs.append((given, match))
        for given, candidate in pairs:
            self._declaration(given, candidate)
        if self.before.view.error is not None and _stray(self.before) != _stray(self.after):
            self._find(
                "text_changed",
                "",
                1,
                "text of the given program outside of its declarations differs",
                "leave everything outside of bodies as given",
            )
        added = {id(d) for rest in candidates.values() for d in rest}
        self._additions([d for d in self.after.declarations if id(d) in added])

    def _best(self, given: Declaration, candidates: list[Declaration]) -> Declaration | None:
        same_kind = [c for c in candidates if c.kind == given.kind]
        if len(same_kind) > 1:
            text = self._words(self.before, given)
            same_kind.sort(key=lambda c: self._words(self.after, c) != text)
        return next(iter(same_kind or candidates), None)

    @staticmethod
    def _words(reading: Reading, d: Declaration) -> str:
        return reading.program.lexed.canonical(d.first, d.last)

    def _both(self, given: Declaration, candidate: Declaration) -> tuple[tuple[Reading, Declaration], ...]:
        return (self.before, given), (self.after, candidate)

    # --- findings -----------------------------------------------------------------------------------------------

    def _find(self, construct: str, d: str, line: int, message: str, advice: str, *, proof: bool = False) -> None:
        kind = FindingKind.PROOF if proof else FindingKind.SPECIFICATION
        self.result.findings.append(Finding(kind, construct, d, line, message, advice))

    @staticmethod
    def _line(reading: Reading, token: int) -> int:
        tokens = reading.program.lexed.tokens
        return reading.program.lexed.line(tokens[min(token, len(tokens) - 1)].start) if tokens else 1

    @staticmethod
    def _shown(reading: Reading, node: Range | ClauseNode) -> str:
        """Source text of tokens on one line, without comments."""
        lexed = reading.program.lexed
        pieces = []
        for index in range(node.first, node.last):
            token = lexed.tokens[index]
            apart = index > node.first and lexed.tokens[index - 1].end < token.start
            pieces.append(f" {token.text}" if apart else token.text)
        return _short("".join(pieces))

    def _missing(self, given: Declaration) -> None:
        self._find(
            "declaration_missing",
            given.path,
            self._line(self.before, given.name_line_token),
            f"the given {given.kind} `{given.path}` is gone",
            f"keep `{given.path}` where the given program has it: `{_short(' '.join(header(self.before, given)[0]))}`",
        )

    # --- a given declaration ------------------------------------------------------------------------------------

    def _declaration(self, given: Declaration, candidate: Declaration) -> None:
        self._header(given, candidate)
        if given.callable and candidate.callable:
            self._clauses(given, candidate)
            self._body(given, candidate)

    def _header(self, given: Declaration, candidate: Declaration) -> None:
        expected, attributes = header(self.before, given)
        found, new_attributes = header(self.after, candidate)
        if expected != found:
            self._find(
                "signature_changed",
                given.path,
                self._line(self.after, candidate.name_line_token),
                f"the declaration of `{given.path}` reads `{_short(' '.join(found))}`, "
                f"given is `{_short(' '.join(expected))}`",
                f"restore `{_short(' '.join(expected))}`; modifiers, types, parameters and results are fixed",
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
                self._line(self.after, candidate.name_line_token),
                f"`{given.path}` lost its attribute `{_short(text)}`",
                f"restore `{_short(text)}`",
            )

    def _clauses(self, given: Declaration, candidate: Declaration) -> None:
        open_decreases = self.task is Task.ANNOTATION_REPAIR
        kinds = dict.fromkeys(c.kind for c in (*given.clauses, *candidate.clauses))
        stars = [any(is_star(r.program, c) for c in d.clauses) for r, d in self._both(given, candidate)]
        if stars == [False, True]:
            self.result.endless.add(given.path)
        for kind in kinds:
            expected = [c for c in given.clauses if c.kind == kind]
            found = [c for c in candidate.clauses if c.kind == kind]
            old = [clause_text(self.before, c) for c in expected]
            new = [clause_text(self.after, c) for c in found]
            if kind == "decreases":
                if old == new:
                    continue
                if open_decreases:
                    added = [c for c, text in zip(found, new, strict=True) if text not in old]
                    self._star(given, [c for c in added if is_star(self.after.program, c)])
                    self._add(candidate, clauses=[c for c in added if not is_star(self.after.program, c)])
                else:
                    self._clauses_differ(given, expected, found)
                continue
            lost, gained = Counter(old) - Counter(new), Counter(new) - Counter(old)
            self._clauses_differ(given, _pick(expected, old, lost), _pick(found, new, gained))

    def _star(self, given: Declaration, stars: list[ClauseNode]) -> None:
        for clause in stars:
            self._find(
                "decreases_star",
                given.path,
                self._line(self.after, clause.first),
                f"`decreases *` was added to `{given.path}`, which gives up that it ends",
                "remove `decreases *` and give a measure that goes down with each step",
            )

    def _clauses_differ(self, given: Declaration, lost: list[ClauseNode], gained: list[ClauseNode]) -> None:
        for old, new in zip(lost, gained, strict=False):
            before, now = self._shown(self.before, old), self._shown(self.after, new)
            self._find(
                "free_clause" if new.free and not old.free else "clause_changed",
                given.path,
                self._line(self.after, new.first),
                f"a clause of `{given.path}` reads `{now}`, given is `{before}`",
                f"restore `{before}`; prove it as it is",
                proof=new.free and not old.free,
            )
        for old in lost[len(gained) :]:
            self._find(
                "clause_missing",
                given.path,
                self._line(self.before, old.first),
                f"`{given.path}` lost `{self._shown(self.before, old)}`",
                f"restore `{self._shown(self.before, old)}`",
            )
        for new in gained[len(lost) :]:
            self._find(
                "free_clause" if new.free else "clause_added",
                given.path,
                self._line(self.after, new.first),
                f"`{self._shown(self.after, new)}` was added to the contract of `{given.path}`",
                "remove the clause: contracts of given declarations are fixed; "
                "a lemma of your own may have any contract that it proves",
                proof=new.free,
            )

    # --- bodies -------------------------------------------------------------------------------------------------

    def _body(self, given: Declaration, candidate: Declaration) -> None:
        if candidate.body is None and given.body is None:
            if self._is_target(given):
                self._target_left(given, candidate)
        elif candidate.body is None:
            self._body_lost(given, candidate)
        elif given.body is None:
            if self._is_target(given, strictly=False):
                self._add_body(candidate, executable=not candidate.ghost)
            else:
                self._body_defined(given, candidate)
        else:
            self._both_bodies(given, candidate)
        if (given.by_method is None) != (candidate.by_method is None):
            self._find(
                "body_changed",
                given.path,
                self._line(self.after, candidate.name_line_token),
                f"the `by method` part of `{given.path}` was {'removed' if given.by_method else 'added'}",
                f"leave the implementation of `{given.path}` as given",
            )
        elif given.by_method is not None and candidate.by_method is not None:
            self._frozen_block(given, candidate, given.by_method, candidate.by_method)

    def _is_target(self, given: Declaration, *, strictly: bool = True) -> bool:
        """Whether a given declaration without body is to get one (``strictly``: must, rather than may)."""
        if self.task is Task.ANNOTATION_REPAIR or given.kind not in METHOD_KINDS:
            return False
        if any(a.name in _ONLY_BY_AUTHORS for a in header(self.before, given)[1]):
            return False
        holder: Declaration | None = given
        while strictly and (holder := self.holders.get(id(holder))) is not None:
            if holder.kind == "trait" or "abstract" in holder.modifiers:
                return False
        return True

    def _target_left(self, given: Declaration, candidate: Declaration) -> None:
        self._find(
            "bodyless_target",
            given.path,
            self._line(self.after, candidate.name_line_token),
            f"`{given.path}` has no body, so its contract is taken on trust",
            f"write the body of `{given.path}` itself",
            proof=True,
        )

    def _body_lost(self, given: Declaration, candidate: Declaration) -> None:
        self._find(
            "bodyless_declaration",
            given.path,
            self._line(self.after, candidate.name_line_token),
            f"`{given.path}` lost its body, so its contract is taken on trust",
            f"restore the body of `{given.path}`",
            proof=True,
        )

    def _body_defined(self, given: Declaration, candidate: Declaration) -> None:
        self._find(
            "body_added",
            given.path,
            self._line(self.after, candidate.name_line_token),
            f"`{given.path}` has no body in the given program and may mean anything; here it has one",
            f"remove the body of `{given.path}`",
        )

    def _both_bodies(self, given: Declaration, candidate: Declaration) -> None:
        assert given.body is not None
        assert candidate.body is not None
        lexed, found = self.before.program.lexed, self.after.program.lexed
        if lexed.canonical(*given.body) == found.canonical(*candidate.body):
            return
        repair = self.task is Task.ANNOTATION_REPAIR
        if given.kind in FUNCTION_KINDS and candidate.kind in FUNCTION_KINDS:
            outcome = FrozenBody(self.before, self.after, given).compare_expression(given, candidate)
            if not repair and not outcome.changes:
                outcome.changes.append(Change("body_changed", given.body, candidate.body))
            self._outcome(given, candidate, outcome)
        elif given.block is not None and candidate.block is not None:
            if self.task is Task.PATCH_GENERATION:
                self._add_body(candidate, executable=not candidate.ghost)
            elif repair and given.ghost:
                self._proof_body(given, candidate, given.block, candidate.block)
            elif repair:
                self._frozen_block(given, candidate, given.block, candidate.block)
            else:
                self._outcome(given, candidate, Outcome([Change("body_changed", given.body, candidate.body)]))

    def _frozen_block(self, given: Declaration, candidate: Declaration, old: Block, new: Block) -> None:
        self._outcome(given, candidate, FrozenBody(self.before, self.after, given).compare_block(old, new))

    def _proof_body(self, given: Declaration, candidate: Declaration, old: Block, new: Block) -> None:
        """Bodies of lemmas and ghost methods are open, but for the asserts that the given states there."""
        outcome = FrozenBody(self.before, self.after, given).compare_block(old, new)
        if not outcome.changes:
            self._outcome(given, candidate, outcome)
            return
        self._add_body(candidate, executable=False)
        expected = self._asserts(self.before, given)
        lost = expected.keys() - self._asserts(self.after, candidate).keys()
        for text in sorted(lost):
            s = expected[text]
            self._outcome(given, candidate, Outcome([Change("annotation_removed", Range(s.first, s.last), None)]))

    @staticmethod
    def _asserts(reading: Reading, d: Declaration) -> dict[str, Statement]:
        lexed = reading.program.lexed
        visits = reading.bodies[id(d)].visits
        asserts = [v.statement for v in visits if v.statement.kind == "assert"]
        return {lexed.canonical(s.keyword, s.expression.last): s for s in asserts}

    def _outcome(self, given: Declaration, candidate: Declaration, outcome: Outcome) -> None:
        if outcome.statements or outcome.clauses:
            self._add(candidate, statements=outcome.statements, clauses=outcome.clauses)
        for change in outcome.changes:
            self._change(given, change, candidate)

    def _change(self, given: Declaration, change: Change, candidate: Declaration) -> None:
        old = self._shown(self.before, change.given) if change.given else ""
        new = self._shown(self.after, change.candidate) if change.candidate else ""
        message, advice = {
            "statement_changed": (f"`{new}` stands where the given has `{old}`", f"restore `{old}`"),
            "statement_added": (
                f"`{new}` was added, and it is executable",
                "remove it; only proof text may be added: invariants, asserts, calcs, ghost variables, lemma calls",
            ),
            "statement_removed": (f"the given statement `{old}` is gone", f"restore `{old}`"),
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
            line = self._line(self.after, candidate.name_line_token)
        self._find(change.construct, given.path, line, f"in `{given.path}`: {message}", advice)

    # --- what is added ------------------------------------------------------------------------------------------

    def _add(
        self,
        candidate: Declaration,
        *,
        statements: Iterable[Statement] = (),
        clauses: Iterable[ClauseNode] = (),
        executable: bool = False,
    ) -> None:
        statements, clauses = list(statements), list(clauses)
        tokens = [Range(s.first, s.last) for s in statements] + [Range(c.first, c.last) for c in clauses]
        self.result.added.append(Added(candidate, tokens, statements, clauses, executable=executable))

    def _add_body(self, candidate: Declaration, *, executable: bool) -> None:
        assert candidate.body is not None
        statements = candidate.block.statements if candidate.block else candidate.embedded
        added = Added(candidate, [candidate.body], list(statements), executable=executable)
        self.result.added.append(added)

    def _additions(self, declarations: list[Declaration]) -> None:
        taken = taken_names(self.before)
        holders = parents(self.after.declarations)
        new = {id(d) for d in declarations}
        for d in declarations:
            self.result.added.append(whole(d))
            if id(holders.get(id(d))) in new and holders[id(d)].kind not in _MAY_BE_ADDED:
                continue  # said of what holds it
            line = self._line(self.after, d.name_line_token)
            if d.kind not in _MAY_BE_ADDED or (d.kind == "type" and not _is_defined(self.after, d)):
                self._find(
                    "declaration_not_allowed",
                    d.path,
                    line,
                    f"the {d.kind} `{d.path}` was added",
                    f"remove it; what may be added are functions, predicates, lemmas, {_HELPERS}, each with a body",
                )
            for name in declared_names(self.after, d):
                if name in taken or is_built_in(name):
                    self._find(
                        "name_not_fresh",
                        d.path,
                        line,
                        f"the added {d.kind} declares `{name}`, which already means something in the given program",
                        f"choose a name that does not occur in the given program, such as `{_fresh(name, taken)}`",
                    )


_HELPERS = "helper methods, constants and datatypes"


def _stray(reading: Reading) -> list[str]:
    """Tokens that belong to no declaration, in a program that could not be read in full."""
    tokens = reading.program.lexed.tokens
    inside = bytearray(len(tokens))
    for d in reading.program.declarations:
        inside[d.first : d.last] = b"\x01" * (min(d.last, len(tokens)) - d.first)
    return [t.text for t, covered in zip(tokens, inside, strict=True) if not covered]


def _is_defined(reading: Reading, d: Declaration) -> bool:
    return any(reading.program.lexed.tokens[i].text == "=" for i in range(*d.signature))


def _pick(clauses: list[ClauseNode], texts: list[str], wanted: Counter[str]) -> list[ClauseNode]:
    left = Counter(wanted)
    picked = []
    for clause, text in zip(clauses, texts, strict=True):
        if left[text]:
            left[text] -= 1
            picked.append(clause)
    return picked


def _fresh(name: str, taken: frozenset[str]) -> str:
    suffix = 1
    while f"{name}Helper{suffix}" in taken:
        suffix += 1
    return f"{name}Helper{suffix}"


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
