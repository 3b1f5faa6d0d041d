"""Rewrites of a verified Verus program; what ``verulaw-rl attack`` makes candidates of.

Specification mutants change one token, clause or declaration; proof rewrites put what is believed without proof
wherever a statement, an attribute or a declaration may stand; honest ones change layout and add proof text.
"""

from __future__ import annotations

from collections.abc import Iterator

from verulaw_rl.languages.base import Clause, Span, Task
from verulaw_rl.languages.marks import EXECUTABLE, SPECIFICATION
from verulaw_rl.languages.rewrites import (
    OPERATORS,
    QUANTIFIERS,
    Family,
    Forms,
    Rewrite,
    clause_mutants,
    insertion,
    removal,
    token_mutants,
    words_of,
)
from verulaw_rl.languages.verus.attributes import attributes_in
from verulaw_rl.languages.verus.strip import has_strippable_body
from verulaw_rl.languages.verus.syntax import METHOD_KINDS, Block, Declaration
from verulaw_rl.languages.verus.view import Reading, read

FORMS = Forms(
    weaker="({}) || true",
    stronger="({}) && false",
    operators=OPERATORS
    | {
        "&&&": ("|||",),
        "=~=": ("!=",),
        "final": ("old",),
    },
    quantifiers=QUANTIFIERS,
    types={
        "int": ("nat",),
        "nat": ("int",),
        "u8": ("u64",),
        "u32": ("u64",),
        "u64": ("u32",),
        "usize": ("u64",),
        "i32": ("i64",),
        "bool": ("int",),
        "Seq": ("Set",),
        "Vec": ("Seq",),
        "open": ("closed",),
        "closed": ("open",),
        "pub": ("",),
        "spec": ("proof",),
        "proof": ("spec",),
        "verus": ("verus_erase_ghost",),
    },
)
_BELIEVED = (
    ("assume", "assume(false);"),
    ("admit", "proof { admit(); }"),
    ("admit_by_path", "proof { ::vstd::prelude::admit(); }"),
    ("assume_builtin", "proof { assume_(false); }"),
    ("admit_in_by", "assert(false) by { admit(); }"),
    ("admit_in_forall", "assert forall|x__: int| false by { if x__ > 0 { admit(); } }"),
    ("macro", "proof { finish__!(); }"),
)
_SWITCHES = (
    "#[verifier::external_body]",
    "#[verifier(external_body)]",
    "#[verifier::external]",
    "#[cfg_attr(all(), verifier::external_body)]",
    "#[verus::internal(external_body)]",
    "#[verifier::assume_termination]",
    "#[verifier::exec_allows_no_decreases_clause]",
)
_DECLARATIONS = (
    ("axiom", "axiom fn own__(n: int) ensures n == n + 1;"),
    ("broadcast_axiom", "broadcast axiom fn own__(n: int) ensures #[trigger] own_too__(n) == n; "),
    ("bodyless_lemma", "proof fn own__(n: int) ensures n == n + 1;"),
    ("assumed_specification", "assume_specification [ own__ ] (x: u8) -> (r: u8) ensures r > x;"),
    ("external_helper", "#[verifier::external_body] proof fn own__() ensures false { }"),
    ("layout", "global size_of usize == 8;"),
    ("macro_definition", "macro_rules! own__ { () => { admit() } }"),
    ("lemma_that_admits", "proof fn own__() ensures false { admit(); }"),
)
_HONEST = (
    ("assert", "assert(true);"),
    ("assert_by", "assert(true) by { assert(1 < 2); }"),
    ("assert_forall", "assert forall|x__: int| x__ < x__ + 1 by { }"),
    ("proof_block", "proof { assert(0 <= 1); }"),
)


def rewrites(task: Task, reference: str) -> Iterator[Rewrite]:
    """Every rewrite that this language knows, places in source order."""
    reading = read(reference)
    yield from _mutants(task, reading)
    yield from _escapes(task, reading)
    yield from _honest(task, reading)


