"""The seed suites as they ship: already built, so that an environment can be made where no tool is.

``python -m verulaw_rl.suites.bundled [LANGUAGE...]`` builds them again under the installed tools (Dafny's when none is
named); a test holds each file to the programs that it was built from.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language, language_names
from verulaw_rl.suites.instance import Suite, load_suite
from verulaw_rl.suites.sources import seed_name

FOLDER = Path(__file__).parent / "seed"
BUNDLED = FOLDER / "dafny" / "suite.jsonl"
HELDOUT_SHARE = 0.3


def bundled_path(language: str) -> Path:
    """The built seed suite of a language."""
    return FOLDER / language / "suite.jsonl"


def bundled_suite(task: Task | None = None, language: str = "dafny") -> Suite:
    """The bundled seed suite of a language; with a task, only its instances.

    Raises:
        UserError: none is bundled for the language.
    """
    suite = load_suite(bundled_path(language))
    if task is None:
        return suite
    return Suite(suite.name, tuple(i for i in suite.instances if i.task is task))


def suite_named(name: str) -> Suite:
    """The suite that a user names: ``seed``, ``seed-LANGUAGE``, or a file that ``build`` wrote.

    Raises:
        UserError: the file is no suite.
    """
    language = next((x for x in language_names() if name == seed_name(x)), None)
    return bundled_suite(language=language) if language is not None else load_suite(Path(name))


def build_bundled(language: str) -> None:
    """Build the suite of a language under the installed tool and print what was left out.

    Stopped and started again, it goes on where it was.
    """
    from verulaw_rl.evidence.live import pool_verifier
    from verulaw_rl.suites.build import build_suite
    from verulaw_rl.suites.instance import save_suite
    from verulaw_rl.suites.journal import Journal
    from verulaw_rl.suites.sources import suite_programs
    from verulaw_rl.verification.pool import Pool

    name, programs, _ = suite_programs("seed", None, get_language(language).suffix, None)
    tasks = (Task.ANNOTATION_REPAIR, Task.CODE_GENERATION)
    path = bundled_path(language)
    with Pool() as pool:
        settings = {"suite": name, "tool": asdict(pool.identity(language))}
        with Journal(path.with_name(path.name + ".part"), settings) as journal:
            verify = pool_verifier(pool, language)
            result = build_suite(
                name,
                language,
                programs,
                tasks,
                verify,
                heldout_share=HELDOUT_SHARE,
                journal=journal,
                progress=lambda done, total: print(f"{done}/{total}", file=sys.stderr),
            )
            save_suite(result.suite, path)
            journal.remove()
    print(result.counts())
    for rejection in result.rejected:
        print(rejection)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or ("dafny",):
        build_bundled(chosen)
