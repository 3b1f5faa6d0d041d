"""The seed suite as it ships: already built, so that an environment can be made where no tool is.

``python -m verulaw_rl.suites.bundled`` builds it again under the installed tool; a test holds the file
to the programs that it was built from.
"""

from __future__ import annotations

from pathlib import Path

from verulaw_rl.languages.base import Task
from verulaw_rl.suites.instance import Suite, load_suite

BUNDLED = Path(__file__).parent / "seed" / "dafny" / "suite.jsonl"
HELDOUT_SHARE = 0.3


def bundled_suite(task: Task | None = None) -> Suite:
    """The bundled seed suite; with a task, only its instances."""
    suite = load_suite(BUNDLED)
    if task is None:
        return suite
    return Suite(suite.name, tuple(i for i in suite.instances if i.task is task))


def suite_named(name: str) -> Suite:
    """The suite that a user names: ``seed``, or a file that ``build`` wrote.

    Raises:
        UserError: the file is no suite.
    """
    return bundled_suite() if name == "seed" else load_suite(Path(name))


def build_bundled() -> None:
    """Build :data:`BUNDLED` under the installed tool and print what was left out."""
    from verulaw_rl.evidence.live import pool_verifier
    from verulaw_rl.suites.build import build_suite
    from verulaw_rl.suites.instance import save_suite
    from verulaw_rl.suites.sources import suite_programs
    from verulaw_rl.verification.pool import Pool

    name, programs, _ = suite_programs("seed", None, ".dfy", None)
    tasks = (Task.ANNOTATION_REPAIR, Task.CODE_GENERATION)
    with Pool() as pool:
        result = build_suite(name, "dafny", programs, tasks, pool_verifier(pool, "dafny"), heldout_share=HELDOUT_SHARE)
    save_suite(result.suite, BUNDLED)
    print(result.counts())
    for rejection in result.rejected:
        print(rejection)


if __name__ == "__main__":
    build_bundled()
