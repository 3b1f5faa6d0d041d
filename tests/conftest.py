"""Fixtures that several rooms' tests share."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of public benchmarks and recorded output; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("VERULAW_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no benchmark data at {folder}; set VERULAW_DATA to the folder that holds it")
    return folder


@pytest.fixture(scope="session")
def repository() -> Path:
    """Top of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session", autouse=True)
def _own_verdict_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test is answered from, or writes to, the user's cache of verdicts."""
    os.environ["VERULAW_CACHE"] = str(tmp_path_factory.mktemp("verdicts"))
