"""The agent of my_agent.py behind an address: an observation a POST, the answer as JSON.

Start it with:  python3 examples/python/http_agent.py 8000
Play it with:   triage run --agent http://127.0.0.1:8000/act --tasks queue-easy desk-easy

Standard library only. With port 0 the system picks one; the first line of output says which.
"""

import contextlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from my_agent import act


class Handler(BaseHTTPRequestHandler):
    """Answers POST of any path."""

    protocol_version = "HTTP/1.1"  # connections are kept for the next observation
    disable_nagle_algorithm = True  # head and body are two writes: else each answer waits for 40 ms
    timeout = 60  # seconds that a connection may wait for it

    def do_POST(self) -> None:
        """Answers one observation; X-Triage-Episode names its episode, which an agent with a memory may need."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status, answer = 200, act(json.loads(body))
        except (ValueError, LookupError, TypeError) as err:
            status, answer = 400, {"error": f"this is no observation: {err!r}"}
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Keeps quiet: a line for each request is no use here."""


def main() -> None:
    """Serves until it is interrupted."""
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Handler)
    print(f"Listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
