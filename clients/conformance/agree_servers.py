"""Servers on which validators are compared: the reference's own, and one with a fault of every kind."""

from __future__ import annotations

import asyncio
import gzip
import json
import math
import random
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

import uvicorn
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect


class Serving:
    """An ASGI application on a free port, in a thread."""

    def __init__(self, app: Any) -> None:
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
        self.thread = threading.Thread(target=lambda: asyncio.run(self.server.serve([self.socket])), daemon=True)

    def __enter__(self) -> str:
        self.thread.start()
        while not self.server.started:
            time.sleep(0.02)
        return self.url

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join(10)


class Answer(Action):
    """An action of the tickets below."""

    kind: Literal["route", "close"]
    level: int = 1


class Seen(Observation):
    """An observation of the tickets below."""

    ticket: str = ""
    remaining: int = 0


class Tickets(Environment[Answer, Seen, State]):
    """Three tickets by seed, on the reference's own server."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State()
        self.draw = random.Random(0)
        self.left = 0

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Seen:
        """Begin an episode."""
        self.draw, self.left = random.Random(seed), 3
        self._state = State(episode_id=episode_id or "none", step_count=0)
        return Seen(ticket=f"T{self.draw.randint(100, 999)}", remaining=3)

    def step(self, action: Answer, timeout_s: float | None = None, **_: Any) -> Seen:  # noqa: ARG002 (the interface)
        """Answer a ticket."""
        if self.left == 0:
            raise RuntimeError("the episode is over")
        self.left -= 1
        self._state.step_count += 1
        return Seen(
            ticket=f"T{self.draw.randint(100, 999)}",
            remaining=self.left,
            reward=self.draw.random(),
            done=self.left == 0,
        )

    @property
    def state(self) -> State:
        """The running episode."""
        return self._state


ACTION = {
    "type": "object",
    "properties": {"kind": {"enum": ["route", "close"]}, "metadata": {"type": "object"}},
    "required": ["kind"],
    "additionalProperties": False,
}
OBSERVATION = {
    "type": "object",
    "properties": {
        "ticket": {"type": "string", "pattern": "^T[0-9]+$"},
        "remaining": {"type": "integer", "minimum": 0},
        "done": {"type": "boolean"},
        "reward": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "metadata": {"type": "object"},
    },
    "required": ["ticket", "remaining"],
    "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {"action": ACTION, "observation": OBSERVATION, "state": {"type": "object"}}
OPENAPI: dict[str, Any] = {"info": {"version": "1.0.0"}, "paths": {"/reset": {}, "/step": {}, "/state": {}}}
PAGES: dict[str, Any] = {
    "openapi.json": OPENAPI,
    "health": {"status": "healthy"},
    "metadata": {"name": "x", "description": "y"},
    "schema": SCHEMA,
    "mcp": {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Invalid request", "data": None}},
}


def text(body: Any, status: int = 200, kind: str = "application/json", coding: str = "") -> Response:
    """An answer with a JSON body, or another."""
    raw = body if isinstance(body, (bytes, str)) else json.dumps(body)
    headers = {"content-type": kind}
    if coding:
        headers["content-encoding"] = coding
    return Response(raw, status_code=status, headers=headers)


def drip(body: bytes, pause: float) -> Any:
    """A body that comes byte by byte."""

    async def chunks() -> Any:
        for i in range(len(body)):
            yield body[i : i + 1]
            await asyncio.sleep(pause)

    return StreamingResponse(chunks(), media_type="application/json")


# Faults of pages: name -> (page, what it answers).
PAGE_FAULTS: dict[str, tuple[str, Callable[[], Any]]] = {
    "none": ("", lambda: None),
    "openapi-404": ("openapi.json", lambda: text(OPENAPI, 404)),
    "openapi-201": ("openapi.json", lambda: text(OPENAPI, 201)),
    "openapi-html": ("openapi.json", lambda: text("<html>", kind="text/html")),
    "openapi-version-number": ("openapi.json", lambda: text({**OPENAPI, "info": {"version": 1.0}})),
    "openapi-version-empty": ("openapi.json", lambda: text({**OPENAPI, "info": {"version": ""}})),
    "openapi-info-list": ("openapi.json", lambda: text({**OPENAPI, "info": []})),
    "openapi-list": ("openapi.json", lambda: text([OPENAPI])),
    "openapi-no-paths": ("openapi.json", lambda: text({"info": {"version": "1"}})),
    "openapi-empty-paths": ("openapi.json", lambda: text({**OPENAPI, "paths": {}})),
    "openapi-null-paths": ("openapi.json", lambda: text({**OPENAPI, "paths": None})),
    "openapi-list-paths": ("openapi.json", lambda: text({**OPENAPI, "paths": ["/reset"]})),
    "openapi-production": ("openapi.json", lambda: text({**OPENAPI, "paths": {"/health": None}})),
    "openapi-no-step": ("openapi.json", lambda: text({**OPENAPI, "paths": {"/reset": {}, "/state": {}}})),
    "openapi-only-step": ("openapi.json", lambda: text({**OPENAPI, "paths": {"/step": {}}})),
    "openapi-twice": ("openapi.json", lambda: text('{"info":{"version":1},"info":{"version":"1"},"paths":{"/a":{}}}')),
    "openapi-trailing": ("openapi.json", lambda: text(json.dumps(OPENAPI) + "x")),
    "openapi-gzip": ("openapi.json", lambda: zipped(OPENAPI)),
    "openapi-not-gzip": ("openapi.json", lambda: text(OPENAPI, coding="gzip")),
    "health-ok": ("health", lambda: text({"status": "ok"})),
    "health-upper": ("health", lambda: text({"status": "Healthy"})),
    "health-503": ("health", lambda: text({"status": "healthy"}, 503)),
    "health-nan": ("health", lambda: text('{"status":"healthy","load":NaN,"low":-Infinity,"s":"\\"NaN"}')),
    "health-nan-bare": ("health", lambda: text("NaN")),
    "health-plain": ("health", lambda: text({"status": "healthy"}, kind="text/plain")),
    "health-bom-json": ("health", lambda: text(b'\xef\xbb\xbf{"status":"healthy"}')),
    "health-bom-plain": ("health", lambda: text(b'\xef\xbb\xbf{"status":"healthy"}', kind="text/plain")),
    "health-bom-octets": ("health", lambda: text(b'\xef\xbb\xbf{"status":"healthy"}', kind="application/octet-stream")),
    "health-latin": ("health", lambda: text(b'{"status":"healthy","x":"\xe9"}')),
    "health-control": ("health", lambda: text(b'{"status":"healthy","x":"\x01"}')),
    "health-redirect": ("health", lambda: RedirectResponse("metadata", 302)),
    "health-circle": ("health", lambda: RedirectResponse("health", 307)),
    "health-302-nowhere": ("health", lambda: text("", 302)),
    "health-empty": ("health", lambda: text("")),
    "health-204": ("health", lambda: Response(status_code=204)),
    "health-string": ("health", lambda: text('"healthy"')),
    "health-drip": ("health", lambda: drip(b'{"status":"healthy"}', 0.25)),
    "metadata-no-name": ("metadata", lambda: text({"description": "y"})),
    "metadata-null": ("metadata", lambda: text({"name": "x", "description": None})),
    "metadata-empty": ("metadata", lambda: text({"name": "", "description": ""})),
    "metadata-500": ("metadata", lambda: text("Internal Server Error", 500, "text/plain")),
    "schema-null-state": ("schema", lambda: text({**SCHEMA, "state": None})),
    "schema-true-state": ("schema", lambda: text({**SCHEMA, "state": True})),
    "schema-no-action": ("schema", lambda: text({k: v for k, v in SCHEMA.items() if k != "action"})),
    "schema-list": ("schema", lambda: text([SCHEMA])),
    "schema-gzip": ("schema", lambda: zipped(SCHEMA)),
    "schema-large": ("schema", lambda: text({**SCHEMA, "note": "x" * (1 << 20)})),
    "schema-bad-type": ("schema", lambda: text({**SCHEMA, "observation": {"type": "strin"}})),
    "schema-bad-number": ("schema", lambda: text({**SCHEMA, "observation": {"minimum": "x"}})),
    "schema-remote": ("schema", lambda: text({**SCHEMA, "observation": {"$ref": "https://example.org/x.json"}})),
    "schema-file": (
        "schema",
        lambda: text({**SCHEMA, "observation": {"properties": {"a": {"$ref": "file:///etc/passwd"}}}}),
    ),
    "schema-property-called-ref": (
        "schema",
        lambda: text({**SCHEMA, "observation": {"properties": {"$ref": {"type": "string"}}}}),
    ),
    "schema-dangling": ("schema", lambda: text({**SCHEMA, "observation": {"$ref": "#/$defs/none"}})),
    "schema-false": ("schema", lambda: text({**SCHEMA, "observation": {"not": {}}})),
    "schema-strict-reset": (
        "schema",
        lambda: text({**SCHEMA, "reset_observation": {**OBSERVATION, "required": ["hint"]}}),
    ),
    "schema-own-reset": (
        "schema",
        lambda: text({**SCHEMA, "observation": {"required": ["hint"]}, "reset_observation": OBSERVATION}),
    ),
    "schema-lookahead": (
        "schema",
        lambda: text({**SCHEMA, "observation": {"properties": {"ticket": {"pattern": "^(?=T)T"}}}}),
    ),
    "schema-draft7": (
        "schema",
        lambda: text({**SCHEMA, "observation": {"$schema": "http://json-schema.org/draft-07/schema#", **OBSERVATION}}),
    ),
    "schema-format": (
        "schema",
        lambda: text({**SCHEMA, "observation": {"properties": {"ticket": {"format": "email"}}}}),
    ),
    "schema-anchor": (
        "schema",
        lambda: text(
            {
                **SCHEMA,
                "observation": {
                    "$defs": {"t": {"$anchor": "t", "type": "string"}},
                    "properties": {"ticket": {"$ref": "#t"}},
                },
            }
        ),
    ),
    "schema-dynamic": (
        "schema",
        lambda: text(
            {**SCHEMA, "observation": {"$dynamicAnchor": "n", "properties": {"metadata": {"$dynamicRef": "#n"}}}}
        ),
    ),
    "schema-unevaluated": (
        "schema",
        lambda: text(
            {**SCHEMA, "observation": {"allOf": [{"properties": {"ticket": True}}], "unevaluatedProperties": False}}
        ),
    ),
    "mcp-500": ("mcp", lambda: text("Internal Server Error", 500, "text/plain")),
    "mcp-405": ("mcp", lambda: text(PAGES["mcp"], 405)),
    "mcp-number": ("mcp", lambda: text({"jsonrpc": 2.0})),
    "mcp-list": ("mcp", lambda: text([PAGES["mcp"]])),
    "mcp-redirect-303": ("mcp", lambda: RedirectResponse("health", 303)),
    "mcp-redirect-307": ("mcp", lambda: RedirectResponse("mcp2", 307)),
}


def zipped(body: Any) -> Response:
    """A compressed answer."""
    return text(gzip.compress(json.dumps(body).encode()), coding="gzip")


def changed(kind: str, change: Callable[[dict[str, Any], int], Any]) -> Callable[..., Any]:
    """A fault of the answers to a kind of frame: change gets their data and the step, and gives what is sent."""

    def fault(asked: str, reply: dict[str, Any], step: int) -> Any:
        return change(reply["data"], step) if asked == kind and reply["type"] != "error" else reply

    return fault


def with_data(kind: str, key: str, value: Any, nested: str = "") -> Callable[..., Any]:
    """A fault of one value; ... takes it away."""

    def change(data: dict[str, Any], _: int) -> Any:
        target = data[nested] if nested else data
        if value is ...:
            target.pop(key, None)
        else:
            target[key] = value
        return {"type": "state" if kind == "state" else "observation", "data": data}

    return changed(kind, change)


# Faults of frames: name -> change of an answer.
FRAME_FAULTS: dict[str, Callable[..., Any]] = {
    "none": lambda _asked, reply, _step: reply,
    "reward-true": with_data("step", "reward", True),
    "reward-null": with_data("step", "reward", None),
    "reward-text": with_data("step", "reward", "1"),
    "reward-absent": with_data("step", "reward", ...),
    "reward-int": with_data("step", "reward", 1),
    "reward-negative": with_data("step", "reward", -5.5),
    "reward-huge": with_data("step", "reward", 1e308),
    "reward-nan": changed("step", lambda d, _s: json.dumps({"type": "observation", "data": {**d, "reward": math.nan}})),
    "reward-infinite": changed(
        "step",
        lambda d, _s: json.dumps({"type": "observation", "data": d}).replace('"reward": ', '"reward": 1e999, "x": '),
    ),
    "reset-reward-absent": with_data("reset", "reward", ...),
    "reset-reward-true": with_data("reset", "reward", True),
    "reset-reward-zero": with_data("reset", "reward", 0),
    "done-one": with_data("reset", "done", 0),
    "done-absent": with_data("reset", "done", ...),
    "observation-list": with_data("reset", "observation", []),
    "observation-extra": with_data("step", "extra", 1, nested="observation"),
    "observation-type": with_data("step", "remaining", "two", nested="observation"),
    "observation-float": with_data("step", "remaining", 2.0, nested="observation"),
    "observation-pattern": with_data("step", "ticket", "X", nested="observation"),
    "observation-done-inside": with_data("step", "done", False, nested="observation"),
    "state-id": with_data("state", "episode_id", "other"),
    "state-id-null": with_data("state", "episode_id", None),
    "state-count-zero": with_data("state", "step_count", 0),
    "state-count-float": changed(
        "state", lambda d, _s: {"type": "state", "data": {**d, "step_count": float(d["step_count"])}}
    ),
    "state-count-text": changed(
        "state", lambda d, _s: {"type": "state", "data": {**d, "step_count": str(d["step_count"])}}
    ),
    "state-count-true": changed(
        "state",
        lambda d, _s: {"type": "state", "data": {**d, "step_count": True if d["step_count"] == 1 else d["step_count"]}},
    ),
    "state-type": changed("state", lambda d, _s: {"type": "observation", "data": d}),
    "state-list": changed("state", lambda _d, _s: {"type": "state", "data": []}),
    "step-type": changed("step", lambda d, _s: {"type": "state", "data": d}),
    "step-no-json": changed("step", lambda _d, _s: "hello"),
    "step-list": changed("step", lambda _d, _s: "[]"),
    "step-large": changed("step", lambda d, _s: {"type": "observation", "data": {**d, "x": "x" * (1 << 20)}}),
    "step-error": changed(
        "step",
        lambda d, step: (
            {"type": "error", "data": {"code": "EXECUTION_ERROR", "message": "x"}}
            if step == 2
            else {"type": "observation", "data": d}
        ),
    ),
    "step-binary": changed("step", lambda _d, _s: b"{}"),
    "step-closes": changed("step", lambda _d, _s: None),
}


def broken_app() -> Starlette:
    """Every fault below a path of its own: /<page fault>/<frame fault>/…"""

    async def page(request: Request) -> Any:
        name = request.path_params["page"]
        at, answer = PAGE_FAULTS[request.path_params["fault"]]
        if at == name:
            return answer()
        return (
            text(PAGES["mcp" if name == "mcp2" else name])
            if name in PAGES or name == "mcp2"
            else text({"detail": "Not Found"}, 404)
        )

    async def socket_(ws: WebSocket) -> None:
        fault = FRAME_FAULTS[ws.path_params["frames"]]
        await ws.accept()
        env, steps = Tickets(), 0
        try:
            while True:
                raw = await ws.receive_text()
                kind, reply = answered(env, raw)
                if kind == "close":
                    break
                steps = env.state.step_count
                out = fault(kind, reply, steps)
                if out is None:
                    break
                if isinstance(out, bytes):
                    await ws.send_bytes(out)
                else:
                    await ws.send_text(out if isinstance(out, str) else json.dumps(out))
            await ws.close()
        except WebSocketDisconnect:
            pass

    return Starlette(
        routes=[
            Route("/{fault}/{frames}/{page}", page, methods=["GET", "POST"]),
            WebSocketRoute("/{fault}/{frames}/ws", socket_),
        ]
    )


def answered(env: Tickets, raw: str) -> tuple[str, dict[str, Any]]:
    """What a server without faults answers."""

    def refused(code: str) -> dict[str, Any]:
        return {"type": "error", "data": {"code": code, "message": "no"}}

    try:
        frame = json.loads(raw)
    except ValueError:
        return "bad", refused("INVALID_JSON")
    kind, data = frame.get("type"), frame.get("data")
    if kind == "close":
        return kind, {}
    if kind == "state":
        return kind, {"type": "state", "data": {"episode_id": env.state.episode_id, "step_count": env.state.step_count}}
    if kind not in ("reset", "step"):
        return "bad", refused("UNKNOWN_TYPE")
    try:
        seen = env.reset(**(data or {})) if kind == "reset" else env.step(Answer.model_validate(data))
    except RuntimeError:
        return kind, refused("EXECUTION_ERROR")
    except ValueError:
        return "bad", refused("VALIDATION_ERROR")
    own = {"ticket": seen.ticket, "remaining": seen.remaining, "metadata": {}}
    return kind, {"type": "observation", "data": {"observation": own, "reward": seen.reward, "done": seen.done}}
