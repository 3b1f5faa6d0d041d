"""The bundled seed programs: what they are made of, and that they verify as they are and not without annotations."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import RegionKind, Task
from verulaw_rl.languages.dafny.tokens import lex
from verulaw_rl.languages.lexed import TokenKind
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.seed import SeedProgram, seed_programs
from verulaw_rl.verification.pool import Pool
from verulaw_rl.verification.verdict import Status, VerifyRequest

PROGRAMS = seed_programs()
DAFNY = get_language("dafny")

FAMILIES = {
    "search",
    "sums_and_counts",
    "extrema",
    "copying_and_filling",
    "sorting_steps",
    "arithmetic_loops",
    "sequences",
    "sets_and_maps",
    "recursion_and_lemmas",
    "two_dimensional_arrays",
    "datatypes",
    "string_like_sequences",
}
ESCAPES = {"assume", "axiom", "extern", "include", "import", "free"}
ONLY_OLD = {"colemma", "copredicate", "inductive", "comethod"}
"""Words that Dafny 4 no longer has."""
ONLY_NEW = {"least", "greatest", "opaque", "hide", "older", "nameonly", "by", "is", "expect"}
"""Words that Dafny 4 reserves and 2.3 does not."""


def _identifier(program: SeedProgram) -> str:
    return program.name


@pytest.mark.unit
def test_there_are_enough_programs_in_every_family_and_of_every_difficulty() -> None:
    families = Counter(p.family for p in PROGRAMS)
    assert len(PROGRAMS) >= 88
    assert set(families) >= FAMILIES
    assert min(families.values()) >= 5
    assert Counter(p.difficulty for p in PROGRAMS).keys() == {1, 2, 3}
    assert min(Counter(p.difficulty for p in PROGRAMS).values()) >= 20
    assert len({p.name for p in PROGRAMS}) == len({p.text for p in PROGRAMS}) == len(PROGRAMS)


@pytest.mark.unit
def test_a_language_without_programs_is_named() -> None:
    with pytest.raises(UserError, match="cobol"):
        seed_programs("cobol")


@pytest.mark.unit
@pytest.mark.parametrize("program", PROGRAMS, ids=_identifier)
def test_valid_in_both_dialects_and_free_of_escapes(program: SeedProgram) -> None:
    tokens = [t for t in lex(program.text).tokens if t.kind in (TokenKind.WORD, TokenKind.OPERATOR)]
    words = [t.text for t in tokens]
    assert not set(words) & (ESCAPES | ONLY_OLD | ONLY_NEW)
    pairs = set(pairwise(words))
    # `function method` is of 2.x only; attributes and `decreases *` are escapes or close to them.
    assert not pairs & {("function", "method"), ("predicate", "method"), ("{", ":"), ("decreases", "*")}
    view = DAFNY.parse(program.text)
    assert view.error is None
    assert view.lossless
    for declaration in view.declarations:
        if declaration.callable:
            assert declaration.body is not None, declaration.path
        for clause in declaration.clauses:
            assert not program.text[clause.span.start : clause.span.end].rstrip().endswith(";")


@pytest.mark.unit
@pytest.mark.parametrize("program", PROGRAMS, ids=_identifier)
def test_functions_are_not_called_by_executable_code(program: SeedProgram) -> None:
    """Functions are ghost by default in 2.3 and compiled in 4.x: both allow their use in contracts and proofs only."""
    view = DAFNY.parse(program.text)
    functions = {d.name for d in view.declarations if d.kind in ("function", "predicate")}
    for region in view.regions:
        if region.kind is RegionKind.EXECUTABLE:
            code = program.text[region.span.start : region.span.end]
            called = set(re.findall(r"(\w+)\(", code))
            assert not called & functions


@pytest.mark.unit
@pytest.mark.parametrize("program", PROGRAMS, ids=_identifier)
def test_something_is_to_be_repaired_and_to_be_written(program: SeedProgram) -> None:
    view = DAFNY.parse(program.text)
    assert view.annotations
    assert DAFNY.targets(view, Task.ANNOTATION_REPAIR)
    assert DAFNY.targets(view, Task.CODE_GENERATION)


@pytest.mark.tool
def test_all_verify_and_none_without_its_annotations() -> None:
    with Pool() as pool:
        whole = {p.name: pool.submit(VerifyRequest("dafny", p.text)) for p in PROGRAMS}
        stripped = {p.name: pool.submit(VerifyRequest("dafny", DAFNY.strip_annotations(p.text))) for p in PROGRAMS}
        assert {n: v.result().message for n, v in whole.items() if v.result().status is not Status.VERIFIED} == {}
        outcomes = {n: v.result().status for n, v in stripped.items()}
    # Asserts may be redundant for another solver; loops always need their invariants.
    still_verify = sorted(n for n, status in outcomes.items() if status is Status.VERIFIED)
    assert len(still_verify) <= len(PROGRAMS) // 10, still_verify
    assert {n: s for n, s in outcomes.items() if s not in (Status.VERIFIED, Status.FAILED, Status.TIMEOUT)} == {}
