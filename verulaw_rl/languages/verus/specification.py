"""The comparison of a candidate with its given: every declaration there, at its place, unchanged.

Declarations are matched by path and kind; order does not matter, nor do layout, comments and trailing commas. What a
task leaves open (bodies to be written, proof text, ``decreases`` in annotation repair) is not compared but handed on,
together with every added declaration, as :class:`Added` text in which ``escapes`` looks for ways around the verifier.
What stands outside of ``verus! { }`` must be the same, token for token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from verulaw_rl.languages.base import Finding, FindingKind, Task
from verulaw_rl.languages.verus.added import Added, header, whole
from verulaw_rl.languages.verus.attributes import Attribute, Effect
from verulaw_rl.languages.verus.freshness import declared_names, is_built_in, taken_names
from verulaw_rl.languages.verus.frozen import Change, Outcome, asserted, compare_bodies
from verulaw_rl.languages.verus.names import is_placeholder, is_unverified
from verulaw_rl.languages.verus.syntax import METHOD_KINDS, ClauseGroup, Declaration, Range
from verulaw_rl.languages.verus.view import Reading

_MAY_BE_ADDED = frozenset(
    {"function", "lemma", "method", "const", "struct", "enum", "impl", "broadcast_use", "broadcast_group"}
)


@dataclass(slots=True)
class Comparison:
    """Findings of the comparison, and the added text."""

    findings: list[Finding] = field(default_factory=list)
    added: list[Added] = field(default_factory=list)


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

    def run(self) -> None:
        self._outside()
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
        added = {id(d) for rest in candidates.values() for d in rest}
        self._additions([d for d in self.after.declarations if id(d) in added])

    def _best(self, given: Declaration, candidates: list[Declaration]) -> Declaration | None:
        same_kind = [c for c in candidates if c.kind == given.kind]
        if len(same_kind) > 1:
            text = self.before.program.lexed.canonical(given.first, given.last)
            same_kind.sort(key=lambda c: self.after.program.lexed.canonical(c.first, c.last) != text)
        return next(iter(same_kind or candidates), None)

    # --- findings -----------------------------------------------------------------------------------------------

    def _find(self, construct: str, d: str, line: int, message: str, advice: str, *, proof: bool = False) -> None:
        kind = FindingKind.PROOF if proof else FindingKind.SPECIFICATION
        self.result.findings.append(Finding(kind, construct, d, line, message, advice))

    @staticmethod
    def _line(reading: Reading, token: int) -> int:
        tokens = reading.program.lexed.tokens
        return reading.program.lexed.line(tokens[min(token, len(tokens) - 1)].start) if tokens else 1

    @staticmethod
    def _shown(reading: Reading, node: Range) -> str:
        """Source text of tokens on one line, without comments."""
        lexed = reading.program.lexed
        pieces = []
        for index in range(node.first, node.last):
            token = lexed.tokens[index]
            apart = index > node.first and lexed.tokens[index - 1].end < token.start
            pieces.append(f" {token.text}" if apart else token.text)
        return _short("".join(pieces).removesuffix(","))

    def _missing(self, given: Declaration) -> None:
        self._find(
            "declaration_missing",
            given.path,
            self._line(self.before, given.keyword),
            f"the given {given.kind} `{given.path}` is gone",
            f"keep `{given.path}` where the given program has it: `{_short(' '.join(header(self.before, given)[0]))}`",
        )

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

    # --- a given declaration ------------------------------------------------------------------------------------

    def _declaration(self, given: Declaration, candidate: Declaration) -> None:
        self._header(given, candidate)
        if given.callable and candidate.callable:
            self._clauses(given, candidate)
            self._body(given, candidate)

    def _header(self, given: Declaration, candidate: Declaration) -> None:
        expected, attributes = header(self.before, given)
        found, new_attributes = header(self.after, candidate)
        if expected != found or given.kind != candidate.kind:
            self._find(
                "signature_changed",
                given.path,
                self._line(self.after, candidate.keyword),
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
                self._attribute_added(given, attribute)
        for text in sorted(+kept):
            self._find(
                "attribute_removed",
                given.path,
                self._line(self.after, candidate.keyword),
                f"`{given.path}` lost its attribute `{_short(text)}`",
                f"restore `{_short(text)}`",
            )

    def _attribute_added(self, given: Declaration, attribute: Attribute) -> None:
        self._find(
            "attribute",
            given.path,
            self._line(self.after, attribute.first),
            f"`{_short(attribute.canonical)}` was added to `{given.path}`",
            f"remove the attribute `{attribute.name}` from `{given.path}`",
            proof=attribute.effect is Effect.ESCAPE,
        )

    def _clauses(self, given: Declaration, candidate: Declaration) -> None:
        repair = self.task is Task.ANNOTATION_REPAIR and given.kind in METHOD_KINDS
        for kind in dict.fromkeys(g.kind for g in (*given.groups, *candidate.groups)):
            expected = list(_clause_ranges(self.before, given.groups, kind))
            found = list(_clause_ranges(self.after, candidate.groups, kind))
            old = [text for text, _ in expected]
            new = [text for text, _ in found]
            if kind == "decreases":
                if repair:
                    self._add(candidate, [r for text, r in found if text not in old])
                    continue
                if old != new:
                    self._clauses_differ(given, expected, found)
                continue
            lost, gained = Counter(old) - Counter(new), Counter(new) - Counter(old)
            self._clauses_differ(given, _pick(expected, lost), _pick(found, gained))

    def _clauses_differ(
        self, given: Declaration, lost: list[tuple[str, Range]], gained: list[tuple[str, Range]]
    ) -> None:
        for (_, old), (_, new) in zip(lost, gained, strict=False):
            before, now = self._shown(self.before, old), self._shown(self.after, new)
            self._find(
                "clause_changed",
                given.path,
                self._line(self.after, new.first),
                f"a clause of `{given.path}` reads `{now}`, given is `{before}`",
                f"restore `{before}`; prove it as it is",
            )
        for _, old in lost[len(gained) :]:
            self._find(
                "clause_missing",
                given.path,
                self._line(self.before, old.first),
                f"`{given.path}` lost `{self._shown(self.before, old)}`",
                f"restore `{self._shown(self.before, old)}`",
            )
        for _, new in gained[len(lost) :]:
            self._find(
                "clause_added",
                given.path,
                self._line(self.after, new.first),
                f"`{self._shown(self.after, new)}` was added to the contract of `{given.path}`",
                "remove the clause: contracts of given declarations are fixed; "
                "a proof function of your own may have any contract that it proves",
            )

    # --- bodies -------------------------------------------------------------------------------------------------

    def _body(self, given: Declaration, candidate: Declaration) -> None:
        if given.block is None and candidate.block is None:
            return
        if candidate.block is None:
            self._find(
                "bodyless_declaration",
                given.path,
                self._line(self.after, candidate.keyword),
                f"`{given.path}` lost its body, so its contract is taken on trust",
                f"restore the body of `{given.path}`",
                proof=True,
            )
        elif given.block is None:
            self._find(
                "body_added",
                given.path,
                self._line(self.after, candidate.keyword),
                f"`{given.path}` has no body in the given program and may mean anything; here it has one",
                f"remove the body of `{given.path}`",
            )
        else:
            self._both_bodies(given, candidate)

    def _both_bodies(self, given: Declaration, candidate: Declaration) -> None:
        assert given.body is not None
        assert candidate.body is not None
        same = self.before.program.lexed.canonical(*given.body) == self.after.program.lexed.canonical(*candidate.body)
        if self._is_target(given):
            if same and given.kind == "method":
                self._target_left(given, candidate)
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

    def _target_left(self, given: Declaration, candidate: Declaration) -> None:
        self._find(
            "bodyless_target",
            given.path,
            self._line(self.after, candidate.keyword),
            f"the body of `{given.path}` is still to be written",
            f"write the body of `{given.path}` itself",
            proof=True,
        )

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

    def _change(self, given: Declaration, change: Change, candidate: Declaration) -> None:
        old = self._shown(self.before, change.given) if change.given else ""
        new = self._shown(self.after, change.candidate) if change.candidate else ""
        message, advice = {
            "statement_changed": (f"`{new}` stands where the given has `{old}`", f"restore `{old}`"),
            "statement_added": (
                f"`{new}` was added, and it is executable",
                "remove it; only proof text may be added: loop clauses, asserts, proof blocks, let ghost",
            ),
            "statement_removed": (f"the given text `{old}` is gone", f"restore `{old}`"),
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
            line = self._line(self.after, candidate.keyword)
        self._find(change.construct, given.path, line, f"in `{given.path}`: {message}", advice)

    # --- what is added ------------------------------------------------------------------------------------------

    def _add(self, candidate: Declaration, tokens: Iterable[Range]) -> None:
        tokens = list(tokens)
        if tokens:
            self.result.added.append(Added(candidate, tokens))

    def _add_body(self, candidate: Declaration) -> None:
        assert candidate.body is not None
        visits = self.after.bodies[id(candidate)].visits if candidate.kind == "method" else []
        self.result.added.append(Added(candidate, [candidate.body], [v.statement for v in visits]))

    def _additions(self, declarations: list[Declaration]) -> None:
        taken = taken_names(self.before)
        own_types = {d.name for d in declarations if d.kind in ("struct", "enum") and d.name not in taken}
        own_members: set[int] = set()
        refused: set[int] = set()
        for d in declarations:
            self.result.added.append(whole(self.after, d))
            if id(d) in refused:
                continue  # said of what holds it
            line = self._line(self.after, d.keyword)
            allowed = d.kind in _MAY_BE_ADDED and (d.kind != "impl" or d.self_type in own_types)
            if d.kind == "function" and d.block is None:
                allowed = False
            if d.kind == "impl" and allowed:
                own_members |= {id(m) for m in d.members}
            if not allowed:
                if d.kind != "impl":  # what an impl holds may capture names
                    refused |= {id(m) for m in d.members}
                self._find(
                    "declaration_not_allowed",
                    d.path,
                    line,
                    f"the {d.kind} `{d.path}` was added",
                    f"remove it; what may be added are spec and proof functions, {_HELPERS}, each with a body",
                )
            for name in declared_names(d):
                if id(d) not in own_members and (name in taken or is_built_in(name)):
                    self._find(
                        "name_not_fresh",
                        d.path,
                        line,
                        f"the added {d.kind} declares `{name}`, which already means something in the given program",
                        f"choose a name that does not occur in the given program, such as `{_fresh(name, taken)}`",
                    )


_HELPERS = "helper exec functions, constants, structs and enums"


def _outside_tokens(reading: Reading) -> list[tuple[str, int]]:
    """Texts and indices of the tokens outside of the macros' braces."""
    inside = bytearray(len(reading.program.lexed.tokens))
    for first, last in reading.program.macros:
        inside[first:last] = b"\x01" * max(0, last - first)
    return [(t.text, i) for i, t in enumerate(reading.program.lexed.tokens) if not inside[i]]


def _clause_ranges(reading: Reading, groups: list[ClauseGroup], kind: str) -> Iterable[tuple[str, Range]]:
    """Canonical text and tokens of each clause of a kind; ``decreases``, ``when`` and ``via`` are one each."""
    canonical = reading.program.lexed.canonical
    for group in groups:
        if group.kind != kind:
            continue
        if kind == "decreases" or not group.clauses:
            text = canonical(group.first, group.open_end).removesuffix(" ,")
            yield text, Range(group.first, group.open_end)
        else:
            for c in group.clauses:
                yield canonical(c.first, c.expression.last), Range(c.first, c.last)
        if group.last > group.open_end:
            yield canonical(group.open_end, group.last), Range(group.open_end, group.last)


def _pick(clauses: list[tuple[str, Range]], wanted: Counter[str]) -> list[tuple[str, Range]]:
    left = Counter(wanted)
    picked = []
    for text, where in clauses:
        if left[text]:
            left[text] -= 1
            picked.append((text, where))
    return picked


def _fresh(name: str, taken: frozenset[str]) -> str:
    suffix = 1
    while f"{name}_helper{suffix}" in taken:
        suffix += 1
    return f"{name}_helper{suffix}"


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
