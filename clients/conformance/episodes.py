"""Plays episodes with nothing but Python's standard library, where the real clients cannot be had: episodes.py WAY URL [COUNT]

`sockets` opens COUNT WebSockets, waits until all of them are open, and plays an episode on each. `http` plays COUNT episodes by POST /reset,
POST /step and GET /state, with the cookie that the reset sets. `hold` opens COUNT sockets, prints "held", waits for a line on standard
input, and plays the episodes then. A certificate is not checked: servers here sign their own.
"""

import asyncio
import base64
import http.client
import json
import os
import ssl
import struct
import sys
from urllib.parse import urlsplit

ACTION = {"route_category": "billing", "urgency_assessment": "low", "resolution_difficulty": "easy", "priority_score": 12}
HOST = os.environ.get("EPISODES_HOST")  # the Host header, where it is not that of the URL


def context(url):
    if url.scheme != "https":
        return None
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    return unchecked


class Socket:
    """A WebSocket that sends and reads whole text messages."""

    async def open(self, url):
        self.read, self.write = await asyncio.open_connection(url.hostname, url.port, ssl=context(url))
        key = base64.b64encode(os.urandom(16)).decode()
        self.write.write(
            f"GET {url.path}/ws HTTP/1.1\r\nHost: {HOST or url.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = await self.read.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise SystemExit(f"the handshake is answered with {head.decode(errors='replace').splitlines()[0]}")

    def frame(self, kind, data):
        mask, size = os.urandom(4), len(data)
        length = bytes([128 | size]) if size < 126 else bytes([128 | 126]) + struct.pack("!H", size)
        self.write.write(bytes([128 | kind]) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    async def message(self):
        text = b""
        while True:
            first, second = await self.read.readexactly(2)
            size = second & 127
            if size == 126:
                (size,) = struct.unpack("!H", await self.read.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", await self.read.readexactly(8))
            data = await self.read.readexactly(size)
            kind = first & 15
            if kind == 9:
                self.frame(10, data)
            elif kind == 8:
                raise SystemExit(f"the server closes the socket: {data[2:].decode(errors='replace')}")
            elif kind in (0, 1):
                text += data
                if first & 128:
                    return json.loads(text)

    async def ask(self, message):
        self.frame(1, json.dumps(message).encode())
        answer = await self.message()
        if answer["type"] != "observation":
            raise SystemExit(f"{message} is answered with {answer}")
        return answer["data"]


def finished(result, steps):
    if not 0 <= result["observation"]["metadata"]["score"] <= 1 or steps < 1:
        raise SystemExit(f"the episode ends with {result}")
    return steps


async def sockets(url, count, hold):
    opened = [Socket() for _ in range(count)]
    await asyncio.gather(*[s.open(url) for s in opened])
    if hold:
        print("held", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)

    async def play(s, seed):
        result, steps = await s.ask({"type": "reset", "data": {"seed": seed, "difficulty": "hard"}}), 0
        while not result["done"]:
            result, steps = await s.ask({"type": "step", "data": ACTION}), steps + 1
        return finished(result, steps)

    steps = await asyncio.gather(*[play(s, seed) for seed, s in enumerate(opened)])
    for s in opened:
        s.frame(8, struct.pack("!H", 1000))
        s.write.close()
    return sum(steps)


def over_http(url, count):
    total = 0
    for seed in range(count):
        cookie, steps = "", 0

        def ask(method, path, body=None):
            # A connection for each request, so that a proxy has to choose anew every time.
            kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
            connection = kind(url.hostname, url.port, timeout=30, **({"context": context(url)} if url.scheme == "https" else {}))
            headers = {"Content-Type": "application/json"} | ({"Cookie": cookie} if cookie else {}) | ({"Host": HOST} if HOST else {})
            connection.request(method, url.path + path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            data = answer.read()
            connection.close()
            if answer.status != 200:
                raise SystemExit(f"{method} {path}: {answer.status} {data.decode(errors='replace')}")
            return json.loads(data), (answer.getheader("Set-Cookie") or "").split(";")[0]

        result, cookie = ask("POST", "/reset", {"seed": seed, "difficulty": "hard"})
        while not result["done"]:
            (result, _), steps = ask("POST", "/step", {"action": ACTION}), steps + 1
            state, _ = ask("GET", "/state")
            if state["step_count"] != steps:
                raise SystemExit(f"after {steps} steps the state says {state['step_count']}")
        total += finished(result, steps)
    return total


def main(way, address, count=1):
    url, count = urlsplit(address.rstrip("/")), int(count)
    steps = over_http(url, count) if way == "http" else asyncio.run(sockets(url, count, way == "hold"))
    print(f"{count} episodes by {way}, {steps} steps")


if __name__ == "__main__":
    main(*sys.argv[1:])
