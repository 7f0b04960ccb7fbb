from __future__ import annotations

import asyncio
import pickle
from typing import Any

import pytest
from pydantic import ValidationError

from triage_env import (
    DeskAction,
    DeskObservation,
    InvalidActionError,
    QueueAction,
    QueueObservation,
    ServerError,
    TriageEnv,
)

from .fake import FakeServer, desk_fields, error, observation, queue_fields


@pytest.mark.parametrize(
    ("base", "track", "address", "found"),
    [
        ("http://host:1", None, "http://host:1/queue", "queue"),
        ("http://host:1/", "queue", "http://host:1/queue", "queue"),
        ("http://host:1", "desk", "http://host:1/desk", "desk"),
        ("http://host:1/desk", None, "http://host:1/desk", "desk"),
        ("http://host:1/desk/", "desk", "http://host:1/desk", "desk"),
        ("https://host/behind/a/proxy", "desk", "https://host/behind/a/proxy/desk", "desk"),
        ("ws://host:1", "queue", "ws://host:1/queue", "queue"),
    ],
)
def test_the_address_leads_to_the_track(base: str, track: Any, address: str, found: str) -> None:
    env = TriageEnv(base, track=track)
    assert (env.base_url, env.track) == (address, found)


def test_a_track_that_is_none_or_another_is_refused() -> None:
    with pytest.raises(ValueError, match="track 'helpdesk' is not allowed; allowed is one of queue, desk"):
        TriageEnv("http://host", track="helpdesk")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="track 'queue' is not that of the address 'http://host/desk'"):
        TriageEnv("http://host/desk", track="queue")


def test_an_episode_of_the_queue_as_it_travels(fake: FakeServer) -> None:
    result = {
        "ticket_id": "TKT-1",
        "reward": 1,
        "correct": True,
        "parts": [{"name": "route", "value": 1, "weight": 0.4}],
    }
    final = {"score": 0.5, "efficiency": 1, "reward": 0.5, "ended": "complete", "rubrics": {"route": 1}}
    fake.answers = [
        observation(queue_fields(0, 1)),
        {"type": "state", "data": {"episode_id": "e", "step_count": 0, "track": "queue", "task": "queue-easy",
                                   "split": "train", "done": False, "observation": queue_fields(0, 1), "seed": 7}},
        observation(queue_fields(1, 1, last_result=result, message="The queue is done."), 0.5, True, final),
    ]  # fmt: skip
    with TriageEnv(fake.url, track="queue").sync() as env:
        first = env.reset(seed=7, difficulty="hard", rewards="episode")
        state = env.state()
        last = env.step(QueueAction(route_category="billing", priority_score=0))
    assert isinstance(first.observation, QueueObservation)
    assert (first.reward, first.done, first.metadata) == (0.0, False, {})
    assert first.observation.ticket is not None
    assert first.observation.ticket.ticket_id == "TKT-1"
    assert (state.task, state.seed, state.split) == ("queue-easy", 7, "train")
    assert isinstance(state.observation, QueueObservation)
    assert (last.reward, last.done, last.metadata) == (0.5, True, final)
    assert (last.observation.reward, last.observation.done, last.observation.metadata) == (0.5, True, final)
    assert last.observation.last_result is not None
    assert last.observation.last_result.parts[0].name == "route"
    assert fake.paths == ["/queue/ws"]
    assert fake.closed.wait(10)  # the last frame is read in another thread
    assert fake.frames == [
        {"type": "reset", "data": {"seed": 7, "difficulty": "hard", "rewards": "episode"}},
        {"type": "state"},
        {"type": "step", "data": {"route_category": "billing", "priority_score": 0}},
        {"type": "close"},
    ]


def test_an_episode_of_the_desk_asynchronously(fake: FakeServer) -> None:
    fake.answers = [observation(desk_fields()), observation(desk_fields(1), 1, True, {"ended": "complete"})]

    async def play() -> tuple[Any, Any]:
        async with TriageEnv(fake.url, track="desk") as env:
            first = await env.reset(seed=1)
            return first, await env.step(DeskAction(category="Bug", metadata={"who": "me"}))

    first, last = asyncio.run(play())
    assert isinstance(first.observation, DeskObservation)
    assert first.observation.customer_name == "Ada Example"
    assert (last.reward, last.done, last.metadata["ended"]) == (1.0, True, "complete")
    assert fake.paths == ["/desk/ws"]
    assert fake.frames[1] == {"type": "step", "data": {"category": "Bug", "metadata": {"who": "me"}}}


def test_a_mapping_goes_as_it_is(fake: FakeServer) -> None:
    fake.answers = [observation(queue_fields(1))]
    with TriageEnv(fake.url).sync() as env:
        env.step({"priority_score": "17", "odd": None})  # type: ignore[arg-type]
    assert fake.frames[0]["data"] == {"priority_score": "17", "odd": None}


