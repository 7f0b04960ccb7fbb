"""256 sessions of the package's own client at once: each sees its seed's tickets and none of another's."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess

from openenv.core.generic_client import GenericEnvClient

SESSIONS, TICKETS = 256, 8


def expected(binary: str) -> list[list[str]]:
    """The texts of each seed's tickets, as the program makes them without a server."""
    command = [binary, "tickets", "generate", "--task", "queue-easy", "--split", "train", "--seed", "0"]
    command += ["-n", str(SESSIONS * TICKETS), "--format", "jsonl"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIAGE_")}
    made = subprocess.run(command, capture_output=True, check=True, env=environment, timeout=120)
    texts = []
    for text in made.stdout.decode().splitlines():
        line = json.loads(text)
        texts.append(line.get("ticket", line)["description"])
    return [texts[i : i + TICKETS] for i in range(0, len(texts), TICKETS)]


def test_each_session_has_its_own_seed_s_tickets(binary: str, binary_url: str) -> None:
    begun = 0
    all_there = asyncio.Event()

    async def play(seed: int) -> list[str]:
        nonlocal begun
        texts = []
        async with GenericEnvClient(base_url=f"{binary_url}/queue") as env:
            result = await env.reset(seed=seed)
            begun += 1
            if begun == SESSIONS:
                all_there.set()
            await asyncio.wait_for(all_there.wait(), 60)  # every session is in its episode now
            while not result.done:
                texts.append(result.observation["ticket"]["description"])
                result = await env.step({"route_category": "billing"})
        return texts

    async def play_all() -> list[list[str]]:
        return await asyncio.gather(*[play(seed) for seed in range(SESSIONS)])

    want = expected(binary)
    assert len({text for texts in want for text in texts}) == SESSIONS * TICKETS  # no two tickets are alike
    assert asyncio.run(play_all()) == want
