"""The client on a sealed server: it shows no figures until the end, and asks for a token."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from triage_env import ServerError, create_env

TOKEN = "a-token-of-thirty-two-characters-and-more"


@pytest.fixture
def sealed_url(binary: str, tmp_path: Path) -> Iterator[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIAGE_")}
    secret = subprocess.run([binary, "secret", "new"], capture_output=True, check=True, env=environment)
    for name, content in (("secret", secret.stdout), ("tokens", TOKEN.encode() + b"\n")):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o600)
    command = [binary, "serve", "--port", "0", "--sealed", "--secret-file", str(tmp_path / "secret")]
    command += ["--token-file", str(tmp_path / "tokens"), "--ledger", str(tmp_path / "ledger"), "--no-web"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=tmp_path
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("Listening on ").strip()
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_a_sealed_queue(sealed_url: str) -> None:
    with create_env(track="queue", url=sealed_url, token=TOKEN) as env:
        seen, info = env.reset()
        assert (seen.stats, seen.last_result, info) == (None, None, {})
        paid, terminated = [], False
        while not terminated:
            seen, reward, terminated, _, info = env.step({"route_category": "billing"})
            assert (seen.stats, seen.last_result, reward.breakdown) == (None, None, {})
            paid.append(reward.value)
        assert set(paid[:-1]) == {0.0}
        assert "score" in info
        assert "rubrics" not in info
        state = env.state()
        assert (state.split, state.seed, state.done) == ("test", None, True)
        with pytest.raises(ServerError, match="seed"):
            env.reset(7)


def test_no_token_no_session(sealed_url: str) -> None:
    with create_env(url=sealed_url) as env, pytest.raises(ConnectionError, match="401"):
        env.reset()
