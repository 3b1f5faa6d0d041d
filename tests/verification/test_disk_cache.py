"""Verdicts on disk: the same as were put, bounded, shared by processes, and a damaged file is made anew."""

import multiprocessing
import os
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Category
from verulaw_rl.verification.disk_cache import (
    FILE,
    DiskCache,
    cache_stats,
    clear_cache,
    default_path,
    file_system,
)
from verulaw_rl.verification.verdict import (
    DeclarationOutcome,
    Diagnostic,
    Location,
    Related,
    Status,
    Times,
    ToolIdentity,
    Verdict,
)

pytestmark = pytest.mark.unit

MIB = 2**20


def verdict(message: str = "2 verified, 1 error") -> Verdict:
    related = (Related(Location(3, 4), "This is the postcondition that might not hold."),)
    return Verdict(
        Status.FAILED,
        (Diagnostic(Category.POSTCONDITION, "error", Location(7, 2), "might not hold", "M.é", "x < y", "k", related),),
        True,
        ToolIdentity("dafny", "2.3.0", "z3 4.8.5", ("/compile:0",)),
        (DeclarationOutcome("M.é", "body", "failed", 3),),
        2,
        1,
        message,
        sandbox="bwrap",
        times=Times(0.1, 0.2, 0.3),
    )


def key(number: int) -> str:
    return f"{number:064x}"


def test_what_is_put_comes_back_over_a_restart(tmp_path):
    first = DiskCache(tmp_path / FILE, 100 * MIB)
    assert first.get(key(1)) is None
    first.put(key(1), verdict())
    first.close()
    kept = DiskCache(tmp_path / FILE, 100 * MIB).get(key(1))
    assert kept == verdict()
    assert kept is not None
    assert kept.times == Times(0.1, 0.2, 0.3)
    stats = cache_stats(tmp_path / FILE)
    assert stats.entries == 1
    assert 0 < stats.bytes <= 64 * 1024


def test_half_a_character_is_not_kept(tmp_path):
    cache = DiskCache(tmp_path / FILE, 100 * MIB)
    cache.put(key(1), verdict("\ud800"))
    assert cache.get(key(1)) is None


def test_it_stays_within_its_size_and_drops_what_was_not_used(tmp_path, monkeypatch):
    cache = DiskCache(tmp_path / FILE, 1 * MIB)
    now = time.time()
    for n in range(400):
        # Each a little over 4 KiB that does not compress: four hundred need more than the megabyte.
        monkeypatch.setattr(time, "time", lambda n=n: now + n * 1000)
        cache.put(key(n), verdict(os.urandom(4096).hex()))
        assert cache.get(key(0)) is not None  # used all the time
    stats = cache_stats(tmp_path / FILE)
    assert stats.bytes <= 1.02 * MIB
    assert 100 < stats.entries < 300
    assert cache.get(key(399)) is not None
    assert cache.get(key(1)) is None


def _write(path: Path, first: int) -> None:
    cache = DiskCache(path, 100 * MIB)
    for n in range(first, first + 50):
        cache.put(key(n), verdict(str(n)))
        assert cache.get(key(n)) is not None


