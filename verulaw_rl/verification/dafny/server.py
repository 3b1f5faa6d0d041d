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
from verulaw_rl.verification.verdict import Limits, Times, ToolIdentity, Verdict
from verulaw_rl.verification.warm_worker import Retirement, WarmWorker

_END = "[[DAFNY-SERVER: EOM]]"
_REPLY_END = re.compile(r"^\[(SUCCESS|FAILURE)\] \[\[DAFNY-SERVER: EOM\]\]\s*$", re.MULTILINE)

_SOLVER = "z3"

START_S = 60.0
"""Wall time for the server to become ready, on a loaded machine."""


class ServerWorker(WarmWorker):
    """One running server, made ready by verifying ``known_good``.

    Raises:
        WorkerFault: it is not verified.
    """

    def __init__(
        self,
        tool: DafnyTool,
        identity: ToolIdentity,
        sandbox: Sandbox,
        memory_bytes: int,
        cpus: tuple[int, ...],
        *,
        known_good: str,
        retirement: Retirement,
    ) -> None:
        assert tool.server is not None
        self._tool = tool
        self._identity = identity
        policy = policy_for(tool, memory_bytes, cpus=cpus)
        super().__init__(sandbox, list(tool.server), policy, environment_for(tool), retirement)
        self.probe(known_good, Limits(wall_s=START_S))

    def _verify(self, program: str, limits: Limits) -> Verdict:
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
            self._stopped(stop)
            answer, ended = stop.output, False
        text = answer.decode("utf-8", "replace").split(mark.decode())[0]
        ends = list(_REPLY_END.finditer(text))
        if ended and (len(ends) != 1 or text[ends[0].end() :].strip() or ends[0][1] != "SUCCESS"):
            raise WorkerFault(f"the server's reply is out of step: {text.strip().splitlines()[-1:]}")
        times = Times(tool_s=time.monotonic() - began)
        solver_ended_s = self._contained.cpu_s(_SOLVER) if ended else None
        if solver_began_s is not None and solver_ended_s is not None:
            times = replace(times, solver_s=solver_ended_s - solver_began_s)
        output = parse_output(text, file=file, dialect="2", server=True)
        if output.crash:
            raise WorkerFault(output.crash)
        return make_verdict(
            output,
            program,
            tool=self._identity,
            error_limit=limits.error_limit,
            server=True,
            ended=ended,
            times=times,
            sandbox=self._sandbox.mode,
        )
