"""Evidence built by hand for the arithmetic of rewards."""

from verulaw_rl.evidence.evidence import Evidence, Failure, ObligationResult
from verulaw_rl.languages.base import Category, Finding, FindingKind, Task
from verulaw_rl.verification.verdict import Status


def finding(kind: FindingKind) -> Finding:
    return Finding(kind, "assume", "M", 3, "an assume was added", "prove it")


def evidence(
    totals: dict[Category, int],
    discharged: dict[Category, int],
    *,
    task: Task = Task.ANNOTATION_REPAIR,
    status: Status | None = Status.FAILED,
    failures: tuple[Category, ...] = (),
    findings: tuple[Finding, ...] = (),
    probes: tuple[Category, ...] = (Category.INVARIANT,),
    verified: bool | None = None,
    program_fault: bool = False,
) -> Evidence:
    results = tuple(
        ObligationResult(f"{c.value}:{k}", c, k < discharged.get(c, 0), "", is_probe=c in probes)
        for c, n in totals.items()
        for k in range(n)
    )
    return Evidence(
        instance="suite/program:annotation_repair",
        instance_hash="0" * 64,
        task=task,
        candidate_hash="1" * 64,
        status=status,
        verified=status is Status.VERIFIED if verified is None else verified,
        totals={c: totals.get(c, 0) for c in Category},
        results=results,
        failures=tuple(Failure(c, "M", 4 + k, "does not hold") for k, c in enumerate(failures)),
        findings=findings,
        messages=(),
        tool=None,
        program_fault=program_fault,
    )
