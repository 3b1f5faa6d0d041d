"""Nagini as a :class:`~verulaw_rl.languages.base.Language`. Stateless: :data:`NAGINI` is the one instance."""

from __future__ import annotations

import re
from types import MappingProxyType

from verulaw_rl.languages.base import DeclarationView, Illustration, Lexicon, ProgramView, Task
from verulaw_rl.languages.capabilities import Capability, Standing
from verulaw_rl.languages.insertions import Insertion
from verulaw_rl.languages.nagini import audit, instrument, probes, proposals, rewrites, strip, trivial, view
from verulaw_rl.languages.nagini.program import METHOD_KINDS

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

    def rules(self, task: Task) -> str:
        """The language's rules for a prompt."""
        return _RULES[task]


NAGINI = Nagini()
