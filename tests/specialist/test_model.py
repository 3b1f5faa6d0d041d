"""A model as a specialist: what it is asked, how its answer is read, and over the wire as in the process."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.episodes.factory import GIVEN, REFERENCE
from tests.rollouts.factory import Spelling, tiny_model, tiny_tokenizer
from tests.specialist.test_assist import DIRECT, INSTANCE, submit
from verulaw_rl.config.endpoint import EndpointConfig
from verulaw_rl.config.specialist import EndpointSpecialist
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.transformers_policy import TransformersPolicy
from verulaw_rl.specialist.model import EmbeddedModel, EndpointModel, answered_program, question
from verulaw_rl.specialist.serve import make_server, vllm_command

pytestmark = pytest.mark.train

ANSWER = f"The invariant is missing.\n<submit>\n{REFERENCE}</submit>"


@pytest.fixture(scope="module")
def spelling() -> Spelling:
    return Spelling(tiny_tokenizer(), [ANSWER], context_tokens=16384)


@pytest.fixture(scope="module")
def url(spelling: Spelling) -> Iterator[str]:
    server = make_server(spelling, "127.0.0.1", 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_the_question_is_an_annotation_repair_episode() -> None:
    system, user = question(INSTANCE, GIVEN)
    assert GIVEN.strip() in user["content"]
    assert "whose proof annotations were removed" in system["content"]
    assert "<submit>" in system["content"]
    assert REFERENCE.split("\n")[5] not in system["content"] + user["content"]


def test_an_answer_is_read_as_a_turn() -> None:
    assert answered_program(ANSWER) == REFERENCE
    assert answered_program("I could not do it.") is None
    assert answered_program(ANSWER + ANSWER) is None


def test_in_this_process(spelling: Spelling) -> None:
    turn, episode = submit(EmbeddedModel(spelling, max_tokens=4096, timeout_s=60))
    assert turn.assisted_program == REFERENCE
    assert episode.summary().reward == 3.0
    small = Spelling(spelling.tokenizer, [ANSWER], context_tokens=64)
    turn, episode = submit(EmbeddedModel(small, max_tokens=4096, timeout_s=60))
    assert (turn.assist_note, episode.summary().reward) == ("it has no answer", DIRECT)


def test_an_untrained_model_harms_nothing() -> None:
    tokenizer = tiny_tokenizer()
    model = tiny_model(tokenizer)
    model.config.max_position_embeddings = 8192
    policy = TransformersPolicy(model, tokenizer, name="tiny", context_tokens=8192)
    turn, episode = submit(EmbeddedModel(policy, max_tokens=16, timeout_s=120))
    assert (turn.assisted, turn.assist_note, episode.summary().reward) == (None, "it has no answer", DIRECT)


def endpoint(url: str, **more: float) -> EndpointModel:
    config = EndpointConfig(base_url=f"{url}/v1", retries=0)
    return EndpointModel(EndpointSpecialist(model="spelling", endpoint=config, **more))


def test_over_the_wire(url: str) -> None:
    turn, episode = submit(endpoint(url))
    assert turn.assisted_program == REFERENCE
    assert episode.summary().reward == 3.0


def test_an_endpoint_that_is_not_there_harms_nothing() -> None:
    turn, episode = submit(endpoint("http://127.0.0.1:9", timeout_s=20.0))
    assert (turn.assist_note, episode.summary().reward) == ("it failed", DIRECT)
    with pytest.raises(UserError, match="serve-specialist"):
        EndpointModel(EndpointSpecialist())


def test_the_server_says_what_is_wrong(url: str) -> None:
    def ask(path: str, data: bytes | None = None) -> tuple[int, dict[str, object]]:
        try:
            with urllib.request.urlopen(urllib.request.Request(url + path, data)) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    assert ask("/health") == (200, {"status": "ok"})
    assert ask("/v1/models")[1]["data"] == [{"id": "spelling", "object": "model"}]
    assert ask("/v1/completions", b"{}")[0] == 404
    assert ask("/v1/chat/completions", b"{")[0] == 400
    assert ask("/v1/chat/completions", b"{}")[0] == 400
    long = json.dumps({"messages": [{"role": "user", "content": "x" * 40000}]}).encode()
    status, row = ask("/v1/chat/completions", long)
    assert status == 400
    assert "maximum model length" in str(row)
    asked = {"messages": [{"role": "user", "content": "x"}], "max_tokens": 5, "temperature": 0}
    status, row = ask("/v1/chat/completions", json.dumps(asked).encode())
    assert status == 200
    assert row["usage"]["completion_tokens"] == 5
    assert row["choices"][0]["finish_reason"] == "length"


def test_vllm_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="pip install"):
        vllm_command(tmp_path, "specialist", "127.0.0.1", 8100, 4096, 2)
    (tmp_path / "vllm").write_text("#!/bin/sh\n")
    (tmp_path / "vllm").chmod(0o755)
    command = vllm_command(tmp_path, "specialist", "127.0.0.1", 8100, 4096, 2)
    assert command[1:3] == ["serve", str(tmp_path)]
    assert command[-2:] == ["--tensor-parallel-size", "2"]
