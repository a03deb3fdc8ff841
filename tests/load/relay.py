"""A TCP relay in front of PostgreSQL that delays every byte as a network would, and counts what goes over it.

    python -m tests.load.relay HOST PORT MILLISECONDS

MILLISECONDS is the time of a round trip, half of it each way. The first line printed is the port it listens on. Each
line on standard input is answered by a line of JSON: the round trips and the statements since the start, of all
connections together. It ends when standard input does.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import suppress

EXECUTED = b"QEF"
"""Messages that run a statement: a simple query, an execution of a prepared one, a function call."""
UNTYPED_REQUESTS = (80877102, 80877103, 80877104)
"""Codes of requests before the start-up message: cancel, TLS and GSS."""


class WireCounts:
    """What clients have sent: `trips` counts each time one of them speaks after the server has."""

    def __init__(self) -> None:
        self.trips = self.statements = 0


class ClientMessages:
    """Finds the messages in what one client sends."""

    def __init__(self, counts: WireCounts) -> None:
        self.counts, self.rest, self.started, self.heard = counts, b"", False, True

    def sent(self, data: bytes) -> None:
        """Count what a client has sent."""
        self.counts.trips += self.heard
        self.heard = False
        self.rest += data
        while len(self.rest) >= 4 + self.started:
            size = int.from_bytes(self.rest[self.started : 4 + self.started]) + self.started
            if len(self.rest) < size:
                return
            message, self.rest = self.rest[:size], self.rest[size:]
            if self.started:
                self.counts.statements += message[0] in EXECUTED
            else:
                self.started = int.from_bytes(message[4:8]) not in UNTYPED_REQUESTS

    def answered(self, data: bytes) -> None:
        """Note that the server has spoken."""
        self.heard = True


async def delayed(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float, seen: Callable[[bytes], None]
) -> None:
    """Pass on what is read, each piece so many seconds after it came, in order."""
    loop, waiting = asyncio.get_running_loop(), asyncio.Queue[tuple[float, bytes]]()

    async def pass_on() -> None:
        while True:
            due, data = await waiting.get()
            await asyncio.sleep(due - loop.time())
            if not data:
                break
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()

    passing = asyncio.create_task(pass_on())
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            seen(data)
            waiting.put_nowait((loop.time() + seconds, data))
    waiting.put_nowait((loop.time() + seconds, b""))
    with suppress(OSError):
        await passing


async def serve(host: str, port: int, milliseconds: float) -> None:
    """Listen, and relay each connection until standard input ends."""
    counts, seconds, joined = WireCounts(), milliseconds / 2000, set()

    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection(host, port)
        messages = ClientMessages(counts)
        task = asyncio.gather(
            delayed(reader, there[1], seconds, messages.sent), delayed(there[0], writer, seconds, messages.answered)
        )
        joined.add(task)
        await task
        joined.discard(task)
        writer.close()
        there[1].close()

    server = await asyncio.start_server(join, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps({"trips": counts.trips, "statements": counts.statements}), flush=True)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
