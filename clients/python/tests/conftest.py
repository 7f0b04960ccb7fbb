from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from triage_env import LocalServer, ServerStartError, find_binary
from triage_env.local import BINARY_VARIABLE

from .fake import FakeServer

ROOT = Path(__file__).parent.parent


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    """A server that answers what the test says."""
    with FakeServer() as server:
        yield server


@pytest.fixture(scope="session")
def binary() -> str:
    """The real program. Where the variable names it, it has to be there."""
    try:
        path = find_binary()
    except ServerStartError as error:
        if os.environ.get(BINARY_VARIABLE):
            raise
        pytest.skip(f"the real program is not there: {error}")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIAGE_")}
    asked = subprocess.run([path, "serve", "--help"], capture_output=True, env=environment, timeout=60, check=False)
    if asked.returncode != 0:
        pytest.skip(f"{path} has no command serve")
    return path


@pytest.fixture(scope="session")
def reference_url() -> Iterator[str]:
    """The reference server on its sample."""
    process = subprocess.Popen(
        [sys.executable, "-m", "reference", "--port", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Listening on "), line
        yield line.removeprefix("Listening on ").strip()
    finally:
        process.terminate()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture(scope="session")
def binary_url(binary: str) -> Iterator[str]:
    """The real server, started as create_env starts it, but not shared: tests of that stop what is."""
    server = LocalServer(binary)
    yield server.url
    server.stop()


@pytest.fixture(scope="session", params=["binary", "reference"])
def url(request: pytest.FixtureRequest) -> str:
    """Each of both servers."""
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found
