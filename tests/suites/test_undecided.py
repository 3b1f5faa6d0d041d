"""What a build asks of a program whose proof the verifier no longer finishes once checks are in it."""

import pytest

from tests.programs import COUNT_UP
from verulaw_rl.languages.base import Task
from verulaw_rl.suites.build import SourceProgram, build_suite
from verulaw_rl.verification.verdict import DeclarationOutcome, Status, ToolIdentity, Verdict

pytestmark = pytest.mark.unit

STATUS = {"verified": Status.VERIFIED, "failed": Status.FAILED, "timeout": Status.TIMEOUT}


class Verifier:
    """Verifies the reference, refutes what lacks its invariants, and runs out on either with checks in it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, program: str) -> Verdict:
        self.asked.append(program)
        outcome = "verified" if program == COUNT_UP else "timeout" if "assert" in program else "failed"
        of_it = DeclarationOutcome("CountUp", "body", outcome, 1)
        return Verdict(STATUS[outcome], (), outcome != "timeout", ToolIdentity("dafny", "0", "z3 0"), (of_it,))


@pytest.mark.parametrize(
    ("task", "calls"),
    # The reference and the given; then all checks, and of annotation repair the exits alone.
    [(Task.ANNOTATION_REPAIR, 4), (Task.CODE_GENERATION, 3)],
)
def test_a_program_undecided_with_its_exits_alone_is_given_up(task: Task, calls: int) -> None:
    verifier = Verifier()
    built = build_suite("t", "dafny", [SourceProgram("count", COUNT_UP)], [task], verifier, threads=1)
    assert [(r.reason, r.detail) for r in built.rejected] == [("reference: timeout with checks in it", "CountUp")]
    assert len(verifier.asked) == calls
