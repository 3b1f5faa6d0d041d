"""A warm worker: Dafny 2.3's server, one verification at a time over its standard streams.

A request is the verb ``verify``, a line of base64 JSON and an end mark. The server says ``[SUCCESS]``
of anything that ran, so verdicts are read from its procedure lines. The verification cache is off
(``/verifySnapshots:0``) and every program has a fresh name, so that no verdict depends on an earlier
one. A program can print the server's end mark (in an ``{:error}`` text), so each request is followed by
a verb that the server cannot know, with a secret word: the reply is whole when the server has named
that word, and one with an end mark of its own before is a fault.
"""

from __future__ import annotations

import base64
import json
import re
import time
import uuid
from dataclasses import replace

from verulaw_rl.verification.adapter import WorkerFault
from verulaw_rl.verification.dafny.command import environment_for, options, policy_for
from verulaw_rl.verification.dafny.find import DafnyTool
from verulaw_rl.verification.dafny.output import parse_output
from verulaw_rl.verification.dafny.verdicts import make_verdict
from verulaw_rl.verification.processes import Stopped
from verulaw_rl.verification.sandbox import Sandbox
from verulaw_rl.verification.verdict import Limits, Status, Times, ToolIdentity, Verdict

_END = "[[DAFNY-SERVER: EOM]]"
_REPLY_END = re.compile(r"^\[(SUCCESS|FAILURE)\] \[\[DAFNY-SERVER: EOM\]\]\s*$", re.MULTILINE)

_SOLVER = "z3"

START_S = 60.0
"""Wall time for the server to become ready, on a loaded machine."""


class ServerWorker:
    """One running server. Ended when it fails, has served its uses, or has grown too large."""

    def __init__(
        self,
        tool: DafnyTool,
        identity: ToolIdentity,
        sandbox: Sandbox,
        memory_bytes: int,
        cpus: tuple[int, ...],
        *,
        known_good: str,
        uses: int,
        rss_bytes: int,
    ) -> None:
        assert tool.server is not None
        self._tool = tool
        self._identity = identity
        self._sandbox = sandbox
        self._uses_left = uses + 1  # the readiness probe is one
        self._rss_bytes = rss_bytes
        self._broken = False
        policy = policy_for(tool, memory_bytes, cpus=cpus)
        self._contained = sandbox.start(list(tool.server), policy, environment_for(tool))
        verdict = self.verify(known_good, Limits(wall_s=START_S))
        if verdict.status is not Status.VERIFIED:
            self.close()
            raise WorkerFault(f"a known good program is {verdict.status} on a fresh server: {verdict.message}")

    @property
    def pid(self) -> int:
        """Process id of the outermost process."""
        return self._contained.pid

    @property
    def usable(self) -> bool:
        """Alive, with uses left, and not too large."""
        return (
            not self._broken
            and self._uses_left > 0
            and self._contained.alive
            and self._contained.rss_bytes() < self._rss_bytes
        )

    def verify(self, program: str, limits: Limits) -> Verdict:
        """Verify one program on the warm server."""
        self._uses_left -= 1
        secret = uuid.uuid4().hex
        file = f"p{secret}.dfy"
        request = {
            # The command line takes this option for "verify the snapshots of a file", the server for "no cache".
            "args": [*options(self._tool, limits), "/verifySnapshots:0"],
            "filename": file,
            "source": program,
            "sourceIsFile": False,
        }
        payload = base64.b64encode(json.dumps(request).encode()).decode()
        word = f"sync-{secret}"
        mark = f"Unknown verb '{word}'".encode()
        data = f"verify\n{payload}\n[[DAFNY-CLIENT: EOM]]\n{word}\n".encode()

        def done(answer: bytearray) -> bool:
            at = answer.find(mark)
            return at >= 0 and answer.find(_END.encode(), at) >= 0

        began = time.monotonic()
        solver_began_s = self._contained.cpu_s(_SOLVER)
        ended = True
        try:
            answer = self._contained.exchange(data, done, limits.wall_s)
        except Stopped as stop:
            self._broken = True
            if stop.why != "wall":
                raise WorkerFault(self._why(stop)) from None
            answer, ended = stop.output, False
        text = answer.decode("utf-8", "replace").split(mark.decode())[0]
        ends = list(_REPLY_END.finditer(text))
        if ended and (len(ends) != 1 or text[ends[0].end() :].strip() or ends[0][1] != "SUCCESS"):
            self.close()
            raise WorkerFault(f"the server's reply is out of step: {text.strip().splitlines()[-1:]}")
        times = Times(tool_s=time.monotonic() - began)
        solver_ended_s = self._contained.cpu_s(_SOLVER) if ended else None
        if solver_began_s is not None and solver_ended_s is not None:
            times = replace(times, solver_s=solver_ended_s - solver_began_s)
        return self._judge(text, file, program, limits, ended, times)

    def _judge(self, text: str, file: str, program: str, limits: Limits, ended: bool, times: Times) -> Verdict:
        output = parse_output(text, file=file, dialect="2", server=True)
        verdict = make_verdict(
            output,
            program,
            tool=self._identity,
            error_limit=limits.error_limit,
            server=True,
            ended=ended,
            times=times,
            sandbox=self._sandbox.mode,
        )
        if output.crash or verdict.status is Status.ERROR:
            self.close()
            raise WorkerFault(output.crash or verdict.message)
        return verdict

    def _why(self, stop: Stopped) -> str:
        said = (stop.output.decode("utf-8", "replace") + self._contained.errors()).strip().splitlines()
        what = "the server ended" if stop.why == "eof" else f"the server passed its {stop.why} limit"
        return f"{what}: {said[-1].strip()}" if said else what

    def end(self) -> None:
        """Send the end."""
        self._broken = True
        self._contained.end()

    def close(self) -> None:
        """End the server and its solvers."""
        self._broken = True
        self._contained.kill()
