"""build, validate and score on a folder of two programs, live."""

import importlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.programs import COUNT_UP
from verulaw_rl.cli.main import build_app
from verulaw_rl.errors import EXIT_MISUSE
from verulaw_rl.suites.instance import load_suite
from verulaw_rl.verification.verdict import Status

pytestmark = pytest.mark.tool


def run(command: str, *arguments: str):
    return CliRunner().invoke(build_app(command), [command, *arguments])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("programs")
    (folder / "good.dfy").write_text(COUNT_UP)
    (folder / "wrong.dfy").write_text(COUNT_UP.replace("i == n\n", "i == n + 1\n"))
    (folder / "latin.dfy").write_bytes("// caf\u00e9\n".encode("latin-1"))
    out = folder / "suite.jsonl"
    result = run("build", "--language", "dafny", "--from", str(folder), "--out", str(out), "--json")
    assert result.exit_code == 0, result.output
    return out, json.loads(result.stdout)


def test_build_counts_and_gives_reasons(built: tuple[Path, dict]):
    out, said = built
    assert said["by_task"] == {"annotation_repair": 1, "code_generation": 1}
    reasons = {(r["program"], r["task"]): r["reason"] for r in said["rejected"]}
    assert reasons == {
        ("wrong", "annotation_repair"): "reference: failed",
        ("wrong", "code_generation"): "reference: failed",
        ("latin", None): "unreadable",
    }
    assert len(load_suite(out).instances) == said["instances"] == 2


def test_validate_finds_no_problem(built: tuple[Path, dict]):
    result = run("validate", str(built[0]), "--json")
    assert result.exit_code == 0, result.output
    *rows, summary = map(json.loads, result.stdout.splitlines())
    assert summary["problems"] == 0
    assert [row["reference"] for row in rows] == [3.0, 3.0]
    # null and, in code generation, nothing else lacks the contract: a changed specification
    assert all(row["null"] < 0 and row["given"] < 1 for row in rows)


def test_score_gives_evidence_and_score(built: tuple[Path, dict], tmp_path: Path):
    suite = load_suite(built[0])
    key = next(i.key for i in suite.instances if i.task == "annotation_repair")
    candidate = tmp_path / "candidate.dfy"
    candidate.write_text(COUNT_UP)
    result = run("score", "--suite", str(built[0]), "--instance", key, str(candidate), "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said["score"]["total"] == 3.0
    assert said["evidence"]["verified"] is True
    candidate.write_text(COUNT_UP.replace("    invariant i <= n\n", "    invariant i < n\n"))
    said = json.loads(run("score", "--suite", str(built[0]), "--instance", key, str(candidate), "--json").stdout)
    assert said["score"]["outcome"] == "partial"
    assert said["evidence"]["status"] == "failed"


def test_a_build_that_was_stopped_goes_on(built: tuple[Path, dict], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    build = importlib.import_module("verulaw_rl.cli.build")
    out = tmp_path / "suite.jsonl"
    arguments = ("--from", str(built[0].parent), "--out", str(out), "--json")
    calls: list[str] = []
    whole = build.build_suite

    def stopped(*positional, **named):
        whole(*positional, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "build_suite", stopped)
    result = run("build", *arguments)
    assert result.exit_code != 0
    assert out.with_name("suite.jsonl.part").exists()
    assert not out.exists()

    def counted(name, language, programs, tasks, verify, **named):
        return whole(name, language, programs, tasks, lambda p: calls.append(p) or verify(p), **named)

    monkeypatch.setattr(build, "build_suite", counted)
    assert json.loads(run("build", *arguments).stdout)["instances"] == 2
    assert calls == []
    assert out.read_text() == built[0].read_text()
    assert not out.with_name("suite.jsonl.part").exists()


def test_a_failing_verifier_is_no_verdict_on_a_program(
    built: tuple[Path, dict], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    build = importlib.import_module("verulaw_rl.cli.build")
    out = tmp_path / "suite.jsonl"
    arguments = ("--from", str(built[0].parent), "--out", str(out), "--json")
    whole = build.build_suite

    def failing(name, language, programs, tasks, verify, **named):
        def fault(program: str):
            verdict = verify(program)
            return replace(verdict, status=Status.ERROR) if "n + 1" in program else verdict

        return whole(name, language, programs, tasks, fault, **named)

    monkeypatch.setattr(build, "build_suite", failing)
    result = run("build", *arguments)
    assert result.exit_code == EXIT_MISUSE
    assert "failed on 1 programs (wrong" in result.stderr
    monkeypatch.undo()
    said = json.loads(run("build", *arguments).stdout)
    assert {r["reason"] for r in said["rejected"]} == {"reference: failed", "unreadable"}
