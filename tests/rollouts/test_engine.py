import threading
import time

import pytest

from tests.episodes.factory import Script, evidence_of
from tests.rollouts.factory import (
    RIGHT,
    SETTINGS,
    WRONG,
    Spelling,
    env_maker,
    hand_suite,
    scripted_services,
    tiny_model,
    tiny_tokenizer,
)
from verulaw_rl.errors import UserError
from verulaw_rl.rollouts.engine import EpisodeTask, derive_seed, run_episodes
from verulaw_rl.rollouts.policy import ContextFullError, Reply, Sampling
from verulaw_rl.rollouts.scripted import GivenPolicy, NullPolicy, ReferencePolicy
from verulaw_rl.rollouts.transformers_policy import TransformersPolicy
from verulaw_rl.verification.verdict import Status

pytestmark = pytest.mark.unit

DELAY_S = 0.4


def tasks(instances: int, samples: int = 1) -> list[EpisodeTask]:
    return [EpisodeTask(f"hand/Count{n}/annotation_repair", s) for n in range(instances) for s in range(samples)]


def slow(instance, candidate):
    time.sleep(DELAY_S)
    return Script().collect(instance, candidate)


def play(policy, count=1, samples=1, collect=None, turns=1, **options):
    settings = SETTINGS.model_copy(update={"turns": turns})
    env = env_maker(hand_suite(count), scripted_services(collect), settings)
    options = {"seed": 0, "sampling": Sampling(1.0), "max_turn_tokens": 64} | options
    return run_episodes(policy, env, tasks(count, samples), **options)


@pytest.fixture(scope="module")
def tiny() -> TransformersPolicy:
    tokenizer = tiny_tokenizer()
    return TransformersPolicy(tiny_model(tokenizer), tokenizer, name="tiny", context_tokens=512, batch_size=4)


def test_a_batch_takes_the_time_of_its_turns_not_of_its_episodes() -> None:
    # Two different failing submissions: two verifier calls in a row for each episode, 16 episodes at once.
    policy = Spelling(tiny_tokenizer(), [WRONG, WRONG.replace("i < n", "i < n + 1")])
    play(policy)  # warm
    started = time.monotonic()
    batch = play(policy, 16, collect=slow, turns=2, workers=16)
    took = time.monotonic() - started
    assert len(batch.results) == 16
    assert all(len(r.record.turns) == 2 for r in batch.results)
    one_by_one = 16 * 2 * DELAY_S
    assert 2 * DELAY_S <= took < one_by_one / 3, f"{took:.2f} s; one by one would take {one_by_one} s"


def test_a_slow_verifier_does_not_stop_the_sampling_of_others() -> None:
    class Slow(Spelling):
        def generate(self, prompts, sampling, on_done=None):
            out = []
            for position, prompt in enumerate(prompts):
                time.sleep(DELAY_S)
                inner = super().generate([prompt], sampling)
                out += inner
                on_done(position, inner[0])
            return out

    started = time.monotonic()
    play(Slow(tiny_tokenizer(), [WRONG]), 4, collect=slow)
    took = time.monotonic() - started
    assert took < 4 * DELAY_S + 3 * DELAY_S, f"{took:.2f} s: verification of the first overlaps sampling of the rest"


def test_results_are_one_for_each_task_in_order() -> None:
    def uneven(instance, candidate):
        time.sleep(0.1 if "Count0" in instance.key else 0.0)
        return Script().collect(instance, candidate)

    seen = []
    batch = play(Spelling(tiny_tokenizer(), [WRONG]), 3, 2, uneven, on_result=lambda r, n: seen.append((r.task, n)))
    assert [r.task for r in batch.results] == tasks(3, 2)
    assert [n for _, n in seen] == [1, 2, 3, 4, 5, 6]
    assert {t for t, _ in seen} == set(tasks(3, 2))


def test_outcomes_do_not_depend_on_workers_order_or_company(tiny: TransformersPolicy) -> None:
    def outcome(batch):
        return {r.task: (r.completion_ids, r.record.reward, r.record.seed) for r in batch.results}

    options = {"turns": 2, "max_turn_tokens": 12}
    expected = outcome(play(tiny, 2, 3, **options))
    assert outcome(play(tiny, 2, 3, workers=1, **options)) == expected
    assert outcome(play(tiny, 2, 1, **options)).items() <= expected.items()
    other_seed = outcome(play(tiny, 2, 3, seed=1, **options))
    assert all(other_seed[t][0] != expected[t][0] for t in expected)


