"""The client on real servers: the program's and the reference."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from openenv.core.generic_client import GenericEnvClient

from triage_env import (
    DeskAction,
    DeskObservation,
    Info,
    InvalidActionError,
    QueueAction,
    QueueObservation,
    ServerError,
    TriageEnv,
    create_env,
)

ANSWER = QueueAction(
    route_category="technical", urgency_assessment="medium", resolution_difficulty="medium", priority_score=30
)


@pytest.mark.parametrize(("difficulty", "tickets"), [("easy", 8), ("medium", 10), ("hard", 12)])
def test_rewards_of_the_queue_sum_to_its_score(url: str, difficulty: Any, tickets: int) -> None:
    with create_env(difficulty, track="queue", url=url) as env:
        seen, _ = env.reset(1)
        assert (seen.task, seen.total_tickets, seen.position, seen.last_result) == (
            f"queue-{difficulty}",
            tickets,
            0,
            None,
        )
        ids: list[str] = []
        paid, terminated, info = 0.0, False, Info()
        while not terminated:
            assert seen.ticket is not None
            ids.append(seen.ticket.ticket_id)
            seen, reward, terminated, truncated, info = env.step(ANSWER)
            paid += reward
            assert not truncated
            last = seen.last_result
            assert last is not None
            assert last.ticket_id == ids[-1]
            assert last.reward is not None
            assert reward == pytest.approx(last.reward / tickets, abs=1e-12)
            assert set(reward.breakdown) == {"route", "urgency", "difficulty", "priority"}
        assert seen.ticket is None
        assert len(set(ids)) == tickets
        assert paid == pytest.approx(info["score"], abs=1e-9)
        assert info["ended"] == "complete"
        assert set(info["rubrics"]) == {"route", "urgency", "difficulty", "priority"}
        assert seen.stats is not None
        assert seen.stats.mean_reward == pytest.approx(info["score"])
        assert seen.stats.efficiency == pytest.approx(info["efficiency"])


def test_the_desk_ends_at_the_first_complete_answer(url: str) -> None:
    with create_env("medium", url=url) as env:
        first, _ = env.reset(2)
        assert isinstance(first, DeskObservation)
        assert (first.task_difficulty, first.step_count) == ("medium", 0)
        seen, reward, terminated, truncated, _ = env.step(DeskAction(category="Bug", priority="Low"))
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert "urgency_days" in seen.message
        seen, reward, terminated, truncated, info = env.step({"urgency_days": 3})
        assert (terminated, truncated, info["ended"], seen.step_count) == (True, False, "complete", 2)
        assert set(reward.breakdown) == {"category", "priority", "urgency_days"}
        assert info["score"] == pytest.approx(sum(reward.breakdown.values()) / 3)
        assert reward.value == pytest.approx(0.7 * info["score"] + 0.3 * info["efficiency"])


def test_the_desk_truncates_after_the_third_step(url: str) -> None:
    with create_env("hard", url=url) as env:
        env.reset(2)
        for _ in range(2):
            assert env.step(DeskAction())[2:4] == (False, False)
        *_, terminated, truncated, info = env.step(DeskAction(category="Bug"))
        assert (terminated, truncated, info["ended"]) == (False, True, "truncated")


def test_the_same_seed_gives_the_same_episode_and_another_gives_others(url: str) -> None:
    def play(seed: int) -> list[Any]:
        with create_env("hard", track="queue", url=url) as env:
            out: list[Any] = [env.reset(seed)]
            while out[-1][0].remaining != 0:
                out.append(env.step(ANSWER)[:4])
            return out

    assert play(0) == play(0)
    assert play(0)[0] != play(1)[0]


def test_sessions_do_not_touch_each_other(url: str) -> None:
    with create_env(track="queue", url=url) as one, create_env(track="queue", url=url) as two:
        first, _ = one.reset(0)
        second, _ = two.reset(1)
        one.step(ANSWER)
        one.step(ANSWER)
        assert (one.state().step_count, two.state().step_count) == (2, 0)
        seen = two.state().observation
        assert isinstance(seen, QueueObservation)
        assert seen.ticket == second.ticket
        assert first.ticket != second.ticket


def test_a_wrong_value_changes_nothing(url: str) -> None:
    with create_env(track="queue", url=url) as env:
        env.reset(0)
        with pytest.raises(InvalidActionError, match=r"route_category: .*billing.*; zz: ") as caught:
            env.step({"route_category": "sales", "zz": 1})
        assert [e["loc"] for e in caught.value.errors] == [("route_category",), ("zz",)]
        assert env.state().step_count == 0
        assert env.step(ANSWER)[0].position == 1


def test_integers_are_read_leniently_and_absent_fields_cost_no_more(url: str) -> None:
    with create_env(track="queue", url=url) as env:
        env.reset(0)
        for value in ("42", 42.0, True, None):
            env.step({"priority_score": value, "route_category": None})
        assert env.state().step_count == 4


def test_steps_out_of_turn_are_errors(url: str) -> None:
    with create_env(url=url) as env:
        with pytest.raises(ServerError, match="reset") as caught:
            env.step({"category": "Bug"})
        assert caught.value.code == "EXECUTION_ERROR"
        env.reset(0)
        env.step({"category": "Bug"})
        with pytest.raises(ServerError) as caught:
            env.step({"category": "Bug"})
        assert caught.value.code == "EXECUTION_ERROR"


def test_a_wrong_reset_option_is_named(url: str) -> None:
    with create_env(url=url) as env:
        for options in ({"difficulty": "brutal"}, {"split": "dev"}, {"index": -1}):
            name, value = next(iter(options.items()))
            with pytest.raises(ServerError, match=rf"{name}.*{value}"):
                env.reset(options=options)  # type: ignore[arg-type]


def test_a_task_by_its_index(url: str) -> None:
    with create_env("easy", track="queue", url=url) as env, create_env("hard", track="queue", url=url) as other:
        assert env.reset(options={"index": 5})[0] == other.reset(1)[0]
        assert env.state().task == "queue-hard"
        with pytest.raises(ServerError, match="hard"):
            env.reset(options={"index": 5, "difficulty": "easy"})


def test_an_episode_id_is_kept_and_decides_where_no_seed_does(url: str) -> None:
    with create_env(track="queue", url=url) as env:
        first, _ = env.reset(options={"episode_id": "ep-7"})
        assert (env.state().episode_id, env.state().seed) == ("ep-7", None)
        assert env.reset(options={"episode_id": "ep-7"})[0] == first
        env.reset(3)
        assert env.state().seed == 3
        assert env.state().episode_id not in (None, "ep-7")


def test_the_state_shows_what_the_agent_sees(url: str) -> None:
    with TriageEnv(url, track="queue").sync() as env:
        blank = env.state()
        assert (blank.step_count, blank.observation) == (0, None)
        env.reset(seed=0, difficulty="medium")
        result = env.step(ANSWER)
        state = env.state()
    assert (state.step_count, state.track, state.task, state.split) == (1, "queue", "queue-medium", "train")
    assert (state.done, state.seed) == (False, 0)
    assert isinstance(state.observation, QueueObservation)
    assert state.observation.ticket == result.observation.ticket
    assert state.observation.stats == result.observation.stats


def test_sixteen_asynchronous_sessions_at_once(url: str) -> None:
    async def play(seed: int) -> tuple[int, str, float]:
        async with TriageEnv(url, track="queue") as env:
            result = await env.reset(seed=seed)
            first = result.observation.ticket
            assert first is not None
            paid = 0.0
            while not result.done:
                result = await env.step(ANSWER)
                paid += result.reward or 0
            assert result.metadata is not None
            assert paid == pytest.approx(result.metadata["score"])
            return seed, first.ticket_id, paid

    async def all_of_them() -> list[tuple[int, str, float]]:
        return await asyncio.gather(*[play(i % 2) for i in range(16)])

    assert len(set(asyncio.run(all_of_them()))) == 2


def test_the_package_s_generic_client_sees_the_fields_of_the_contract(url: str) -> None:
    with GenericEnvClient(base_url=f"{url}/desk").sync() as env:
        result = env.reset(seed=0)
        assert set(result.observation) == {
            "metadata", "ticket_id", "customer_name", "issue_text", "issue_type", "sentiment_score", "wait_time_hours",
            "is_escalated", "step_count", "task_difficulty", "message",
        }  # fmt: skip
        assert env.step({"category": "Bug"}).done


def test_published_schemas_fit_the_models(url: str) -> None:
    for track, action, observation in (
        ("queue", QueueAction, QueueObservation),
        ("desk", DeskAction, DeskObservation),
    ):
        published = httpx.get(f"{url}/{track}/schema", trust_env=False).json()
        assert set(published["action"]["properties"]) == set(action.model_fields)
        assert set(published["observation"]["properties"]) == set(observation.model_fields)
