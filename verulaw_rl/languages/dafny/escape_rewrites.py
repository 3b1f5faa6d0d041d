"""Proof escapes, one at a time, in every place of a Dafny program that the grammar allows."""

from __future__ import annotations

from collections.abc import Iterator

from verulaw_rl.languages.base import Task
from verulaw_rl.languages.dafny.places import (
    attribute_places,
    clause_places,
    declaration_places,
    expressions,
    statement_places,
    statements,
)
from verulaw_rl.languages.dafny.syntax import METHOD_KINDS
from verulaw_rl.languages.dafny.view import Reading
from verulaw_rl.languages.rewrites import Edit, Family, Rewrite, insertion, removal

_STATEMENTS = {
    "assume": "assume false;",
    "assume_axiom": "assume {:axiom} false;",
    "assume_labelled": "label Here__: assume false;",
    "assume_in_by": "assert false by { assume false; }",
    "assume_in_calc": "calc { 1; { assume false; } 1; }",
    "assume_in_forall": "forall k__: int ensures false { assume false; }",
    "assume_in_expression": "assert (assume false; true);",
    "assume_such_that": "ghost var w__ :| assume false;",
    "expect": "expect false;",
    "bodyless_forall": "forall k__: int ensures false; assert true;",
    "verified_under": "assert {:verified_under true} false;",
    "only": "assert {:only} true;",
    "start_checking_here": "assert {:start_checking_here} true;",
    "attribute_spread": 'assert { : verify /* } */ false, "}" } false;',
}
_GHOST_STATEMENTS = {
    "bodyless_loop": "while true invariant false; assert true;",
    "endless_loop": "while true decreases * { }",
    "free_invariant": "while false free invariant false { }",
}
_MEMBERS = {
    "bodyless_lemma": "lemma Believed__() ensures false",
    "axiom": "lemma {:axiom} Believed__() ensures false { }",
    "axiom_bodyless": "lemma {:axiom} Believed__() ensures false",
    "verify_false": "lemma {:verify false} Believed__() ensures false { }",
    "verify_false_at": "@Verify(false) lemma Believed__() ensures false { }",
    "inline": "lemma {:inline 1} Believed__() ensures false { }",
    "selective_checking": "lemma {:selective_checking} Believed__() ensures false { }",
    "extern": "lemma {:extern} Believed__() ensures false",
    "rlimit": "lemma {:timeLimit 0} {:rlimit 1} Believed__() ensures false { }",
    "bodyless_method": "method Believed__() ensures false",
    "bodyless_function": "function Believed__(): int ensures false",
    "ghost_bodyless_function": "ghost function Believed__(): int ensures false",
    "twostate_lemma": "twostate lemma Believed__() ensures false",
    "free_ensures": "lemma Believed__() free ensures false { }",
    "free_requires": "lemma Believed__() free requires false ensures false { }",
    "endless_lemma": "lemma Believed__() ensures false decreases * { Believed__(); }",
    "endless_ghost_method": "ghost method Believed__() ensures false decreases * { Believed__(); }",
    "assume_in_lemma": "lemma Believed__() ensures false { assume false; }",
    "assume_in_contract": "lemma Believed__() ensures (assume false; false) { }",
    "assume_in_function": "function Believed__(): int ensures false { assume false; 3 }",
    "bodyless_loop_in_lemma": "lemma Believed__() ensures false { while true invariant true }",
    "bodyless_forall_in_lemma": "lemma Believed__() ensures false { forall k: int ensures false; }",
    "bitvector_measure": "lemma Believed__(k: bv8) ensures false decreases k { Believed__(k + 1); Believed__(k - 1); }",
    "bodyless_constant": "ghost const believed__: int",
}
_TOP = {
    "include": 'include "believed__.dfy"\n',
    "abstract_import": "module Outer__ { import Believed__ : Within__ }",
    "abstract_module": "abstract module Believed__ { lemma L__() ensures false }",
    "refinement": "module Believed__ refines Outer__ { }",
    "bodyless_in_trait": "trait Believed__ { lemma L__() ensures false }",
    "static_in_trait": "trait Believed__ { static lemma L__() ensures false }",
    "bodyless_in_class": "class Believed__ { static lemma L__() ensures false }",
    "bodyless_in_datatype": "datatype Believed__ = Believed1__ { lemma L__() ensures false }",
    "iterator": "iterator Believed__() yield ensures false",
    "axiom_type": "type {:axiom} Believed__ = n: int | n < n",
    "unwitnessed_type": "type Believed__ = n: int | n < n witness *",
    "unverified_newtype": "newtype {:verify false} Believed__ = n: int | n < n witness 0",
    "abstract_type": "type Believed__",
    "value_of_empty_type": "trait Believed__ { } lemma L__() ensures false { ghost var o: Believed__ := *; }",
    "function_valued_field": "class Believed__ { const rule__: Believed__ -> int }",
    "export": "export Believed__ provides *",
}
_ON_DECLARATIONS = (
    "{:verify false}",
    "{ : verify /* } */ false }",
    "{:verify true}",
    "{:axiom}",
    "{:extern}",
    "{:inline}",
    "{:inline 1}",
    "{:selective_checking}",
    "{:only}",
    "{:ignore}",
    "{:autoReq}",
    "{:autocontracts}",
    "{:opaque}",
    "{:fuel 0}",
    "{:termination false}",
    "{:assume_concurrent}",
    "{:entrypoint}",
    "{:expand}",
    "{:kInductionDepth 1}",
    '{:options "-functionSyntax:3"}',
    "{:timeLimit 0}",
    "{:rlimit 1}",
    '{:checksum "1"}',
    "{:no_such_attribute}",
)
_ON_CLAUSES = ("{:verify false}", "{:verified_under true}", "{:assume}", "{:always_assume}", "{:no_such_attribute}")
_ON_STATEMENTS = (
    "{:verified_under true}",
    "{:only}",
    '{:only "before"}',
    "{:start_checking_here}",
    "{:assumption}",
    "{:verify false}",
    "{:InlineAssume}",
)
_ON_LOOPS = ("free invariant false", "decreases *", "invariant (assume false; true)", "invariant {:verify false} true")
_ON_METHODS = ("free ensures false", "decreases *", "free requires false")


