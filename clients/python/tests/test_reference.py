"""The reference server's environments, without a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reference.environment import DeskEnvironment, QueueEnvironment
from reference.tickets import SAMPLE, Library
from triage_env import DeskAction, QueueAction


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.read()


def test_the_sample_is_small_and_has_every_task(library: Library) -> None:
    assert sum(path.stat().st_size for path in SAMPLE.iterdir()) < 200_000
    assert {d: len(e) for d, e in library.queue.items()} == {"easy": 2, "medium": 2, "hard": 2}
    assert {d: len(e) for d, e in library.desk.items()} == {"easy": 8, "medium": 8, "hard": 8}


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_right_answers_earn_everything_on_the_queue(library: Library, difficulty: Any) -> None:
    env = QueueEnvironment(library)
    for seed, episode in enumerate(library.queue[difficulty]):
        seen = env.reset(seed, difficulty=difficulty)
        paid = 0.0
        for case in episode:
            assert seen.ticket == case.ticket
            truth = case.truth
            seen = env.step(
                QueueAction(
                    route_category=truth.route,
                    urgency_assessment=truth.urgency,
                    resolution_difficulty=truth.difficulty,
                    priority_score=truth.priority,
                )
            )
            assert seen.last_result is not None
            assert seen.last_result.correct
            paid += float(seen.reward or 0)
        assert seen.done
        assert paid == pytest.approx(1)
        assert seen.metadata == {
            "score": 1,
            "efficiency": 1,
            "reward": 1,
            "ended": "complete",
            "rubrics": {"difficulty": 1, "priority": 1, "route": 1, "urgency": 1},
        }


@pytest.mark.parametrize("difficulty", ["easy", "medium"])
def test_the_right_answers_earn_everything_on_the_desk(library: Library, difficulty: Any) -> None:
    env = DeskEnvironment(library)
    for seed, case in enumerate(library.desk[difficulty]):
        seen = env.reset(seed, difficulty=difficulty)
        assert seen.issue_text == case.truth.text
        truth = case.truth
        action = DeskAction(category=truth.category, priority=truth.priority, urgency_days=truth.urgency_days)
        seen = env.step(action)
        assert (seen.done, seen.reward, seen.metadata["ended"]) == (True, 1, "complete")


def test_submissions_add_up_and_the_third_ends(library: Library) -> None:
    env = DeskEnvironment(library)
    truth = library.desk["medium"][0].truth
    env.reset(0, difficulty="medium")
    assert (
        env.step(DeskAction(category="Question" if truth.category == "Bug" else "Bug")).message
        == "Still missing: priority, urgency_days."
    )
    assert env.step(DeskAction()).message == "Still missing: priority, urgency_days."
    seen = env.step(DeskAction(category=truth.category, priority=truth.priority))
    assert (seen.done, seen.metadata["ended"], seen.message) == (
        True,
        "truncated",
        "The ticket is closed after the third step.",
    )
    assert seen.metadata["rubrics"] == {"category": 1, "priority": 1, "urgency_days": 0}
    assert seen.reward == pytest.approx(0.7 * 2 / 3 + 0.3 / 3)


def test_reward_modes(library: Library) -> None:
    paid: dict[str, list[float]] = {}
    for mode in ("dense", "ticket", "episode"):
        env = QueueEnvironment(library)
        env.reset(0, tickets=3, rewards=mode)
        actions = [QueueAction(route_category=route) for route in ("billing", "technical", "feature")]
        paid[mode] = [float(env.step(action).reward or 0) for action in actions]
    assert paid["dense"] == pytest.approx([r / 3 for r in paid["ticket"]])
    assert paid["episode"] == pytest.approx([0, 0, sum(paid["dense"])])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"difficulty": "brutal"}, "difficulty 'brutal' is not allowed; allowed is easy, medium, hard"),
        ({"split": "test"}, "split 'test' is not allowed; allowed is train"),
        ({"seed": -1}, "seed -1 is not allowed; allowed is 0 to"),
        ({"tickets": 9}, "tickets 9 is not allowed; allowed is 1 to 8"),
        ({"rewards": "often"}, "rewards 'often' is not allowed; allowed is dense, ticket, episode"),
        ({"index": 6}, "index 6 is not allowed; allowed is 0 to 5"),
        ({"index": 5, "difficulty": "easy"}, "difficulty 'easy' is not allowed; allowed is hard"),
        ({"index": 5, "seed": 2}, "seed 2 is not allowed; allowed is 1"),
    ],
)
def test_a_wrong_option_is_named(library: Library, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        QueueEnvironment(library).reset(**options)


def test_steps_out_of_turn_are_errors_and_change_nothing(library: Library) -> None:
    env = DeskEnvironment(library)
    with pytest.raises(RuntimeError, match="step before reset"):
        env.step(DeskAction())
    assert env.state.step_count == 0
    env.reset(0)
    env.step(DeskAction(category="Bug"))
    with pytest.raises(RuntimeError, match="step after the end"):
        env.step(DeskAction(category="Bug"))
    assert (env.state.step_count, env.state.done) == (1, True)


def test_seeds_come_from_episode_ids_and_tasks_from_indexes(library: Library) -> None:
    env, other = QueueEnvironment(library), QueueEnvironment(library)
    assert env.reset(episode_id="ep-1") == other.reset(episode_id="ep-1")
    assert (env.state.episode_id, env.state.seed) == ("ep-1", None)
    assert env.num_tasks("train") == 6
    assert [t["task"] for t in env.list_tasks("train")[:3]] == ["queue-easy", "queue-medium", "queue-hard"]
    assert env.get_task_range("train", -1) == [env.get_task("train", 5)]
    assert env.reset(index=5) == other.reset(1, difficulty="hard")
    with pytest.raises(IndexError):
        env.get_task("train", 6)
    with pytest.raises(IndexError):
        env.num_tasks("test")


def test_no_observation_holds_the_truth(library: Library) -> None:
    env = DeskEnvironment(library)
    for seed in range(8):
        seen = env.reset(seed, difficulty="hard").model_dump_json()
        for word in ('category":', "entities", "distractors", "facts", "scenario"):
            assert word not in seen


def test_a_file_that_cannot_be_read_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no <track>-<difficulty>\.jsonl in it"):
        Library.read(tmp_path)
    lines = (SAMPLE / "desk-easy.jsonl").read_text().splitlines()
    (tmp_path / "desk-easy.jsonl").write_text(lines[0] + "\n" + json.dumps({"ticket": {}}) + "\n")
    with pytest.raises(ValueError, match=r"desk-easy\.jsonl:2: needs ticket, truth and facts"):
        Library.read(tmp_path)
    (tmp_path / "desk-easy.jsonl").unlink()
    (tmp_path / "queue-easy.jsonl").write_text((SAMPLE / "queue-easy.jsonl").read_text().splitlines()[0])
    with pytest.raises(ValueError, match="1 tickets, an episode has 8"):
        Library.read(tmp_path)
