"""A triage server of our own: started when first asked for, shared by this Python process, stopped at its end.

On POSIX systems the server runs under a few lines of ``sh`` that hold the reading end of a pipe from us. When we end,
in whatever way, the pipe closes and the shell stops the server; so nothing is left behind after a ``kill -9`` either.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections import deque
from queue import Empty, SimpleQueue
from typing import IO

from .errors import ServerStartError

BINARY_VARIABLE = "TRIAGE_BINARY"
LISTENING = "Listening on "
START_TIMEOUT_S = 15.0
STOP_TIMEOUT_S = 5.0

# $@ is the server. The pipe from Python is descriptor 3; nobody writes to it, so reading ends when Python does.
_KEEPER = r"""
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
trap 'kill "$server" 2>/dev/null' TERM INT HUP
{ read -r _ <&3; kill "$server" 2>/dev/null; } >/dev/null 2>&1 &
watch=$!
exec 3<&-
wait "$server"; code=$?
while kill -0 "$server" 2>/dev/null; do wait "$server"; code=$?; done
kill "$watch" 2>/dev/null
exit "$code"
"""


def find_binary(binary: str | os.PathLike[str] | None = None) -> str:
    """The path of the triage binary: the argument, else the variable TRIAGE_BINARY, else ``triage`` on the PATH.

    Raises:
        ServerStartError: there is none, or it cannot be run. The message says where it was looked for.
    """
    if binary is not None:
        return _runnable(os.fspath(binary), "the argument binary")
    if given := os.environ.get(BINARY_VARIABLE):
        return _runnable(given, f"the variable {BINARY_VARIABLE}")
    found = shutil.which("triage")
    if found is None:
        raise ServerStartError(
            f"no triage binary: pass binary=…, set {BINARY_VARIABLE}, put `triage` on the PATH, or pass url=… of a "
            "running server. `go build ./cmd/triage` in the project's folder makes one"
        )
    return os.path.abspath(found)


def _runnable(path: str, origin: str) -> str:
    found = shutil.which(path)
    if found is None:
        raise ServerStartError(f"{origin} names {path!r}, which is not a program that can be run")
    return os.path.abspath(found)


class LocalServer:
    """A running ``triage serve`` on a free port of this machine.

    Attributes:
        url: its address, without a track.
    """

    def __init__(self, binary: str) -> None:
        command = [binary, "serve", "--host", "127.0.0.1", "--port", "0", "--drain", "1s", "--no-web"]
        # A variable TRIAGE_… is a setting of the program; this server is the default one whatever stands there.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIAGE_")}
        posix = os.name == "posix"
        try:
            self._process = subprocess.Popen(
                ["sh", "-c", _KEEPER, "triage-keeper", *command] if posix else command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=posix,
            )
        except OSError as error:
            raise ServerStartError(f"{binary} serve cannot be started: {error}") from error
        self._said: deque[str] = deque(maxlen=40)
        first: SimpleQueue[str] = SimpleQueue()
        self._reader(self._process.stderr, None)
        self._reader(self._process.stdout, first)
        try:
            self.url = self._await_address(binary, first)
        except BaseException:
            self.stop()
            raise

    def _reader(self, stream: IO[bytes] | None, lines: SimpleQueue[str] | None) -> None:
        """Read a stream to its end, so that the server never waits for us; keep the last lines."""

        def read() -> None:
            if stream is None:
                return
            with stream:
                for raw in stream:
                    text = raw.decode("utf-8", "replace").rstrip()
                    self._said.append(text)
                    if lines is not None:
                        lines.put(text)
            if lines is not None:
                lines.put("")

        threading.Thread(target=read, name="triage-server-output", daemon=True).start()

    def _await_address(self, binary: str, lines: SimpleQueue[str]) -> str:
        try:
            line = lines.get(timeout=START_TIMEOUT_S)
        except Empty:
            raise ServerStartError(
                f"{binary} serve did not say where it listens within {START_TIMEOUT_S:g} s{self._tail()}"
            ) from None
        if not line.startswith(LISTENING):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
            raise ServerStartError(f"{binary} serve did not begin to listen{self._tail()}")
        return line[len(LISTENING) :].strip()

    def _tail(self) -> str:
        text = "\n".join(line for line in self._said if line)
        return f"; it said:\n{text}" if text else " and said nothing"

    @property
    def running(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the server: politely, then by force. Does nothing the second time."""
        process = self._process
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        if os.name != "posix":
            process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            if os.name == "posix":
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            process.wait()

    def abandon(self) -> None:
        """In a forked child: let go of the pipe, so that only the parent's end counts."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                os.close(self._process.stdin.fileno())


_lock = threading.Lock()
_servers: dict[str, LocalServer] = {}


def shared_server(binary: str | os.PathLike[str] | None = None) -> LocalServer:
    """The server of this Python process for the binary; started if there is none, or if it has ended."""
    path = find_binary(binary)
    with _lock:
        server = _servers.get(path)
        if server is None or not server.running:
            server = _servers[path] = LocalServer(path)
        return server


def stop_servers() -> None:
    """Stop the servers that this process started. It happens by itself at the end; environments that use them break."""
    with _lock:
        servers = list(_servers.values())
        _servers.clear()
    for server in servers:
        server.stop()


def _after_fork_in_child() -> None:
    """A forked child has no server: it starts its own when it asks for one."""
    global _lock
    _lock = threading.Lock()
    for server in _servers.values():
        server.abandon()
    _servers.clear()


atexit.register(stop_servers)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
