"""The comparison of a candidate with its given: every declaration there, at its place, unchanged.

Declarations are matched by path and kind; order does not matter, nor do layout, comments and trailing commas. What a
task leaves open (bodies to be written, proof text, ``decreases`` in annotation repair) is not compared but handed on,
together with every added declaration, as :class:`Added` text in which ``escapes`` looks for ways around the verifier.
What stands outside of ``verus! { }`` must be the same, token for token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from verulaw_rl.languages.attributes import Attribute
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.comparison import Change, Stated, TokenComparison, Wording
from verulaw_rl.languages.lexed import Range
from verulaw_rl.languages.verus.added import Added, header, whole
from verulaw_rl.languages.verus.freshness import declared_names, is_built_in, taken_names
from verulaw_rl.languages.verus.frozen import Outcome, asserted, compare_bodies
from verulaw_rl.languages.verus.names import is_placeholder, is_unverified
from verulaw_rl.languages.verus.syntax import METHOD_KINDS, ClauseGroup, Declaration
from verulaw_rl.languages.verus.view import Reading

_MAY_BE_ADDED = frozenset(
    {"function", "lemma", "method", "const", "struct", "enum", "impl", "broadcast_use", "broadcast_group"}
)


class Comparison(TokenComparison[Reading, Declaration]):
    """Compares the readings of a given and a candidate; ``findings`` and ``added`` are what comes of it."""

    wording = Wording(
        lemma="proof function",
        proof_text="loop clauses, asserts, proof blocks, let ghost",
        additions="spec and proof functions, helper exec functions, constants, structs and enums",
        statement="text",
        helper="{}_helper",
        separator=",",
    )

    def __init__(self, task: Task, before: Reading, after: Reading) -> None:
        super().__init__(task, before, after)
        self.added: list[Added] = []

    def run(self) -> None:
        """Compare everything once."""
        self._outside()
        self._additions(self._declarations(self.before.declarations, self.after.declarations))

    def _head(self, reading: Reading, d: Declaration) -> tuple[list[str], list[Attribute]]:
        return header(reading, d)

    # --- outside of verus! --------------------------------------------------------------------------------------

    def _outside(self) -> None:
        old, new = _outside_tokens(self.before), _outside_tokens(self.after)
        if [text for text, _ in old] == [text for text, _ in new]:
            return
        line = 1
        for (_, at), other in zip(new, [text for text, _ in old] + [""] * len(new), strict=False):
            if self.after.program.lexed.tokens[at].text != other:
                line = self._line(self.after, at)
                break
        gained = Counter(text for text, _ in new) - Counter(text for text, _ in old)
        if gained["macro_rules"]:
            self._find(
                "macro_definition",
                "",
                line,
                "a macro was defined, and what it stands for is not seen here",
                "remove the macro; write out what it stands for",
                proof=True,
            )
        elif len(self.after.program.macros) < len(self.before.program.macros):
            self._find(
                "unverified_macro",
                "",
                line,
                "`verus! { }` is gone: what it held is not verified any more",
                "restore `verus! { }` around the declarations",
                proof=True,
            )
        else:
            self._find(
                "text_changed",
                "",
                line,
                "text outside of `verus! { }` differs from the given",
                "leave everything outside of `verus! { }` as given; declarations of your own go inside",
            )

    # --- contracts ----------------------------------------------------------------------------------------------

    def _clauses(self, given: Declaration, candidate: Declaration) -> None:
        repair = self.task is Task.ANNOTATION_REPAIR and given.kind in METHOD_KINDS
        for kind in dict.fromkeys(g.kind for g in (*given.groups, *candidate.groups)):
            expected = list(_stated(self.before, given.groups, kind))
            found = list(_stated(self.after, candidate.groups, kind))
            if kind != "decreases":
                self._unordered_clauses(given, expected, found)
                continue
            old = [c.text for c in expected]
            if repair:
                self._add(candidate, [c.tokens for c in found if c.text not in old])
            elif old != [c.text for c in found]:
                self._clauses_differ(given, expected, found)

    # --- bodies -------------------------------------------------------------------------------------------------

    def _body(self, given: Declaration, candidate: Declaration) -> None:
        if given.block is None and candidate.block is None:
            return
        if candidate.block is None:
            self._body_lost(given, candidate)
        elif given.block is None:
            self._body_defined(given, candidate)
        else:
            self._both_bodies(given, candidate)

    def _both_bodies(self, given: Declaration, candidate: Declaration) -> None:
        assert given.body is not None
        assert candidate.body is not None
        same = self.before.program.lexed.canonical(*given.body) == self.after.program.lexed.canonical(*candidate.body)
        if self._is_target(given):
            if same and given.kind == "method":
                self._target_left(given, candidate, f"the body of `{given.path}` is still to be written")
            elif not same:
                self._add_body(candidate)
            return
        if same:
            return
        repair = self.task is Task.ANNOTATION_REPAIR
        if (
            given.kind not in METHOD_KINDS
            or candidate.kind not in METHOD_KINDS
            or is_unverified(self.before.program.lexed, given)
        ):
            outcome = compare_bodies(self.before, self.after, given, candidate) if repair else Outcome()
            if not outcome.changes and not repair:
                outcome.changes.append(Change("body_changed", given.body, candidate.body))
            self._outcome(given, candidate, outcome)
        elif self.task is Task.PATCH_GENERATION:
            self._add_body(candidate)
        elif repair and given.kind == "lemma":
            self._proof_body(given, candidate)
        elif repair:
            self._outcome(given, candidate, compare_bodies(self.before, self.after, given, candidate))
        else:
            self._outcome(given, candidate, Outcome([Change("body_changed", given.body, candidate.body)]))

    def _is_target(self, given: Declaration) -> bool:
        """Whether a body is to be written."""
        open_ = self.task is not Task.ANNOTATION_REPAIR and given.kind in METHOD_KINDS and is_placeholder(given)
        return open_ and not is_unverified(self.before.program.lexed, given)

    def _proof_body(self, given: Declaration, candidate: Declaration) -> None:
        """Bodies of proof functions are open, but for the assertions that the given states there."""
        self._add_body(candidate)
        expected, found = asserted(self.before, given), asserted(self.after, candidate)
        for text, s in expected.items():
            if text not in found:
                self._change(given, Change("annotation_removed", Range(s.first, s.last), None), candidate)

    def _outcome(self, given: Declaration, candidate: Declaration, outcome: Outcome) -> None:
        self._add(candidate, outcome.added)
        for change in outcome.changes:
            self._change(given, change, candidate)

    # --- what is added ------------------------------------------------------------------------------------------

    def _add(self, candidate: Declaration, tokens: Iterable[Range]) -> None:
        tokens = list(tokens)
        if tokens:
            self.added.append(Added(candidate, tokens))

    def _add_body(self, candidate: Declaration) -> None:
        assert candidate.body is not None
        visits = self.after.bodies[id(candidate)].visits if candidate.kind == "method" else []
        self.added.append(Added(candidate, [candidate.body], [v.statement for v in visits]))

    def _additions(self, declarations: list[Declaration]) -> None:
        taken = taken_names(self.before)
        own_types = {d.name for d in declarations if d.kind in ("struct", "enum") and d.name not in taken}
        own_members: set[int] = set()
        refused: set[int] = set()
        for d in declarations:
            self.added.append(whole(self.after, d))
            if id(d) in refused:
                continue  # said of what holds it
            allowed = d.kind in _MAY_BE_ADDED and (d.kind != "impl" or d.self_type in own_types)
            if d.kind == "function" and d.block is None:
                allowed = False
            if d.kind == "impl" and allowed:
                own_members |= {id(m) for m in d.members}
            if not allowed:
                if d.kind != "impl":  # what an impl holds may capture names
                    refused |= {id(m) for m in d.members}
                self._not_allowed(d)
            for name in declared_names(d):
                if id(d) not in own_members and (name in taken or is_built_in(name)):
                    self._not_fresh(d, name, taken)


def _outside_tokens(reading: Reading) -> list[tuple[str, int]]:
    """Texts and indices of the tokens outside of the macros' braces."""
    inside = bytearray(len(reading.program.lexed.tokens))
    for first, last in reading.program.macros:
        inside[first:last] = b"\x01" * max(0, last - first)
    return [(t.text, i) for i, t in enumerate(reading.program.lexed.tokens) if not inside[i]]


def _stated(reading: Reading, groups: list[ClauseGroup], kind: str) -> Iterator[Stated]:
    """The clauses of a kind; ``decreases``, ``when`` and ``via`` are one each."""
    canonical = reading.program.lexed.canonical
    for group in groups:
        if group.kind != kind:
            continue
        if kind == "decreases" or not group.clauses:
            text = canonical(group.first, group.open_end).removesuffix(" ,")
            yield Stated(text, Range(group.first, group.open_end))
        else:
            for c in group.clauses:
                yield Stated(canonical(c.first, c.expression.last), Range(c.first, c.last))
        if group.last > group.open_end:
            yield Stated(canonical(group.open_end, group.last), Range(group.open_end, group.last))
