"""What is asked of a vLLM server and how its answers are read; the engine's part when one fails.

The answers have the shape of vLLM's own ``/v1/completions`` with ``return_token_ids``; a live server is not tried here.
"""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.rollouts.factory import RIGHT, SETTINGS, env_maker, hand_suite, scripted_services, tiny_tokenizer
from verulaw_rl.config.machines import VllmServerRollouts
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.engine import EpisodeTask, run_episodes
from verulaw_rl.rollouts.policy import Prompt, Sampling
from verulaw_rl.rollouts.vllm_policy import ServerError, VllmServer, VllmServerPolicy, read_completion

pytestmark = pytest.mark.unit

TOKENIZER = tiny_tokenizer()
ANSWER = [*TOKENIZER(RIGHT, add_special_tokens=False)["input_ids"], TOKENIZER.eos_token_id]


def completion(ids: list[int], reason: str = "stop") -> dict[str, Any]:
    logprobs = {"tokens": [f"token_id:{i}" for i in ids], "token_logprobs": [-0.25] * len(ids)}
    return {"choices": [{"token_ids": ids, "logprobs": logprobs, "finish_reason": reason, "text": "..."}]}


class Server:
    """Answers as it is told, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answer: Callable[[str, dict[str, Any]], tuple[int, Any]] = lambda path, row: (200, completion(ANSWER))


@pytest.fixture
def server() -> Iterator[Any]:
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            row = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.asked.append((self.path, row))
            status, body = told.answer(self.path, row)
            plain = isinstance(body, str)
            data = body.encode() if plain else json.dumps(body).encode()
            self.send_response(status)
            if not plain:  # vLLM names no type where it answers in words
                self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    told.url = f"http://127.0.0.1:{http.server_address[1]}"  # type: ignore[attr-defined]
    yield told
    http.shutdown()
    http.server_close()


def policy_of(url: str, **more: Any) -> VllmServerPolicy:
    config = VllmServerRollouts(**({"retries": 0, "request_timeout_s": 5} | more))
    return VllmServerPolicy([url], config, TOKENIZER, name="served", context_tokens=512)


def test_ids_go_in_and_come_out(server: Any) -> None:
    seen: list[int] = []
    prompts = [Prompt((5, 6, 7), 40, 2**40 + 3), Prompt((5, 6, 8), 40, 4)]
    out = policy_of(server.url).generate(prompts, Sampling(0.7), lambda n, g: seen.append(n))
    assert [list(g.token_ids) for g in out] == [ANSWER, ANSWER]
    assert out[0].logprobs == (-0.25,) * len(ANSWER)
    assert out[0].text == RIGHT
    assert out[0].finished
    assert sorted(seen) == [0, 1]
    path, row = min(server.asked, key=lambda a: a[1]["prompt"])
    assert path == "/v1/completions"
    assert row["prompt"] == [5, 6, 7]
    assert row["return_token_ids"] is True
    assert (row["model"], row["max_tokens"], row["temperature"]) == ("policy", 40, 0.7)
    assert 0 <= row["seed"] < 2**31


def test_an_episode_on_a_server(server: Any) -> None:
    env = env_maker(hand_suite(2), scripted_services(), SETTINGS)
    tasks = [EpisodeTask(f"hand/Count{n}/annotation_repair") for n in range(2)]
    options = {"seed": 0, "sampling": Sampling(), "max_turn_tokens": 64}
    results = run_episodes(policy_of(server.url), env, tasks, **options).results
    assert [r.record.reward for r in results] == [3.0, 3.0]
    assert list(results[0].completion_ids) == ANSWER
    # One that fails for good makes its own episode unscorable and no other.
    first = server.asked[0][1]["prompt"]
    server.answer = lambda path, row: (400, "bad") if row["prompt"] == first else (200, completion(ANSWER))
    results = run_episodes(policy_of(server.url), env, tasks[:1], **options).results
    assert [(r.record.reward, r.record.end_reason.startswith("error:")) for r in results] == [(None, True)]


def test_an_answer_in_words_is_asked_for_once(server: Any) -> None:
    server.answer = lambda path, row: (200, "Success: LoRA adapter 'policy-1' added successfully.")
    assert policy_of(server.url, retries=2).servers[0].post("/v1/load_lora_adapter", {}) == {}
    assert len(server.asked) == 1


def test_what_may_pass_is_tried_again(server: Any) -> None:
    answers = iter([(503, "busy"), (200, completion(ANSWER))])
    server.answer = lambda path, row: next(answers)
    (out,) = policy_of(server.url, retries=1).generate([Prompt((5,), 40, 0)], Sampling())
    assert out.error is None
    assert len(server.asked) == 2


def test_a_stall_has_an_end() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        (out,) = policy_of(url, request_timeout_s=0.3).generate([Prompt((5,), 4, 0)], Sampling())
    assert out.error is not None
    assert "timed out" in out.error


@pytest.mark.parametrize(
    "row",
    [{}, {"choices": []}, {"choices": [{"text": "x", "finish_reason": "stop"}]}, completion([5] * 41),
     {"choices": [{"token_ids": [5, 6], "logprobs": {"token_logprobs": [-1.0]}, "finish_reason": "stop"}]}],
)  # fmt: skip
def test_half_an_answer_is_none(row: dict[str, Any]) -> None:
    with pytest.raises(ServerError):
        read_completion(row, TOKENIZER, 40)


def test_a_cut_off_turn_is_not_finished() -> None:
    cut = read_completion(completion(ANSWER[:5], "length"), TOKENIZER, 5)
    assert not cut.finished
    assert len(cut.token_ids) == 5


def test_prompt_logprobs(server: Any) -> None:
    given = [None, {"6": {"logprob": -1.5}}, {"7": {"logprob": -0.5}, "9": {"logprob": -0.1}}]
    server.answer = lambda path, row: (200, {"choices": [{"prompt_logprobs": given}]})
    found = VllmServer(server.url, VllmServerRollouts()).prompt_logprobs("policy", [5, 6, 7])
    assert found == [-1.5, -0.5]


def test_no_server_is_said() -> None:
    with pytest.raises(UserError, match="vllm serve"):
        VllmServerPolicy([], VllmServerRollouts(), TOKENIZER, name="x", context_tokens=1)
    with pytest.raises(UserError, match="no vLLM server"):
        VllmServer("http://127.0.0.1:9", VllmServerRollouts()).get("/version")
