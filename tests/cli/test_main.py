"""The command line as a whole: what it imports, and that bad input is one line and exit status 2."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from verulaw_rl.cli.main import COMMANDS, _errors_in_one_line, build_app
from verulaw_rl.errors import UserError

pytestmark = pytest.mark.unit

MAIN = "import sys; from verulaw_rl.cli.main import main; sys.argv[0] = 'verulaw-rl'; "


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(build_app(str(words[0])), [str(word) for word in words])


def test_help_lists_every_command_and_imports_none_of_them() -> None:
    code = (
        "import sys; from verulaw_rl.cli.main import main; sys.argv = ['verulaw-rl', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('torch', 'scipy', 'matplotlib', 'gymnasium', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    for name in COMMANDS:
        assert name in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_without_a_model(name: str) -> None:
    done = run(name, "--help")
    assert done.exit_code == 0, done.output
    assert "--help" in done.output


def test_unknown_command_is_misuse() -> None:
    done = run("prove")
    assert done.exit_code == 2
    assert "No such command 'prove'" in done.output


@pytest.fixture
def stopped(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Exit status and stderr of something that fails inside the boundary."""

    def call(error: BaseException) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stop, _errors_in_one_line():
            raise error
        return stop.value.code, capsys.readouterr().err  # type: ignore[return-value]

    return call


def test_errors_of_users_are_one_line(stopped) -> None:  # type: ignore[no-untyped-def]
    assert stopped(UserError("no such\n  thing")) == (2, "verulaw-rl: error: no such thing\n")
    assert stopped(KeyboardInterrupt()) == (130, "verulaw-rl: interrupted\n")
    assert stopped(KeyboardInterrupt("continue with x")) == (130, "verulaw-rl: continue with x\n")
    status, said = stopped(ModuleNotFoundError("No module named 'trl'", name="trl.trainer"))
    assert (status, said.count("\n")) == (2, 1)
    assert "pip install 'verulaw_rl[train]'" in said


def test_a_full_disk_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop, _errors_in_one_line(), Path("/dev/full").open("w") as full:
        full.write("x" * 100_000)
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert "the disk is full" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("fault", [ValueError("ours"), ModuleNotFoundError("x", name="x"), PermissionError(13, "no")])
def test_faults_of_ours_keep_their_traceback(fault: Exception) -> None:
    with pytest.raises(type(fault)), _errors_in_one_line():
        raise fault


def test_interrupt_inside_a_command_reaches_the_boundary() -> None:
    code = (
        "import sys, types\n"
        "def report_command() -> None: raise KeyboardInterrupt\n"
        "sys.modules['verulaw_rl.cli.report'] = types.SimpleNamespace(report_command=report_command)\n"
        "sys.argv = ['verulaw-rl', 'report']\n"
        "from verulaw_rl.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "verulaw-rl: interrupted\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "garbage.jsonl").write_text("{}\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "typo.yaml").write_text("episode: {turn: 3}\n")
    (tmp_path / "train-typo.yaml").write_text("suite: {type: seed}\npolicy: {type: small}\ngrpo: {update: 3}\n")
    (tmp_path / "latin.dfy").write_bytes(b"// caf\xe9\n")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text('{"model_type": "nonsense"}')
    return tmp_path


SCRIPTED = ("--policy", "scripted:null", "--out", "OUT")
BAD_INPUT = {
    "unknown config key": (("evaluate", *SCRIPTED, "--config", "typo.yaml"), "unknown key 'episode.turn'"),
    "missing config": (("evaluate", *SCRIPTED, "--config", "missing.yaml"), "cannot read config"),
    "missing suite": (("evaluate", *SCRIPTED, "--suite", "missing.jsonl"), "cannot read suite"),
    "empty suite": (("evaluate", *SCRIPTED, "--suite", "empty.jsonl"), "is empty"),
    "no suite": (("evaluate", *SCRIPTED, "--suite", "garbage.jsonl"), "not an instance"),
    "no policy": (("evaluate", "--out", "OUT"), "no policy to evaluate"),
    "nothing to resume": (("evaluate", "--out", "OUT", "--resume"), "no evaluation to resume"),
    "report of nothing": (("report", "missing"), "no folder"),
    "report of no run": (("report", "empty"), "is no run folder"),
    "validate an empty suite": (("validate", "empty.jsonl"), "is empty"),
    "score under a missing suite": (
        ("score", "latin.dfy", "--suite", "missing.jsonl", "--instance", "x"),
        "cannot read suite",
    ),
    "build from an empty folder": (("build", "--from", "empty", "--out", "OUT"), "holds no .dfy file"),
    "train on a missing config": (("train", "missing.yaml"), "missing.yaml"),
    "train with an unknown key": (("train", "train-typo.yaml"), "unknown key 'grpo.update'"),
    "resume a missing run": (("train", "--resume", "missing"), "missing"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_one_line(case: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words, says = BAD_INPUT[case]
    monkeypatch.chdir(folder)
    done = run(*words)
    assert done.exit_code == 2, done.output
    assert says in done.stderr
    assert done.stderr.startswith("verulaw-rl: error: ")
    assert done.stderr.count("\n") == 1
    assert not (folder / "OUT").exists()


@pytest.mark.parametrize(("file", "says"), [("latin.dfy", "not UTF-8"), ("missing.dfy", "cannot read")])
def test_unreadable_programs_have_a_verdict(file: str, says: str, folder: Path) -> None:
    done = run("verify", folder / file)
    assert done.exit_code == 1
    assert says in done.output
    assert done.output.count("\n") == 1


@pytest.mark.parametrize(("model", "says"), [("missing", "no model folder"), ("empty", "no config.json")])
def test_what_is_no_model_is_one_line(model: str, says: str, folder: Path, seed_suite: Path) -> None:
    done = run("evaluate", "--policy", folder / model, "--suite", seed_suite, "--out", folder / "OUT")
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_broken_model_is_one_line(folder: Path, seed_suite: Path) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed: pip install -e .[train]")
    done = run("evaluate", "--policy", folder / "model", "--suite", seed_suite, "--out", folder / "OUT")
    assert done.exit_code == 2
    assert "cannot load a model from" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.fixture
def seed_suite() -> Path:
    from verulaw_rl.suites.bundled import BUNDLED

    return BUNDLED
