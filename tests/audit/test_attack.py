"""Generated attacks and honest rewrites: made as named, deterministic, and judged rightly by the audit."""

import pytest

from tests.audit.verdicts import GIVEN, REPAIR, WRITE
from verulaw_rl.audit.attack import LeftOut, Target, Trial, attack, sample, targets_of, verified_trial
from verulaw_rl.audit.check import AuditReport
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.languages.base import Finding, FindingKind, Span
from verulaw_rl.languages.registry import get_language
from verulaw_rl.languages.rewrites import Edit, Family, apply_edits, insertion
from verulaw_rl.suites.bundled import bundled_suite
from verulaw_rl.verification.pool import Pool, PoolSettings

DAFNY = get_language("dafny")
PROGRAM = """\
predicate Small(x: int) { x < 9 }
method Twice(n: nat) returns (m: nat)
  requires Small(n)
  ensures m == 2 * n
{
  m := 0;
  var i := 0;
  while i < n
    invariant i <= n && m == 2 * i
    decreases n - i
  {
    i := i + 1;
    m := m + 2;
  }
  assert m == 2 * n;
}
"""


def target(task):
    found = [t for t in targets_of("dafny", "twice", PROGRAM) if isinstance(t, Target)]
    return next(t for t in found if t.task is task)


@pytest.mark.unit
def test_edits_leave_the_rest_alone():
    assert apply_edits("abcdef", [insertion(6, "!"), Edit(Span(1, 3), "X"), insertion(1, "-")]) == "a-Xdef!"


@pytest.mark.unit
@pytest.mark.parametrize("task", [REPAIR, WRITE])
def test_every_rewrite_of_a_small_program_is_judged_rightly(task):
    trials = list(attack(target(task), 0, 0))
    wrong = [(t.family, t.kind, t.candidate, t.report.findings) for t in trials if t.wrong]
    assert wrong == []
    counts = {family: sum(t.family is family for t in trials) for family in Family}
    assert all(n > 20 for n in counts.values()), counts
    assert len({t.kind for t in trials}) > 80


@pytest.mark.unit
def test_known_rewrites_are_made():
    trials = list(attack(target(REPAIR), 0, 0))
    made = {(t.family.value, t.kind): set() for t in trials}
    for t in trials:
        made[t.family.value, t.kind].add(t.candidate)

    def has(family, kind, old, new):
        return PROGRAM.replace(old, new, 1) in made[family, kind]

    assert has("specification", "clause_dropped", "requires Small(n)", " ")
    assert has("specification", "clause_weakened", "ensures m == 2 * n", "ensures (m == 2 * n) || true")
    assert has("specification", "clause_strengthened", "ensures m == 2 * n", "ensures (m == 2 * n) && false")
    assert has("specification", "operator_swapped", "ensures m == 2", "ensures m != 2")
    assert has("specification", "bound_changed", "ensures m == 2", "ensures m == 3")
    assert has("specification", "helper_changed", "x < 9", "x <= 9")
    assert has("specification", "type_changed", "(n: nat)", "(n: int)")
    assert has("specification", "code_changed", "i < n\n", "i <= n\n")
    assert has("proof", "assume", "m := 0;", "assume false; m := 0;")
    assert has("proof", "assume_around_expression", "i <= n && m == 2 * i", "(assume false; i <= n && m == 2 * i)")
    assert has("proof", "body_removed", PROGRAM[PROGRAM.index("{\n") :], " \n")
    assert has("honest", "split_invariant", "invariant i <= n && m == 2 * i", "invariant i <= n invariant m == 2 * i")


@pytest.mark.unit
def test_the_same_seed_gives_the_same_candidates():
    def candidates(seed):
        return [t.candidate for t in attack(target(WRITE), 12, seed)]

    assert candidates(3) == candidates(3) != candidates(4)
    assert len(candidates(3)) == 36


@pytest.mark.unit
def test_programs_that_no_attack_starts_from_are_named():
    def reasons(text):
        return {x.reason.partition(":")[0] for x in targets_of("dafny", "p", text) if isinstance(x, LeftOut)}

    assert reasons("method M() {") == {"cannot be read"}
    assert reasons("lemma L() ensures false") == {"its author left something unproved"}
    assert reasons("function F(): int { 3 }") == {"nothing to repair or to write"}


@pytest.mark.unit
def test_an_audit_that_lets_an_attack_pass_is_seen():
    base = target(REPAIR)
    accepted = AuditReport(())
    rejected = AuditReport((Finding(FindingKind.PROOF, "assume", "", 1, "", ""),))
    for family in Family:
        honest = family is Family.HONEST
        assert Trial(base, family, "k", (), accepted).wrong is not honest
        assert Trial(base, family, "k", (), rejected).wrong is honest


@pytest.mark.unit
def test_seed_suite_over_a_few_kinds():
    """Each program and task by a few rewrites; ``verulaw-rl attack`` makes more of them."""
    for number, i in enumerate(bundled_suite().instances):
        whole = Target(i.key, i.language, i.task, i.given, i.reference)
        wrong = [(t.target.name, t.kind) for t in attack(whole, 2, number) if t.wrong]
        assert wrong == []


@pytest.mark.unit
def test_the_repair_example_has_rewrites_in_lemmas_and_functions():
    base = next(
        t for t in targets_of("dafny", "example", GIVEN.replace("  {\n    t", "  invariant i <= |s|\n  {\n    t"))
    )
    assert isinstance(base, Target)
    kinds = {t.kind for t in attack(base, 0, 0)}
    assert {"bodyless_loop", "endless_loop", "free_invariant", "name_captured", "reordered"} <= kinds


@pytest.mark.tool
def test_the_verifier_takes_cheats_that_only_the_audit_stops():
    trials = [t for t in attack(target(REPAIR), 0, 0) if t.kind in ("assume", "layout", "helper_changed")]
    chosen = sample(trials, 2, 0)
    assert [trials[k].family for k in chosen].count(Family.HONEST) == 2
    with Pool(PoolSettings(workers=1)) as pool:
        verify = pool_verifier(pool, "dafny")
        asked = [verified_trial(trials[k], verify) for k in chosen]
    assert all(t.verified for t in asked if t.family is Family.HONEST)
    assert any(t.verified for t in asked if t.family is Family.PROOF)