def test_samples_of_an_instance_differ(tiny: TransformersPolicy) -> None:
    batch = play(tiny, 1, 6, max_turn_tokens=12)
    assert len({r.completion_ids for r in batch.results}) == 6
    assert len({r.record.seed for r in batch.results}) == 6


def test_a_failing_step_is_a_row_not_a_crash() -> None:
    def breaks(instance, candidate):
        if "Count1" in instance.key:
            raise RuntimeError("the worker went away")
        return Script().collect(instance, candidate)

    results = play(Spelling(tiny_tokenizer(), [RIGHT]), 3, collect=breaks).results
    assert [r.record.reward for r in results] == [3.0, None, 3.0]
    assert results[1].error == "RuntimeError: the worker went away"
    assert results[1].record.end_reason == "error: RuntimeError: the worker went away"
    assert results[1].mask, "what was sampled stays on record"


def test_a_tool_failure_is_unscorable() -> None:
    def fails(instance, candidate):
        return evidence_of(instance, candidate, Status.ERROR, ())

    (result,) = play(Spelling(tiny_tokenizer(), [RIGHT]), collect=fails).results
    assert (result.record.reward, result.error) == (None, None)


def test_bad_input_stops_everything() -> None:
    def refuses(instance, candidate):
        raise UserError("no dafny")

    with pytest.raises(UserError, match="no dafny"):
        play(Spelling(tiny_tokenizer(), [RIGHT]), 3, collect=refuses)


def test_ctrl_c_drops_what_is_pending() -> None:
    calls = []

    def counted(instance, candidate):
        calls.append(instance.key)
        time.sleep(0.5)
        return Script().collect(instance, candidate)

    def interrupt(result, done):
        raise KeyboardInterrupt

    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        play(Spelling(tiny_tokenizer(), [RIGHT]), 40, collect=counted, workers=2, on_result=interrupt)
    time.sleep(1.0)
    assert len(calls) < 20
    assert threading.active_count() <= threads


def test_scripted_policies_play_without_tokens() -> None:
    reference = play(ReferencePolicy(SETTINGS), 2).results
    assert [r.record.reward for r in reference] == [3.0, 3.0]
    assert reference[0].completion_ids == ()
    assert reference[0].record.tokens == {}
    (given,) = play(GivenPolicy(SETTINGS)).results
    assert 0 < given.record.reward < 1
    (null,) = play(NullPolicy(SETTINGS)).results
    assert null.record.reward == -1.5
    assert null.record.policy == "null"


def test_seeds_are_pure_functions_of_their_parts() -> None:
    assert derive_seed(1, "a", 2) == derive_seed(1, "a", 2)
    assert len({derive_seed(1, "a", 2), derive_seed(1, "a", 3), derive_seed(2, "a", 2), derive_seed(1, "b", 2)}) == 4
    assert derive_seed("1", "2") != derive_seed("12")


def test_no_more_episodes_are_under_way_than_told() -> None:
    begun = 0
    ended = 0
    most = 0

    def counted():
        nonlocal begun, most
        for task in tasks(3, 4):
            begun += 1
            most = max(most, begun - ended)
            yield task

    def note(result, done):
        nonlocal ended
        ended = done

    settings = SETTINGS.model_copy(update={"turns": 1})
    env = env_maker(hand_suite(3), scripted_services(None), settings)
    batch = run_episodes(
        ReferencePolicy(settings), env, counted(), seed=0, sampling=Sampling(), at_once=2, on_result=note
    )
    assert [r.task for r in batch.results] == tasks(3, 4)
    assert most == 2


def test_a_text_policy_may_tell_its_tokens_and_run_out_of_context() -> None:
    class Endpoint:
        name, version = "endpoint", ""

        def reply(self, instance, messages, seed):
            if len(messages) > 4:
                raise ContextFullError("too long")
            return Reply("no action", prompt_tokens=10 * len(messages), sampled_tokens=3)

    (result,) = play(Endpoint(), turns=5).results
    assert result.record.end_reason == "context_full"
    assert len(result.record.turns) == 2
    assert result.record.tokens == {"prompt": 10, "sampled": 6, "billed_prompt": 40}  # of 1 and of 3 messages
