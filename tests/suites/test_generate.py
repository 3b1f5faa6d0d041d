"""Generated programs: deterministic, distinct, small, and each one a program that needs its annotations."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest

import verulaw_rl.suites.generate as module
from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.generate import FAMILIES, GeneratedProgram, generate
from verulaw_rl.verification.pool import Pool
from verulaw_rl.verification.verdict import Status, VerifyRequest

DAFNY = get_language("dafny")
MANY = generate(1500, seed=0)
WORDS = re.compile(r"\w+|<==>|==>|::|:=|[=!<>]=|&&|\|\||\S")


@pytest.mark.unit
def test_same_seed_same_programs() -> None:
    assert generate(1500, seed=0) == MANY
    assert generate(300, seed=0) == MANY[:300]
    assert generate(300, seed=1) != MANY[:300]


@pytest.mark.unit
def test_programs_are_distinct_and_families_take_turns() -> None:
    assert len({p.text for p in MANY}) == len({p.name for p in MANY}) == len(MANY)
    families = Counter(p.family for p in MANY)
    assert set(families) == set(FAMILIES)
    assert len(families) >= 14
    assert max(families.values()) - min(families.values()) <= 1


@pytest.mark.unit
def test_chosen_families_only_and_unknown_ones_are_named() -> None:
    assert {p.family for p in generate(40, 0, ["copy", "power"])} == {"copy", "power"}
    with pytest.raises(UserError, match="nonesuch"):
        generate(4, 0, ["copy", "nonesuch"])


@pytest.mark.unit
def test_more_than_there_are_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REPEATS", 1)
    with pytest.raises(UserError, match="distinct programs"):
        generate(10**6, 0, ["transfer"])


@pytest.mark.unit
def test_variants_group_programs_that_differ_in_names_and_constants() -> None:
    variants: dict[str, set[str]] = defaultdict(set)
    for p in generate(400, 0, ["fold_sum"]):
        variants[p.variant].add(re.sub(r"\d+", "0", re.sub(r"\b[A-Za-z]\w*\b", "x", p.text)))
    assert len(variants) > 20
    assert all(len(shapes) == 1 for shapes in variants.values())


@pytest.mark.unit
def test_small_enough_for_a_tiny_policy() -> None:
    vocabulary: set[str] = set()
    for p in MANY[::3]:
        vocabulary |= set(WORDS.findall(p.text))
        stripped = DAFNY.strip_annotations(p.text)
        assert len(stripped.strip().splitlines()) <= 25, p.name
        assert max(map(len, p.text.splitlines())) <= 100, p.name
        annotations = [a.text for a in DAFNY.parse(p.text).annotations]
        assert 2 <= len(annotations) <= 4, p.name
        assert len(WORDS.findall(" ".join(annotations))) <= 80, p.name
    assert len(vocabulary) <= 400


@pytest.mark.unit
def test_the_proof_is_the_postcondition_over_the_part_seen() -> None:
    """What is to be learned from some families and used on others, read off the texts themselves."""
    for p in generate(60, 3, ["copy", "map_new", "zip_new", "build_sequence", "product"]):
        body = p.text[p.text.index("method ") :]
        index, bound = re.search(r"invariant 0 <= (\w+) <= (.+)\n", body).groups()  # type: ignore[union-attr]
        if f"{index} := {index} - 1" in body:
            continue
        for clause in re.findall(r"ensures (.+)\n", body):
            if ".Length ==" not in clause:
                assert f"invariant {clause.replace(bound, index)}\n" in body, p.text


@pytest.mark.unit
def test_read_by_our_parser_with_something_to_do() -> None:
    for p in MANY[::5]:
        view = DAFNY.parse(p.text)
        assert view.error is None
        assert view.lossless
        assert DAFNY.targets(view, Task.ANNOTATION_REPAIR)


def _sample(per_family: int) -> list[GeneratedProgram]:
    """Programs of as many variants of each family as asked for."""
    sample = []
    for family in FAMILIES:
        by_variant = {p.variant: p for p in generate(60, 5, [family])}
        sample += list(by_variant.values())[:per_family]
    return sample


@pytest.mark.tool
def test_each_verifies_and_none_without_its_annotations() -> None:
    sample = _sample(2)
    with Pool() as pool:
        whole = [pool.submit(VerifyRequest("dafny", p.text)) for p in sample]
        bare = [pool.submit(VerifyRequest("dafny", DAFNY.strip_annotations(p.text))) for p in sample]
        assert [p.text for p, v in zip(sample, whole, strict=True) if v.result().status is not Status.VERIFIED] == []
        assert [p.text for p, v in zip(sample, bare, strict=True) if v.result().status is not Status.FAILED] == []
