"""How many recorded episodes a second are read, scored again and compared: ``python tests/benchmarks/rescore.py``.

Repeats real episodes until there are 20,000 (another file and number may be given) and prints seconds of CPU and of the
clock, and the rate of each. Imports are not counted.
"""

import sys
import tempfile
import time
from pathlib import Path

from verulaw_rl.lab.choice import choose, recorded_scoring
from verulaw_rl.lab.recorded import read_episodes
from verulaw_rl.lab.rescoring import compare, rescore_all

SOURCE = Path(__file__).resolve().parents[1] / "lab" / "data" / "run" / "episodes.jsonl"


def main(source: Path = SOURCE, number: int = 20_000) -> None:
    rows = source.read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "episodes.jsonl"
        file.write_text("".join(rows[n % len(rows)] + "\n" for n in range(number)))
        clock, cpu = time.perf_counter(), time.process_time()
        episodes = read_episodes([file])
        read = time.process_time() - cpu
        choice = choose(recorded_scoring(episodes), None, ["weights.invariant=0.6", "weights.verified_bonus=1"])
        rewards = rescore_all(episodes, choice.reward, choice.terms)
        scored = time.process_time() - cpu - read
        compare(episodes, rewards)
        clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
    rates = f"{number / cpu:,.0f}/s", f"{number / clock:,.0f}/s"
    print(f"{number} episodes: {cpu:.2f} s of CPU ({rates[0]}), {clock:.2f} s of clock ({rates[1]})")
    print(f"of these: reading {read:.2f} s, scoring {scored:.2f} s, comparing {cpu - read - scored:.2f} s of CPU")


if __name__ == "__main__":
    main(*(kind(word) for kind, word in zip((Path, int), sys.argv[1:], strict=False)))
