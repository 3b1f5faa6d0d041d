"""Nagini as a :class:`~verulaw_rl.languages.base.Language`. Stateless: :data:`NAGINI` is the one instance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from verulaw_rl.languages.base import (
    AnnotationProbe,
    Check,
    DeclarationView,
    Finding,
    Illustration,
    Instrumented,
    Lexicon,
    ProgramView,
    Span,
    Task,
)
from verulaw_rl.languages.capabilities import Capability, Standing
from verulaw_rl.languages.insertions import Insertion
from verulaw_rl.languages.nagini import instrument, probes, strip, trivial, view
from verulaw_rl.languages.nagini.program import METHOD_KINDS
from verulaw_rl.languages.rewrites import Rewrite

_RULES_COMMON = """\
Nagini rules. The program is Python with contracts, checked by Nagini and by an audit that comes first and cannot be
argued with.
- Do not change any import, class, signature, type, Requires, Ensures, Exsures, Decreases, @Pure or @Predicate function.
- Never write: Assume, @ContractOnly, Decreases(None), a pure function that is only `...`, `# type: ignore`, loops that
  cannot end, recursion without Decreases (pure) or Requires(MustTerminate(...)) (method).
- Helpers are allowed with new names and complete bodies. The heap needs permissions: Acc(x.f), Acc(list_pred(a)).
"""
_RULES = {
    Task.ANNOTATION_REPAIR: _RULES_COMMON
    + """\
- Only add proof: Invariant(...) as the first statements of a loop's body, with the permissions that the loop needs,
  Assert(...), Fold(P(x)), Unfold(P(x)), Unfolding(P(x), e), calls of lemmas of your own. Every executable statement
  stays as it is, and so does proof text that is already there.
""",
    Task.CODE_GENERATION: _RULES_COMMON
    + """\
- Write the bodies that are only `pass`: code that meets the contract, with the Invariant(...) at the head of each loop
  and the Assert, Fold and Unfold that prove it. Write every declaration of the given program, unchanged.
""",
    Task.PATCH_GENERATION: _RULES_COMMON + "- Change executable statements and their proof only.\n",
}
_KEYWORDS = """
def class while for if elif else return in not and or is lambda True False None pass assert raise try except finally
with import from Requires Ensures Exsures Invariant Decreases MustTerminate Assert Fold Unfold Unfolding Acc Forall
Exists Implies Old Result Pure Predicate list_pred set_pred dict_pred len range int bool str List Set Dict Tuple
Optional
"""


_NOT_LIVE = {
    Capability.BENCHMARK: Standing.RECORDED,  # read, stripped and audited whole; built live in part only
    Capability.EPISODES: Standing.RECORDED,  # scored live by the builder; no whole episode was played
}


class Nagini:
    """Syntax of Nagini: Python with type annotations and the contract library's calls."""

    name = "nagini"
    suffix = ".py"
    lexicon = Lexicon(re.compile(r"#[^\n]*"), frozenset(_KEYWORDS.split()))
    illustration = Illustration(
        (
            Insertion(7, "        Invariant(Acc(list_pred(a)))\n        Invariant(0 <= i and i <= len(a))"),
            Insertion(9, "    Assert(s == n * i)"),
        ),
        "print(maximum(1, 2))\n",
    )
    capabilities = MappingProxyType({c: _NOT_LIVE.get(c, Standing.LIVE) for c in Capability})

    def parse(self, source: str) -> ProgramView:
        """Read a program; any text at all gives a view."""
        return view.parse(source)

    def targets(self, program: ProgramView, task: Task) -> tuple[DeclarationView, ...]:
        """Declarations to be proved.

        For code generation the methods whose bodies :meth:`strip_bodies` removes from this program; else every
        method and constructor with a body, and the pure functions with a body that promise something (``Ensures``) or
        are recursive and asked to end (``Decreases``).
        """
        with_body = [d for d in program.declarations if d.callable and d.body is not None]
        if task is Task.CODE_GENERATION:
            strippable = strip.strippable_paths(program.source)
            return tuple(d for d in with_body if d.path in strippable)
        return tuple(
            d
            for d in with_body
            if d.kind in METHOD_KINDS
            or (
                d.kind == "function"
                and ((d.recursive and d.termination) or any(c.kind == "ensures" for c in d.clauses))
            )
        )

    def strip_annotations(self, source: str) -> str:
        """The program without invariants, assertions, folds and unfolds."""
        return strip.strip_annotations(source)

    def strip_bodies(self, source: str) -> str:
        """The program with ``pass`` for the bodies of its methods."""
        return strip.strip_bodies(source)

    def probes(self, reference: str, given: str) -> tuple[AnnotationProbe, ...]:
        """Facts of the reference proof that the given lost, each with its points."""
        return probes.probes(reference, given)

    def instrument(self, program: str, checks: tuple[Check, ...], drop: tuple[Span, ...] = ()) -> Instrumented:
        """The program less the annotations at ``drop``, with each check placed in isolation at its point."""
        return instrument.instrument(program, checks, drop)

    def audit(self, task: Task, given: str, candidate: str) -> tuple[Finding, ...]:
        """Every change of the specification (and of frozen code) and every proof escape that the candidate adds."""
        from verulaw_rl.languages.nagini.audit import audit_candidate

        return audit_candidate(task, given, candidate)

    def escapes(self, source: str) -> tuple[Finding, ...]:
        """Every construct of a program that Nagini accepts without proof, whoever wrote it."""
        from verulaw_rl.languages.nagini.audit import escapes

        return escapes(source)

    def rewrites(self, task: Task, reference: str) -> Iterator[Rewrite]:
        """Dishonest and honest rewrites of a verified program."""
        from verulaw_rl.languages.nagini.rewrites import rewrites

        return rewrites(task, reference)

    def trivial_programs(self, given: str) -> tuple[str, ...]:
        """The given of code generation with trivial bodies."""
        return trivial.trivial_programs(given)

    def rules(self, task: Task) -> str:
        """The language's rules for a prompt."""
        return _RULES[task]


NAGINI = Nagini()