def test_many_processes_write_at_once(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_write, args=(tmp_path / FILE, 50 * n)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [w.exitcode for w in writers] == [0] * 4
    cache = DiskCache(tmp_path / FILE, 100 * MIB)
    assert [cache.get(key(n)) for n in range(200)] == [verdict(str(n)) for n in range(200)]


def test_over_a_fork(tmp_path):
    cache = DiskCache(tmp_path / FILE, 100 * MIB)
    cache.put(key(0), verdict())
    child = os.fork()
    if child == 0:
        ok = cache.get(key(0)) is not None
        cache.put(key(1), verdict())
        os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert cache.get(key(1)) is not None


def test_many_threads(tmp_path):
    cache = DiskCache(tmp_path / FILE, 100 * MIB)
    threads = [threading.Thread(target=_use, args=(cache, n)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache_stats(tmp_path / FILE).entries == 160


def _use(cache: DiskCache, first: int) -> None:
    for n in range(20):
        cache.put(key(100 * first + n), verdict())
        assert cache.get(key(100 * first + n)) == verdict()


def test_a_damaged_file_is_made_anew(tmp_path, caplog):
    path = tmp_path / FILE
    path.write_bytes(b"no database" * 1000)
    cache = DiskCache(path, 100 * MIB)
    cache.put(key(1), verdict())
    assert cache.get(key(1)) == verdict()
    for n in range(200):
        cache.put(key(n), verdict(os.urandom(2000).hex()))
    cache.close()
    pages = bytearray(path.read_bytes())
    pages[4096:] = os.urandom(len(pages) - 4096)  # the first page, which is looked at on opening, stays whole
    path.write_bytes(pages)
    damaged = DiskCache(path, 100 * MIB)
    assert damaged.get(key(1)) is None
    assert "made anew" in caplog.text
    damaged.put(key(7), verdict())
    assert damaged.get(key(7)) == verdict()
    assert cache_stats(path).entries == 1


def test_damage_while_it_is_open(tmp_path):
    """As another process finds it: both go on, with what they put afterwards."""
    path = tmp_path / FILE
    first, second = DiskCache(path, 100 * MIB), DiskCache(path, 100 * MIB)
    for n in range(100):
        first.put(key(n), verdict(os.urandom(2000).hex()))
    first.close()
    second.close()
    path.write_bytes(b"SQLite format 3\0" + os.urandom(8192))
    for n, cache in enumerate((first, second)):
        cache.put(key(n), verdict())
        assert cache.get(key(n)) == verdict()
    assert first.get(key(1)) == verdict()


def test_a_damaged_verdict_is_a_miss(tmp_path):
    cache = DiskCache(tmp_path / FILE, 100 * MIB)
    cache.put(key(1), verdict())
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE verdicts SET value = ?", (b"x" * 20,))
    assert cache.get(key(1)) is None
    assert cache_stats(tmp_path / FILE).entries == 0


def test_a_file_held_by_another_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr("verulaw_rl.verification.disk_cache._WAIT_S", 0.1)
    cache = DiskCache(tmp_path / FILE, 100 * MIB)
    cache.put(key(1), verdict())
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    cache.put(key(2), verdict())
    assert cache.get(key(1)) == verdict()
    assert cache.get(key(2)) is None
    other.execute("ROLLBACK")
    cache.put(key(2), verdict())
    assert cache.get(key(2)) == verdict()


def test_clear(tmp_path):
    cache = DiskCache(tmp_path / FILE, 100 * MIB)
    cache.put(key(1), verdict())
    assert clear_cache(tmp_path / FILE) == 1
    assert cache.get(key(1)) is None
    cache.put(key(1), verdict())
    assert cache.get(key(1)) == verdict()
    assert clear_cache(tmp_path / "nothing") == 0


def test_where_it_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"verification\.cache"):
        DiskCache(tmp_path / "file" / "below" / FILE, MIB)
    (tmp_path / FILE).write_bytes(b"x" * 5000)
    with pytest.raises(UserError, match="no verdict cache"):
        cache_stats(tmp_path / FILE)


def test_not_on_a_disk_of_several_machines(tmp_path, monkeypatch):
    class Disk:
        def __init__(self, mountpoint: str, fstype: str) -> None:
            self.mountpoint, self.fstype = mountpoint, fstype

    home = tmp_path / "home"
    disks = [Disk("/", "ext4"), Disk(str(home), "nfs4")]
    monkeypatch.setattr("psutil.disk_partitions", lambda all: disks)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("VERULAW_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert file_system(home / "x" / "y") == "nfs4"
    with pytest.raises(UserError, match="nfs4"):
        DiskCache(home / FILE, MIB)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert default_path() == tmp_path / f"verulaw_rl-{os.getuid()}" / FILE
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "local"))
    assert default_path() == tmp_path / "local" / "verulaw_rl" / FILE
