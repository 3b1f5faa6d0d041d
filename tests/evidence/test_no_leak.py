"""Nothing of a probe reaches what the agent reads: neither text, count, order, time-outs nor errors.

The verdicts are scripted, on the very texts that evidence is collected from: what the verifier says of the plain
candidate and of its own clauses is one and the same, and of the probes whatever chance has it say. The agent
must read the same as if the instance had no probes.
"""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.episode import Episode
from verulaw_rl.episodes.services import Services, audit
from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.languages.base import Category, Task
from verulaw_rl.suites.bundled import bundled_suite
from verulaw_rl.suites.instance import Instance
from verulaw_rl.verification.execution import RunResult
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import (
    DeclarationOutcome,
    Diagnostic,
    Location,
    Status,
    ToolIdentity,
    Verdict,
)

TOOL = ToolIdentity("dafny", "2.3.0", "z3 4.8.5")
REWARD = load_reward("rewards/obligation.py")


def _bare(formula: str) -> str:
    return re.sub(r"[\s();]", "", formula)


def _apart(instance: Instance) -> bool:
    """Whether a formula says which is a probe."""
    clauses = {_bare(o.detail) for o in instance.obligations}
    return bool(instance.probes) and not any(_bare(p.expression) in clauses for p in instance.probes)


SUITE = [i for i in bundled_suite(Task.ANNOTATION_REPAIR).instances if _apart(i)]
CHECK = re.compile(r"assert\b(?P<formula>.*?);\s*assume false;")


def candidates(instance: Instance) -> list[str]:
    """The given, and the reference less some of its invariants and asserts."""
    lines = instance.reference.split("\n")
    proof = [k for k, line in enumerate(lines) if line.strip().startswith(("invariant", "assert"))]
    out = [instance.given, instance.reference]
    return out + ["\n".join(x for k, x in enumerate(lines) if k != left) for left in proof[:3]]


def verdict(status: Status, failing: list[tuple[int, Category]], paths: list[str], undecided: bool) -> Verdict:
    outcome = "timeout" if undecided else ("failed" if failing else "verified")
    return Verdict(
        status,
        tuple(Diagnostic(c, "error", Location(n, 4), f"check {n} fails", paths[0], kind="x") for n, c in failing),
        status in (Status.VERIFIED, Status.FAILED) and not undecided,
        TOOL,
        tuple(DeclarationOutcome(p, "body", outcome, 99) for p in paths),
    )


class Script:
    """A verifier whose word on the candidate and its clauses does not depend on the probes in the text."""

    silent = False
    """Whether a plain run that fails names nothing."""

    def __init__(self, instance: Instance, candidate: str, plain: Status, held: set[str], trouble: str) -> None:
        self.paths = [d for d in dict.fromkeys(o.declaration for o in instance.obligations) if d]
        self.candidate, self.plain, self.held, self.trouble = candidate, plain, held, trouble
        self.clauses = {_bare(o.detail) for o in instance.obligations if o.category is Category.POSTCONDITION}

    def __call__(self, text: str) -> Verdict:
        if text == self.candidate:
            failing = [(1, Category.SAFETY)] if self.plain is Status.FAILED and not self.silent else []
            return verdict(self.plain, failing, self.paths, self.plain is Status.TIMEOUT)
        own, probes = [], []
        for number, line in enumerate(text.split("\n"), start=1):
            for match in CHECK.finditer(line):
                formula = _bare(match["formula"])
                is_own = formula in self.clauses or formula == "false"
                if formula not in self.held:
                    (own if is_own else probes).append((number, Category.ASSERTION))
                elif not is_own:
                    probes.append((0, Category.ASSERTION))
        if probes and self.trouble == "error":
            return verdict(Status.ERROR, [], self.paths, False)
        if probes and self.trouble == "timeout":
            return verdict(Status.TIMEOUT, [], self.paths, True)
        failing = own + [(n, c) for n, c in probes if n]
        if self.trouble == "invalid" and probes:
            bad = [(n, c) for n, c in probes if n] or [(1, Category.ASSERTION)]
            return replace(verdict(Status.INVALID, bad, self.paths, False), message="no such name")
        return verdict(Status.FAILED if failing else Status.VERIFIED, failing, self.paths, False)


def read(instance: Instance, texts: list[str], verifiers, config: EpisodeConfig) -> list[str]:
    """What the agent reads when it hands in these programs."""

    def collected(i: Instance, candidate: str):
        return collect(i, candidate, verifiers[candidate])

    services = Services(collected, audit, lambda i, p, c: RunResult("ok", ""), REWARD)
    episode = Episode(instance, config, services)
    said = [episode.play(f"<submit>{text}</submit>").observation for text in texts if episode.end_reason is None]
    return [*said, str(episode.end_reason)]


@pytest.mark.unit
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_scripted_verdicts(data):
    instance = data.draw(st.sampled_from(SUITE))
    texts = data.draw(st.lists(st.sampled_from(candidates(instance)), min_size=1, max_size=3))
    formulas = [_bare(p.expression) for p in instance.probes] + [_bare(o.detail) for o in instance.obligations]
    held = data.draw(st.sets(st.sampled_from(sorted(set(formulas)))))
    trouble = data.draw(st.sampled_from(["", "error", "timeout", "invalid"]))
    plain = {t: data.draw(st.sampled_from([Status.FAILED, Status.TIMEOUT, Status.VERIFIED])) for t in texts}
    silent = data.draw(st.booleans())
    config = EpisodeConfig(prompt=data.draw(st.sampled_from(["full", "compact"])))
    bare = replace(instance, probes=()).with_hash()
    heard = []
    for i in (instance, bare):
        scripts = {t: Script(i, t, plain[t], held, trouble) for t in texts}
        for script in scripts.values():
            script.silent = silent
        heard.append(read(i, texts, scripts, config))
    with_probes, without = heard
    assert with_probes == without
    assert not any("probe" in said for said in with_probes)


@pytest.mark.unit
def test_a_failure_on_the_probes_alone_is_unscorable_for_the_trainer_and_nothing_to_the_agent():
    instance = SUITE[0]
    script = Script(instance, instance.given, Status.FAILED, set(), "error")
    evidence = collect(instance, instance.given, script)
    assert evidence.probes_unsettled
    assert evidence.status is Status.FAILED
    assert REWARD.score(evidence).total is None
    assert REWARD.score(evidence.without_probes()).total is not None


@pytest.mark.tool
def test_live_verdicts():
    """Real runs of Dafny, candidates with some annotations left out, with the probes and without."""
    config = EpisodeConfig()
    with Pool(PoolSettings(workers=2)) as pool:
        verify = pool_verifier(pool, "dafny")

        class Everything(dict):
            def __missing__(self, key):
                return verify

        for instance in SUITE[::30]:
            bare = replace(instance, probes=()).with_hash()
            texts = [*candidates(instance)[2:3], instance.given]
            assert read(instance, texts, Everything(), config) == read(bare, texts, Everything(), config), instance.key
