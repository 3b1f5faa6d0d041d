import pytest

from verulaw_rl.cli import progress
from verulaw_rl.cli.progress import progress_bar

pytestmark = pytest.mark.unit


def test_lines_say_how_much_is_left(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with progress_bar("Evaluating") as show:
        show(20, 100)  # a resumed run: these took no time of this one
        now = 60.0
        show(40, 100)
        now = 240.0
        show(100, 100)
    assert capsys.readouterr().err.splitlines() == ["Evaluating: 40/100, about 3 min left", "Evaluating: 100/100"]
