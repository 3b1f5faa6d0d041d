"""Prompts and ways to hand in, for Verus: rules, insertions, the whole program, tags and tool calls."""

import itertools
import re

import pytest

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes import prompts
from verulaw_rl.episodes.actions import Action, parse, write
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.insertions import Insertion, apply_insertions
from verulaw_rl.languages.verus.language import VERUS
from verulaw_rl.suites.build import SourceProgram
from verulaw_rl.suites.instance import Instance, Suite, load_suite, save_suite
from verulaw_rl.suites.seed import seed_programs
from verulaw_rl.suites.unverified import build_unverified

pytestmark = pytest.mark.unit
TASKS = (Task.ANNOTATION_REPAIR, Task.CODE_GENERATION)
SETTINGS = [
    EpisodeConfig(wire_format=w, hand_in=h) for w, h in itertools.product(["tags", "tools"], ["full", "insertions"])
]


@pytest.fixture(scope="module")
def suite() -> Suite:
    programs = [SourceProgram(p.name, p.text, p.family, p.difficulty) for p in seed_programs("verus")]
    return build_unverified("seed-verus", "verus", programs, TASKS).suite


@pytest.mark.parametrize("task", list(Task))
def test_rules_are_short(task: Task) -> None:
    """Fewer than 400 tokens, for a tokenizer that cuts every word after seven letters and at every underscore."""
    pieces = re.findall(r"[A-Za-z]+|\d|[^\w\s]|_", VERUS.rules(task))
    assert sum(-(-len(p) // 7) for p in pieces) < 400


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: f"{s.wire_format}-{s.hand_in}")
def test_every_example_is_read(settings: EpisodeConfig) -> None:
    for kind in (*settings.actions, "done"):
        shown = prompts.example(kind, settings, VERUS.illustration)
        action = parse(shown, settings.wire_format, settings.hand_in, settings.actions)
        assert isinstance(action, Action)
        assert action.kind == kind


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: f"{s.wire_format}-{s.hand_in}")
def test_a_proof_goes_through_either_way(settings: EpisodeConfig, suite: Suite) -> None:
    """The reference, written as the action says and read back, is the reference; the audit takes it."""
    for instance in (i for i in suite.instances if i.task is Task.ANNOTATION_REPAIR):
        if settings.hand_in == "insertions":
            made = line_insertions(instance)
            action = Action("submit", insertions=made)
            back = parse(write(action, settings.wire_format), settings.wire_format, "insertions", settings.actions)
            assert isinstance(back, Action)
            program = apply_insertions(instance.given, back.insertions or ())
            assert program == instance.reference
        else:
            action = Action("submit", program=instance.reference)
            back = parse(write(action, settings.wire_format), settings.wire_format, "full", settings.actions)
            assert isinstance(back, Action)
            program = back.program or ""
        assert VERUS.audit(instance.task, instance.given, program) == (), instance.key


def line_insertions(instance: Instance) -> tuple[Insertion, ...]:
    """The lines that the reference has and the given has not."""
    given = instance.given.split("\n")
    made, at = [], 0
    for line in instance.reference.split("\n"):
        if at < len(given) and line == given[at]:
            at += 1
        else:
            made.append(Insertion(at, line))
    assert at == len(given), instance.key
    return tuple(made)


def test_task_forms_by_syntax_alone(suite: Suite, tmp_path) -> None:
    assert {i.split for i in suite.instances} == {"evaluation"}
    assert all(i.unverified for i in suite.instances)
    assert sum(i.task is Task.CODE_GENERATION for i in suite.instances) == len(seed_programs("verus"))
    assert all(i.obligations for i in suite.instances)
    assert sum(len(i.probes) for i in suite.instances) > 100
    path = tmp_path / "suite.jsonl"
    save_suite(suite, path)
    assert load_suite(path) == suite


def test_trivial_programs() -> None:
    given = "verus! { fn f(x: u64, v: Vec<u8>) -> (r: u64) { todo!() } fn g() -> (o: Option<u8>) { todo!() } }"
    assert VERUS.trivial_programs(given) == (
        "verus! { fn f(x: u64, v: Vec<u8>) -> (r: u64) { 0 } fn g() -> (o: Option<u8>) { None } }",
        "verus! { fn f(x: u64, v: Vec<u8>) -> (r: u64) { x } fn g() -> (o: Option<u8>) { None } }",
    )
    assert VERUS.trivial_programs("verus! { fn f() { } }") == ()
