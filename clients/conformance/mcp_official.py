"""The official Python client of the Model Context Protocol plays an episode by tools: mcp_official.py URL

An episode is begun over HTTP; the client joins it by the session's header, as an agent would whose trainer resets.
"""

import asyncio
import json
import sys

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


def expect(condition: bool, message: str) -> None:
    if not condition:
        raise SystemExit(message)


async def play(url: str) -> int:
    reset = httpx.post(url + "/reset", json={"seed": 7, "tickets": 3}, trust_env=False)
    session = reset.headers["X-Triage-Session"]
    async with streamablehttp_client(url + "/mcp", headers={"X-Triage-Session": session}) as (read, write, _):
        async with ClientSession(read, write) as client:
            hello = await client.initialize()
            expect(hello.serverInfo.name == "triage", f"server {hello.serverInfo}")
            await client.send_ping()
            tools = (await client.list_tools()).tools
            names = sorted(t.name for t in tools)
            expect(names == ["queue_status", "read_handbook", "read_ticket", "submit_triage"], f"tools {names}")
            handbook = await client.call_tool("read_handbook", {})
            expect(len(handbook.content[0].text) > 1000, "the handbook is short")
            seen = await client.call_tool("read_ticket", {})
            expect(seen.structuredContent["observation"]["ticket"] == reset.json()["observation"]["ticket"], "another ticket than the reset's")
            bad = await client.call_tool("submit_triage", {"route_category": "sales"})
            expect(bad.isError and "billing" in bad.content[0].text, f"a wrong value: {bad}")
            steps = 0
            done = False
            while not done:
                answer = await client.call_tool("submit_triage", {"route_category": "billing", "priority_score": 40})
                expect(not answer.isError, f"submit_triage: {answer}")
                done = json.loads(answer.content[0].text)["done"]
                steps += 1
            expect(answer.structuredContent["metadata"]["score"] >= 0, "no score at the end")
            over = await client.call_tool("submit_triage", {})
            expect(over.isError, "a step after the end was taken")
            return steps


print(f"official MCP client: {asyncio.run(play(sys.argv[1].rstrip('/')))} steps by tools")
