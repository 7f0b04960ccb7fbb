"""A WebSocket server that answers what a test says, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from types import TracebackType
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve

TICKET: dict[str, Any] = {
    "ticket_id": "TKT-1",
    "subject": "Two charges",
    "description": "I was charged twice.",
    "metadata": {
        "channel": "email",
        "customer_tier": "pro",
        "wait_time_hours": 3.5,
        "is_escalated": False,
        "previous_contacts": 1,
        "selected_category": "",
        "language": "en",
        "attachments": 0,
    },
}


def queue_fields(position: int = 0, total: int = 2, **more: Any) -> dict[str, Any]:
    """The own fields of a queue observation."""
    return {
        "metadata": {},
        "task": "queue-easy",
        "ticket": TICKET if position < total else None,
        "position": position,
        "total_tickets": total,
        "remaining": total - position,
        "stats": {"processed": position, "mean_reward": 0, "route_accuracy": 0, "efficiency": 0},
        "last_result": None,
        "message": "Triage this ticket.",
        **more,
    }


def desk_fields(step: int = 0, **more: Any) -> dict[str, Any]:
    """The own fields of a desk observation."""
    return {
        "metadata": {},
        "ticket_id": "TKT-2",
        "customer_name": "Ada Example",
        "issue_text": "Login fails\n\nSince today.",
        "issue_type": "unclassified",
        "sentiment_score": -0.5,
        "wait_time_hours": 30,
        "is_escalated": True,
        "step_count": step,
        "task_difficulty": "easy",
        "message": "Answer with category.",
        **more,
    }


def observation(
    fields: dict[str, Any], reward: Any = 0, done: bool = False, metadata: dict[str, Any] | None = None
) -> dict[str, Any]:
    """An observation frame; metadata stands beside the fields and inside them, as servers have it."""
    metadata = metadata or {}
    data = {"observation": {**fields, "metadata": metadata}, "reward": reward, "done": done}
    if metadata:
        data["metadata"] = metadata
    return {"type": "observation", "data": data}


def error(message: str, code: str, **more: Any) -> dict[str, Any]:
    """An error frame."""
    return {"type": "error", "data": {"message": message, "code": code, **more}}


class FakeServer:
    """Answers each frame with the next of ``answers``; ``greeting`` is sent unasked and ends the connection."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = []
        self.greeting: dict[str, Any] | None = None
        self.frames: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.closed = threading.Event()

    def __enter__(self) -> FakeServer:
        self._server: Server = serve(self._serve, "127.0.0.1", 0)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}"
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, t: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join(10)

    def _serve(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        self.paths.append(connection.request.path)
        self.headers.append({k.lower(): v for k, v in connection.request.headers.raw_items()})
        if self.greeting is not None:
            connection.send(json.dumps(self.greeting))
            return
        try:
            for text in connection:
                frame = json.loads(text)
                self.frames.append(frame)
                if frame["type"] == "close":
                    break
                connection.send(json.dumps(self.answers.pop(0)))
        except ConnectionClosed:
            pass
        self.closed.set()
