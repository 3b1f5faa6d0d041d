"""SWE-Proof: issues of repositories, each paired with a verified model of what its patch makes the code do.

No copy of SWE-Proof is public, so the format is defined here, after what is published of it: every reference model
verifies, the model of the code before the patch does not, and the reference patch turns the withheld tests from
failing to passing. A folder holds

- ``issues.jsonl``: one :class:`Issue` a line;
- ``models/ID.py``: the reference model (Nagini), and ``models/ID.before.py``: the same of the code before the patch;
- ``patches/ID.patch`` and ``tests/ID.patch``: the reference patch and the withheld tests, as unified diffs;
- ``repositories/NAME/``: the tree at the base commit, where the repository is not to be cloned.

:func:`read_issues` reads it and ``verulaw-rl swe-proof`` validates it. Its models give annotation repair and code
generation instances (``verulaw-rl build --suite swe-proof``), whose family is the repository.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from verulaw_rl.errors import UserError
from verulaw_rl.evidence.ablation import Verifier
from verulaw_rl.verification.sandbox import Policy, Sandbox
from verulaw_rl.verification.verdict import Status

ISSUES = "issues.jsonl"
BEFORE = ".before"
"""At the end of the name of a model of the code before the patch."""
TEST_S = 300.0
"""Wall time of one instance's tests."""


class Issue(BaseModel):
    """One issue."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    id: str = Field(pattern=r"^[\w.-]+$")
    """Of the issue, unique; its files are named after it."""
    repository: str = Field(min_length=1)
    """Name of a folder in ``repositories``, or ``owner/name`` on GitHub."""
    base_commit: str
    """Commit that the patches apply to; empty where the tree lies in ``repositories``."""
    issue: str = Field(min_length=1)
    """Its title and text, as the agent is told."""
    fail_to_pass: tuple[str, ...] = Field(min_length=1)
    """Withheld tests that the reference patch turns from failing to passing."""
    pass_to_pass: tuple[str, ...] = ()
    """Tests that pass before and after."""
    test_command: str = "python3 -m unittest"
    """Runs one test of the repository, named behind it; its exit status is the outcome."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about an issue that does not hold."""

    issue: str
    what: str


@dataclass(frozen=True, slots=True)
class Files:
    """The files of an issue."""

    model: Path
    before: Path
    patch: Path
    tests: Path
    tree: Path


def files_of(folder: Path, issue: Issue) -> Files:
    """Where an issue's files are."""
    return Files(
        folder / "models" / f"{issue.id}.py",
        folder / "models" / f"{issue.id}{BEFORE}.py",
        folder / "patches" / f"{issue.id}.patch",
        folder / "tests" / f"{issue.id}.patch",
        folder / "repositories" / issue.repository,
    )


def read_issues(folder: Path) -> list[Issue]:
    """The issues of a folder, in its order.

    Raises:
        UserError: no such folder, a row is no issue, or an id comes twice.
    """
    path = folder / ISSUES
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}; it holds one issue a line") from None
    issues: dict[str, Issue] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            issue = Issue.model_validate(json.loads(line))
        except (json.JSONDecodeError, ValidationError) as error:
            raise UserError(f"{path}:{number}: no issue ({' '.join(str(error).split())[:300]})") from None
        if issue.id in issues:
            raise UserError(f"{path}:{number}: the issue {issue.id!r} comes twice")
        issues[issue.id] = issue
    if not issues:
        raise UserError(f"{path} holds no issue")
    return list(issues.values())


def check_files(folder: Path, issue: Issue) -> Iterator[Problem]:
    """What is missing, and patches that do not apply or reach into each other's files."""
    files = files_of(folder, issue)
    for path in (files.model, files.before, files.patch, files.tests):
        if not path.is_file():
            yield Problem(issue.id, f"{path.relative_to(folder)} is missing")
    if not (files.tree.is_dir() or issue.base_commit):
        yield Problem(issue.id, f"repositories/{issue.repository} is missing and no base_commit is given to clone")
    if files.patch.is_file() and files.tests.is_file():
        both = _touched(files.patch) & _touched(files.tests)
        if both:
            yield Problem(issue.id, f"patch and tests both change {', '.join(sorted(both))}")


def check_models(folder: Path, issue: Issue, verify: Verifier) -> Iterator[Problem]:
    """The reference model verifies; the model before the patch is read, and fails."""
    files = files_of(folder, issue)
    for path, wanted in ((files.model, Status.VERIFIED), (files.before, Status.FAILED)):
        verdict = verify(path.read_text(encoding="utf-8"))
        if verdict.status is not wanted:
            yield Problem(issue.id, f"{path.name} is {verdict.status}, not {wanted}: {verdict.message}")


def check_tests(folder: Path, issue: Issue, sandbox: Sandbox) -> Iterator[Problem]:
    """The withheld tests fail before the patch and pass after it; the others pass both times.

    Only of a repository whose tree lies in the folder: others need their own environment, which their benchmark's
    harness has.
    """
    files = files_of(folder, issue)
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        shutil.copytree(files.tree, tree)
        if said := _apply(files.tests, tree):
            yield Problem(issue.id, f"{files.tests.relative_to(folder)} does not apply: {said}")
            return
        before = _outcomes(issue, tree, sandbox)
        if said := _apply(files.patch, tree):
            yield Problem(issue.id, f"{files.patch.relative_to(folder)} does not apply: {said}")
            return
        after = _outcomes(issue, tree, sandbox)
    for test in issue.fail_to_pass:
        if before.get(test) is not False:
            yield Problem(issue.id, f"{test} does not fail before the patch")
    for when, outcomes, tests in (
        ("before", before, issue.pass_to_pass),
        ("after", after, (*issue.fail_to_pass, *issue.pass_to_pass)),
    ):
        for test in tests:
            if outcomes.get(test) is not True:
                yield Problem(issue.id, f"{test} does not pass {when} the patch")


def _touched(patch: Path) -> set[str]:
    """Files that a diff changes."""
    lines = patch.read_text(encoding="utf-8").splitlines()
    names = (line[4:].split("\t")[0] for line in lines if line.startswith(("--- ", "+++ ")))
    return {name.partition("/")[2] for name in names if name != "/dev/null"}


def _apply(patch: Path, tree: Path) -> str:
    """Apply a diff; what git says where it does not fit. It never writes outside of the tree."""
    done = subprocess.run(["git", "apply", str(patch.resolve())], cwd=tree, capture_output=True, text=True, check=False)
    return " ".join(done.stderr.split()) if done.returncode else ""


def _outcomes(issue: Issue, tree: Path, sandbox: Sandbox) -> dict[str, bool]:
    """Whether each test passes, run in the sandbox on a copy of the tree."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(tree, arcname="tree")
    run = f'{issue.test_command} "$t" >/dev/null 2>&1 </dev/null'
    script = ["tar -xf - --no-same-owner", "cd tree", "export PYTHONDONTWRITEBYTECODE=1"]
    script.append(f'for t in "$@"; do if {run}; then echo "ok $t"; else echo "no $t"; fi; done')
    tests = (*issue.fail_to_pass, *issue.pass_to_pass)
    command = ["sh", "-c", " && ".join(script), "sh", *tests]
    done = sandbox.start(command, Policy()).finish(packed.getvalue(), TEST_S)
    lines = (line.split(" ", 1) for line in done.output.splitlines() if line[:3] in ("ok ", "no "))
    return {name: word == "ok" for word, name in lines}
