"""Verus as a :class:`~verulaw_rl.languages.base.Language`. Stateless: :data:`VERUS` is the one instance."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from verulaw_rl.languages.base import DeclarationView, Illustration, Lexicon, ProgramView, Task
from verulaw_rl.languages.capabilities import Capability, Standing
from verulaw_rl.languages.insertions import Insertion
from verulaw_rl.languages.verus import audit, instrument, probes, proposals, rewrites, strip, trivial, view

_RULES_COMMON = """\
Verus rules. The program is checked by Verus and by an audit that comes first and cannot be argued with.
- Do not change any signature, requires, ensures, returns, spec fn, type, trait, impl, const, use or attribute, nor
  anything outside of verus! { }.
- Never write: assume, admit, external_body, external, axiom, assume_specification, assume_termination,
  exec_allows_no_decreases_clause, uninterp, unsafe, global, cfg, macro_rules, use, mod, or a proof fn without body.
- Helper spec and proof functions are allowed: complete, with a fresh name, and proved. Write full paths, not use.
- Every loop and every recursive function needs decreases.
"""
_RULES = {
    Task.ANNOTATION_REPAIR: _RULES_COMMON
    + """\
- Only add proof: clauses of loops (invariant, invariant_except_break, ensures, decreases, between the condition and
  the {, separated by commas), decreases of functions, assert, assert ... by, assert forall ... by, calc!, proof blocks,
  let ghost, broadcast use inside bodies, bodies of proof functions. Every executable statement stays as it is, and
  so does proof text that is already there.
""",
    Task.CODE_GENERATION: _RULES_COMMON
    + """\
- Write the bodies that say todo!() and the empty proofs: executable Rust that meets the contract, with the loop
  clauses and asserts that prove it. Write every declaration of the given program, unchanged, with its body.
""",
    Task.PATCH_GENERATION: _RULES_COMMON + "- Change executable statements and their proof only.\n",
}


_KEYWORDS = """
fn spec proof exec open closed struct enum impl trait mod use const pub requires ensures returns recommends decreases
invariant while for in loop if else match let mut ghost tracked forall exists choose assert by return old int nat bool
u8 u16 u32 u64 usize i32 i64 Seq Set Map Vec Option
"""
_CAPABILITIES = {
    Capability.REGIONS: Standing.LIVE,
    Capability.CLAUSES: Standing.LIVE,
    Capability.STRIP: Standing.LIVE,
    Capability.INSERTIONS: Standing.LIVE,
    Capability.AUDIT: Standing.LIVE,
    Capability.VERIFIER: Standing.RECORDED,
    Capability.BENCHMARK: Standing.RECORDED,
}
"""All others are untried: no Verus was at hand."""


class Verus:
    """Syntax of what stands inside ``verus! { }``."""

    name = "verus"
    suffix = ".rs"
    lexicon = Lexicon(re.compile(r"//[^\n]*|/\*.*?\*/", re.S), frozenset(_KEYWORDS.split()))
    illustration = Illustration(
        (Insertion(7, "        invariant\n            0 <= i <= n,"), Insertion(9, "        assert(s == n * i);")),
        'println!("{}", larger(1, 2));\n',
    )
    capabilities: Mapping[Capability, Standing] = MappingProxyType(
        {c: _CAPABILITIES.get(c, Standing.UNTRIED) for c in Capability}
    )

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
        """Declarations to be proved: exec and proof functions with a body that Verus looks at.

        For code generation those whose bodies :meth:`strip_bodies` takes away. A body with nothing in it, and
        no promise to prove, is none: ``fn main() { }``. Spec functions promise nothing, and their ``decreases`` stays.
        """
        reading = view.read(program.source)
        out = []
        for d in reading.declarations:
            if task is Task.CODE_GENERATION:
                wanted = strip.has_strippable_body(reading, d)
            else:
                wanted = strip.is_to_be_proved(reading, d)
            if wanted and d.path in program.by_path:
                out.append(program.by_path[d.path])
        return tuple(dict.fromkeys(out))

    def rules(self, task: Task) -> str:
        """The language's rules for a prompt."""
        return _RULES[task]


VERUS = Verus()
