import pytest
import yaml
from typer.testing import CliRunner

from verulaw_rl.cli.main import build_app
from verulaw_rl.config.train import TrainConfig

pytestmark = pytest.mark.unit


def invoke(*arguments: str) -> str:
    result = CliRunner().invoke(build_app("train"), ["train", *arguments], catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output if result.exit_code == 0 else result.stderr


def test_a_dry_run_prints_what_would_run() -> None:
    out = invoke("configs/quickstart.yaml", "--dry-run", "--set", "grpo.updates=3", "--set", "name=trial")
    config = TrainConfig.model_validate(yaml.safe_load(out))
    assert (config.grpo.updates, config.name) == (3, "trial")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give a config"),
        (("configs/quickstart.yaml", "--resume", "x"), "give a config"),
        (("--resume", "x", "--set", "seed=1"), "--resume continues"),
        (("configs/quickstart.yaml", "--set", "grpo.update=3"), "unknown key 'grpo.update'"),
        (("configs/quickstart.yaml", "--set", "seed"), "must read key=value"),
        (("configs/nonesuch.yaml",), "no file"),
        (("--resume", "nonesuch"), "cannot read config"),
    ],
)
def test_misuse_is_said_in_one_line(arguments: tuple[str, ...], message: str) -> None:
    out = invoke(*arguments)
    assert message in " ".join(out.split())
    assert "Traceback" not in out
