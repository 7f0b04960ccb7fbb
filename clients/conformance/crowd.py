"""Many sessions of the real client at once, each with tickets of its own: crowd.py URL [SESSIONS]

Every session plays one episode with its own seed. What it saw must be what the same seed gives to a client that is alone, and
no two sessions may have seen the same tickets.
"""

import asyncio
import sys

from openenv.core import GenericEnvClient

ACTION = {"route_category": "billing", "urgency_assessment": "low", "resolution_difficulty": "easy", "priority_score": 12}


async def episode(url: str, seed: int, begun: asyncio.Barrier | None = None) -> list[tuple[str, str]]:
    """Plays the seed and gives id and subject of each ticket."""
    seen = []
    async with GenericEnvClient(base_url=url, message_timeout_s=120, connect_timeout_s=60) as env:
        result = await env.reset(seed=seed, episode_id=f"crowd-{seed}")
        if begun is not None:
            await begun.wait()  # all sessions are open at the same time
        while not result.done:
            ticket = result.observation["ticket"]
            seen.append((ticket["ticket_id"], ticket["subject"]))
            result = await env.step(ACTION)
            state = await env.state()
            if state["episode_id"] != f"crowd-{seed}" or state["step_count"] != len(seen):
                raise SystemExit(f"session {seed} has another's state: {state['episode_id']}, step {state['step_count']}")
    return seen


async def main(url: str, sessions: int) -> None:
    begun = asyncio.Barrier(sessions)
    together = await asyncio.gather(*[episode(url, seed, begun) for seed in range(sessions)])
    for seed in range(0, sessions, max(1, sessions // 32)):
        if await episode(url, seed) != together[seed]:
            raise SystemExit(f"seed {seed}: the tickets of a session among {sessions} are not those of one alone")
    if len({tuple(seen) for seen in together}) != sessions:
        raise SystemExit("two sessions with different seeds saw the same tickets")
    print(f"{sessions} sessions at once, {sum(map(len, together))} steps, each with its own seed's tickets")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 256))