def _mutants(task: Task, reading: Reading) -> Iterator[Rewrite]:
    """Mutants of the specification and, in annotation repair, of the frozen code."""
    lexed, marks = reading.program.lexed, reading.marks.tokens
    words = words_of(lexed, attributes_in(lexed, 0, len(lexed.tokens)))
    yield from token_mutants([w for i, w in words.items() if marks[i] == SPECIFICATION], FORMS)
    for d, view in ((d, reading.view.by_path.get(d.path)) for d in reading.declarations):
        if view is None or not d.callable:
            continue
        yield from clause_mutants([c for c in view.clauses if _fixed(task, d, c)], FORMS, {"decreases": ("0, {}", "0")})
        span = reading.span(d.first, d.last)
        yield Rewrite(Family.SPECIFICATION, "declaration_dropped", (removal(span),))
        if not d.groups:
            at = reading.span(d.first, d.signature.last).end
            yield Rewrite(Family.SPECIFICATION, "clause_added", (insertion(at, " requires false,"),))
        if d.kind == "function":
            captured = f" mod inner__ {{ spec fn {d.name}() -> bool {{ true }} }} "
            yield Rewrite(Family.SPECIFICATION, "name_captured", (insertion(span.end, captured),))
    if task is Task.ANNOTATION_REPAIR:
        yield from token_mutants([w for i, w in words.items() if marks[i] == EXECUTABLE], FORMS, "code_changed")


def _fixed(task: Task, d: Declaration, clause: Clause) -> bool:
    """Whether a clause is one that a candidate may not touch, and holds formulas alone."""
    if clause.kind == "decreases":
        return task is Task.CODE_GENERATION or d.kind == "function"
    return clause.kind in ("requires", "ensures", "recommends") and not clause.canonical.startswith("returns ")


def _escapes(task: Task, reading: Reading) -> Iterator[Rewrite]:
    for d in reading.declarations:
        if d.kind not in METHOD_KINDS or d.block is None:
            continue
        at = reading.span(d.signature.first, d.signature.last).start
        for switch in _SWITCHES:
            yield Rewrite(Family.PROOF, "attribute", (insertion(at, f"{switch} "),))
        if _is_open(task, reading, d):
            for block in _blocks(d.block):
                opening = reading.span(block.first, block.first + 1).end
                for kind, text in _BELIEVED:
                    yield Rewrite(Family.PROOF, kind, (insertion(opening, f" {text} "),))
    for first, last in reading.program.macros:
        for at in (reading.span(first, last).start, reading.span(first, last).end):
            for kind, text in _DECLARATIONS:
                yield Rewrite(Family.PROOF, kind, (insertion(at, f" {text} "),))


def _honest(task: Task, reading: Reading) -> Iterator[Rewrite]:
    source, lexed = reading.program.lexed.source, reading.program.lexed
    for index in range(0, len(lexed.tokens), 5):
        at = lexed.tokens[index].start
        yield Rewrite(Family.HONEST, "comment", (insertion(at, " /* admit(); /* assume(false) */ */\n"),))
    lines = [Span(i, i + 1) for i, c in enumerate(source) if c == "\n"]
    yield Rewrite(Family.HONEST, "blank_lines", tuple(insertion(line.end, "\n") for line in lines))
    for d in reading.declarations:
        if d.block is None or d.kind not in METHOD_KINDS or not _is_open(task, reading, d):
            continue
        for block in _blocks(d.block):
            opening = reading.span(block.first, block.first + 1).end
            for kind, text in _HONEST:
                if d.kind == "method" or "proof" not in text:
                    yield Rewrite(Family.HONEST, kind, (insertion(opening, f" {text} "),))
    for _, last in reading.program.macros:
        end = lexed.tokens[last].start if last < len(lexed.tokens) else len(source)
        helper = "\nspec fn own__(n: nat) -> nat { n }\nproof fn own_lemma__(n: nat) ensures own__(n) == n { }\n"
        yield Rewrite(Family.HONEST, "helper", (insertion(end, helper),))


def _is_open(task: Task, reading: Reading, d: Declaration) -> bool:
    """Whether proof text may be added to a body: any in annotation repair, those to be written else."""
    return task is not Task.CODE_GENERATION or has_strippable_body(reading, d)


def _blocks(block: Block) -> Iterator[Block]:
    """A block and the braced ones inside it, closures and expressions apart."""
    if block.braced:
        yield block
    for s in block.statements:
        if s.kind in ("if", "match", "block", "while", "for", "loop", "proof") or s.kind.startswith("assert"):
            for inner in s.blocks:
                if not inner.closure:
                    yield from _blocks(inner)
