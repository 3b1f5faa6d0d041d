"""Size of a report of 5,000 episodes and the time in which Chromium opens it: ``python tests/benchmarks/viewer.py``.

Episodes of one to three submissions, each of 60 invariants of its own. What an empty page takes is taken off; the
quickest of two openings, in seconds of the clock and of the CPU. Another number of episodes may be given.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.chromium import headless
from tests.evaluation.conftest import GIVEN, make_record, write_run
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.evaluation.report import write_report


def many_records(number: int) -> list[EpisodeRecord]:
    """Records whose programs have nothing in common but the given."""
    rng = random.Random(0)
    names = [f"x{n}" for n in range(400)]

    def text() -> str:
        lines = [f"    invariant {rng.choice(names)} <= {rng.choice(names)} + {rng.randrange(1000)}" for _ in range(60)]
        return GIVEN.replace("  while i < n\n", "\n".join(["  while i < n", *lines, ""]))

    records = []
    for n in range(number):
        made = make_record(f"i{n:04}", *(["failed"] * (1 + n % 3)))
        turns = []
        for turn in made.turns:
            program = text()
            turns.append(
                replace(turn, program=program, text=f"<submit>\n{program}</submit>", observation=program[:500])
            )
        records.append(replace(made, turns=tuple(turns)))
    return records


def main(number: int = 5000) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        page = write_report(write_run(folder / "run", {"evaluation": many_records(number)}))
        blank = folder / "blank.html"
        blank.write_text("<!doctype html><title>blank</title>")

        def took(address: str) -> tuple[float, float]:
            began, cpu = time.monotonic(), os.times()
            subprocess.run([*headless(folder), "--dump-dom", address], capture_output=True, timeout=600, check=True)
            seconds, now = time.monotonic() - began, os.times()
            return seconds, now.children_user + now.children_system - cpu.children_user - cpu.children_system

        took(blank.as_uri())
        empty = [took(blank.as_uri()) for _ in range(2)]
        opened = [took(page.as_uri()) for _ in range(2)]
        clock, cpu = (min(o[k] for o in opened) - min(e[k] for e in empty) for k in (0, 1))
        size = page.stat().st_size / 1e6
    print(f"{number:,} episodes: {size:.1f} MB, opened in {clock:.2f} s, {cpu:.2f} s of CPU")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
