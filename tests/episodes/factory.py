"""An instance made by hand and services that answer from a script, for the rules of episodes."""

from dataclasses import dataclass, field

from verulaw_rl.evidence.evidence import Evidence, Message, ObligationResult
from verulaw_rl.languages.base import Category, Finding, FindingKind, Point, Task
from verulaw_rl.suites.instance import Instance, Obligation, Probe
from verulaw_rl.verification.execution import RunResult
from verulaw_rl.verification.verdict import Status, ToolIdentity

GIVEN = """\
method Count(n: nat) returns (i: nat)
  ensures i == n
{
  i := 0;
  while i < n
  {
    i := i + 1;
  }
}
"""
REFERENCE = GIVEN.replace("  while i < n\n", "  while i < n\n    invariant i <= n\n")
TOOL = ToolIdentity("dafny", "2.3.0", "4.8.5")


def make_instance(key: str = "hand/Count/annotation_repair", task: Task = Task.ANNOTATION_REPAIR) -> Instance:
    return Instance(
        key=key,
        language="dafny",
        task=task,
        suite="hand",
        program="Count",
        group="Count",
        split="train",
        given=GIVEN,
        specification=(("Count", "method Count ensures i == n"),),
        reference=REFERENCE,
        obligations=(
            Obligation("ensures:Count:0", Category.POSTCONDITION, "Count", "i == n", clause=0),
            Obligation("safety:Count", Category.SAFETY, "Count"),
            Obligation("termination:Count:0", Category.TERMINATION, "Count", loop=0),
        ),
        probes=(Probe("probe:0", Category.INVARIANT, "Count", (Point("loop_head", 0),), "i <= n"),),
        vacuous=(),
        covered=("Count",),
        tool=TOOL,
    ).with_hash()


def evidence_of(
    instance: Instance,
    candidate: str,
    status: Status | None = Status.FAILED,
    met: tuple[str, ...] = ("safety:Count", "termination:Count:0"),
    findings: tuple[Finding, ...] = (),
    messages: tuple[Message, ...] = (),
    program_fault: bool = False,
) -> Evidence:
    """Evidence with the obligations and probes named in ``met`` discharged; all of them when verified."""
    everything = [(o.id, o.category, False) for o in instance.obligations]
    everything += [(p.id, p.category, True) for p in instance.probes]
    verified = status is Status.VERIFIED
    return Evidence(
        instance=instance.key,
        instance_hash=instance.content_hash,
        task=instance.task,
        candidate_hash=str(hash(candidate)),
        status=status,
        verified=verified,
        totals=instance.totals,
        results=tuple(ObligationResult(i, c, verified or i in met, is_probe=p) for i, c, p in everything),
        failures=(),
        findings=findings,
        messages=messages,
        tool=TOOL,
        program_fault=program_fault,
        times={"tool_s": 0.25},
    )


INVARIANT_FAILS = Message(
    Category.INVARIANT, "error", 6, 14, "This loop invariant might not be maintained by the loop.",
    kind="invariant_maintained",
)  # fmt: skip
POSTCONDITION_FAILS = Message(
    Category.POSTCONDITION, "error", 9, 0, "A postcondition might not hold on this return path.",
    clause="i == n", kind="postcondition",
)  # fmt: skip
ASSUMES = Finding(FindingKind.PROOF, "assume", "Count", 4, "`assume` believes what is to be proved", "use `assert`")
WEAKENED = Finding(FindingKind.SPECIFICATION, "clause_changed", "Count", 2, "`ensures i == n` is gone", "restore it")


@dataclass
class Script:
    """A scripted verifier: by words in the candidate; counts what it was asked."""

    collected: list[str] = field(default_factory=list)

    def collect(self, instance: Instance, candidate: str) -> Evidence:
        self.collected.append(candidate)
        if "assume" in candidate:
            return evidence_of(instance, candidate, None, (), (ASSUMES,))
        if "ensures i == n" not in candidate:
            return evidence_of(instance, candidate, None, (), (WEAKENED,))
        if "crash_machine" in candidate:
            return evidence_of(instance, candidate, Status.ERROR, ())
        if "invariant i <= n" in candidate:
            return evidence_of(instance, candidate, Status.VERIFIED)
        messages = (POSTCONDITION_FAILS,)
        if "invariant" in candidate:
            messages = (POSTCONDITION_FAILS, INVARIANT_FAILS)
        return evidence_of(instance, candidate, Status.FAILED, messages=messages)

    def audit(self, instance: Instance, candidate: str) -> tuple[Finding, ...]:
        return (ASSUMES,) if "assume" in candidate else ()

    def execute(self, instance: Instance, program: str, calls: str) -> RunResult:
        return RunResult("ok" if calls else "rejected", calls.upper())
