"""The walls around a verifier or a candidate's program: bubblewrap, or a recorded fallback.

Everything that reads or runs a candidate's text is started here. With bubblewrap it has no network,
sees a read-only system without home folders, writes only to a private scratch of limited size, and
sits in a process namespace of its own: killing its first process ends all of them. Memory, file
size and process count are limited (where we are root, it is another user, since the kernel counts
no process of root's), the environment is made from nothing. Where namespaces are off,
the limits and a session of its own stay, the log warns once, and every verdict records
``sandbox="none"``. Adapters call :meth:`Sandbox.start`; :mod:`verulaw_rl.verification.processes`
talks to what was started.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, Literal

from verulaw_rl.errors import UserError
from verulaw_rl.verification.processes import Contained

log = logging.getLogger(__name__)

Mode = Literal["bwrap", "none"]

SCRATCH = "/scratch"
"""Where the private scratch is mounted inside the namespace."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_FILES = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/mono",
    "/etc/dotnet",
    "/etc/java-17-openjdk",
    "/etc/localtime",
)


@dataclass(frozen=True, slots=True)
class Policy:
    """What one contained process may have."""

    memory_bytes: int = 4 * 2**30
    """Resident memory of all its processes together, watched."""
    address_space_bytes: int | None = None
    """Address space of each process, held by the kernel; ``None`` for runtimes that reserve far more than they use."""
    processes: int = 256
    """Processes and threads alive at once."""
    file_bytes: int = 64 * 2**20
    """Size of any one file written."""
    scratch_bytes: int = 256 * 2**20
    output_bytes: int = 64 * 2**20
    """Output kept of one exchange; more ends the process."""
    readable: tuple[Path, ...] = ()
    """Files and folders beside the system that it may read."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Files laid into the scratch before the start: name without folder, content."""
    cpus: tuple[int, ...] = ()
    """Processors it may use; empty for all."""
    check_every_s: float = 0.5
    """Time between looks at memory and process count."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A way to contain processes, decided once by :func:`detect_sandbox`."""

    mode: Mode
    reason: str = ""
    """Why it is not ``bwrap``."""
    started: Callable[[Contained], None] | None = field(default=None, compare=False)
    """Told of each process that is started, by the thread that starts it."""

    def start(self, argv: list[str], policy: Policy, environment: dict[str, str] | None = None) -> Contained:
        """Start a command inside the walls, with pipes to its input and output, in the scratch folder.

        Must be called by a thread that outlives the process: bubblewrap ends with its parent thread.
        """
        tag = uuid.uuid4().hex
        scratch = None if self.mode == "bwrap" else Path(tempfile.mkdtemp(prefix="verulaw-"))
        env = _environment(SCRATCH if scratch is None else str(scratch), tag)
        env.update(environment or {})
        held: list[IO[bytes]] = []
        try:
            if scratch is None:
                command = _limited(policy, self._wrap(argv, policy, env, held))
                passed = {"PATH": env["PATH"]}
            else:
                for name, content in policy.files.items():
                    (scratch / name).write_bytes(content)
                command = _limited(policy, argv)
                passed = env
            errors = tempfile.TemporaryFile()  # noqa: SIM115 (kept by the process)
            popen = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=scratch or "/",
                env=passed,
                start_new_session=True,
                pass_fds=[f.fileno() for f in held],
                bufsize=0,
            )
        except BaseException:
            if scratch is not None:
                shutil.rmtree(scratch, ignore_errors=True)
            raise
        finally:
            for f in held:
                f.close()
        process = Contained(
            popen,
            errors,
            memory_bytes=policy.memory_bytes,
            processes=policy.processes,
            output_bytes=policy.output_bytes,
            check_every_s=policy.check_every_s,
            tag=tag,
            scratch=scratch,
        )
        if self.started is not None:
            self.started(process)
        return process

    def _wrap(self, argv: list[str], policy: Policy, env: dict[str, str], held: list[IO[bytes]]) -> list[str]:
        # Root's processes are never counted by the kernel, so a fork bomb of root's would outrun any watcher.
        own_user = os.geteuid() == 0 and _can_have_own_user()
        bwrap = ["bwrap", *(_OWN_USER if own_user else ["--unshare-all"])]
        bwrap += ["--die-with-parent", "--new-session", "--hostname", "sandbox"]
        for path in _SYSTEM:
            if os.path.islink(path):
                bwrap += ["--symlink", os.readlink(path), path]
            elif os.path.isdir(path):
                bwrap += ["--ro-bind", path, path]
        if own_user:
            # By itself bubblewrap makes the folders above what it shows for root alone.
            above = {folder for shown in (Path("/etc/x"), *policy.readable) for folder in shown.parents[:-1]}
            for folder in sorted(above):
                bwrap += ["--perms", "755", "--dir", str(folder)]
        for path in _SYSTEM_FILES:
            bwrap += ["--ro-bind-try", path, path]
        bwrap += ["--proc", "/proc", "--dev", "/dev"]
        # bubblewrap before 0.7 cannot size a tmpfs; the limit on each file stays.
        size = ["--size", str(policy.scratch_bytes)] if _bwrap_sizes_tmpfs() else []
        for writable in (SCRATCH, "/tmp", "/dev/shm"):
            bwrap += [*size, *(_FOR_ANY_USER if own_user else []), "--tmpfs", writable]
        for readable in policy.readable:
            bwrap += ["--ro-bind", str(readable), str(readable)]
        for name, content in policy.files.items():
            f = tempfile.TemporaryFile()  # noqa: SIM115 (closed by start)
            f.write(content)
            f.seek(0)
            held.append(f)
            bwrap += ["--file", str(f.fileno()), f"{SCRATCH}/{name}"]
        bwrap += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH, "--clearenv"]
        for key, value in env.items():
            bwrap += ["--setenv", key, value]
        # Counted for a user that has no other process, or inside the user namespace from nothing.
        nproc = ["prlimit", f"--nproc={policy.processes}", "--"] if shutil.which("prlimit") else []
        return [*bwrap, "--", *nproc, *(_become_nobody_else() if own_user else []), *argv]


