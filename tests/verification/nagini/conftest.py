"""One warm Nagini for the tests of this folder: its start costs 20 seconds of CPU."""

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.verification.nagini.find import find_nagini
from verulaw_rl.verification.pool import Pool, PoolSettings


@pytest.fixture(scope="session")
def nagini():
    """The installed tool; skipped, saying how to get it, where there is none."""
    try:
        return find_nagini()
    except UserError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def pool(nagini):
    with Pool(PoolSettings(workers=1, cache_entries=0)) as pool:
        yield pool
