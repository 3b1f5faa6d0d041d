"""``verulaw-rl swe-proof``: check a folder of issues with verified models."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from verulaw_rl.cli.options import SolverSeconds
from verulaw_rl.cli.progress import progress_bar
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.suites.swe_proof import Problem, check_files, check_models, check_tests, files_of, read_issues
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.sandbox import detect_sandbox
from verulaw_rl.verification.verdict import Limits

EXIT_PROBLEMS = 1
LANGUAGE = "nagini"


def swe_proof_command(
    folder: Annotated[Path, typer.Argument(help="Folder with issues.jsonl, models, patches, tests, repositories.")],
    models: Annotated[bool, typer.Option(help="Verify the models, which takes Nagini.")] = True,
    tests: Annotated[bool, typer.Option(help="Run the tests of repositories that lie in the folder.")] = True,
    solver_s: SolverSeconds = 90.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
) -> None:
    """Check that every issue is whole: its patches apply, its tests turn from failing to passing, its model verifies.

    And that the model of the code before the patch does not. Exit 1 if something does not hold.
    """
    issues = read_issues(folder)
    problems: list[Problem] = [p for issue in issues for p in check_files(folder, issue)]
    whole = [i for i in issues if i.id not in {p.issue for p in problems}]
    skipped = [i.id for i in whole if tests and not files_of(folder, i).tree.is_dir()]
    if tests:
        sandbox = detect_sandbox()
        problems += [p for i in whole if i.id not in skipped for p in check_tests(folder, i, sandbox)]
    if models:
        with Pool(PoolSettings()) as pool, progress_bar("Verifying models", quiet=as_json) as progress:
            verify = pool_verifier(pool, LANGUAGE, Limits.of_work(solver_s))
            for done, issue in enumerate(whole, start=1):
                problems += check_models(folder, issue, verify)
                progress(done, len(whole))
    if as_json:
        found = [asdict(p) for p in problems]
        typer.echo(json.dumps({"issues": len(issues), "problems": found, "tests_not_run": skipped}))
    else:
        for problem in problems:
            typer.echo(f"{problem.issue}: {problem.what}")
        typer.echo(f"{len(issues)} issues, {len({p.issue for p in problems})} with problems")
        if skipped:
            typer.echo(f"tests of {len(skipped)} issues were not run: their repositories are not in the folder")
    if problems:
        raise typer.Exit(EXIT_PROBLEMS)
