import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from verulaw_rl.cli.main import build_app
from verulaw_rl.config.endpoint import EndpointConfig
from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.config.evaluate import BudgetConfig
from verulaw_rl.config.train import SmallPolicy
from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.episodes.record import EpisodeRecord, dump_record
from verulaw_rl.episodes.registration import load_environment
from verulaw_rl.episodes.services import RunResult, Services
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.evaluate import Budget, evaluate
from verulaw_rl.evaluation.policies import find_policy, model_version
from verulaw_rl.evaluation.run_folder import read_records
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.evidence.reward import load_reward
from verulaw_rl.languages.base import Task
from verulaw_rl.suites.bundled import bundled_suite
from verulaw_rl.suites.instance import Instance, Suite, save_suite
from verulaw_rl.suites.splits import EVALUATION

unit = pytest.mark.unit
tool = pytest.mark.tool

SETTINGS = EpisodeConfig(turns=1)
DOUBLE = """\
method Double(n: nat) returns (s: nat)
  ensures s == 2 * n
{
  s := 0;
  var i := 0;
  while i < n
    invariant i <= n && s == 2 * i
  {
    s := s + 2;
    i := i + 1;
  }
}
"""
PROGRAMS = {"double.dfy": DOUBLE, "triple.dfy": DOUBLE.replace("Double", "Triple").replace("2", "3")}


class Recorder:
    """Answers of a verifier by instance, and which instances were asked for."""

    def __init__(self, evidence: Callable[..., Evidence], outcomes: dict[str, str]) -> None:
        self.asked: list[str] = []
        self.outcomes = outcomes
        self._evidence = evidence

    def services(self) -> Services:
        def collect(instance: Instance, program: str) -> Evidence:
            self.asked.append(instance.key)
            return self._evidence(instance.key, self.outcomes[instance.key])

        return Services(
            collect=collect,
            audit=lambda instance, program: (),
            execute=lambda instance, program, calls: RunResult(True, ""),
            reward=load_reward("rewards/binary.py"),
        )


@pytest.fixture
def environment() -> type[ProofEnv]:
    return load_environment("envs/annotation_repair.py")


@pytest.fixture
def recorder(evidence: Callable[..., Evidence]) -> Recorder:
    return Recorder(evidence, {"a": "verified", "b": "failed", "c": "error"})


@pytest.fixture
def run(
    tmp_path: Path, environment: type[ProofEnv], recorder: Recorder, instance: Callable[..., Instance]
) -> Callable[..., list[EpisodeRecord]]:
    def call(keys: str = "abc", policy: str = "scripted:reference", **changed: Any) -> list[EpisodeRecord]:
        options: dict[str, Any] = {"settings": SETTINGS, "out": tmp_path / "rows.jsonl", **changed}
        player = find_policy(policy, options["settings"])
        return evaluate(player, environment, [instance(k) for k in keys], services=recorder.services(), **options)

    return call


@unit
def test_every_instance_and_sample_gives_a_row(run: Callable[..., list[EpisodeRecord]], tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    records = run("ab", samples=2, progress=lambda done, total: seen.append((done, total)))
    assert [(r.instance, r.sampling["sample"], r.verified) for r in records] == [
        ("a", 0, True),
        ("a", 1, True),
        ("b", 0, False),
        ("b", 1, False),
    ]
    assert sorted(seen) == [(n, 4) for n in range(5)]
    assert len(read_records(tmp_path / "rows.jsonl")) == 4


@unit
def test_resume_plays_what_is_missing_cut_off_or_unscorable(
    run: Callable[..., list[EpisodeRecord]], recorder: Recorder, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    first = run()
    assert [r.reward for r in first] == [1.0, 0.0, None]
    kept = dump_record(first[0])
    rows.write_text(kept + "\n" + dump_record(first[2]) + "\n" + dump_record(first[1])[:50])
    recorder.asked.clear()
    recorder.outcomes["c"] = "verified"
    again = run()
    assert sorted(recorder.asked) == ["b", "c"]
    assert [r.reward for r in again] == [1.0, 0.0, 1.0]
    assert sorted(r.instance for r in read_records(rows)) == ["a", "b", "c"]
    assert rows.read_text().splitlines()[0] == kept
    recorder.asked.clear()
    assert run() == again
    assert recorder.asked == []


@unit
def test_fewer_instances_lose_no_rows(run: Callable[..., list[EpisodeRecord]], tmp_path: Path) -> None:
    run("ab")
    assert [r.instance for r in run("b")] == ["b"]
    assert len(read_records(tmp_path / "rows.jsonl")) == 2


@unit
@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"policy": "scripted:given"}, "policy 'reference'"),
        ({"settings": EpisodeConfig(turns=2)}, "other episode settings"),
        ({"temperature": 1.0}, r"temperature 0\.0"),
    ],
)
def test_episodes_played_otherwise_are_not_mixed(
    run: Callable[..., list[EpisodeRecord]], changed: dict[str, Any], says: str
) -> None:
    run("a")
    with pytest.raises(UserError, match=says):
        run("a", **changed)


