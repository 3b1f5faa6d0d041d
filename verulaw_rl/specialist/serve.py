"""A checkpoint as a specialist's endpoint: the OpenAI chat interface over a transformers model, or vLLM's own server.

``verulaw-rl serve-specialist`` calls it. Requests that come in while the model is busy are sampled together in the
next batch. What is served is what :class:`~verulaw_rl.specialist.model.EndpointModel` asks for and a health check,
nothing more.
"""

from __future__ import annotations

import json
import queue
import shutil
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.conversation import ChatFormat
from verulaw_rl.rollouts.policy import Generation, Prompt, Sampling, TokenPolicy

MAX_BODY_BYTES = 8 * 2**20
_ANSWER_S = 3600.0


@dataclass
class _Asked:
    prompt: Prompt
    temperature: float
    answer: Future[Generation] = field(default_factory=Future)


class Batches:
    """Samples what is asked, everything that waits at once; one thread owns the model."""

    def __init__(self, policy: TokenPolicy) -> None:
        self.policy = policy
        self._chat = ChatFormat(policy.tokenizer)
        self._queue: queue.Queue[_Asked | None] = queue.Queue()
        self._thread = threading.Thread(target=self._serve, name="batches", daemon=True)
        self._thread.start()

    def answer(self, messages: list[dict[str, str]], max_tokens: int, temperature: float, seed: int) -> tuple[int, Any]:
        """Number of prompt tokens, and the generation; ``None`` where the prompt leaves no room."""
        ids = tuple(self._chat.opening(messages))
        room = self.policy.context_tokens - len(ids)
        if room < 1:
            return len(ids), None
        asked = _Asked(Prompt(ids, min(room, max_tokens), seed), temperature)
        self._queue.put(asked)
        return len(ids), asked.answer.result(timeout=_ANSWER_S)

    def close(self) -> None:
        """End after the batch under way."""
        self._queue.put(None)
        self._thread.join()

    def _serve(self) -> None:
        while (first := self._queue.get()) is not None:
            waiting = [first]
            while not self._queue.empty():
                asked = self._queue.get()
                if asked is None:
                    self._queue.put(None)
                    break
                waiting.append(asked)
            for temperature in sorted({a.temperature for a in waiting}):
                self._sample([a for a in waiting if a.temperature == temperature], temperature)

    def _sample(self, asked: list[_Asked], temperature: float) -> None:
        try:
            self.policy.generate(
                [a.prompt for a in asked],
                Sampling(temperature),
                lambda position, generation: asked[position].answer.set_result(generation),
            )
        except Exception as error:
            for a in asked:
                if not a.answer.done():
                    a.answer.set_exception(error)


def make_server(policy: TokenPolicy, host: str, port: int) -> ThreadingHTTPServer:
    """A server that is ready to ``serve_forever``; port 0 takes a free one.

    Raises:
        UserError: the address cannot be had.
    """
    batches = Batches(policy)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path == "/health":
                self._send(200, {"status": "ok"})
            elif self.path == "/v1/models":
                self._send(200, {"object": "list", "data": [{"id": policy.name, "object": "model"}]})
            else:
                self._fail(404, f"there is no {self.path}")

        def do_POST(self) -> None:
            try:
                length = int(self.headers.get("Content-Length", 0))
                if not 0 < length <= MAX_BODY_BYTES:
                    raise ValueError(f"a body of {length} bytes; at most {MAX_BODY_BYTES}")
                body = json.loads(self.rfile.read(length))
                if self.path != "/v1/chat/completions":
                    return self._fail(404, f"there is no {self.path}")
                messages = [{"role": str(m["role"]), "content": str(m["content"])} for m in body["messages"]]
                limit = int(body.get("max_completion_tokens") or body.get("max_tokens") or policy.context_tokens)
                temperature, seed = float(body.get("temperature", 1.0)), int(body.get("seed") or 0)
            except (ValueError, KeyError, TypeError) as error:
                return self._fail(400, f"{type(error).__name__}: {error}")
            try:
                prompt_tokens, generation = batches.answer(messages, limit, temperature, seed)
            except Exception as error:  # what the model raises belongs to the request
                return self._fail(500, f"{type(error).__name__}: {error}")
            if generation is None:
                return self._fail(
                    400, f"maximum model length is {policy.context_tokens}; the prompt has {prompt_tokens}"
                )
            return self._send(200, _completion(policy.name, prompt_tokens, generation))

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: a line per request drowns what matters."""

        def _fail(self, status: int, message: str) -> None:
            self._send(status, {"error": {"message": message, "code": status}})

        def _send(self, status: int, row: dict[str, Any]) -> None:
            data = json.dumps(row).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    try:
        server = ThreadingHTTPServer((host, port), Handler)
    except OSError as error:
        raise UserError(f"cannot listen on {host}:{port}: {error.strerror}; choose another --port") from None
    server.daemon_threads = True
    return server


def vllm_command(checkpoint: Path, name: str, host: str, port: int, context_tokens: int, gpus: int) -> list[str]:
    """The command line of vLLM's own server for a specialist.

    Raises:
        UserError: vLLM is not installed.
    """
    program = shutil.which("vllm")
    if program is None:
        raise UserError(
            "vllm is not installed; run `pip install 'verulaw_rl[vllm]'`, or serve with --backend transformers"
        )
    options = ["--served-model-name", name, "--host", host, "--port", str(port), "--max-model-len", str(context_tokens)]
    return [program, "serve", str(checkpoint), *options, "--tensor-parallel-size", str(gpus)]


def _completion(name: str, prompt_tokens: int, generation: Generation) -> dict[str, Any]:
    message = {"role": "assistant", "content": generation.text}
    reason = "stop" if generation.finished else "length"
    return {
        "id": f"chatcmpl-{time.time_ns()}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": name,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": len(generation.token_ids),
            "total_tokens": prompt_tokens + len(generation.token_ids),
        },
    }
