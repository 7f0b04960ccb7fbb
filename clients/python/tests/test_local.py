"""Starting and ending the server, with programs that only pretend to be one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from triage_env import ServerStartError, create_env, find_binary, local, shared_server, stop_servers

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the pretended programs are shell scripts")

ROOT = Path(__file__).parent.parent

SERVES = """
    echo $$ >>"$0.pids"
    env >"$0.env"
    echo "$@" >"$0.args"
    echo "Listening on http://127.0.0.1:1234"
    while :; do sleep 0.05; done
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Makes a program that runs a shell script."""

    def make(script: str, name: str = "triage") -> Path:
        path = tmp_path / name
        path.write_text("#!/bin/sh\n" + textwrap.dedent(script))
        path.chmod(0o755)
        return path

    yield make
    stop_servers()


def pids(program: Path) -> list[int]:
    return [int(line) for line in Path(f"{program}.pids").read_text().split()]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def gone(pid: int, within: float = 10.0) -> bool:
    """Whether a process ends in time."""
    end = time.monotonic() + within
    while alive(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_the_binary_is_the_argument_or_the_variable_or_on_the_path(
    program: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here, other = program(SERVES), program(SERVES, "other")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("TRIAGE_BINARY", raising=False)
    assert find_binary() == str(here)
    monkeypatch.setenv("TRIAGE_BINARY", str(other))
    assert find_binary() == str(other)
    assert find_binary(here) == str(here)


def test_no_binary_is_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TRIAGE_BINARY", raising=False)
    with pytest.raises(
        ServerStartError, match=r"pass binary=…, set TRIAGE_BINARY, put `triage` on the PATH, or pass url"
    ):
        create_env()
    monkeypatch.setenv("TRIAGE_BINARY", "/nowhere/triage")
    with pytest.raises(
        ServerStartError, match="the variable TRIAGE_BINARY names '/nowhere/triage', which is not a prog"
    ):
        create_env()
    (tmp_path / "text").write_text("no program")
    with pytest.raises(ServerStartError, match=r"the argument binary names .*, which is not a program"):
        create_env(binary=tmp_path / "text")


def test_one_server_is_shared_and_its_settings_are_its_own(
    program: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIAGE_TOKEN_FILE", "/somewhere")
    path = program(SERVES)
    first = shared_server(path)
    assert first is shared_server(str(path))
    assert first.url == "http://127.0.0.1:1234"
    assert len(pids(path)) == 1
    assert Path(f"{path}.args").read_text().startswith("serve --host 127.0.0.1 --port 0 ")
    assert "TRIAGE_" not in Path(f"{path}.env").read_text()
    stop_servers()
    assert not first.running
    assert gone(pids(path)[0])
    first.stop()  # does nothing


def test_a_server_that_ended_is_started_again(program: Callable[..., Path]) -> None:
    path = program(SERVES)
    first = shared_server(path)
    os.kill(pids(path)[0], signal.SIGKILL)
    end = time.monotonic() + 10
    while first.running and time.monotonic() < end:
        time.sleep(0.02)
    assert shared_server(path) is not first
    assert len(pids(path)) == 2


def test_a_program_that_fails_is_quoted(program: Callable[..., Path]) -> None:
    path = program("echo 'triage: serve: port 0 is taken' >&2; exit 2")
    with pytest.raises(ServerStartError, match="did not begin to listen; it said:\ntriage: serve: port 0 is taken"):
        shared_server(path)
    with pytest.raises(ServerStartError, match="did not begin to listen; it said:\nhello"):
        shared_server(program("echo hello; while :; do sleep 0.05; done"))
    with pytest.raises(ServerStartError, match="did not begin to listen and said nothing"):
        shared_server(program("exit 0"))


def test_a_program_that_says_nothing_is_ended(program: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "START_TIMEOUT_S", 0.3)
    path = program('echo $$ >"$0.pids"; while :; do sleep 0.05; done')
    with pytest.raises(ServerStartError, match=r"did not say where it listens within 0\.3 s"):
        shared_server(path)
    assert gone(pids(path)[0])


def test_a_server_that_will_not_end_is_killed(program: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "STOP_TIMEOUT_S", 0.3)
    path = program("trap '' TERM INT HUP\n" + SERVES)
    server = shared_server(path)
    server.stop()
    assert gone(pids(path)[0])


def test_a_server_that_talks_much_is_not_held_up(program: Callable[..., Path]) -> None:
    script = """
        echo "Listening on http://127.0.0.1:1234"
        i=0; while [ $i -lt 3000 ]; do echo "a line of the log that is rather long, number $i" >&2; i=$((i+1)); done
        touch "$0.done"
        while :; do sleep 0.05; done
    """
    path = program(script)
    shared_server(path)
    end = time.monotonic() + 20
    while not Path(f"{path}.done").exists():
        assert time.monotonic() < end
        time.sleep(0.02)


# The children import the module alone: the rest of the package takes seconds.
CHILD = """
import os, signal, sys, time, types
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
package = types.ModuleType("triage_env")
package.__path__ = ["triage_env"]
sys.modules["triage_env"] = package
from triage_env.local import shared_server
path = sys.argv[1]
shared_server(path)
print("ready", flush=True)
"""

FORKS = """
child = os.fork()
if child == 0:
    shared_server(path)
    print("ready", os.getpid(), flush=True)
    time.sleep(60)
sys.stdin.read()
os._exit(0)
"""


def python(code: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD + code, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def command_lines() -> str:
    """Those of all processes."""
    proc = Path("/proc")
    if not (proc / "self/cmdline").exists():
        return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    lines = []
    for entry in proc.glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(entry.read_bytes().decode("utf-8", "replace"))
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("then", "how"),
    [
        ("pass", None),
        ("raise SystemExit(3)", None),
        ("os._exit(1)", None),
        ("time.sleep(60)", signal.SIGKILL),
        ("time.sleep(60)", signal.SIGTERM),
        ("time.sleep(60)", signal.SIGINT),
    ],
)
def test_the_server_ends_with_its_python(program: Callable[..., Path], then: str, how: signal.Signals | None) -> None:
    path = program(SERVES)
    with python(then, path) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        if how is not None:
            child.send_signal(how)
        child.wait(30)
    assert gone(pids(path)[0])
    end = time.monotonic() + 5
    while str(path) in command_lines():
        assert time.monotonic() < end, "something is left of the server"
        time.sleep(0.02)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_keeps_nothing_alive_and_starts_its_own(program: Callable[..., Path]) -> None:
    path = program(SERVES)
    child = python(FORKS, path)
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == "ready\n"
    forked = int(child.stdout.readline().removeprefix("ready "))
    try:
        child.stdin.close()
        child.wait(30)
        first, second = pids(path)
        assert gone(first)  # the parent's, although the forked child lives
        assert alive(second)
    finally:
        os.kill(forked, signal.SIGKILL)
    assert gone(second)
    child.stdout.close()
