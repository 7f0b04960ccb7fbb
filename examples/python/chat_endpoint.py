"""The agent of my_agent.py as a chat model: an OpenAI-compatible endpoint for what plays nothing else.

Start it with:  python3 examples/python/chat_endpoint.py 8000
Its address is then http://127.0.0.1:8000/v1, and any key and any model's name will do.

It answers the last message of the user, which has to be an observation as JSON, alone or under the key "observation",
with an action as JSON. It streams where it is asked to. Standard library only. With port 0 the system picks one; the
first line of output says which.
"""

import contextlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from my_agent import act


def reply(request: dict[str, Any]) -> str:
    """The answer to a chat: an action as JSON."""
    said = [m["content"] for m in request["messages"] if m["role"] == "user"][-1]
    if isinstance(said, list):  # content in parts
        said = "".join(part.get("text", "") for part in said)
    seen = json.loads(said)
    return json.dumps(act(seen.get("observation", seen)))


def completion(request: dict[str, Any], text: str) -> dict[str, Any]:
    """A whole answer, as the endpoint /chat/completions has it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": request.get("model", "")}
    return {**head, "choices": [choice], "usage": usage}


def events(request: dict[str, Any], text: str) -> str:
    """The same answer as a stream of one piece."""
    head = {**completion(request, text), "object": "chat.completion.chunk"}
    usage = head.pop("usage")
    piece = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    chunks = [{**head, "choices": [piece]}, {**head, "choices": [end]}]
    if (request.get("stream_options") or {}).get("include_usage"):
        chunks.append({**head, "choices": [], "usage": usage})
    return "".join(f"data: {json.dumps(c)}\n\n" for c in chunks) + "data: [DONE]\n\n"


class Handler(BaseHTTPRequestHandler):
    """Answers POST …/chat/completions."""

    protocol_version = "HTTP/1.1"  # connections are kept for the next chat
    disable_nagle_algorithm = True  # head and body are two writes: else each answer waits for 40 ms
    timeout = 60  # seconds that a connection may wait for it

    def do_POST(self) -> None:
        """Answers one chat."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind = "application/json"
        try:
            request = json.loads(body)
            text = reply(request)
            status, data = 200, json.dumps(completion(request, text))
            if request.get("stream"):
                kind, data = "text/event-stream", events(request, text)
        except (ValueError, LookupError, TypeError, AttributeError) as err:
            status, data = 400, json.dumps({"error": {"message": f"the last message is no observation: {err!r}"}})
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Keeps quiet: a line for each request is no use here."""


def main() -> None:
    """Serves until it is interrupted."""
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Handler)
    print(f"Listening on http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
