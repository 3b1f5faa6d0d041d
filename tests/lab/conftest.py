"""Four groups of eight real training episodes (Dafny 2.3.0), with the suite that they were played on."""

from pathlib import Path

import pytest

RUN = Path(__file__).parent / "data" / "run"


@pytest.fixture
def run() -> Path:
    return RUN
