"""The comparison of a candidate with its given: every declaration there, at its place, unchanged.

Declarations are matched by path and kind; order does not matter, nor do layout, comments and optional
semicolons. What a task leaves open (bodies to be written, proof text, ``decreases`` in annotation repair)
is not compared but handed on, together with every added declaration, as :class:`Added` text in which
``escapes`` looks for ways around the verifier. What the candidate keeps of the given is never looked at
there: an escape that the instance's author wrote is allowed at its place.
"""

from __future__ import annotations

from collections.abc import Iterable

from verulaw_rl.languages.attributes import Attribute
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.comparison import Change, Stated, TokenComparison, Wording
from verulaw_rl.languages.dafny.added import Added, header, parents, whole
from verulaw_rl.languages.dafny.freshness import declared_names, is_built_in, taken_names
from verulaw_rl.languages.dafny.frozen import FrozenBody, Outcome, clause_text
from verulaw_rl.languages.dafny.regions import is_star
from verulaw_rl.languages.dafny.syntax import FUNCTION_KINDS, METHOD_KINDS, Block, ClauseNode, Declaration, Statement
from verulaw_rl.languages.dafny.view import Reading
from verulaw_rl.languages.lexed import Range

_MAY_BE_ADDED = frozenset(
    {"function", "predicate", "lemma", "method", "const", "datatype", "codatatype", "type", "newtype"}
)
_ONLY_BY_AUTHORS = frozenset({"axiom", "extern"})


class Comparison(TokenComparison[Reading, Declaration]):
    """Compares the readings of a given and a candidate: ``findings``, ``added`` and ``endless`` come of it."""

    wording = Wording(
        lemma="lemma",
        proof_text="invariants, asserts, calcs, ghost variables, lemma calls",
        additions="functions, predicates, lemmas, helper methods, constants and datatypes",
        statement="statement",
        helper="{}Helper",
    )

    def __init__(self, task: Task, before: Reading, after: Reading) -> None:
        super().__init__(task, before, after)
        self.added: list[Added] = []
        self.endless: set[str] = set()
        """Given declarations whose contract gained ``decreases *``; their loops may then say it too."""
        self.holders = parents(before.declarations)

    def run(self) -> None:
        """Compare everything once."""
        added = self._declarations(self.before.declarations, self.after.declarations)
        if self.before.view.error is not None and _stray(self.before) != _stray(self.after):
            self._find(
                "text_changed",
                "",
                1,
                "text of the given program outside of its declarations differs",
                "leave everything outside of bodies as given",
            )
        self._additions(added)

    def _head(self, reading: Reading, d: Declaration) -> tuple[list[str], list[Attribute]]:
        return header(reading, d)

    # --- contracts ----------------------------------------------------------------------------------------------

    def _clauses(self, given: Declaration, candidate: Declaration) -> None:
        if _never_ends(self.after, candidate) and not _never_ends(self.before, given):
            self.endless.add(given.path)
        for kind in dict.fromkeys(c.kind for c in (*given.clauses, *candidate.clauses)):
            expected, found = _stated(self.before, given, kind), _stated(self.after, candidate, kind)
            if kind != "decreases":
                self._unordered_clauses(given, expected, found)
            elif [c.text for c in expected] != [c.text for c in found]:
                if self.task is Task.ANNOTATION_REPAIR:
                    self._measures(given, candidate, {c.text for c in expected})
                else:
                    self._clauses_differ(given, expected, found)

    def _measures(self, given: Declaration, candidate: Declaration, known: set[str]) -> None:
        """What a task leaves open of ``decreases``: any measure, but not to give it up."""
        measures = []
        for clause in candidate.clauses:
            if clause.kind != "decreases" or clause_text(self.after, clause) in known:
                continue
            if not is_star(self.after.program, clause):
                measures.append(clause)
                continue
            self._find(
                "decreases_star",
                given.path,
                self._line(self.after, clause.first),
                f"`decreases *` was added to `{given.path}`, which gives up that it ends",
                "remove `decreases *` and give a measure that goes down with each step",
            )
        self._add(candidate, clauses=measures)

    # --- bodies -------------------------------------------------------------------------------------------------

    def _body(self, given: Declaration, candidate: Declaration) -> None:
        if candidate.body is None and given.body is None:
            if self._is_target(given):
                message = f"`{given.path}` has no body, so its contract is taken on trust"
                self._target_left(given, candidate, message)
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
                self._line(self.after, candidate.named_at),
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
        self.added.append(Added(candidate, tokens, statements, clauses, executable=executable))

    def _add_body(self, candidate: Declaration, *, executable: bool) -> None:
        assert candidate.body is not None
        statements = candidate.block.statements if candidate.block else candidate.embedded
        added = Added(candidate, [candidate.body], list(statements), executable=executable)
        self.added.append(added)

    def _additions(self, declarations: list[Declaration]) -> None:
        taken = taken_names(self.before)
        holders = parents(self.after.declarations)
        new = {id(d) for d in declarations}
        for d in declarations:
            self.added.append(whole(d))
            if id(holders.get(id(d))) in new and holders[id(d)].kind not in _MAY_BE_ADDED:
                continue  # said of what holds it
            if d.kind not in _MAY_BE_ADDED or (d.kind == "type" and not _is_defined(self.after, d)):
                self._not_allowed(d)
            for name in declared_names(self.after, d):
                if name in taken or is_built_in(name):
                    self._not_fresh(d, name, taken)


def _stray(reading: Reading) -> list[str]:
    """Tokens that belong to no declaration, in a program that could not be read in full."""
    tokens = reading.program.lexed.tokens
    inside = bytearray(len(tokens))
    for d in reading.program.declarations:
        inside[d.first : d.last] = b"\x01" * (min(d.last, len(tokens)) - d.first)
    return [t.text for t, covered in zip(tokens, inside, strict=True) if not covered]


def _is_defined(reading: Reading, d: Declaration) -> bool:
    return any(reading.program.lexed.tokens[i].text == "=" for i in range(*d.signature))


def _never_ends(reading: Reading, d: Declaration) -> bool:
    """Whether the contract says ``decreases *``."""
    return any(is_star(reading.program, c) for c in d.clauses)


def _stated(reading: Reading, d: Declaration, kind: str) -> list[Stated]:
    """The clauses of a kind."""
    return [Stated(clause_text(reading, c), Range(c.first, c.last), c.free) for c in d.clauses if c.kind == kind]