def _environment(scratch: str, tag: str) -> dict[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "VERULAW_CALL": tag,
    }


def _limited(policy: Policy, argv: list[str]) -> list[str]:
    """Limits set by small system programs: a ``preexec_fn`` is unsafe in a process with threads."""
    out: list[str] = []
    if policy.cpus and shutil.which("taskset"):
        out += ["taskset", "-c", ",".join(map(str, policy.cpus))]
    if shutil.which("prlimit"):
        out += ["prlimit", "--core=0", f"--fsize={policy.file_bytes}"]
        if policy.address_space_bytes is not None:
            out.append(f"--as={policy.address_space_bytes}")
        out.append("--")
    return out + argv


_OWN_USER = [
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
]
"""Instead of ``--unshare-all``, where we are root: no user namespace, and the rights it takes to stop being root."""
_FOR_ANY_USER = ["--perms", "1777"]


def _become_nobody_else() -> list[str]:
    """To a user of its own, without rights: the kernel's count of its processes starts from nothing."""
    user = 10**9 + secrets.randbelow(10**9)
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--"]


@lru_cache(maxsize=1)
def _can_have_own_user() -> bool:
    """Whether root may set up a sandbox and leave its own rights in it (not so in some containers)."""
    try:
        command = ["bwrap", *_OWN_USER, "--ro-bind", "/", "/", *_FOR_ANY_USER, "--tmpfs", "/tmp", "--proc", "/proc"]
        return (
            subprocess.run([*command, *_become_nobody_else(), "true"], capture_output=True, check=False).returncode == 0
        )
    except OSError:
        return False


@lru_cache(maxsize=1)
def _bwrap_sizes_tmpfs() -> bool:
    done = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False)
    return "--size" in done.stdout + done.stderr


def _probe() -> str:
    """Empty when bubblewrap works here, else why not."""
    if not sys.platform.startswith("linux"):
        return f"bubblewrap needs Linux, this is {sys.platform}"
    if shutil.which("bwrap") is None:
        return "bubblewrap (bwrap) is not installed: scripts/install_toolchains.sh dafny"
    contained = Sandbox("bwrap").start(["true"], Policy())
    result = contained.finish(b"", wall_s=20)
    if result.exit_status == 0:
        return ""
    said = result.errors.strip().splitlines()
    return f"bubblewrap does not work here: {said[-1] if said else f'exit status {result.exit_status}'}"


@lru_cache(maxsize=3)
def detect_sandbox(choice: Literal["auto", "bwrap", "none"] = "auto") -> Sandbox:
    """Probe once and decide.

    Args:
        choice: ``auto`` takes bubblewrap where it works; ``bwrap`` insists; ``none`` asks for the fallback.

    Raises:
        UserError: ``bwrap`` was asked for and does not work.
    """
    reason = "asked for" if choice == "none" else _probe()
    if not reason:
        return Sandbox("bwrap")
    if choice == "bwrap":
        raise UserError(reason)
    log.warning("NO SANDBOX (%s): candidates run with this user's rights; verdicts record sandbox=none", reason)
    return Sandbox("none", reason)
