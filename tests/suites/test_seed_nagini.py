"""The bundled Nagini programs: what they are made of, and that the packaged suite was built from them."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from verulaw_rl.evidence.obligations import enumerate_obligations
from verulaw_rl.languages.base import Category, Task
from verulaw_rl.languages.nagini.language import NAGINI
from verulaw_rl.languages.nagini.view import read
from verulaw_rl.suites.bundled import bundled_suite, suite_named
from verulaw_rl.suites.seed import SeedProgram, seed_programs
from verulaw_rl.verification.pool import Pool
from verulaw_rl.verification.verdict import Status, VerifyRequest

PROGRAMS = seed_programs("nagini")


def _identifier(program: SeedProgram) -> str:
    return program.name


@pytest.mark.unit
def test_there_are_enough_programs_and_not_only_integer_loops() -> None:
    assert len(PROGRAMS) >= 40
    assert len({p.name for p in PROGRAMS}) == len({p.text for p in PROGRAMS}) == len(PROGRAMS)
    assert min(Counter(p.difficulty for p in PROGRAMS).values()) >= 5
    kinds = [{d.kind for d in read(p.text).view.declarations} for p in PROGRAMS]
    assert sum("class" in k for k in kinds) >= 15
    assert sum("predicate" in k for k in kinds) >= 12
    assert sum("Acc(" in p.text for p in PROGRAMS) >= 30
    assert sum("MustTerminate" in p.text for p in PROGRAMS) >= 4


@pytest.mark.unit
@pytest.mark.parametrize("program", PROGRAMS, ids=_identifier)
def test_each_is_read_holds_no_escape_and_gives_both_tasks(program: SeedProgram) -> None:
    view = NAGINI.parse(program.text)
    assert view.error is None
    assert view.lossless
    assert NAGINI.escapes(program.text) == ()
    assert NAGINI.strip_annotations(program.text) != program.text
    assert NAGINI.targets(view, Task.ANNOTATION_REPAIR)
    assert NAGINI.targets(view, Task.CODE_GENERATION)
    for task, given in (
        (Task.ANNOTATION_REPAIR, NAGINI.strip_annotations(program.text)),
        (Task.CODE_GENERATION, NAGINI.strip_bodies(program.text)),
    ):
        assert NAGINI.audit(task, given, program.text) == ()


@pytest.mark.unit
def test_the_packaged_suite_was_built_from_them() -> None:
    suite = suite_named("seed-nagini")
    assert suite.name == "seed-nagini"
    texts = {p.name: p.text for p in PROGRAMS}
    for instance in suite.instances:
        assert instance.language == "nagini"
        assert instance.reference == texts[instance.program]
        repair = instance.task is Task.ANNOTATION_REPAIR
        assert instance.given == (NAGINI.strip_annotations if repair else NAGINI.strip_bodies)(instance.reference)
        assert instance.obligations
    for task in (Task.ANNOTATION_REPAIR, Task.CODE_GENERATION):
        assert len(bundled_suite(task, "nagini").instances) >= 40
    assert any(i.probes for i in suite.instances)


@pytest.mark.unit
def test_termination_is_an_obligation_only_where_the_contract_asks_for_it() -> None:
    texts = {p.name: p.text for p in PROGRAMS}

    def termination(name: str, task: Task) -> list[str]:
        strip = NAGINI.strip_annotations if task is Task.ANNOTATION_REPAIR else NAGINI.strip_bodies
        obligations = enumerate_obligations(NAGINI, task, strip(texts[name]), texts[name])
        return [o.id for o in obligations if o.category is Category.TERMINATION]

    assert termination("termination/count_up", Task.CODE_GENERATION) == ["termination:count_up"]
    assert termination("termination/count_up", Task.ANNOTATION_REPAIR) == ["termination:count_up:loop0"]
    assert termination("lists/sum_of_list", Task.ANNOTATION_REPAIR) == ["termination:sum_to:recursion"]
    for task in (Task.CODE_GENERATION, Task.ANNOTATION_REPAIR):
        assert termination("arithmetic_loops/multiply_by_adding", task) == []


@pytest.mark.tool
def test_programs_verify_and_do_not_without_their_annotations() -> None:
    """Six of them; all with ``VERULAW_FULL=1`` (several minutes)."""
    chosen = PROGRAMS if os.environ.get("VERULAW_FULL") == "1" else random.Random(3).sample(PROGRAMS, 6)
    with Pool() as pool:
        whole = {p.name: pool.submit(VerifyRequest("nagini", p.text)) for p in chosen}
        stripped = {p.name: pool.submit(VerifyRequest("nagini", NAGINI.strip_annotations(p.text))) for p in chosen}
        assert {n: v.result().message for n, v in whole.items() if v.result().status is not Status.VERIFIED} == {}
        outcomes = {n: v.result().status for n, v in stripped.items()}
    assert set(outcomes.values()) <= {Status.FAILED, Status.TIMEOUT}, outcomes
