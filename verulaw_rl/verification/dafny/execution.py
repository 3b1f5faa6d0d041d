"""Compiles and runs a Dafny program in the sandbox: ``/compile:4 /noVerify`` in 2.3, ``dafny run`` in 4.x.

2.3 compiles in memory with mono's C# compiler (``mono-mcs``, which Debian's package depends on).
Ghost code cannot be called; Dafny's own message says so.
"""

from __future__ import annotations

import re

from verulaw_rl.languages.registry import get_language
from verulaw_rl.verification.dafny.command import environment_for, policy_for
from verulaw_rl.verification.dafny.find import DafnyTool
from verulaw_rl.verification.execution import ExecutionLimits, Outcome, RunResult
from verulaw_rl.verification.sandbox import Sandbox

_FILE = "program.dfy"
_RUNNING = "\nRunning...\n"
_EXCEPTION = "Error: Execution resulted in exception: "
_TRACE = re.compile(r"^   ?(at |---).*\n?", re.MULTILINE)


def with_main(program: str, calls: str) -> tuple[str, str]:
    """The program with the calls as its ``Main``, and what is wrong with that (empty for nothing)."""
    has_main = any(d.path.rpartition(".")[2] == "Main" for d in get_language("dafny").parse(program).declarations)
    if not calls.strip():
        return program, "" if has_main else "nothing to run: give the statements to execute"
    if has_main:
        return program, "the program has a Main already: give no statements to run it as it is"
    return f"{program}\n\nmethod Main() decreases * {{\n{calls}\n}}\n", ""


def execute_dafny(tool: DafnyTool, sandbox: Sandbox, program: str, calls: str, limits: ExecutionLimits) -> RunResult:
    """Run ``calls`` (statements) against a program."""
    text, wrong = with_main(program, calls)
    if wrong:
        return RunResult("rejected", "", wrong, sandbox=sandbox.mode)
    policy = policy_for(
        tool,
        limits.memory_bytes,
        output_bytes=limits.output_bytes,
        processes=limits.processes,
        check_every_s=0.05,
        files={_FILE: text.encode("utf-8", "surrogatepass")},
    )
    if tool.dialect == "2":
        command = [*tool.command, "/nologo", "/compile:4", "/noVerify", _FILE]
    else:
        command = [*tool.command, "run", "--no-verify", "--allow-warnings", "--show-snippets:false", _FILE]
    done = sandbox.start(command, policy, environment_for(tool)).finish(b"", limits.wall_s)
    said, ran, printed = done.output.partition(_RUNNING)
    if tool.dialect == "4" and not ran:
        # 4.x prints its summary before what the program prints, and nothing between.
        m = re.match(r"(.*?\nDafny program verifier did not attempt verification\n)(.*)", said, re.DOTALL)
        said, ran, printed = (m[1], "yes", m[2]) if m else (said, "", "")
    outcome: Outcome = "ok"
    message = ""
    if done.stopped is not None:
        outcome = "timeout" if done.stopped == "wall" else "limit"
        message = f"stopped: {done.stopped} limit"
    elif not ran:
        outcome, message = "rejected", _without_trace(_tool_text(said))
    elif done.exit_status != 0:
        outcome = "failed"
        at = printed.rfind(_EXCEPTION)
        # The tool's own line says only that there was one; the next names it, and a trace follows.
        message = _without_trace(printed[at:].partition("\n")[2] if at >= 0 else done.errors).strip()[:500]
        printed = printed[:at] if at >= 0 else printed
    return RunResult(
        outcome,
        printed.removeprefix("\n"),
        message,
        exit_status=done.exit_status,
        wall_s=done.wall_s,
        sandbox=sandbox.mode,
    )


def _tool_text(text: str) -> str:
    kept = [x for x in text.splitlines() if x.strip() and not x.startswith("Dafny program verifier")]
    return "\n".join(kept)


def _without_trace(text: str) -> str:
    return _TRACE.sub("", text)
