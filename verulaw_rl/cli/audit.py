"""``verulaw-rl audit``: whether a candidate keeps its specification and proves what it claims."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from verulaw_rl.audit.check import AuditReport, check
from verulaw_rl.cli.files import read_program
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.ablation import Verifier
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.evidence.vacuity import vacuity_findings
from verulaw_rl.languages.base import FindingKind, Language, Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.verification.pool import Pool, PoolSettings

EXIT_REJECTED = 1
_VERDICT_STYLES = {"accept": "bold green", "reject_spec": "bold yellow", "reject_proof": "bold red"}


def audit_command(
    given: Annotated[Path | None, typer.Argument(help="The given program.")] = None,
    candidate: Annotated[Path | None, typer.Argument(help="The whole program handed in.")] = None,
    language: Annotated[str, typer.Option(help="Language of the programs.")] = "dafny",
    task: Annotated[
        str | None,
        typer.Option(help="annotation_repair, code_generation or patch_generation: it decides what is frozen."),
    ] = None,
    cases: Annotated[
        Path | None,
        typer.Option(help="Folder of NAME.given.*, NAME.candidate.* and NAME.json; says which come out as expected."),
    ] = None,
    static: Annotated[
        bool,
        typer.Option("--static", help="Compare the texts only; do not ask the verifier whether a proof is vacuous."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object (with --cases: one a case).")] = False,
) -> None:
    """Tell whether a candidate keeps its specification and proves what it claims.

    The verdict is `accept`, `reject_spec` (the specification or frozen code was changed) or `reject_proof`
    (something is believed without proof). Exit status: 0 accepted, 1 rejected, 2 misuse. Where the text is clean and
    the verifier is installed, a candidate that verifies is also asked to prove `false` where its bodies end.

    Example: verulaw-rl audit --task annotation_repair given.dfy candidate.dfy
    """
    syntax = get_language(language)
    with ExitStack() as stack:
        auditor = _Auditor(syntax, None if static else _Verifiers(language, stack))
        if cases is not None:
            if given is not None:
                raise UserError("give either GIVEN and CANDIDATE or --cases, not both")
            accepted = _run_cases(auditor, cases, as_json)
        else:
            if given is None or candidate is None:
                raise UserError("audit needs two files, GIVEN and CANDIDATE, or --cases DIR")
            accepted = _run_files(auditor, _task(task), given, candidate, as_json)
    if not accepted:
        raise typer.Exit(EXIT_REJECTED)


class _Verifiers:
    """The verifier of the language, started when it is first needed; ``None`` where it is not installed."""

    def __init__(self, language: str, stack: ExitStack) -> None:
        self._language = language
        self._stack = stack
        self._asked = False
        self._verifier: Verifier | None = None

    def get(self) -> Verifier | None:
        if not self._asked:
            self._asked = True
            pool = self._stack.enter_context(Pool(PoolSettings(workers=1)))
            try:
                pool.identity(self._language)
            except UserError:
                return None
            self._verifier = pool_verifier(pool, self._language)
        return self._verifier


@dataclass(frozen=True, slots=True)
class _Auditor:
    language: Language
    verifiers: _Verifiers | None

    def audit(self, task: Task, given: str, candidate: str) -> tuple[AuditReport, bool]:
        """The report, and whether the verifier was asked for vacuous proofs."""
        report = check(self.language.name, task, given, candidate)
        verifier = self.verifiers.get() if self.verifiers and not report.findings else None
        if verifier is None:
            return report, False
        return AuditReport(vacuity_findings(self.language, task, given, candidate, verifier)), True


def _task(name: str | None) -> Task:
    known = ", ".join(t.value for t in Task)
    if name is None:
        raise UserError(f"name the task with --task: {known}")
    try:
        return Task(name)
    except ValueError:
        raise UserError(f"unknown task {name!r}; known: {known}") from None


def _run_files(auditor: _Auditor, task: Task, given: Path, candidate: Path, as_json: bool) -> bool:
    texts = read_program(given), read_program(candidate)
    report, asked = auditor.audit(task, *texts)
    if as_json:
        findings = [asdict(f) for f in report.findings]
        row = {"verdict": report.verdict, "findings": findings, "vacuity_checked": asked}
        typer.echo(json.dumps(row | {"unreadable": auditor.language.parse(texts[1]).error}))
    else:
        _show(Console(), auditor.language, report, asked, *texts)
    return report.verdict == "accept"


def _run_cases(auditor: _Auditor, folder: Path, as_json: bool) -> bool:
    console = Console()
    good = total = 0
    for name, case in _cases(auditor.language, folder):
        suffix = auditor.language.suffix
        given = read_program(folder / f"{name}.given{suffix}")
        candidate = read_program(folder / f"{name}.candidate{suffix}")
        report, asked = auditor.audit(_task(case.get("task")), given, candidate)
        expected = case.get("expected")
        total += 1
        good += report.verdict == expected
        if as_json:
            row = {"name": name, "expected": expected, "verdict": report.verdict, "vacuity_checked": asked}
            typer.echo(json.dumps(row | {"findings": [asdict(f) for f in report.findings]}))
        elif report.verdict != expected:
            console.print(Text(f"{name}: {report.verdict}, expected {expected}", style="red"))
            for finding in report.findings:
                console.print(Text(f"  line {finding.line}: {finding.message}"))
    if total == 0:
        raise UserError(f"no {auditor.language.name} cases in {folder}: it needs NAME.json with a language and files")
    if not as_json:
        console.print(f"{good} of {total} cases as expected", highlight=False)
    return good == total


def _cases(language: Language, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder of cases")
    for path in sorted(folder.glob("*.json")):
        try:
            case = json.loads(read_program(path))
        except json.JSONDecodeError as error:
            raise UserError(f"{path} is not JSON: {error}") from None
        if isinstance(case, dict) and case.get("language") == language.name:
            yield path.stem, case


def _show(console: Console, language: Language, report: AuditReport, asked: bool, given: str, candidate: str) -> None:
    console.print(Text(report.verdict, style=_VERDICT_STYLES[report.verdict]))
    for finding in report.findings:
        style = "red" if finding.kind is FindingKind.PROOF else "yellow"
        console.print(Text.assemble((f"line {finding.line}", "bold"), ": ", (finding.message, style)))
        console.print(Text(f"    {finding.advice}", style="dim"))
    changed = dict.fromkeys(f.declaration for f in report.findings if f.kind is FindingKind.SPECIFICATION)
    before, after = language.parse(given).by_path, language.parse(candidate).by_path
    for path in changed:
        if path in before and path in after:
            old, new = before[path].span, after[path].span
            _show_difference(console, given[old.start : old.end], candidate[new.start : new.end])
    if error := language.parse(candidate).error:
        console.print(Text(f"the candidate cannot be read in full ({error}): it does not count as verified", "yellow"))
    if not asked and report.verdict == "accept":
        console.print("the verifier was not asked whether the proof is vacuous", style="dim")


def _show_difference(console: Console, given: str, candidate: str) -> None:
    lines = difflib.unified_diff(given.splitlines(), candidate.splitlines(), "given", "candidate", lineterm="", n=2)
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in lines:
        console.print(Text(line, style=styles.get(line[:1], "")))
