"""The typed client: the ``openenv`` package's own ``EnvClient`` with the actions and observations of triage."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast, get_args, overload

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from websockets.exceptions import ConnectionClosed

from .errors import server_error
from .models import (
    DeskAction,
    DeskObservation,
    QueueAction,
    QueueObservation,
    Track,
    TriageState,
)

if TYPE_CHECKING:
    from openenv.core.containers.runtime import ContainerProvider, RuntimeProvider
    from openenv.core.sync_client import SyncEnvClient

JSON = dict[str, Any]
"""A decoded JSON object. Its values are whatever the other side sent."""

ActionT = TypeVar("ActionT", QueueAction, DeskAction)
ObservationT = TypeVar("ObservationT", QueueObservation, DeskObservation)

TRACKS: tuple[Track, ...] = get_args(Track)


def track_of(base_url: str | None) -> Track | None:
    """The track that a base URL ends in, if it does."""
    last = (base_url or "").rstrip("/").rsplit("/", 1)[-1]
    for track in TRACKS:
        if last == track:
            return track
    return None


class TriageEnv(EnvClient[ActionT, ObservationT, TriageState], Generic[ActionT, ObservationT]):
    """A session with a triage server, over its WebSocket.

    Like every ``EnvClient`` it is asynchronous; ``sync()`` gives the synchronous twin.

    >>> import asyncio
    >>> async def play(url):
    ...     async with TriageEnv(url, track="queue") as env:
    ...         result = await env.reset(seed=7, difficulty="hard")
    ...         while not result.done:
    ...             result = await env.step(QueueAction(route_category="technical"))
    ...         return result.metadata["score"]

    Args:
        base_url: the server's address, with or without the track (``http://host:7860`` or ``http://host:7860/desk``).
        track: "queue" or "desk"; by default the one that the address ends in, else "queue".
        token: bearer token of a server that asks for one.
        headers: further headers of the handshake.

    The other arguments are those of ``openenv.core.EnvClient``. Steps raise ``InvalidActionError`` where the server
    refuses a value and ``ServerError`` for its other errors.
    """

    track: Track

    @overload
    def __init__(
        self: TriageEnv[QueueAction, QueueObservation],
        base_url: str | None = None,
        *,
        track: Literal["queue"] | None = None,
        token: str | None = None,
        headers: dict[str, str] | None = None,
        connect_timeout_s: float = 10.0,
        message_timeout_s: float = 60.0,
        provider: ContainerProvider | RuntimeProvider | None = None,
        **kwargs: Any,
    ) -> None: ...

    @overload
    def __init__(
        self: TriageEnv[DeskAction, DeskObservation],
        base_url: str | None = None,
        *,
        track: Literal["desk"],
        token: str | None = None,
        headers: dict[str, str] | None = None,
        connect_timeout_s: float = 10.0,
        message_timeout_s: float = 60.0,
        provider: ContainerProvider | RuntimeProvider | None = None,
        **kwargs: Any,
    ) -> None: ...

    @overload
    def __init__(
        self,
        base_url: str | None = None,
        *,
        track: Track | None = None,
        token: str | None = None,
        headers: dict[str, str] | None = None,
        connect_timeout_s: float = 10.0,
        message_timeout_s: float = 60.0,
        provider: ContainerProvider | RuntimeProvider | None = None,
        **kwargs: Any,
    ) -> None: ...

    def __init__(
        self,
        base_url: str | None = None,
        *,
        track: Track | None = None,
        token: str | None = None,
        headers: dict[str, str] | None = None,
        connect_timeout_s: float = 10.0,
        message_timeout_s: float = 60.0,
        provider: ContainerProvider | RuntimeProvider | None = None,
        **kwargs: Any,
    ) -> None:
        named = track_of(base_url)
        if track is not None and track not in TRACKS:
            raise ValueError(f"track {track!r} is not allowed; allowed is one of {', '.join(TRACKS)}")
        if track is not None and named is not None and track != named:
            raise ValueError(f"track {track!r} is not that of the address {base_url!r}")
        self.track = track or named or "queue"
        headers = dict(headers or {})
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        super().__init__(
            base_url=base_url,
            connect_timeout_s=connect_timeout_s,
            message_timeout_s=message_timeout_s,
            provider=provider,
            headers=headers or None,
            **kwargs,
        )

    if TYPE_CHECKING:  # the base class says Any: it serves both ways of use

        def reset(self, **kwargs: Any) -> Awaitable[StepResult[ObservationT]]: ...
        def step(self, action: ActionT, **kwargs: Any) -> Awaitable[StepResult[ObservationT]]: ...
        def state(self) -> Awaitable[TriageState]: ...
        def close(self) -> Awaitable[None]: ...
        def sync(self) -> SyncEnvClient[ActionT, ObservationT, TriageState]: ...
        async def __aenter__(self) -> TriageEnv[ActionT, ObservationT]: ...

    def _set_base_url(self, base_url: str) -> None:
        """Every address leads to the track, also one that a provider gives later."""
        if track_of(base_url) is None:
            base_url = f"{base_url.rstrip('/')}/{self.track}"
        super()._set_base_url(base_url)

    def _step_payload(self, action: ActionT | Mapping[str, object]) -> JSON:
        """The action as the server reads it; a mapping goes as it is and is checked there."""
        if isinstance(action, Mapping):
            return dict(action)
        if not isinstance(action, QueueAction | DeskAction):
            raise TypeError(
                f"an action is a QueueAction, a DeskAction or a mapping of their fields, not {type(action).__name__}"
            )
        payload: JSON = action.model_dump(mode="json", exclude_none=True)
        if not payload.get("metadata"):
            payload.pop("metadata", None)
        return payload

    def _parse_result(self, payload: JSON) -> StepResult[ObservationT]:
        own: JSON = payload.get("observation") or {}
        paid = payload.get("reward")
        reward = None if paid is None else float(paid)
        done = bool(payload.get("done", False))
        metadata = payload.get("metadata") or own.get("metadata") or {}
        observation = self._observation({**own, "reward": reward, "done": done, "metadata": metadata})
        return StepResult(observation=observation, reward=reward, done=done, metadata=metadata)

    def _parse_state(self, payload: JSON) -> TriageState:
        shown = payload.get("observation")
        seen = self._observation(shown) if shown else None
        return TriageState.model_validate({**payload, "observation": seen})

    def _observation(self, fields: JSON) -> ObservationT:
        kind = QueueObservation if self.track == "queue" else DeskObservation
        return cast(ObservationT, kind.model_validate(fields))

    async def _send_and_receive(self, message: JSON) -> JSON:
        """As the base class does, but an error keeps its code and its findings."""
        with contextlib.suppress(ConnectionClosed):  # a refused session: its reason is the next frame
            await self._send(message)
        response: JSON = await self._receive()
        if response.get("type") == "error":
            raise server_error(response.get("data") or {}, of_step=message.get("type") == "step")
        return response
