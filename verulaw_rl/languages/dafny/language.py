"""Dafny as a :class:`~verulaw_rl.languages.base.Language`. Stateless: :data:`DAFNY` is the one instance."""

from __future__ import annotations

import re
from types import MappingProxyType

from verulaw_rl.languages.base import DeclarationView, Illustration, Lexicon, ProgramView, Task
from verulaw_rl.languages.capabilities import Capability, Standing
from verulaw_rl.languages.dafny import audit, instrument, probes, proposals, rewrites, strip, trivial, view
from verulaw_rl.languages.dafny.syntax import FUNCTION_KINDS, METHOD_KINDS
from verulaw_rl.languages.insertions import Insertion

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

    parse = staticmethod(view.parse)
    strip_annotations = staticmethod(strip.strip_annotations)
    strip_bodies = staticmethod(strip.strip_bodies)
    probes = staticmethod(probes.probes)
    instrument = staticmethod(instrument.instrument)
    escapes = staticmethod(audit.escapes)
    audit = staticmethod(audit.audit_candidate)
    rewrites = staticmethod(rewrites.rewrites)
    trivial_programs = staticmethod(trivial.trivial_programs)
    proposals = staticmethod(proposals.proposals)

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

    def rules(self, task: Task) -> str:
        """The language's rules for a prompt."""
        return _RULES[task]


DAFNY = Dafny()
