"""Times Dafny's command line against the pool's warm worker, on small programs of the bundled suite.

    python scripts/benchmark_verifier.py [PROGRAMS]

Prints the median wall seconds of one verification each way, both in the sandbox, one at a time.
"""

import statistics
import sys

from verulaw_rl.suites.bundled import bundled_suite
from verulaw_rl.verification.dafny.adapter import DafnyAdapter
from verulaw_rl.verification.sandbox import detect_sandbox
from verulaw_rl.verification.verdict import Limits


def main() -> None:
    """Run both ways over the same programs."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    programs = sorted({i.reference for i in bundled_suite().instances}, key=lambda p: (len(p), p))[:wanted]
    limits, sandbox = Limits(), detect_sandbox()
    for name, warm in (("command line", False), ("warm worker", True)):
        worker = DafnyAdapter(warm=warm).start_worker(sandbox, limits.memory_bytes, ())
        try:
            seconds = sorted(worker.verify(p, limits).times.tool_s for p in programs)
        finally:
            worker.close()
        print(
            f"{name:12}  median {statistics.median(seconds):.2f} s  "
            f"fastest {seconds[0]:.2f} s  slowest {seconds[-1]:.2f} s  over {len(seconds)} programs"
        )


if __name__ == "__main__":
    main()
