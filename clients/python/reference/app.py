"""The application: one track at the root, and each under its own path, as ``triage serve`` has them."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI
from openenv.core.env_server import create_app

from triage_env.models import DeskAction, DeskObservation, QueueAction, QueueObservation, Track, TriageState

from .environment import AsyncDeskEnvironment, AsyncQueueEnvironment, DeskEnvironment, QueueEnvironment
from .tickets import Library


def track_app(track: Track, library: Library, max_sessions: int, *, plain: bool) -> FastAPI:
    """The server of one track, as the ``openenv`` package makes it."""
    if track == "queue":
        return create_app(
            partial(QueueEnvironment if plain else AsyncQueueEnvironment, library),
            QueueAction,
            QueueObservation,
            env_name="triage",
            max_concurrent_envs=max_sessions,
            state_cls=TriageState,
        )
    return create_app(
        partial(DeskEnvironment if plain else AsyncDeskEnvironment, library),
        DeskAction,
        DeskObservation,
        env_name="triage",
        max_concurrent_envs=max_sessions,
        state_cls=TriageState,
    )


def make_app(track: Track, library: Library, max_sessions: int = 512, *, plain: bool = False) -> FastAPI:
    """The whole server.

    Args:
        track: what the root serves.
        library: the tickets; a track without any is left out.
        max_sessions: how many sessions each of the paths takes at a time.
        plain: run each call in its session's thread, as the package's template does, not in the event loop.

    Raises:
        ValueError: there are no tickets for the track.
    """
    if not library.difficulties(track):
        raise ValueError(f"there are no tickets for the track {track}")
    app = track_app(track, library, max_sessions, plain=plain)
    for name in ("queue", "desk"):
        if library.difficulties(name):
            app.mount(f"/{name}", track_app(name, library, max_sessions, plain=plain))
    return app
