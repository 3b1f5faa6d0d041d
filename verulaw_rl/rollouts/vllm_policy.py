"""Policies that vLLM samples: a server over its OpenAI-compatible API, or an engine in this process.

Both take and give token ids with the log-probability of each, so that what is trained is what was sampled. A server
keeps a prompt's prefix, so that the turns of an episode read their history once; nothing has to be asked for that. A
request that fails or stalls is made again; after its retries it raises, and the engine counts that episode unscorable.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from verulaw_rl.config.machines import VllmServerRollouts
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.policy import Generation, OnDone, Prompt, Sampling

_SEED_BITS = 31
_WAIT_S = 1.0
_PREFIX_TOKENS = 1024


class ServerError(RuntimeError):
    """A request that failed for good; its episode is unscorable."""


class VllmServer:
    """One server's interface, as far as rollouts and weight transfer need it."""

    def __init__(self, url: str, config: VllmServerRollouts) -> None:
        self.url = url.rstrip("/")
        self._config = config

    def post(self, path: str, row: dict[str, Any], timeout_s: float | None = None) -> dict[str, Any]:
        """Make a request, and again where it fails in a way that may pass.

        Raises:
            ServerError: it failed for good.
        """
        data = json.dumps(row).encode()
        said = ""
        for attempt in range(self._config.retries + 1):
            if attempt:
                time.sleep(_WAIT_S * 2 ** (attempt - 1))
            request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})
            try:
                with urllib.request.urlopen(request, timeout=timeout_s or self._config.request_timeout_s) as answer:
                    body, kind = answer.read(), answer.headers.get_content_type()
                # An adapter's loading is answered in plain words.
                return dict(json.loads(body)) if body.strip() and kind == "application/json" else {}
            except urllib.error.HTTPError as error:
                said = f"{error.code}: {error.read()[:300].decode(errors='replace')}"
                if error.code < 500 and error.code != 429:
                    break
            except (OSError, ValueError) as error:  # no connection, a stall, half an answer
                said = f"{type(error).__name__}: {error}"
        raise ServerError(f"{self.url}{path}: {said}")

    def get(self, path: str) -> dict[str, Any]:
        """Read a path.

        Raises:
            UserError: the server cannot be reached.
        """
        try:
            with urllib.request.urlopen(self.url + path, timeout=30) as answer:
                body = answer.read()
        except OSError as error:
            raise UserError(f"no vLLM server at {self.url} ({error}); start one with `vllm serve`") from None
        return dict(json.loads(body)) if body.strip() else {}

    def prompt_logprobs(self, model: str, token_ids: Sequence[int]) -> list[float]:
        """Log-probability of each token but the first, given those before.

        Raises:
            ServerError: it cannot be had.
        """
        row = {"model": model, "prompt": list(token_ids), "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}
        (choice,) = self.post("/v1/completions", row)["choices"]
        given = choice["prompt_logprobs"][1:]
        return [float(entry[str(i)]["logprob"]) for i, entry in zip(token_ids[1:], given, strict=True)]


class VllmServerPolicy:
    """A policy on one or several vLLM servers (see :class:`~verulaw_rl.rollouts.policy.TokenPolicy`)."""

    def __init__(
        self, urls: Sequence[str], config: VllmServerRollouts, tokenizer: Any, *, name: str, context_tokens: int
    ) -> None:
        """Sample from ``urls`` in turn.

        Raises:
            UserError: none is given.
        """
        if not urls:
            raise UserError("rollouts.base_urls names no vLLM server; start one with `vllm serve`, or use --slurm")
        self.servers = [VllmServer(url, config) for url in urls]
        self.name = name
        self.version = ""
        self.tokenizer = tokenizer
        self.context_tokens = context_tokens
        self.model_name = config.model_name
        self._concurrency = config.concurrency

    def generate(
        self, prompts: Sequence[Prompt], sampling: Sampling, on_done: OnDone | None = None
    ) -> list[Generation]:
        """Continue every prompt; an episode goes to the server that has its prefix."""
        results: dict[int, Generation] = {}
        with ThreadPoolExecutor(max_workers=self._concurrency, thread_name_prefix="vllm") as threads:
            asked = {threads.submit(self._one, p, sampling): n for n, p in enumerate(prompts)}
            for future in as_completed(asked):
                position = asked[future]
                try:
                    results[position] = future.result()
                except ServerError as error:
                    results[position] = Generation((), (), "", False, error=str(error))
                if on_done is not None:
                    on_done(position, results[position])
        return [results[n] for n in range(len(prompts))]

    def _one(self, prompt: Prompt, sampling: Sampling) -> Generation:
        # What an episode begins with, beyond the instructions that all share, chooses its server in every turn.
        server = self.servers[hash(prompt.token_ids[:_PREFIX_TOKENS]) % len(self.servers)]
        row = server.post("/v1/completions", self._request(prompt, sampling))
        return read_completion(row, self.tokenizer, prompt.max_tokens)

    def _request(self, prompt: Prompt, sampling: Sampling) -> dict[str, Any]:
        return {
            "model": self.model_name,
            "prompt": list(prompt.token_ids),
            "max_tokens": prompt.max_tokens,
            "temperature": sampling.temperature,
            "seed": prompt.seed % 2**_SEED_BITS,
            "logprobs": 0,
            "return_token_ids": True,
            "return_tokens_as_token_ids": True,
            "skip_special_tokens": False,
            "add_special_tokens": False,
        }


def read_completion(row: dict[str, Any], tokenizer: Any, max_tokens: int) -> Generation:
    """A server's answer to one prompt.

    Raises:
        ServerError: it does not give ids and log-probabilities, one for each.
    """
    try:
        (choice,) = row["choices"]
        ids = [int(i) for i in choice["token_ids"]]
        logprobs = [float(x) for x in choice["logprobs"]["token_logprobs"]]
        finished = choice["finish_reason"] == "stop"
    except (KeyError, TypeError, ValueError) as error:
        said = f"{type(error).__name__}: {error}"
        raise ServerError(f"an answer without token ids and log-probabilities ({said})") from None
    if len(ids) != len(logprobs) or len(ids) > max_tokens:
        raise ServerError(f"{len(ids)} token ids, {len(logprobs)} log-probabilities, at most {max_tokens} asked for")
    return _generation(ids, logprobs, finished, tokenizer)


class VllmEnginePolicy:
    """A policy on a vLLM engine in this process (``vllm.LLM``)."""

    def __init__(self, engine: Any, tokenizer: Any, *, name: str, context_tokens: int) -> None:
        self.engine = engine
        self.name = name
        self.version = ""
        self.tokenizer = tokenizer
        self.context_tokens = context_tokens

    def generate(
        self, prompts: Sequence[Prompt], sampling: Sampling, on_done: OnDone | None = None
    ) -> list[Generation]:
        """Continue every prompt (see :class:`~verulaw_rl.rollouts.policy.TokenPolicy`)."""
        from vllm import SamplingParams

        wanted = [
            SamplingParams(
                max_tokens=p.max_tokens, temperature=sampling.temperature, seed=p.seed % 2**_SEED_BITS, logprobs=0,
                skip_special_tokens=False,
            )
            for p in prompts
        ]  # fmt: skip
        given = [{"prompt_token_ids": list(p.token_ids)} for p in prompts]
        out = []
        for position, answer in enumerate(self.engine.generate(given, wanted, use_tqdm=False)):
            (sampled,) = answer.outputs
            ids = list(sampled.token_ids)
            logprobs = [float(entry[i].logprob) for i, entry in zip(ids, sampled.logprobs, strict=True)]
            out.append(_generation(ids, logprobs, sampled.finish_reason == "stop", self.tokenizer))
            if on_done is not None:
                on_done(position, out[-1])
        return out


def _generation(ids: list[int], logprobs: list[float], finished: bool, tokenizer: Any) -> Generation:
    ended = finished and bool(ids)
    text = tokenizer.decode(ids[:-1] if ended else ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    return Generation(tuple(ids), tuple(logprobs), text, finished)