@unit
def test_nothing_to_evaluate(run: Callable[..., list[EpisodeRecord]]) -> None:
    with pytest.raises(UserError, match="nothing to evaluate"):
        run("")


@unit
def test_what_is_no_policy(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match="no scripted policy 'best'; there are: reference, given, null, random, insertions, houdini"
    ):
        find_policy("scripted:best", SETTINGS)
    with pytest.raises(UserError, match="no model folder"):
        find_policy(str(tmp_path / "missing"), SETTINGS)
    with pytest.raises(UserError, match=r"no config\.json"):
        find_policy(str(tmp_path), SETTINGS)


@unit
def test_model_version_is_of_the_weights(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"1")
    first = model_version(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    assert model_version(tmp_path) == first
    (tmp_path / "model.safetensors").write_bytes(b"2")
    assert model_version(tmp_path) != first


@pytest.mark.train
def test_a_model_folder_is_a_policy(run: Callable[..., list[EpisodeRecord]], tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed: pip install -e .[train]")
    from verulaw_rl.training.small_policy import create_small_policy

    tiny = SmallPolicy(hidden_size=32, intermediate_size=64, layers=1, heads=2, vocabulary=300, context_tokens=512)
    create_small_policy(tiny, [DOUBLE], tmp_path / "model", seed=0)
    settings = EpisodeConfig(turns=1, prompt="compact", hand_in="insertions")
    records = run("ab", policy=str(tmp_path / "model"), settings=settings, max_turn_tokens=16)
    assert [r.policy_version for r in records] == [model_version(tmp_path / "model")] * 2
    assert all(0 < r.tokens["sampled"] <= 16 for r in records)
    again = run(
        "ab", policy=str(tmp_path / "model"), settings=settings, max_turn_tokens=16, out=tmp_path / "again.jsonl"
    )
    assert [r.turns[0].text for r in again] == [r.turns[0].text for r in records]


def row_of(record: EpisodeRecord, sampled: int, prompt: int = 0) -> EpisodeRecord:
    return replace(record, tokens={"sampled": sampled, "billed_prompt": prompt})


@unit
def test_a_budget_counts_tokens_and_their_price(record: Callable[..., EpisodeRecord]) -> None:
    endpoint = EndpointConfig(input_price=2.0, output_price=10.0)
    budget = Budget(BudgetConfig(cost=0.05), endpoint)
    budget.add(row_of(record("a", "failed"), 1000, 10_000))
    assert (budget.cost, budget.spent) == (pytest.approx(0.03), None)  # 10,000 * 2 and 1,000 * 10 per million
    budget.add(row_of(record("b", "failed"), 1000, 10_000))
    assert budget.spent == "0.06 was spent"
    assert Budget(BudgetConfig(hours=1e-15), EndpointConfig()).spent == "1e-15 hours have passed"


@unit
def test_a_spent_budget_begins_no_episode_and_resume_goes_on(
    run: Callable[..., list[EpisodeRecord]], recorder: Recorder, record: Callable[..., EpisodeRecord]
) -> None:
    budget = Budget(BudgetConfig(sampled_tokens=10), EndpointConfig())
    budget.add(row_of(record("z", "failed"), 9))
    assert len(run("ab", budget=budget)) == 2
    budget.add(row_of(record("z", "failed"), 1))
    assert [r.instance for r in run("abc", budget=budget)] == ["a", "b"]
    assert recorder.asked.count("c") == 0
    assert [r.instance for r in run("abc")] == ["a", "b", "c"]


@unit
def test_finished_rows_are_in_the_order_of_the_instances(
    run: Callable[..., list[EpisodeRecord]], tmp_path: Path
) -> None:
    run("cab", samples=2, at_once=3)
    rows = read_records(tmp_path / "rows.jsonl")
    assert [(r.instance, r.sampling["sample"]) for r in rows] == [(k, s) for k in "cab" for s in (0, 1)]


@unit
def test_set_replaces_values_of_the_config(tmp_path: Path) -> None:
    words = ("evaluate", "--policy", "scripted:null", "--suite", "seed", "--limit", "2", "--out", tmp_path / "out")
    done = command(*words, "--json", "--set", "episode.environment=envs/code_generation.py", "--set", "episode.turns=3")
    assert done.exit_code == 0, done.output
    rows = read_records(tmp_path / "out" / "evaluation.jsonl")
    assert {(r.task, r.settings.turns) for r in rows} == {(Task.CODE_GENERATION, 3)}
    wrong = command(*words[:-1], tmp_path / "other", "--set", "episode.turn=3")
    assert "episode.turn" in wrong.stderr
    assert "leave --set out" in command("evaluate", "--out", tmp_path / "out", "--resume", "--set", "seed=1").stderr


@unit
def test_a_suite_for_evaluation_has_one_split(tmp_path: Path) -> None:
    instances = bundled_suite(Task.ANNOTATION_REPAIR).instances[:3]
    whole = Suite("humaneval-dafny-v1", tuple(replace(i, split=EVALUATION) for i in instances))
    save_suite(whole, tmp_path / "suite.jsonl")
    words = ("evaluate", "--policy", "scripted:null", "--suite", tmp_path / "suite.jsonl", "--out", tmp_path / "out")
    done = command(*words, "--json")
    assert done.exit_code == 0, done.output
    assert (json.loads(done.stdout)["split"], json.loads(done.stdout)["instances"]) == (EVALUATION, 3)


NULL = ("evaluate", "--policy", "scripted:null", "--suite", "seed", "--samples", "100")
CODE = "from verulaw_rl.cli.main import main; main()"


@unit
def test_a_killed_evaluation_loses_at_most_what_was_under_way(tmp_path: Path) -> None:
    rows = tmp_path / "out" / "evaluation.jsonl"
    running = subprocess.Popen([sys.executable, "-c", CODE, *NULL, "--out", str(tmp_path / "out")])
    deadline = time.monotonic() + 60
    while not (rows.is_file() and rows.stat().st_size > 100_000) and time.monotonic() < deadline:
        time.sleep(0.005)
    running.kill()
    assert running.wait() == -signal.SIGKILL
    kept = read_records(rows)
    total = 100 * len(bundled_suite(Task.ANNOTATION_REPAIR).split("heldout"))
    assert 0 < len(kept) < total
    # Episodes begin in order; those that had begun are the kept ones and at most 64 more.
    order = [i.key for i in bundled_suite(Task.ANNOTATION_REPAIR).split("heldout")]
    begun = {(key, sample) for key in order for sample in range(100)}
    first = [(key, sample) for key in order for sample in range(100)][: len(kept) + 64]
    assert {(r.instance, r.sampling["sample"]) for r in kept} <= set(first) & begun
    again = command("evaluate", "--out", tmp_path / "out", "--resume", "--json")
    assert json.loads(again.stdout)["episodes"] == total
    assert set(map(dump_record, kept)) <= set(rows.read_text().splitlines())


@unit
def test_a_full_disk_loses_nothing_that_was_written(tmp_path: Path) -> None:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        pytest.skip("bubblewrap is not installed: apt-get install bubblewrap")
    keep = "cp -r /full/out/. /kept/"
    words = " ".join([sys.executable, "-c", f"'{CODE}'", *NULL, "--out", "/full/out"])
    box = [bwrap, "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--size", str(1 << 20), "--tmpfs", "/full"]
    (tmp_path / "kept").mkdir()
    box += ["--bind", str(tmp_path / "kept"), "/kept", "sh", "-c", f"{words}; status=$?; {keep}; exit $status"]
    done = subprocess.run(box, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    if "bwrap:" in done.stderr:
        pytest.skip(f"bubblewrap cannot make a small disk here: {done.stderr.strip()}")
    assert done.returncode == 2, done.stderr
    assert "disk is full" in done.stderr
    assert "Traceback" not in done.stderr
    kept = read_records(tmp_path / "kept" / "evaluation.jsonl")
    assert len(kept) > 50
    again = command("evaluate", "--out", tmp_path / "kept", "--resume", "--json")
    assert again.exit_code == 0, again.output
    assert set(map(dump_record, kept)) <= set((tmp_path / "kept" / "evaluation.jsonl").read_text().splitlines())


def command(*words: str | Path) -> Result:
    return CliRunner().invoke(build_app(str(words[0])), [str(word) for word in words])


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The reference policy over two programs that the installed Dafny built: folder, and what was printed."""
    folder = tmp_path_factory.mktemp("evaluated")
    (folder / "programs").mkdir()
    for name, text in PROGRAMS.items():
        (folder / "programs" / name).write_text(text)
    suite = folder / "suite.jsonl"
    task = ("--task", "annotation_repair", "--heldout-share", "0")
    built = command("build", "--from", folder / "programs", "--out", suite, *task, "--json")
    assert json.loads(built.stdout)["instances"] == 2, built.output
    options = ("--suite", suite, "--split", "train", "--out", folder / "out", "--json")
    done = command("evaluate", "--policy", "scripted:reference", *options)
    assert done.exit_code == 0, done.output
    return folder, json.loads(done.stdout)


@tool
def test_the_reference_scores_full_marks(evaluated: tuple[Path, dict[str, Any]]) -> None:
    folder, said = evaluated
    assert said["metrics"]["verified_and_probes"]["value"] == 1.0
    assert said["metrics"]["reward"]["value"] == 3.0
    assert said["warnings"] == []
    assert said["tools"][0].startswith("dafny ")
    assert {"config.yaml", "versions.json", "suite.jsonl", "evaluation.jsonl", "report.html"} == {
        path.name for path in (folder / "out").iterdir()
    }


@tool
def test_a_folder_is_never_overwritten(evaluated: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = evaluated
    before = (folder / "out" / "evaluation.jsonl").read_bytes()
    done = command("evaluate", "--policy", "scripted:null", "--suite", folder / "suite.jsonl", "--out", folder / "out")
    assert done.exit_code == 2
    assert "is there already" in done.stderr
    assert (folder / "out" / "evaluation.jsonl").read_bytes() == before


@tool
def test_resume_takes_only_the_folder(evaluated: tuple[Path, dict[str, Any]]) -> None:
    folder, said = evaluated
    rows = folder / "out" / "evaluation.jsonl"
    rows.write_text(rows.read_text().splitlines()[0] + "\n")
    again = command("evaluate", "--out", folder / "out", "--resume", "--json")
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["metrics"] == said["metrics"]
    mixed = command("evaluate", "--out", folder / "out", "--resume", "--samples", "2")
    assert mixed.exit_code == 2
    assert "--resume continues with the settings in the folder" in mixed.stderr


@tool
def test_seeds_and_the_published_rule_can_be_asked_for_later(evaluated: tuple[Path, dict[str, Any]]) -> None:
    folder, said = evaluated
    assert (said["stability"], said["official"]) == (None, None)
    later = shutil.copytree(folder / "out", folder / "later")
    done = command("evaluate", "--out", later, "--resume", "--verdict-seeds", "2", "--official", "--json")
    assert done.exit_code == 0, done.output
    again = json.loads(done.stdout)
    assert again["metrics"] == said["metrics"]
    assert (again["stability"]["programs"], again["stability"]["seeds"]) == (2, 2)
    assert again["stability"]["all_hold"]["value"] == 1.0
    assert again["official"]["official"]["value"] == again["official"]["strict"]["value"] == 1.0
    assert again["official"]["differ"] == []
    page = (later / "report.html").read_text()
    assert "Under other seeds of the solver" in page
    assert "published rule beside ours" in page


@tool
def test_report_command(evaluated: tuple[Path, dict[str, Any]]) -> None:
    folder, said = evaluated
    done = command("report", folder / "out", "--json")
    assert json.loads(done.stdout)["evaluations"]["evaluation"]["metrics"] == said["metrics"]
    assert json.loads(done.stdout)["difference"] is None


@tool
def test_an_interrupted_evaluation_continues(evaluated: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = evaluated
    # From the cache it would be over before it is interrupted.
    (folder / "short.yaml").write_text("episode: {turns: 1}\nverification: {cache: off}\n")
    rows = folder / "cut" / "evaluation.jsonl"
    words = ["evaluate", "--policy", "scripted:random", "--suite", folder / "suite.jsonl", "--split", "train"]
    words += ["--samples", "40", "--config", folder / "short.yaml", "--out", folder / "cut"]
    code = "from verulaw_rl.cli.main import main; main()"
    # A shell in the background has its children ignore Ctrl-C; this one is to hear it all the same.
    code = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {code}"
    running = subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not (rows.is_file() and rows.read_bytes()) and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    kept = rows.read_text().splitlines()
    assert running.returncode == 130
    assert "Traceback" not in said
    assert f"of 80 episodes; continue with `verulaw-rl evaluate --out {folder / 'cut'} --resume`" in said
    assert 0 < len(kept) < 80
    again = command("evaluate", "--out", folder / "cut", "--resume", "--json")
    assert json.loads(again.stdout)["episodes"] == 80
    assert set(kept) <= set(rows.read_text().splitlines())
