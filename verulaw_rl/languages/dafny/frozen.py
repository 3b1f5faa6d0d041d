"""Whether a frozen body is still there: the given statements in order, with nothing but proof text between them.

Each given statement must occur in the candidate, at its place, with the same tokens; what the candidate
has beyond that must be proof text by *resolved* kind (a lemma call, not a call of a method that looks like
one). Loops may gain invariants, ``modifies`` and ``decreases``; asserts may gain a ``by`` block. Matching
the earliest occurrence is enough: every executable statement of the candidate must be matched, so the
k-th executable one given can only match the k-th executable one there.

The audit calls :func:`compare_block` for bodies of methods and :func:`compare_expression` for those of
functions. What is *added* is returned, for the search for proof escapes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from verulaw_rl.languages.comparison import Change
from verulaw_rl.languages.dafny.names import callee
from verulaw_rl.languages.dafny.syntax import Block, ClauseNode, Declaration, Statement
from verulaw_rl.languages.dafny.view import Reading
from verulaw_rl.languages.lexed import Range, TokenKind

_FREE_LOOP_CLAUSES = frozenset({"invariant", "modifies", "decreases"})
Item = str | Statement


@dataclass(slots=True)
class Outcome:
    """What a comparison found: offences, and the proof text that the candidate added."""

    changes: list[Change] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    clauses: list[ClauseNode] = field(default_factory=list)

    def include(self, other: Outcome) -> None:
        """Take over what another comparison found."""
        self.changes += other.changes
        self.statements += other.statements
        self.clauses += other.clauses


def clause_text(reading: Reading, clause: ClauseNode) -> str:
    """A clause's tokens without the optional semicolon: equal exactly when the clauses are the same."""
    tokens = reading.program.lexed.tokens
    last = clause.last
    if last > clause.first and tokens[last - 1].text == ";":
        last -= 1
    return reading.program.lexed.canonical(clause.first, last)


