"""Compiles and runs a Verus program in the sandbox: ``verus --compile --no-verify``, then what it made. Untried."""

from __future__ import annotations

import uuid

from verulaw_rl.languages.verus.tokens import lex
from verulaw_rl.verification.execution import ExecutionLimits, Outcome, RunResult
from verulaw_rl.verification.sandbox import Sandbox
from verulaw_rl.verification.verus.command import policy_for
from verulaw_rl.verification.verus.find import VerusTool

_FILE = "program.rs"


def with_main(program: str, calls: str) -> tuple[str, str]:
    """The program with the calls as its ``main``, and what is wrong with that (empty for nothing)."""
    tokens = [t.text for t in lex(program).tokens]
    at = next((i for i in range(len(tokens) - 5) if tokens[i : i + 2] == ["fn", "main"]), None)
    empty = at is not None and tokens[at : at + 6] == ["fn", "main", "(", ")", "{", "}"]
    if not calls.strip():
        return program, "" if at is not None and not empty else "nothing to run: give the statements to execute"
    if at is None:
        return f"{program}\n\nfn main() {{\n{calls}\n}}\n", ""
    if not empty:
        return program, "the program has a main already: give no statements to run it as it is"
    opening = lex(program).tokens[at + 4]
    return f"{program[: opening.end]}\n{calls}\n{program[lex(program).tokens[at + 5].start :]}", ""


def execute_verus(tool: VerusTool, sandbox: Sandbox, program: str, calls: str, limits: ExecutionLimits) -> RunResult:
    """Run ``calls`` (statements of Rust) against a program."""
    text, wrong = with_main(program, calls)
    if wrong:
        return RunResult("rejected", "", wrong, sandbox=sandbox.mode)
    # What the program prints begins behind a line that it cannot know.
    mark = uuid.uuid4().hex
    build = f'"$0" {_FILE} --compile --no-verify -o ./program >&2 && echo {mark} && exec ./program'
    policy = policy_for(
        tool,
        limits.memory_bytes,
        output_bytes=limits.output_bytes,
        processes=limits.processes,
        check_every_s=0.05,
        files={_FILE: text.encode("utf-8", "surrogatepass")},
    )
    command = ["sh", "-c", build, str(tool.path)]
    done = sandbox.start(command, policy, dict(tool.environment)).finish(b"", limits.wall_s)
    _, ran, printed = done.output.partition(f"{mark}\n")
    outcome: Outcome = "ok"
    message = ""
    if done.stopped is not None:
        outcome = "timeout" if done.stopped == "wall" else "limit"
        message = f"stopped: {done.stopped} limit"
    elif not ran:
        outcome, message = "rejected", done.errors.strip()[:2000]
    elif done.exit_status != 0:
        outcome, message = "failed", done.errors.strip()[-500:]
    return RunResult(outcome, printed, message, exit_status=done.exit_status, wall_s=done.wall_s, sandbox=sandbox.mode)
