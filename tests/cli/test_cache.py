"""``verulaw-rl cache`` in front of a cache that a pool filled."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from verulaw_rl.config.verification import VerificationConfig
from verulaw_rl.evidence.live import open_pool
from verulaw_rl.verification.cache import MemoryCache, VerdictCache
from verulaw_rl.verification.disk_cache import FILE, DiskCache
from verulaw_rl.verification.verdict import Status, ToolIdentity, Verdict

pytestmark = pytest.mark.unit


def call(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from verulaw_rl.cli.main import main; main()", "cache", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_stats_and_clear(tmp_path):
    cache = DiskCache(tmp_path / FILE, 2**20)
    cache.put("ab" * 32, Verdict(Status.VERIFIED, (), True, ToolIdentity("dafny", "2.3.0", "z3 4.8.5")))
    stats = json.loads(call("stats", "--path", tmp_path, "--json").stdout)
    assert (stats["path"], stats["entries"]) == (str(tmp_path / FILE), 1)
    assert call("clear", "--path", tmp_path).stdout == f"{tmp_path / FILE}: 1 removed\n"
    assert cache.get("ab" * 32) is None
    assert "0 verdicts" in call("stats", "--path", tmp_path).stdout


def test_misuse(tmp_path):
    assert call("burn").returncode == 2
    (tmp_path / FILE).write_bytes(b"x" * 5000)
    done = call("stats", "--path", tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "verulaw-rl cache clear" in done.stderr
    assert call("clear", "--path", tmp_path).returncode == 0
    assert not (tmp_path / FILE).exists()


def cache_of(**config: object) -> VerdictCache:
    with open_pool(VerificationConfig.model_validate({"sandbox": "none", **config})) as pool:
        return pool._cache


def test_a_run_says_where(tmp_path, monkeypatch):
    named = cache_of(cache={"path": str(tmp_path / "here"), "size_mb": 1})
    assert isinstance(named, DiskCache)
    assert named.path == tmp_path / "here" / FILE
    monkeypatch.setenv("VERULAW_CACHE", str(tmp_path / "default"))
    default = cache_of()
    assert isinstance(default, DiskCache)
    assert default.path == tmp_path / "default" / FILE
    for off in ("off", False):
        assert isinstance(cache_of(cache=off), MemoryCache)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VERULAW_CACHE", str(tmp_path / "file"))
    assert isinstance(cache_of(), MemoryCache)  # a default that cannot be is no reason to stop
