"""Endpoint policies against a server on this machine: scripted replies and faults, and a tiny transformers model."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.episodes.factory import make_instance
from tests.rollouts.factory import RIGHT, SETTINGS, WRONG, env_maker, hand_suite, scripted_services
from verulaw_rl.config.endpoint import EndpointConfig
from verulaw_rl.errors import UserError
from verulaw_rl.evaluation.policies import find_policy
from verulaw_rl.rollouts.engine import EpisodeTask, run_episodes
from verulaw_rl.rollouts.policy import ContextFullError, Sampling

pytest.importorskip("openai", reason="openai is not installed: pip install -e .[endpoint]")

pytestmark = pytest.mark.unit

Answer = Callable[[dict[str, Any]], tuple[int, dict[str, Any]]]


@contextmanager
def server(answer: Answer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Address of a chat server, and the requests that it gets."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body | {"path": self.path, "key": self.headers["Authorization"]})
            status, said = answer(body)
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}/v1", asked
    finally:
        httpd.shutdown()
        httpd.server_close()


def said(text: str, prompt: int = 11, sampled: int = 5) -> tuple[int, dict[str, Any]]:
    usage = {"prompt_tokens": prompt, "completion_tokens": sampled, "total_tokens": prompt + sampled}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return 200, {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def policy(url: str, **endpoint: Any) -> Any:
    config = EndpointConfig(base_url=url, **endpoint)
    return find_policy("openai:m", SETTINGS, endpoint=config, sampling=Sampling(0.7), max_turn_tokens=99)


def test_episodes_are_played_over_http() -> None:
    def answer(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return said(WRONG if len(body["messages"]) == 1 else RIGHT)

    settings = SETTINGS.model_copy(update={"turns": 3})
    with server(answer) as (url, asked):
        env = env_maker(hand_suite(3), scripted_services(), settings)
        tasks = [EpisodeTask(f"hand/Count{n}/annotation_repair") for n in range(3)]
        batch = run_episodes(policy(url), env, tasks, seed=0, sampling=Sampling(0.7))
    assert [r.record.turns[0].text for r in batch.results] == [WRONG] * 3
    assert all(r.record.tokens["prompt"] == 11 for r in batch.results)
    assert all(r.record.tokens["sampled"] == 5 * len(r.record.turns) for r in batch.results)
    first = asked[0]
    assert (first["path"], first["model"], first["max_tokens"], first["temperature"]) == (
        "/v1/chat/completions",
        "m",
        99,
        0.7,
    )
    assert 0 <= first["seed"] < 2**31
    assert len({a["seed"] for a in asked}) == len(asked)


def test_a_busy_server_is_asked_again() -> None:
    tries = iter([(503, {"error": {"message": "loading"}}), (429, {"error": {"message": "slow down"}}), said("x")])
    with server(lambda body: next(tries)) as (url, asked):
        reply = policy(url).reply(make_instance(), [{"role": "user", "content": "u"}], 1)
    assert (reply.text, len(asked)) == ("x", 3)


def test_a_full_context_is_no_fault() -> None:
    message = "This model's maximum context length is 512 tokens. However, you requested 600 tokens."
    with (
        server(lambda body: (400, {"error": {"message": message}})) as (url, _),
        pytest.raises(ContextFullError, match="512"),
    ):
        policy(url).reply(make_instance(), [{"role": "user", "content": "u"}], 1)


def test_a_server_that_refuses_or_is_gone_ends_the_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    refusal = {"error": {"message": "the model `m` does not exist"}}
    with server(lambda body: (404, refusal)) as (url, asked):
        with pytest.raises(UserError, match="does not exist"):
            policy(url, api_key_variable="MY_KEY").reply(make_instance(), [{"role": "user", "content": "u"}], 1)
        assert asked[0]["key"] == "Bearer secret"
    with pytest.raises(UserError, match=r"cannot reach .*--resume goes on"):
        policy(url, retries=0).reply(make_instance(), [{"role": "user", "content": "u"}], 1)


def test_an_address_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UserError, match="--endpoint"):
        find_policy("openai:m", SETTINGS)
    with pytest.raises(UserError, match="wire_format: tags"):
        find_policy("openai:m", SETTINGS.model_copy(update={"wire_format": "tools"}))


@pytest.mark.train
def test_a_tiny_model_behind_a_server() -> None:
    from tests.rollouts.factory import tiny_model, tiny_tokenizer

    tokenizer = tiny_tokenizer()
    model = tiny_model(tokenizer)
    lock = threading.Lock()

    def answer(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        inputs = tokenizer.apply_chat_template(
            body["messages"], add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        with lock:
            out = model.generate(**inputs, max_new_tokens=body["max_tokens"], do_sample=False)
        new = out[0, inputs["input_ids"].shape[1] :]
        return said(tokenizer.decode(new, skip_special_tokens=True), inputs["input_ids"].shape[1], len(new))

    with server(answer) as (url, asked):
        player = find_policy(
            "openai:m", SETTINGS, endpoint=EndpointConfig(base_url=url), sampling=Sampling(0.0), max_turn_tokens=12
        )
        env = env_maker(hand_suite(2), scripted_services())
        tasks = [EpisodeTask(f"hand/Count{n}/annotation_repair") for n in range(2)]
        batch = run_episodes(player, env, tasks, seed=0, sampling=Sampling(0.0))
    assert len(asked) == 2
    assert all(0 < r.record.tokens["sampled"] <= 12 for r in batch.results)
    assert batch.results[0].record.turns[0].text == batch.results[1].record.turns[0].text
