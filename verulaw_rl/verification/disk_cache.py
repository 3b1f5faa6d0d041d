"""Verdicts kept on a disk of this node, shared by every process on it.

One SQLite file in WAL mode: readers never wait, a writer waits a little for another. It is a cache and
nothing more: a verdict that cannot be written is not kept, and a file that is damaged is made anew. The
least recently used verdicts go when the file has reached its size. :class:`~verulaw_rl.verification.pool.Pool`
reads and writes it; ``verulaw-rl cache`` looks at it.

SQLite from the standard library rather than ``diskcache``: that pickles by default, so whoever can write
the file could run code here, and it leaves a damaged file to its caller. Values are JSON, checked on reading.
"""

from __future__ import annotations

import fcntl
import logging
import os
import sqlite3
import tempfile
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from verulaw_rl.errors import UserError
from verulaw_rl.verification.verdict import Verdict

log = logging.getLogger(__name__)

T = TypeVar("T")

FILE = "verdicts.sqlite"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS verdicts (
  key BLOB PRIMARY KEY, value BLOB NOT NULL, used_s INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS verdicts_by_use ON verdicts (used_s);
"""
_WAIT_S = 5.0
"""For another process that writes."""
_USE_NOTED_EVERY_S = 600
"""A use is noted only when the last noted one is older, so that reading seldom writes."""
_FREED_SHARE = 0.1
"""Share of the verdicts that goes when the file is full."""
_SHARED_DISKS = ("nfs", "cifs", "smb", "lustre", "gpfs", "beegfs", "ceph", "afs", "9p", "panfs", "wekafs", "fuse.sshfs")
"""File systems of several machines, by the start of their name; WAL needs memory shared by all who open the file."""

_VERDICT = TypeAdapter(Verdict)


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What a cache holds."""

    path: str
    entries: int
    bytes: int
    """Of the file that hold something."""
    file_bytes: int


class DiskCache:
    """Verdicts in one file. Safe with many threads and processes, over a fork too.

    Args:
        path: the file; its folder is made.
        size_bytes: at which the verdicts not used for longest go.

    Raises:
        UserError: the file cannot be made there, or the disk is one of several machines.
    """

    def __init__(self, path: Path, size_bytes: int) -> None:
        self.path = path
        self._size_bytes = size_bytes
        self._connection: sqlite3.Connection | None = None
        self._pid = os.getpid()
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise UserError(f"verification.cache: cannot make {path.parent} ({error.strerror}); name another") from None
        if (kind := file_system(path.parent)).startswith(_SHARED_DISKS):
            raise UserError(
                f"verification.cache: {path} is on {kind}; name a folder on a disk of this machine, or `off`"
            )
        with self._lock:
            try:
                self._open_whole()
            except (OSError, sqlite3.Error) as error:
                raise UserError(f"verification.cache: cannot use {path} ({error}); name another folder") from None

    def get(self, key: str) -> Verdict | None:
        """The verdict kept under a key."""
        name = bytes.fromhex(key)

        def read(connection: sqlite3.Connection) -> tuple[bytes, int] | None:
            found: tuple[bytes, int] | None = connection.execute(
                "SELECT value, used_s FROM verdicts WHERE key = ?", (name,)
            ).fetchone()
            if found is not None and time.time() - found[1] > _USE_NOTED_EVERY_S:
                with suppress(sqlite3.OperationalError):  # another process writes: noted the next time
                    connection.execute("UPDATE verdicts SET used_s = ? WHERE key = ?", (int(time.time()), name))
            return found

        found = self._do(read)
        if found is None:
            return None
        try:
            return _VERDICT.validate_json(zlib.decompress(found[0]))
        except (zlib.error, ValidationError):
            self._do(lambda connection: connection.execute("DELETE FROM verdicts WHERE key = ?", (name,)))
            return None

    def put(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict, dropping those not used for longest when full."""
        try:
            value = zlib.compress(_VERDICT.dump_json(verdict), 1)
        except PydanticSerializationError:  # half a character of the program in a message
            return

        def write(connection: sqlite3.Connection) -> None:
            row = (bytes.fromhex(key), value, int(time.time()))
            connection.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", row)
            if _held_bytes(connection) > self._size_bytes:
                share = "SELECT max(1, CAST(count(*) * ? AS INTEGER)) FROM verdicts"
                oldest = f"SELECT key FROM verdicts ORDER BY used_s LIMIT ({share})"
                connection.execute(f"DELETE FROM verdicts WHERE key IN ({oldest})", (_FREED_SHARE,))

        self._do(write)

    def close(self) -> None:
        """Close the file; it may be used again."""
        with self._lock:
            self._forget()

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do something with the file; ``None`` where it cannot be done. Never raises for a fault of the disk."""
        self._notice_fork()
        with self._lock:
            for _ in range(2):
                try:
                    return work(self._connected())
                except sqlite3.OperationalError as error:  # locked for too long, disk full, file gone
                    log.warning("the verdict cache %s was passed over: %s", self.path, error)
                    if "locked" not in str(error) and "full" not in str(error):
                        self._forget()
                    return None
                except sqlite3.DatabaseError as error:
                    log.warning("the verdict cache %s is damaged (%s) and is made anew", self.path, error)
                    try:
                        self._forget()
                        self._open_whole(suspected=True)
                    except (OSError, sqlite3.Error):
                        return None
            return None

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._open_whole()
        assert self._connection is not None
        return self._connection

    def _open_whole(self, *, suspected: bool = False) -> None:
        """Open the file, made anew where it is damaged, by one process at a time."""
        with open(self.path.with_name(self.path.name + ".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                self._connection = self._open(whole=suspected)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                for end in ("", "-wal", "-shm"):
                    self.path.with_name(self.path.name + end).unlink(missing_ok=True)
                self._connection = self._open()

    def _open(self, *, whole: bool = False) -> sqlite3.Connection:
        # Transactions of one statement each; the lock of this object keeps threads apart.
        connection = sqlite3.connect(self.path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_SCHEMA)
            # Reads all of it, so only on suspicion: another process may have made it anew already.
            if whole and (said := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(said)
        except BaseException:
            connection.close()
            raise
        return connection

    def _notice_fork(self) -> None:
        """In a child: leave lock and connection to the parent, open, since SQLite's must not cross a fork."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._parents, self._connection = self._connection, None
            self._lock = threading.Lock()

    def _forget(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None


def default_path() -> Path:
    """In ``VERULAW_CACHE`` or the user's cache folder; in the temporary one where that is on a shared disk."""
    if named := os.environ.get("VERULAW_CACHE"):
        return Path(named) / FILE
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "verulaw_rl"
    if file_system(folder).startswith(_SHARED_DISKS):
        folder = Path(tempfile.gettempdir()) / f"verulaw_rl-{os.getuid()}"
        if folder.exists() and folder.stat().st_uid != os.getuid():
            raise UserError(f"{folder} is another user's; set VERULAW_CACHE to a folder on a disk of this machine")
    return folder / FILE


def file_system(folder: Path) -> str:
    """Kind of the file system that holds a folder, or the nearest one above it that exists."""
    where = folder.absolute()
    best, kind = -1, ""
    for disk in psutil.disk_partitions(all=True):
        if where.is_relative_to(disk.mountpoint) and len(disk.mountpoint) >= best:
            best, kind = len(disk.mountpoint), disk.fstype
    return kind


def cache_stats(path: Path) -> CacheStats:
    """What a cache holds; nothing where there is no file.

    Raises:
        UserError: the file is no cache.
    """
    if not path.is_file():
        return CacheStats(str(path), 0, 0, 0)
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=_WAIT_S, uri=True)) as connection:
            entries = connection.execute("SELECT count(*) FROM verdicts").fetchone()[0]
            return CacheStats(str(path), entries, _held_bytes(connection), path.stat().st_size)
    except sqlite3.Error as error:
        raise UserError(f"{path} is no verdict cache ({error}); `verulaw-rl cache clear` removes it") from None


def clear_cache(path: Path) -> int:
    """Remove every verdict and say how many there were; processes that use the cache go on with an empty one."""
    if not path.is_file():
        return 0
    try:
        with closing(sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)) as connection:
            removed = connection.execute("DELETE FROM verdicts").rowcount
            connection.execute("VACUUM")
            return removed
    except sqlite3.OperationalError as error:
        raise UserError(f"{path} cannot be cleared ({error}); try again when no run writes to it") from None
    except sqlite3.DatabaseError:
        for end in ("", "-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        return 0


def _held_bytes(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
