"""Dafny as a :class:`~verulaw_rl.languages.base.Language`. Stateless: :data:`DAFNY` is the one instance."""

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
from verulaw_rl.languages.dafny import instrument, probes, strip, view
from verulaw_rl.languages.dafny.syntax import FUNCTION_KINDS, METHOD_KINDS
from verulaw_rl.languages.insertions import Insertion
from verulaw_rl.languages.rewrites import Rewrite

_RULES_COMMON = """\
Dafny rules. The program is checked by Dafny and by an audit that comes first and cannot be argued with.
- Do not change any signature, requires, ensures, modifies, reads, datatype, type, constant, function or predicate.
- Never write: assume, expect, {:axiom}, {:verify false}, {:extern} or other attributes that switch checking off,
  include, import, a lemma, function or method without body, decreases *, free, forall without body.
- Helper lemmas and functions are allowed: complete, with a fresh name, and proved.
"""
_RULES = {
    Task.ANNOTATION_REPAIR: _RULES_COMMON
    + """\
- Only add proof: loop invariants and decreases (between the loop's condition and its {), decreases of methods,
  lemmas and functions, assert, calc, lemma calls, ghost variables, bodies of lemmas. Every executable statement
  stays as it is, and so does proof text that is already there.
""",
    Task.CODE_GENERATION: _RULES_COMMON
    + """\
- Write the missing bodies: executable code that meets the contract, with the invariants, decreases and asserts that
  prove it. Write every declaration of the given program, unchanged, with its body.
""",
    Task.PATCH_GENERATION: _RULES_COMMON + "- Change executable statements and their proof only.\n",
}


_KEYWORDS = """
method function predicate lemma class module datatype returns requires ensures modifies reads decreases invariant while
if then else var forall exists assert return old int nat bool seq set map multiset array
"""


class Dafny:
    """Syntax of Dafny, dialects 2.3 and 4.x at once."""

    name = "dafny"
    suffix = ".dfy"
    lexicon = Lexicon(re.compile(r"//[^\n]*|/\*.*?\*/", re.S), frozenset(_KEYWORDS.split()))
    illustration = Illustration(
        (Insertion(7, "    invariant 0 <= i <= n"), Insertion(9, "    assert s == n * i;")), "print Max(1, 2);\n"
    )
    capabilities = MappingProxyType(dict.fromkeys(Capability, Standing.LIVE))

    def parse(self, source: str) -> ProgramView:
        """Read a program; any text at all gives a view."""
        return view.parse(source)

    def targets(self, program: ProgramView, task: Task) -> tuple[DeclarationView, ...]:
        """Declarations to be proved.

        For code generation the declarations whose bodies :meth:`strip_bodies` removes from this program;
        else every method, constructor, lemma and iterator with a body, and the functions with a body
        that promise something (``ensures``) or must be shown to end (recursive).
        """
        with_body = [d for d in program.declarations if d.callable and d.body is not None]
        if task is Task.CODE_GENERATION:
            return tuple(d for d in with_body if d.kind in METHOD_KINDS)
        return tuple(
            d
            for d in with_body
            if d.kind in METHOD_KINDS
            or (d.kind in FUNCTION_KINDS and (d.recursive or any(c.kind == "ensures" for c in d.clauses)))
        )

    def strip_annotations(self, source: str) -> str:
        """The program without invariants, decreases, asserts and calcs."""
        return strip.strip_annotations(source)

    def strip_bodies(self, source: str) -> str:
        """The program without bodies of methods, constructors, lemmas and iterators."""
        return strip.strip_bodies(source)

    def probes(self, reference: str, given: str) -> tuple[AnnotationProbe, ...]:
        """Facts of the reference proof that the given lost, each with its points."""
        return probes.probes(reference, given)

    def instrument(self, program: str, checks: tuple[Check, ...], drop: tuple[Span, ...] = ()) -> Instrumented:
        """The program less the spans of ``drop``, with each check placed in isolation at its point."""
        return instrument.instrument(program, checks, drop)

    def audit(self, task: Task, given: str, candidate: str) -> tuple[Finding, ...]:
        """Every change of the specification (and of frozen code) and every proof escape that the candidate adds."""
        from verulaw_rl.languages.dafny.audit import audit_candidate

        return audit_candidate(task, given, candidate)

    def escapes(self, source: str) -> tuple[Finding, ...]:
        """Every construct of a program that Dafny accepts without proof, whoever wrote it."""
        from verulaw_rl.languages.dafny.audit import escapes

        return escapes(source)

    def rewrites(self, task: Task, reference: str) -> Iterator[Rewrite]:
        """Dishonest and honest rewrites of a verified program."""
        from verulaw_rl.languages.dafny.rewrites import rewrites

        return rewrites(task, reference)

    def trivial_programs(self, given: str) -> tuple[str, ...]:
        """The given of code generation with trivial bodies."""
        from verulaw_rl.languages.dafny.trivial import trivial_programs

        return trivial_programs(given)

    def rules(self, task: Task) -> str:
        """The language's rules for a prompt."""
        return _RULES[task]


DAFNY = Dafny()
