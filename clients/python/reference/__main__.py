"""``python -m reference``: start the server. The first line on stdout is ``Listening on http://HOST:PORT``."""

from __future__ import annotations

import argparse
import socket
from pathlib import Path

import uvicorn

from .app import make_app
from .tickets import SAMPLE, Library


def main(arguments: list[str] | None = None) -> None:
    """Parse the flags and serve until a signal comes."""
    parser = argparse.ArgumentParser(prog="python -m reference", description="The Python OpenEnv server of triage.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000, help="0 picks a free one and prints it (default 8000)")
    parser.add_argument("--track", choices=["queue", "desk"], default="queue", help="what the root serves")
    parser.add_argument(
        "--tickets",
        type=Path,
        default=SAMPLE,
        metavar="FOLDER",
        help="folder of <track>-<difficulty>.jsonl, made by generate.sh (default: the sample)",
    )
    parser.add_argument("--split", choices=["train", "test"], default="train", help="what the tickets are of")
    parser.add_argument("--max-sessions", type=int, default=512, help="sessions at a time (default 512)")
    parser.add_argument(
        "--plain",
        action="store_true",
        help="as the package's template has it: calls in threads, uvicorn without extras, frames compressed on request",
    )
    options = parser.parse_args(arguments)
    try:
        library = Library.read(options.tickets, options.split)
        app = make_app(options.track, library, options.max_sessions, plain=options.plain)
    except ValueError as error:
        parser.error(str(error))
    with socket.create_server((options.host, options.port), backlog=2048) as listener:
        port = listener.getsockname()[1]
        print(f"Listening on http://{options.host}:{port}", flush=True)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            loop="asyncio" if options.plain else "auto",
            http="h11" if options.plain else "auto",
            ws_per_message_deflate=options.plain,
        )
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
