"""``create_env``: a plain environment with ``reset`` and ``step`` as Gymnasium has them."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Generic, Literal, TypedDict, cast, overload

from openenv.core.client_types import StepResult
from openenv.core.sync_client import SyncEnvClient
from typing_extensions import Self, Unpack

from .client import ActionT, ObservationT, TriageEnv
from .local import shared_server
from .models import (
    DeskAction,
    DeskObservation,
    Difficulty,
    Ended,
    OnInvalid,
    QueueAction,
    QueueObservation,
    ResetOptions,
    Rewards,
    Split,
    Track,
    TriageState,
)
from .reward import Reward


class Info(TypedDict, total=False):
    """What the server says beside the observation."""

    handbook: str
    """After a reset with handbook=True: the rules that decisions are graded by, as Markdown."""
    score: float
    """At the end: the episode's score (queue: mean ticket reward; desk: correctness)."""
    efficiency: float
    reward: float
    """At the end: the episode's reward."""
    ended: Ended
    ignored_options: list[str]
    """After a reset: keys that are no options, misspelt ones among them."""
    rubrics: dict[str, float]
    """At the end: the mean score of each graded part. A sealed server tells none."""


class EnvOptions(TypedDict, total=False):
    """Options of ``create_env`` that every reset of the environment uses."""

    tickets: int
    rewards: Rewards
    on_invalid: OnInvalid
    handbook: bool


class GymEnv(Generic[ActionT, ObservationT]):
    """One session with a server. Made by :func:`create_env`; serves one caller at a time."""

    def __init__(self, client: TriageEnv[ActionT, ObservationT], options: ResetOptions) -> None:
        self._client: SyncEnvClient[ActionT, ObservationT, TriageState] = client.sync()
        self._options = options
        self._closer: weakref.finalize[..., GymEnv[ActionT, ObservationT]] = weakref.finalize(
            self, _close_client, os.getpid(), self._client
        )

    def reset(self, seed: int | None = None, *, options: ResetOptions | None = None) -> tuple[ObservationT, Info]:
        """Begin an episode.

        Args:
            seed: 0 to 2^63-1; the same seed gives the same tickets. None: the server draws one.
            options: reset options of this episode, over those given to ``create_env``.

        Returns:
            The first observation, and what the server says beside it.

        Raises:
            ServerError: an option is not allowed; the message names it, its value and what is.
        """
        options = options or {}
        asked: dict[str, Any] = {**self._options, **options}
        if "index" in options and "difficulty" not in options:
            del asked["difficulty"]  # the index says it
        if seed is not None:
            asked["seed"] = seed
        result = self._alive().reset(**asked)
        return result.observation, _info(result)

    def step(self, action: ActionT | Mapping[str, object]) -> tuple[ObservationT, Reward, bool, bool, Info]:
        """Answer the observation.

        Args:
            action: a typed action, or a mapping of its fields, which the server checks.

        Returns:
            observation, reward, terminated, truncated, info. ``truncated`` is true where the episode ended without a
            complete answer (desk, after the third step); ``terminated`` where it ended otherwise.

        Raises:
            InvalidActionError: a wrong value; it names the field, the value and what is allowed. Nothing has changed.
            ServerError: a step before reset or after the end.
        """
        result = self._alive().step(cast(ActionT, action))
        info = _info(result)
        truncated = result.done and info.get("ended") == "truncated"
        reward = Reward(result.reward or 0.0, _breakdown(result))
        return result.observation, reward, result.done and not truncated, truncated, info

    def state(self) -> TriageState:
        """The running episode: id, step count, task, split, what the agent sees now."""
        return self._alive().state()

    def close(self) -> None:
        """End the session. Does nothing the second time."""
        self._closer()

    def _alive(self) -> SyncEnvClient[ActionT, ObservationT, TriageState]:
        if not self._closer.alive:
            raise RuntimeError("this environment is closed: create another")
        return self._client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _close_client(owner: int, client: SyncEnvClient[Any, Any, Any]) -> None:
    """Close in the process that made it; a forked child has only a copy."""
    if os.getpid() == owner:
        with contextlib.suppress(Exception):
            client.close()


def _info(result: StepResult[Any]) -> Info:
    return cast(Info, dict(result.metadata or {}))


def _breakdown(result: StepResult[Any]) -> dict[str, float]:
    """The parts of the ticket just answered, or, on the desk, of the episode."""
    observation = result.observation
    if isinstance(observation, QueueObservation):
        last = observation.last_result
        return {part.name: part.value for part in last.parts} if last else {}
    rubrics: dict[str, float] = (result.metadata or {}).get("rubrics") or {}
    return {name: float(value) for name, value in rubrics.items()}


@overload
def create_env(
    difficulty: Difficulty = "easy",
    track: Literal["desk"] = "desk",
    url: str | None = None,
    *,
    binary: str | os.PathLike[str] | None = None,
    split: Split | None = None,
    token: str | None = None,
    message_timeout_s: float = 60.0,
    **options: Unpack[EnvOptions],
) -> GymEnv[DeskAction, DeskObservation]: ...


@overload
def create_env(
    difficulty: Difficulty = "easy",
    *,
    track: Literal["queue"],
    url: str | None = None,
    binary: str | os.PathLike[str] | None = None,
    split: Split | None = None,
    token: str | None = None,
    message_timeout_s: float = 60.0,
    **options: Unpack[EnvOptions],
) -> GymEnv[QueueAction, QueueObservation]: ...


def create_env(
    difficulty: Difficulty = "easy",
    track: Track = "desk",
    url: str | None = None,
    *,
    binary: str | os.PathLike[str] | None = None,
    split: Split | None = None,
    token: str | None = None,
    message_timeout_s: float = 60.0,
    **options: Unpack[EnvOptions],
) -> GymEnv[Any, Any]:
    """Make an environment, on a server at ``url`` or on one of this process's own.

    Args:
        difficulty: easy, medium or hard.
        track: "desk", one ticket an episode, or "queue", a queue of tickets.
        url: a running server's address. Without it the triage binary is started, once for all environments of this
            process, and stopped when the process ends.
        binary: path of the binary; by default the variable TRIAGE_BINARY, else ``triage`` on the PATH.
        split: train or test; by default what the server plays (train; test where it is sealed).
        token: bearer token of a server that asks for one.
        message_timeout_s: how long to wait for an answer.
        options: reset options that every reset uses: ``tickets`` and ``rewards`` (queue), ``on_invalid``, ``handbook``.

    Raises:
        ValueError: an argument is not allowed.
        ServerStartError: there is no binary, or it does not serve.
    """
    if url is not None and binary is not None:
        raise ValueError("give url or binary, not both: a server that runs needs no binary")
    address = url if url is not None else shared_server(binary).url
    client: TriageEnv[Any, Any] = TriageEnv(address, track=track, token=token, message_timeout_s=message_timeout_s)
    if unknown := sorted(set(options) - set(EnvOptions.__annotations__)):
        raise TypeError(
            f"create_env has no option {', '.join(unknown)}; reset options that every reset uses are "
            f"{', '.join(EnvOptions.__annotations__)}, and reset takes the seed"
        )
    asked = cast(ResetOptions, {"difficulty": difficulty, **options})
    if split is not None:
        asked["split"] = split
    return GymEnv(client, asked)
