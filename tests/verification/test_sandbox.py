"""What a contained process cannot do. The process under test is Python, trying."""

import os
import shutil
import socket
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.verification.processes import Finished, Stopped
from verulaw_rl.verification.sandbox import SCRATCH, Policy, Sandbox, detect_sandbox

pytestmark = pytest.mark.tool

PYTHON = next(p for p in ("/usr/bin/python3", sys.executable) if Path(p).exists())
MIB = 2**20


@pytest.fixture(scope="module")
def bwrap() -> Sandbox:
    sandbox = detect_sandbox("auto")
    if sandbox.mode != "bwrap":
        pytest.skip(f"needs bubblewrap and user namespaces: {sandbox.reason}")
    return sandbox


def run(sandbox: Sandbox, code: str, wall_s: float = 200, **policy) -> Finished:
    readable = () if PYTHON.startswith("/usr/") else (Path(sys.base_prefix),)
    policy = {"memory_bytes": 1024 * MIB, "check_every_s": 0.05, "readable": readable} | policy
    return sandbox.start([PYTHON, "-c", code], Policy(**policy)).finish(b"", wall_s)


def descendants() -> set[int]:
    return {p.pid for p in psutil.Process().children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE}


def test_reads_nothing_outside(bwrap, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    home = str(Path.home())
    done = run(
        bwrap,
        f"import os\nfor p in ({str(secret)!r}, {home!r}, '/etc/shadow', '/etc/passwd'): print(os.path.exists(p))\n"
        "print(sorted(os.environ))",
    )
    lines = done.output.split("\n")
    assert lines[:4] == ["False"] * 4
    kept = {"HOME", "LANG", "PATH", "PWD", "TMPDIR", "VERULAW_CALL", "LC_CTYPE"}
    assert set(eval(lines[4])) <= kept


def test_writes_only_to_its_scratch(bwrap):
    code = (
        "import os\n"
        "for p in ('/usr/x', '/etc/x', '/x', '/root/x', '/home/x', '/dev/x', '/tmp/x', 'x'):\n"
        "    try: open(p, 'w').close(); print('wrote', p)\n"
        "    except OSError: pass\n"
        "print(os.getcwd())"
    )
    done = run(bwrap, code)
    assert done.output.split("\n")[:3] == ["wrote /tmp/x", "wrote x", SCRATCH]
    assert not Path("/tmp/x").exists()


def test_has_no_network(bwrap):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = (
            f"import socket\ntry: socket.create_connection(('127.0.0.1', {port}), 2); print('in')\n"
            "except OSError: print('out')"
        )
        assert run(bwrap, code).output == "out\n"


def test_sees_no_other_process(bwrap):
    done = run(bwrap, "import os; print(sum(d.isdigit() for d in os.listdir('/proc')))")
    assert int(done.output) <= 3


def test_scratch_and_files_are_limited(bwrap):
    fill = (
        "try:\n  f = open({0!r}, 'wb')\n  for _ in range({1}): f.write(b'x' * 2**20); f.flush()\n  print('all')\n"
        "except OSError as e: print(e.errno)"
    )
    big = run(
        bwrap,
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" + fill.format("a", 40),
        file_bytes=8 * MIB,
    )
    assert big.output == "27\n"  # EFBIG
    for folder in (SCRATCH, "/tmp", "/dev/shm"):
        full = run(bwrap, fill.format(f"{folder}/a", 40), scratch_bytes=8 * MIB)
        assert full.output == "28\n"  # ENOSPC


@pytest.mark.parametrize("mode", ["bwrap", "none"])
def test_memory(bwrap, mode):
    eat = "x = []\nwhile True: x.append(bytearray(2**24))"
    sandbox = bwrap if mode == "bwrap" else Sandbox("none", "test")
    watched = run(sandbox, eat, memory_bytes=200 * MIB)
    assert watched.stopped == "memory"
    held = run(sandbox, eat, memory_bytes=4096 * MIB, address_space_bytes=300 * MIB)
    assert held.stopped is None
    assert "MemoryError" in held.errors


@pytest.mark.parametrize("mode", ["bwrap", "none"])
def test_fork_bomb(bwrap, mode):
    sandbox = bwrap if mode == "bwrap" else Sandbox("none", "test")
    bomb = (
        "import os, time\nfor _ in range(400):\n  try:\n    if os.fork() == 0: time.sleep(60); os._exit(0)\n"
        "  except OSError: pass\ntime.sleep(60)"
    )
    began = time.monotonic()
    done = run(sandbox, bomb, processes=50)
    assert done.stopped == "processes"
    assert time.monotonic() - began < 50  # the bomb alone would last a minute
    assert descendants() == set()


def test_the_kernel_holds_the_number_of_processes(bwrap):
    """No watcher is quick enough for a bomb that doubles. At most 400 here, should it not hold."""
    fork = (
        "import os, time\nmade = 0\nfor _ in range(400):\n  try:\n    if os.fork() == 0: time.sleep(20); os._exit(0)\n"
        "    made += 1\n  except OSError: pass\nprint(made)"
    )
    done = run(bwrap, fork, processes=50, check_every_s=60)
    assert (done.stopped, done.errors) == (None, "")
    assert 0 < int(done.output) < 50


def test_is_nobody_that_owns_anything(bwrap):
    done = run(bwrap, "import os; print(os.getuid(), [l for l in open('/proc/self/status') if l.startswith('CapEff')])")
    user, _, rights = done.output.partition(" ")
    assert "CapEff:\\t0000000000000000" in rights
    assert os.geteuid() != 0 or int(user) >= 10**9


@pytest.mark.parametrize("mode", ["bwrap", "none"])
def test_a_link_in_the_scratch_leads_nowhere(bwrap, mode, tmp_path):
    (tmp_path / "kept").write_text("kept")
    code = (
        f"import os\nos.symlink({str(tmp_path)!r}, 'link')\nos.symlink({str(tmp_path / 'kept')!r}, 'program.dfy')\n"
        "try: open('link/written', 'w').close(); print('wrote')\nexcept OSError: print('not there')\n"
        "try: print(open('program.dfy').read())\nexcept OSError: print('not there')"
    )
    done = run(bwrap if mode == "bwrap" else Sandbox("none", "test"), code)
    if mode == "bwrap":
        assert done.output == "not there\n" * 2
        assert not (tmp_path / "written").exists()
    # Clearing the scratch away must not follow a link out of it.
    assert (tmp_path / "kept").read_text() == "kept"


def test_errors_do_not_fill_the_disk(bwrap):
    before = shutil.disk_usage("/tmp").free
    flood = "import os\nline = b'x' * 2**20\nfor _ in range(1024): os.write(2, line)\nprint('all')"
    done = run(bwrap, flood, file_bytes=8 * MIB)
    assert done.output == ""
    assert len(done.errors) <= 4000
    assert before - shutil.disk_usage("/tmp").free < 64 * MIB


@pytest.mark.parametrize("mode", ["bwrap", "none"])
def test_ignoring_signals_and_leaving_the_session(bwrap, mode):
    sandbox = bwrap if mode == "bwrap" else Sandbox("none", "test")
    marker = f"{os.getpid()}-{mode}-{time.monotonic_ns()}"
    code = (
        "import os, signal, time\n"
        "for s in range(1, 32):\n"
        "  try: signal.signal(s, signal.SIG_IGN)\n"
        "  except (OSError, ValueError): pass\n"
        "if os.fork() == 0:\n"
        "  os.setsid()\n"
        f"  if os.fork() == 0: os.execv({PYTHON!r}, ['python', '-c', 'import time; time.sleep(300)', {marker!r}])\n"
        "  os._exit(0)\n"
        "time.sleep(300)"
    )
    done = run(sandbox, code, wall_s=2)
    assert done.stopped == "wall"
    left = []
    for process in psutil.process_iter():
        try:
            if marker in process.cmdline():
                left.append(process)
        except psutil.Error:
            continue
    assert left == []


def test_output(bwrap):
    done = run(bwrap, "while True: print('x' * 1000)", output_bytes=100_000)
    assert done.stopped == "output"
    assert len(done.output) == 100_000


def test_a_silent_process_is_stopped_by_the_wall_clock(bwrap):
    contained = bwrap.start(["cat"], Policy())
    assert contained.exchange(b"hello\n", lambda a: b"\n" in a, 5) == b"hello\n"
    with pytest.raises(Stopped) as stopped:
        contained.exchange(b"", lambda a: False, 0.3)
    assert stopped.value.why == "wall"
    assert not contained.alive
    contained.kill()  # again


def test_ended_by_another_thread(bwrap):
    contained = bwrap.start(["sleep", "300"], Policy())
    threading.Timer(0.3, contained.end).start()
    with pytest.raises(Stopped) as stopped:
        contained.exchange(b"", lambda a: False, 20)
    assert stopped.value.why == "eof"


def test_large_input_does_not_block(bwrap):
    contained = bwrap.start(["cat"], Policy())
    data = b"x" * (4 * MIB)
    assert contained.finish(data, 20).output == data.decode()


def test_files_are_laid_into_the_scratch(bwrap):
    for sandbox in (bwrap, Sandbox("none", "test")):
        done = sandbox.start(["cat", "a b.txt"], Policy(files={"a b.txt": "é".encode()})).finish(b"", 5)
        assert done.output == "é"


def test_fallback_is_loud_and_recorded(caplog):
    detect_sandbox.cache_clear()
    sandbox = detect_sandbox("none")
    assert sandbox == Sandbox("none", "asked for")
    assert "NO SANDBOX" in caplog.text


def test_where_bubblewrap_is_missing(monkeypatch, tmp_path, caplog):
    for name in ("prlimit", "taskset"):
        (tmp_path / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tmp_path))
    detect_sandbox.cache_clear()
    try:
        assert detect_sandbox("auto").mode == "none"
        assert "install_toolchains.sh" in caplog.text
        with pytest.raises(UserError, match="bubblewrap"):
            detect_sandbox("bwrap")
    finally:
        detect_sandbox.cache_clear()
