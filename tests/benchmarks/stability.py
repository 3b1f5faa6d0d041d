"""Whether a tool says the same of the same programs again and again, and how long it takes.

    python tests/benchmarks/stability.py SUITE ROOT [RUNS [SOLVER_S [VERDICTS.jsonl]]]

Verifies every program of a benchmark anew in each run, nothing remembered, workers kept warm, and prints the verdicts
of each run, the programs whose verdict changed, and the seconds of those that verify. Goes on behind what
VERDICTS.jsonl holds already.
"""

import json
import statistics
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.sources import BENCHMARKS, suite_programs
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Limits, VerifyRequest

Row = dict[str, str | int | float]


def main(suite: str, root: Path, runs: int = 3, solver_s: float = 90.0, out: Path = Path("verdicts.jsonl")) -> None:
    language = BENCHMARKS[suite].language
    _, programs, _ = suite_programs(suite, None, get_language(language).suffix, root)
    rows: list[Row] = [json.loads(line) for line in out.read_text().splitlines()] if out.is_file() else []
    known = {(row["run"], row["program"]) for row in rows}
    pool = Pool(PoolSettings(cache_entries=0))
    with pool, out.open("a") as file, ThreadPoolExecutor(pool.workers) as threads:

        def verify(asked: tuple[int, int]) -> Row:
            run, number = asked
            verdict = pool.verify(VerifyRequest(language, programs[number].text, Limits.of_work(solver_s)))
            row: Row = {"run": run, "program": programs[number].name, "status": verdict.status.value}
            return row | {"tool_s": verdict.times.tool_s, "solver_s": verdict.times.solver_s or 0.0}

        wanted = [(run, n) for run in range(1, runs + 1) for n in range(len(programs))]
        missing = [(run, n) for run, n in wanted if (run, programs[n].name) not in known]
        for row in threads.map(verify, missing):
            rows.append(row)
            file.write(json.dumps(row) + "\n")
            file.flush()
    for run in range(1, runs + 1):
        print(f"run {run}: {dict(Counter(row['status'] for row in rows if row['run'] == run))}")
    said: dict[str, list[str]] = {}
    for row in rows:
        said.setdefault(str(row["program"]), []).append(str(row["status"]))
    changed = {name: statuses for name, statuses in said.items() if len(set(statuses)) > 1}
    print(f"the same in all runs: {len(said) - len(changed)} of {len(said)}")
    for name, statuses in changed.items():
        print(f"  {name}: {', '.join(statuses)}")
    for what in ("tool_s", "solver_s"):
        took = sorted(float(row[what]) for row in rows if row["status"] == "verified")
        print(f"{what} of what verifies: median {statistics.median(took):.1f}, longest {took[-1]:.1f}")


if __name__ == "__main__":
    main(*(kind(word) for kind, word in zip((str, Path, int, float, Path), sys.argv[1:], strict=False)))
