"""The environments: reset, step, state. What holds the truth never enters an observation."""

from __future__ import annotations

import random
import zlib
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar, get_args
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

from triage_env.models import (
    DeskAction,
    DeskObservation,
    Difficulty,
    Ended,
    GradedPart,
    QueueAction,
    QueueObservation,
    QueueResult,
    QueueStats,
    Rewards,
    Track,
    TriageState,
)

from .grading import ASKED, MAX_STEPS, desk_efficiency, desk_reward, grade_desk, grade_queue, mean, touches
from .tickets import DeskCase, Library, QueueCase

ActionT = TypeVar("ActionT", QueueAction, DeskAction)
ObservationT = TypeVar("ObservationT", QueueObservation, DeskObservation)

ISSUE_TYPE = "unclassified"
MAX_SEED = 2**63 - 1


class TriageEnvironment(Environment[ActionT, ObservationT, TriageState], Generic[ActionT, ObservationT]):
    """What both tracks share. One instance serves one session."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    track: ClassVar[Track]

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.library = library
        self.difficulty: Difficulty = "easy"
        self.seed: int | None = None
        self.begun = self.done = False
        self.current: ObservationT | None = None
        self._state = TriageState()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **options: Any) -> ObservationT:
        """Begin an episode.

        Args:
            seed: 0 to 2^63-1; without one it comes from the episode id if that is given, else it is drawn.
            episode_id: its name; without one it is made up.
            options: difficulty, split, index (which says difficulty and seed), and on the queue tickets and rewards.

        Raises:
            ValueError: an option is not allowed; the message names it, its value and what is.
        """
        asked: Difficulty = options.get("difficulty") or "easy"
        self._allow("split", options.get("split") or self.library.split, [self.library.split])
        self.seed = seed
        if (index := options.get("index")) is not None:
            self._range("index", index, 0, self.library.num_tasks(self.track) - 1)
            asked, numbered = self.library.task(self.track, index)
            self._allow("difficulty", options.get("difficulty") or asked, [asked])
            self._allow("seed", numbered if seed is None else seed, [numbered])
            seed = numbered
        self._allow("difficulty", asked, self.library.difficulties(self.track))
        if seed is None:
            seed = zlib.crc32(episode_id.encode()) if episode_id else random.randrange(MAX_SEED)
        self._range("seed", seed, 0, MAX_SEED)
        self.difficulty = asked
        self.begun, self.done = True, False
        self._state = TriageState(
            episode_id=episode_id or str(uuid4()),
            track=self.track,
            task=f"{self.track}-{asked}",
            split=self.library.split,
        )
        self.current = self._begin(seed, options)
        return self.current

    def step(self, action: ActionT, timeout_s: float | None = None, **_: object) -> ObservationT:
        """Answer the observation.

        Raises:
            RuntimeError: before a reset and after the end.
        """
        if not self.begun:
            raise RuntimeError("step before reset: call reset first")
        if self.done:
            raise RuntimeError("step after the end of the episode: call reset to begin another")
        self._state.step_count += 1
        self.current = self._answer(action)
        self.done = self.current.done
        return self.current

    def _begin(self, seed: int, options: Mapping[str, Any]) -> ObservationT:
        raise NotImplementedError

    def _answer(self, action: ActionT) -> ObservationT:
        raise NotImplementedError

    @property
    def state(self) -> TriageState:
        """The running episode without its labels."""
        seen = self.current.model_copy() if self.current is not None else None
        return self._state.model_copy(update={"done": self.done, "observation": seen, "seed": self.seed})

    def get_metadata(self) -> EnvironmentMetadata:
        """What the environment is."""
        return EnvironmentMetadata(
            name="triage",
            description="Triage of customer-support tickets, graded by a written handbook.",
            version="0.1.0",
        )

    # The task API.

    def list_splits(self) -> list[str]:
        """The split that the tickets come from."""
        return [self.library.split]

    def num_tasks(self, split: str) -> int:
        """How many tasks a split has."""
        self._split(split)
        return self.library.num_tasks(self.track)

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """One task: its id, index and split, its name, difficulty and seed."""
        if not 0 <= index < self.num_tasks(split):
            raise IndexError(index)
        difficulty, seed = self.library.task(self.track, index)
        name = f"{self.track}-{difficulty}"
        return {
            "id": f"{name}:{split}:{seed}",
            "index": index,
            "split": split,
            "task": name,
            "difficulty": difficulty,
            "seed": seed,
        }

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """Tasks by the rules of slices."""
        return [self.get_task(split, i) for i in range(self.num_tasks(split))[start:stop]]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """All tasks of a split."""
        return self.get_task_range(split)

    def _split(self, split: str) -> None:
        if split != self.library.split:
            raise IndexError(f"split {split!r} is not allowed; allowed is {self.library.split}")

    @staticmethod
    def _allow(name: str, value: object, allowed: list[Any]) -> None:
        if value not in allowed:
            raise ValueError(f"reset: {name} {value!r} is not allowed; allowed is {', '.join(map(str, allowed))}")

    @staticmethod
    def _range(name: str, value: object, low: int, high: int) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ValueError(f"reset: {name} {value!r} is not allowed; allowed is {low} to {high}")


class QueueEnvironment(TriageEnvironment[QueueAction, QueueObservation]):
    """A queue of tickets, one step each."""

    track = "queue"

    def _begin(self, seed: int, options: Mapping[str, Any]) -> QueueObservation:
        episodes = self.library.queue[self.difficulty]
        cases = episodes[seed % len(episodes)]
        rewards: Rewards = options.get("rewards") or "dense"
        self._allow("rewards", rewards, list(get_args(Rewards)))
        if (tickets := options.get("tickets")) is not None:
            self._range("tickets", tickets, 1, len(cases))
            cases = cases[:tickets]
        self.rewards = rewards
        self.cases: list[QueueCase] = cases
        self.task = f"queue-{self.difficulty}"
        self.touches = self.sum = 0.0
        self.routed = 0
        self.values: dict[str, float] = {}
        return QueueObservation(
            task=self.task,
            ticket=cases[0].ticket,
            position=0,
            total_tickets=len(cases),
            remaining=len(cases),
            stats=QueueStats(processed=0, mean_reward=0.0, route_accuracy=0.0, efficiency=0.0),
            last_result=None,
            message="Triage this ticket.",
            reward=0.0,
        )

    def _answer(self, action: QueueAction) -> QueueObservation:
        answered = self._state.step_count
        count = len(self.cases)
        case = self.cases[answered - 1]
        reward, parts = grade_queue(case.truth, action)
        self._tally(case, action, reward, parts)
        done = answered == count
        return QueueObservation(
            task=self.task,
            ticket=None if done else self.cases[answered].ticket,
            position=answered,
            total_tickets=count,
            remaining=count - answered,
            stats=QueueStats(
                processed=answered,
                mean_reward=self.sum / answered,
                route_accuracy=self.routed / answered,
                efficiency=answered / self.touches,
            ),
            last_result=QueueResult(ticket_id=case.ticket.ticket_id, reward=reward, correct=reward == 1, parts=parts),
            message="The queue is done." if done else "Triage this ticket.",
            reward=self._pay(reward, done),
            done=done,
            metadata=self._summary() if done else {},
        )

    def _tally(self, case: QueueCase, action: QueueAction, reward: float, parts: list[GradedPart]) -> None:
        self.sum += reward
        self.touches += touches(case.truth, action)
        self.routed += action.route_category == case.truth.route
        for part in parts:
            self.values[part.name] = self.values.get(part.name, 0.0) + part.value

    def _pay(self, reward: float, done: bool) -> float:
        """Dense rewards sum to the score."""
        if self.rewards == "ticket":
            return reward
        if self.rewards == "episode":
            return self.sum / len(self.cases) if done else 0.0
        return reward / len(self.cases)

    def _summary(self) -> dict[str, Any]:
        count = len(self.cases)
        score = self.sum / count
        return {
            "score": score,
            "efficiency": count / self.touches,
            "reward": score,
            "ended": "complete",
            "rubrics": {name: value / count for name, value in sorted(self.values.items())},
        }


class DeskEnvironment(TriageEnvironment[DeskAction, DeskObservation]):
    """One ticket, at most three submissions that add up."""

    track = "desk"

    def _begin(self, seed: int, options: Mapping[str, Any]) -> DeskObservation:
        self._allow("tickets", options.get("tickets"), [None])
        cases = self.library.desk[self.difficulty]
        self.case: DeskCase = cases[seed % len(cases)]
        self.answer = DeskAction()
        return self._observe("Answer with " + ", ".join(ASKED[self.difficulty]) + ".")

    def _answer(self, action: DeskAction) -> DeskObservation:
        given = action.model_dump(exclude_none=True, exclude={"metadata"})
        self.answer = self.answer.model_copy(update={name: value for name, value in given.items() if value != ""})
        missing = [field for field in ASKED[self.difficulty] if getattr(self.answer, field) is None]
        if not missing:
            return self._finish("The ticket is answered.", "complete")
        if self._state.step_count == MAX_STEPS:
            return self._finish("The ticket is closed after the third step.", "truncated")
        return self._observe("Still missing: " + ", ".join(missing) + ".")

    def _finish(self, message: str, ended: Ended) -> DeskObservation:
        truth = self.case.truth
        correctness, parts = grade_desk(self.difficulty, truth, self.answer)
        efficiency = desk_efficiency(truth, self.answer, self._state.step_count)
        reward = desk_reward(correctness, efficiency)
        observation = self._observe(message)
        observation.done = True
        observation.reward = reward
        observation.metadata = {
            "score": mean(list(parts.values())),
            "efficiency": efficiency,
            "reward": reward,
            "ended": ended,
            "rubrics": dict(sorted(parts.items())),
        }
        return observation

    def _observe(self, message: str) -> DeskObservation:
        truth = self.case.truth
        return DeskObservation(
            ticket_id=self.case.ticket_id,
            customer_name=self.case.customer_name,
            issue_text=truth.text,
            issue_type=ISSUE_TYPE,
            sentiment_score=truth.sentiment,
            wait_time_hours=truth.wait_hours,
            is_escalated=truth.escalated,
            step_count=self._state.step_count,
            task_difficulty=self.difficulty,
            message=message,
            reward=0.0,
        )


# Grading takes microseconds: asynchronous forms spare each call the way through a thread.


class AsyncQueueEnvironment(QueueEnvironment):
    """The queue, played in the server's event loop."""

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, **options: Any
    ) -> QueueObservation:
        """As reset."""
        return self.reset(seed, episode_id, **options)

    async def step_async(self, action: QueueAction, timeout_s: float | None = None, **_: object) -> QueueObservation:
        """As step."""
        return self.step(action, timeout_s)


class AsyncDeskEnvironment(DeskEnvironment):
    """The desk, played in the server's event loop."""

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, **options: Any
    ) -> DeskObservation:
        """As reset."""
        return self.reset(seed, episode_id, **options)

    async def step_async(self, action: DeskAction, timeout_s: float | None = None, **_: object) -> DeskObservation:
        """As step."""
        return self.step(action, timeout_s)