class FrozenBody:
    """The comparison of one declaration's body."""

    def __init__(self, before: Reading, after: Reading, given: Declaration) -> None:
        self.before = before
        self.after = after
        tokens = before.program.lexed.tokens[given.first : given.last]
        self.given_words = frozenset(t.text for t in tokens if t.kind == TokenKind.WORD)
        self.ghost = given.ghost
        self._pairs: dict[tuple[int, int], Outcome | None] = {}
        self._shapes: dict[int, list[Item]] = {}

    def compare_block(self, given: Block, candidate: Block) -> Outcome:
        """Compare the statements of two bodies."""
        outcome = self._list(given.statements, candidate.statements, self.ghost)
        if outcome is None:
            outcome = self._report(given.statements, candidate.statements, self.ghost)
            if not outcome.changes:
                whole = Range(candidate.first, candidate.last)
                outcome.changes.append(Change("body_changed", Range(given.first, given.last), whole))
        return outcome

    def compare_expression(self, given: Declaration, candidate: Declaration) -> Outcome:
        """Compare the bodies of two functions, asserts and other proof text inside the expression aside."""
        assert given.body is not None
        assert candidate.body is not None
        expected = self._items(self.before, given.body, [], given.embedded)
        found = self._items(self.after, candidate.body, [], candidate.embedded)
        added = self._items_fit(expected, found)
        if added is None:
            return Outcome([Change("body_changed", given.body, candidate.body)])
        return Outcome(statements=added)

    # --- statements that fit ------------------------------------------------------------------------------------

    def _list(self, given: list[Statement], candidate: list[Statement], in_proof: bool) -> Outcome | None:
        """Match statement lists; ``None`` where the given is not there or code was added."""
        outcome = Outcome()
        rest = iter(candidate)
        for g in given:
            if g.kind == "empty":
                continue
            for c in rest:
                fit = self._statement(g, c)
                if fit is not None:
                    outcome.include(fit)
                    break
                if not self._may_be_added(c, in_proof):
                    return None
                self._add(outcome, c)
            else:
                return None
        for c in rest:
            if not self._may_be_added(c, in_proof):
                return None
            self._add(outcome, c)
        return outcome

    def _add(self, outcome: Outcome, c: Statement) -> None:
        outcome.statements.append(c)
        if c.kind == "var" and any(local.name in self.given_words for local in c.locals):
            outcome.changes.append(Change("captured_name", None, Range(c.first, c.last)))

    def _statement(self, g: Statement, c: Statement) -> Outcome | None:
        key = (id(g), id(c))
        if key not in self._pairs:
            self._pairs[key] = self._fit(g, c)
        return self._pairs[key]

    def _fit(self, g: Statement, c: Statement) -> Outcome | None:
        outcome = self._headers_fit(g, c)
        if outcome is None or not self._clauses_fit(g, c, outcome):
            return None
        in_proof = self.ghost or self.after.marks.is_proof(c)
        for given_block, block in zip(g.blocks, c.blocks, strict=False):
            inner = self._list(given_block.statements, block.statements, in_proof)
            if inner is None:
                return None
            outcome.include(inner)
        for block in c.blocks[len(g.blocks) :]:
            inner = self._list([], block.statements, in_proof)
            if inner is None:
                return None
            outcome.include(inner)
        return outcome

    def _headers_fit(self, g: Statement, c: Statement) -> Outcome | None:
        """Match everything but nested statements and clauses."""
        if g.kind != c.kind or len(c.blocks) < len(g.blocks):
            return None
        if g.label != c.label and (g.label is not None or c.label in self.given_words):
            return None
        extra = len(c.blocks) - len(g.blocks)
        may_gain = g.kind == "assert" or (g.kind == "if" and g.operator != "case" and not g.has_else)
        if extra and not may_gain:
            return None
        expected, found = self._shape(self.before, g), self._shape(self.after, c)
        if extra and g.kind == "if":
            found = found[: len(expected)]
        added = self._items_fit(expected, found)
        return None if added is None else Outcome(statements=added)

    def _clauses_fit(self, g: Statement, c: Statement, outcome: Outcome) -> bool:
        expected = Counter(clause_text(self.before, k) for k in g.clauses if not self._open_clause(g, k))
        stars = {clause_text(self.before, k) for k in g.clauses if k.kind == "decreases"}
        for clause in c.clauses:
            text = clause_text(self.after, clause)
            if expected[text]:
                expected[text] -= 1
            elif g.is_loop and clause.kind in _FREE_LOOP_CLAUSES:
                if text not in stars:
                    outcome.clauses.append(clause)
            else:
                return False
        return not +expected

    @staticmethod
    def _open_clause(statement: Statement, clause: ClauseNode) -> bool:
        return statement.is_loop and clause.kind == "decreases"

    # --- what statements look like ------------------------------------------------------------------------------

    def _shape(self, reading: Reading, s: Statement) -> list[Item]:
        shape = self._shapes.get(id(s))
        if shape is None:
            end = s.expression.last if s.kind == "assert" else s.last
            holes = [(b.first, b.last, "{}" if b.braced else "") for b in s.blocks]
            holes += [(c.first, c.last, "") for c in s.clauses]
            shape = self._shapes[id(s)] = self._items(reading, Range(s.keyword, end), holes, s.embedded)
        return shape

    @staticmethod
    def _items(
        reading: Reading, tokens: Range, holes: list[tuple[int, int, str]], embedded: list[Statement]
    ) -> list[Item]:
        """Texts of tokens, with a mark for each hole, and the statements inside expressions as single items."""
        skips: dict[int, tuple[int, Item]] = {first: (last, mark) for first, last, mark in holes if last > first}
        for statement in embedded:
            skips.setdefault(statement.first, (statement.last, statement))
        items: list[Item] = []
        at = tokens.first
        while at < tokens.last:
            last, item = skips.get(at, (0, ""))
            if last > at:
                if item:
                    items.append(item)
                at = last
            else:
                items.append(reading.program.lexed.tokens[at].text)
                at += 1
        return items

    def _items_fit(self, given: list[Item], candidate: list[Item]) -> list[Statement] | None:
        """Match item lists; returns the proof text added between the given items."""
        added: list[Statement] = []
        at = 0
        for item in candidate:
            if at < len(given) and self._same_item(given[at], item):
                at += 1
            elif isinstance(item, Statement) and self._may_be_added(item, False):
                added.append(item)
            else:
                return None
        return added if at == len(given) else None

    def _same_item(self, given: Item, candidate: Item) -> bool:
        if isinstance(given, Statement) and isinstance(candidate, Statement):
            return self.before.program.lexed.canonical(given.first, given.last) == self.after.program.lexed.canonical(
                candidate.first, candidate.last
            )
        return given == candidate

    def _may_be_added(self, c: Statement, in_proof: bool) -> bool:
        """Whether a statement does nothing in the compiled program. Escapes pass here: they are found elsewhere."""
        if in_proof or self.after.marks.is_proof(c) or c.kind in ("empty", "expect"):
            return True
        if c.kind == "error":
            return self.after.program.error is not None
        if c.kind == "var" and len(c.values) == 1 and c.operator == ":=":
            # Dafny makes a variable ghost that holds the result of a lemma
            return callee(self.after.program.lexed, c.values[0]) in self.after.names.ghost_calls
        return c.kind == "call" and len(c.targets) == 1 and self._cannot_resolve(c.targets[0])

    def _cannot_resolve(self, call: Range) -> bool:
        """Whether a call is of something that exists nowhere: the verifier will say so; no code was changed."""
        name = callee(self.after.program.lexed, call)
        outside = any(d.kind in ("include", "import") for d in self.before.declarations)
        return name is not None and name != "MoveNext" and name not in self.after.names.methods and not outside

    # --- what does not fit --------------------------------------------------------------------------------------

    def _report(self, given: list[Statement], candidate: list[Statement], in_proof: bool) -> Outcome:
        """Say what differs, as closely as statements that still look alike allow.

        Executable statements are aligned first, then the proof text between them, so that an assumption that
        moved across a loop is one that was added.
        """
        outcome = Outcome()
        given = [g for g in given if g.kind != "empty"]
        code = [g for g in given if not self.before.marks.is_proof(g)]
        new_code = [c for c in candidate if not self.after.marks.is_proof(c)]
        places = {id(s): k for statements in (given, candidate) for k, s in enumerate(statements)}
        at, new_at = 0, 0
        for i, j in [*self._alike(code, new_code), (len(code), len(new_code))]:
            end = places[id(code[i])] if i < len(code) else len(given)
            new_end = places[id(new_code[j])] if j < len(new_code) else len(candidate)
            self._report_between(given[at:end], candidate[new_at:new_end], in_proof, outcome)
            if i < len(code):
                self._report_pair(code[i], new_code[j], outcome)
            at, new_at = end + 1, new_end + 1
        return outcome

    def _report_between(
        self, given: list[Statement], candidate: list[Statement], in_proof: bool, outcome: Outcome
    ) -> None:
        pairs = self._alike(given, candidate)
        for i, j in pairs:
            self._report_pair(given[i], candidate[j], outcome)
        left = [g for k, g in enumerate(given) if k not in {i for i, _ in pairs}]
        right = [c for k, c in enumerate(candidate) if k not in {j for _, j in pairs}]
        self._report_different(left, right, in_proof, outcome)

    def _alike(self, given: list[Statement], candidate: list[Statement]) -> list[tuple[int, int]]:
        """Indices of statements that look alike, in order."""
        before = [self._look(self.before, g) for g in given]
        after = [self._look(self.after, c) for c in candidate]
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        return [(block.a + k, block.b + k) for block in blocks for k in range(block.size)]

    def _look(self, reading: Reading, s: Statement) -> str:
        words = [item for item in self._shape(reading, s) if isinstance(item, str)]
        return " ".join([s.kind, *words[:-1], words[-1] if words and words[-1] != ";" else ""])

    def _report_pair(self, g: Statement, c: Statement, outcome: Outcome) -> None:
        fit = self._statement(g, c)
        if fit is not None:
            outcome.include(fit)
            return
        start = len(outcome.changes)
        expected = Counter(clause_text(self.before, k) for k in g.clauses if not self._open_clause(g, k))
        found = Counter(clause_text(self.after, k) for k in c.clauses)
        outcome.clauses += [k for k in c.clauses if not expected[clause_text(self.after, k)]]
        for clause in g.clauses:
            text = clause_text(self.before, clause)
            if expected[text] > found[text]:
                expected[text] -= 1
                outcome.changes.append(Change("annotation_removed", Range(clause.first, clause.last), None))
        if len(g.blocks) == len(c.blocks):
            in_proof = self.ghost or self.after.marks.is_proof(c)
            for given_block, block in zip(g.blocks, c.blocks, strict=True):
                outcome.include(self._report(given_block.statements, block.statements, in_proof))
        if len(outcome.changes) == start:
            outcome.statements.append(c)
            outcome.changes.append(Change("statement_changed", Range(g.first, g.last), Range(c.first, c.last)))

    def _report_different(
        self, given: list[Statement], candidate: list[Statement], in_proof: bool, outcome: Outcome
    ) -> None:
        lost = [g for g in given if not self.before.marks.is_proof(g)]
        for g in given:
            if self.before.marks.is_proof(g):
                outcome.changes.append(Change("annotation_removed", Range(g.first, g.last), None))
        for c in candidate:
            self._add(outcome, c)
            if self._may_be_added(c, in_proof):
                continue
            here = Range(c.first, c.last)
            if lost:
                g = lost.pop(0)
                outcome.changes.append(Change("statement_changed", Range(g.first, g.last), here))
            else:
                outcome.changes.append(Change("statement_added", None, here))
        outcome.changes += [Change("statement_removed", Range(g.first, g.last), None) for g in lost]
