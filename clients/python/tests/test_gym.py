from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from triage_env import (
    DeskAction,
    DeskObservation,
    GymEnv,
    InvalidActionError,
    QueueAction,
    QueueObservation,
    Reward,
    create_env,
)

from .fake import FakeServer, desk_fields, error, observation, queue_fields

PARTS = [
    {"name": "route", "value": 1, "weight": 0.4},
    {"name": "urgency", "value": 0.5, "weight": 0.25},
]


def test_an_episode_of_the_queue(fake: FakeServer) -> None:
    last = {"ticket_id": "TKT-1", "reward": 0.5, "correct": False, "parts": PARTS}
    final = {"score": 0.25, "efficiency": 0.5, "reward": 0.25, "ended": "complete", "rubrics": {"route": 0.5}}
    fake.answers = [
        observation(queue_fields(0)),
        observation(queue_fields(1, last_result=last), 0.25),
        observation(queue_fields(2, last_result=last), 0, True, final),
    ]
    with create_env("hard", track="queue", url=fake.url, split="test", rewards="ticket", tickets=2) as env:
        first, info = env.reset(42)
        assert isinstance(first, QueueObservation)
        assert info == {}
        seen, reward, terminated, truncated, info = env.step(QueueAction(route_category="billing"))
        assert isinstance(seen, QueueObservation)
        assert (reward, terminated, truncated, info) == (0.25, False, False, {})
        assert isinstance(reward, Reward)
        assert (reward.value, reward.breakdown) == (0.25, {"route": 1.0, "urgency": 0.5})
        seen, reward, terminated, truncated, info = env.step({"route_category": "spam"})
        assert (reward, terminated, truncated, info) == (0.0, True, False, final)
    asked = {"difficulty": "hard", "split": "test", "rewards": "ticket", "tickets": 2, "seed": 42}
    assert fake.frames[0] == {"type": "reset", "data": asked}
    assert fake.paths == ["/queue/ws"]


def test_an_unfinished_answer_of_the_desk_truncates(fake: FakeServer) -> None:
    final = {"score": 0, "efficiency": 0, "reward": 0, "ended": "truncated", "rubrics": {"category": 0}}
    fake.answers = [
        observation(desk_fields(), metadata={"handbook": "# Handbook"}),
        observation(desk_fields(1)),
        observation(desk_fields(2), 0, True, final),
    ]
    with create_env(url=fake.url, handbook=True) as env:
        first, info = env.reset()
        assert isinstance(first, DeskObservation)
        assert info["handbook"] == "# Handbook"
        _, reward, terminated, truncated, info = env.step(DeskAction())
        assert (reward.breakdown, terminated, truncated) == ({}, False, False)
        _, reward, terminated, truncated, info = env.step(DeskAction())
        assert (terminated, truncated, info["ended"]) == (False, True, "truncated")
        assert reward.breakdown == {"category": 0.0}
    assert fake.frames[0] == {"type": "reset", "data": {"difficulty": "easy", "handbook": True}}
    assert fake.paths == ["/desk/ws"]


def test_options_of_one_reset_stand_over_those_of_the_environment(fake: FakeServer) -> None:
    fake.answers = [observation(desk_fields())] * 2
    with create_env("hard", url=fake.url) as env:
        env.reset(1, options={"difficulty": "easy", "episode_id": "e-1"})
        env.reset()
    assert [f["data"] for f in fake.frames[:2]] == [
        {"difficulty": "easy", "episode_id": "e-1", "seed": 1},
        {"difficulty": "hard"},
    ]


def test_a_sealed_server_tells_no_parts(fake: FakeServer) -> None:
    sealed: dict[str, Any] = {"stats": None, "last_result": None}
    final = {"score": 0.5, "efficiency": 0.5, "ended": "complete"}
    fake.answers = [
        observation(queue_fields(0, 1, **sealed)),
        observation(queue_fields(1, 1, **sealed), 0, True, final),
    ]
    with create_env(track="queue", url=fake.url) as env:
        env.reset()
        _, reward, terminated, _, info = env.step({})
    assert (reward.breakdown, terminated, info["score"]) == ({}, True, 0.5)


def test_a_refused_action_leaves_the_episode(fake: FakeServer) -> None:
    found = {"type": "literal_error", "loc": ["category"], "msg": "Input should be 'Bug'", "input": "bug"}
    fake.answers = [
        observation(desk_fields()),
        error("Invalid message", "VALIDATION_ERROR", errors=[found]),
        observation(desk_fields(1), 1, True, {"ended": "complete"}),
    ]
    with create_env(url=fake.url) as env:
        env.reset()
        with pytest.raises(InvalidActionError, match="category: Input should be 'Bug', got 'bug'"):
            env.step({"category": "bug"})
        assert env.step({"category": "Bug"})[2]


def test_a_closed_environment_says_so(fake: FakeServer) -> None:
    fake.answers = [observation(desk_fields())]
    env = create_env(url=fake.url)
    env.reset()
    env.close()
    env.close()
    assert fake.closed.wait(10)
    assert fake.frames[-1] == {"type": "close"}
    for call in (env.reset, env.state, lambda: env.step(DeskAction())):
        with pytest.raises(RuntimeError, match="this environment is closed: create another"):
            call()


def test_an_environment_that_nobody_holds_closes_its_session(fake: FakeServer) -> None:
    fake.answers = [observation(desk_fields())]
    env: GymEnv[DeskAction, DeskObservation] | None = create_env(url=fake.url)
    assert env is not None
    env.reset()
    env = None
    gc.collect()
    assert fake.closed.wait(5)


def test_what_is_no_action_and_no_option_is_refused(fake: FakeServer) -> None:
    with pytest.raises(TypeError, match="no option seed"):
        create_env(url=fake.url, seed=3)  # type: ignore[call-overload]
    fake.answers = [observation(desk_fields(0))]
    with create_env(url=fake.url) as env:
        env.reset(1)
        for wrong in (["Bug"], None):
            with pytest.raises(TypeError, match=f"not {type(wrong).__name__}"):
                env.step(wrong)  # type: ignore[arg-type]


def test_url_and_binary_together_are_refused() -> None:
    with pytest.raises(ValueError, match="give url or binary, not both"):
        create_env(url="http://127.0.0.1:9", binary="triage")


def test_it_may_be_used_where_an_event_loop_runs(fake: FakeServer) -> None:
    fake.answers = [observation(desk_fields())]

    async def in_a_notebook() -> str:
        with create_env(url=fake.url) as env:
            return env.reset()[0].ticket_id

    assert asyncio.run(in_a_notebook()) == "TKT-2"
