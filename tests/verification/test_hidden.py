"""What a candidate's process must not be able to read: references, probes, records, kept verdicts, other candidates."""

import sys
from pathlib import Path

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.suites.bundled import BUNDLED, bundled_suite
from verulaw_rl.verification.dafny.command import environment_for, policy_for
from verulaw_rl.verification.dafny.find import find_dafny
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.sandbox import detect_sandbox

pytestmark = pytest.mark.tool

LOOK = """
import os
found = []
for folder, folders, files in os.walk("/"):
    if folder in ("/proc", "/sys", "/dev"):
        folders.clear()
    for name in files:
        path = os.path.join(folder, name)
        ours = "verulaw_rl" in path and "/toolchains/" not in path
        hidden = ours or name.endswith((".jsonl", ".sqlite", ".dfy"))
        if hidden and os.access(path, os.R_OK):
            found.append(path)
for path in PATHS:
    try:
        found.append(open(path).read(1))
    except OSError:
        pass
print(found)
"""


@pytest.fixture(scope="module")
def tool():
    try:
        return find_dafny()
    except UserError as error:
        pytest.skip(str(error))


def test_the_process_finds_neither_suites_nor_records_nor_verdicts(tool, tmp_path):
    """A process with the very rights of the verifier's looks through all that it can read."""
    sandbox = detect_sandbox("auto")
    if sandbox.mode != "bwrap":
        pytest.skip(f"needs bubblewrap: {sandbox.reason}")
    python = Path("/usr/bin/python3")
    if not python.exists():
        pytest.skip("needs /usr/bin/python3, which the sandbox shows")
    record = tmp_path / "episodes.jsonl"
    record.write_text("{}")
    paths = [str(record), str(BUNDLED), str(Path(sys.prefix) / "pyvenv.cfg"), str(Path.home() / ".cache")]
    policy = policy_for(tool, 2**30)
    code = f"PATHS = {paths!r}\n{LOOK}"
    done = sandbox.start([str(python), "-c", code], policy, environment_for(tool)).finish(b"", 60)
    assert done.output.strip() == "[]", done.output + done.errors


def test_a_candidate_cannot_include_what_a_call_before_it_held():
    """Warm workers see instrumented programs, with the probes in them: no file of those is left for the next."""
    instance = bundled_suite().get("seed/arithmetic_loops/divide_by_subtracting:annotation_repair")
    with Pool(PoolSettings(workers=1)) as pool:
        verify = pool_verifier(pool, "dafny")
        verify(instance.reference)
        for name in ("*.dfy", "program.dfy", "p.dfy", "..", "/tmp", "/dev/stdin", "/proc/self/fd/0", "/proc/1/environ"):
            verdict = verify(f'include "{name}"\nmethod M() ensures true {{ }}')
            said = verdict.message + "".join(d.message for d in verdict.diagnostics)
            assert not verdict.failures
            assert "DivMod" not in said