def test_metadata_inside_the_observation_alone_is_found(fake: FakeServer) -> None:
    frame = observation(queue_fields(1, 1), 0.5, True, {"score": 0.5})
    del frame["data"]["metadata"]
    fake.answers = [frame]
    with TriageEnv(fake.url).sync() as env:
        assert env.reset().metadata == {"score": 0.5}


def test_a_refused_action_names_field_value_and_what_is_allowed(fake: FakeServer) -> None:
    found = [
        {"type": "literal_error", "loc": ["route_category"], "msg": "Input should be 'spam'", "input": "x" * 90},
        {"type": "extra_forbidden", "loc": ["zz"], "msg": "Extra inputs are not permitted", "input": 1},
    ]
    fake.answers = [error("Invalid message", "VALIDATION_ERROR", errors=found), observation(queue_fields(1))]
    with TriageEnv(fake.url).sync() as env:
        with pytest.raises(InvalidActionError) as caught:
            env.step({"route_category": "x" * 90, "zz": 1})  # type: ignore[arg-type]
        assert env.step(QueueAction()).observation.position == 1  # the session goes on
    assert isinstance(caught.value, (ServerError, ValueError, RuntimeError))
    assert str(caught.value) == (
        "Server error: Invalid message (code: VALIDATION_ERROR): route_category: Input should be 'spam', got '"
        + "x" * 79
        + "…; zz: Extra inputs are not permitted, got 1"
    )
    assert [e["loc"] for e in caught.value.errors] == [("route_category",), ("zz",)]
    twin = pickle.loads(pickle.dumps(caught.value))
    assert (type(twin), str(twin), twin.errors) == (InvalidActionError, str(caught.value), caught.value.errors)


def test_other_errors_keep_their_code(fake: FakeServer) -> None:
    fake.answers = [
        error("step before reset: call reset first", "EXECUTION_ERROR"),
        error("Invalid message", "VALIDATION_ERROR"),
        {"type": "error"},
    ]
    with TriageEnv(fake.url).sync() as env:
        with pytest.raises(ServerError, match="step before reset") as caught:
            env.step(QueueAction())
        assert (caught.value.code, caught.value.message) == ("EXECUTION_ERROR", "step before reset: call reset first")
        with pytest.raises(ServerError) as of_reset:
            env.reset()
        assert not isinstance(of_reset.value, InvalidActionError)
        with pytest.raises(ServerError, match="Unknown error"):
            env.reset()


def test_a_full_server_says_so_at_the_first_reset(fake: FakeServer) -> None:
    fake.greeting = error(
        "Server at capacity: 1/1 sessions active.", "CAPACITY_REACHED", active_sessions=1, max_sessions=1
    )
    env = TriageEnv(fake.url).sync()
    try:
        with pytest.raises(ServerError, match="Server at capacity") as caught:
            env.reset()
        assert caught.value.code == "CAPACITY_REACHED"
    finally:
        env.close()


def test_a_token_and_headers_are_sent(fake: FakeServer) -> None:
    fake.answers = [observation(queue_fields())] * 2
    with TriageEnv(fake.url, token="secret", headers={"X-Run": "7"}).sync() as env:
        env.reset()
        env.new_session().reset()
    for headers in fake.headers:
        assert (headers["authorization"], headers["x-run"]) == ("Bearer secret", "7")


def test_a_new_session_is_of_the_same_track(fake: FakeServer) -> None:
    fake.answers = [observation(desk_fields())] * 2
    with TriageEnv(fake.url, track="desk").sync() as env:
        env.reset()
        child = env.new_session()
        assert isinstance(child.reset().observation, DeskObservation)
    assert fake.paths == ["/desk/ws", "/desk/ws"]


def test_an_address_from_a_provider_leads_to_the_track_too(fake: FakeServer) -> None:
    fake.answers = [observation(desk_fields())]

    class Provider:
        stopped = False

        def start(self) -> str:
            return fake.url

        def wait_for_ready(self) -> None:
            pass

        def stop(self) -> None:
            self.stopped = True

    provider = Provider()
    with TriageEnv(provider=provider, track="desk").sync() as env:  # type: ignore[call-overload]
        env.reset()
    assert fake.paths == ["/desk/ws"]
    assert provider.stopped


def test_nothing_listens_there() -> None:
    with pytest.raises(ConnectionError, match=r"127\.0\.0\.1:9/queue/ws"):
        TriageEnv("http://127.0.0.1:9").sync().reset()


def test_an_observation_of_another_kind_is_refused(fake: FakeServer) -> None:
    fake.answers = [observation(desk_fields())]
    with TriageEnv(fake.url, track="queue").sync() as env, pytest.raises(ValidationError, match="total_tickets"):
        env.reset()