def escape_rewrites(task: Task, reading: Reading) -> Iterator[Rewrite]:
    """Every escape at every place."""
    for place in statement_places(reading):
        texts = {**_STATEMENTS, **_GHOST_STATEMENTS} if place.declaration.ghost else _STATEMENTS
        for kind, text in texts.items():
            yield _inserted(kind, place.at, f"{text} ")
    for span, _ in expressions(reading):
        edits = (insertion(span.start, "(assume false; "), insertion(span.end, ")"))
        yield Rewrite(Family.PROOF, "assume_around_expression", edits)
    for at, where in attribute_places(reading):
        known = {"declaration": _ON_DECLARATIONS, "clause": _ON_CLAUSES, "statement": _ON_STATEMENTS}[where]
        for text in known:
            yield _inserted(f"attribute_on_{where}", at, f" {text} ")
    for at, holder in declaration_places(reading):
        for kind, text in (_MEMBERS if holder else {**_MEMBERS, **_TOP}).items():
            yield _inserted(kind, at, f"\n{text}\n")
    for at, where_, d in clause_places(reading):
        if where_ == "declaration" and d.kind == "constructor":
            continue
        for text in _ON_LOOPS if where_ == "loop" else _ON_METHODS:
            yield _inserted(f"clause_on_{where_}", at, f"{text} ")
    yield from _bodies_removed(task, reading)


def _inserted(kind: str, at: int, text: str) -> Rewrite:
    return Rewrite(Family.PROOF, kind, (insertion(at, text),))


def _bodies_removed(task: Task, reading: Reading) -> Iterator[Rewrite]:
    """Declarations, loops and ``forall`` statements that lose their bodies, so that what they say is believed."""
    for d in reading.declarations:
        if d.kind in METHOD_KINDS and d.block is not None:
            yield Rewrite(Family.PROOF, "body_removed", (removal(reading.span(d.block.first, d.block.last)),))
    for d, s, proof in statements(reading):
        removable = s.is_loop or s.kind == "forall"
        if removable and s.operator != "case" and len(s.blocks) == 1 and (proof or task is Task.CODE_GENERATION):
            block = s.blocks[0]
            end = ";" if s.kind == "forall" else " "
            if d.block is None:
                continue
            yield Rewrite(Family.PROOF, "inner_body_removed", (Edit(reading.span(block.first, block.last), end),))
