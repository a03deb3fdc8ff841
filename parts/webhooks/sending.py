"""One request to a webhook's address, with limits on its time and on the size of the response.

The request goes to an IP address that was checked, over a socket of its own: a library would resolve the name again,
follow redirects or use a proxy. Only the status line and the headers of the response are read.
"""

import re
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass

from parts.webhooks.allowed_addresses import HostUnknownError, Target, resolve

SECONDS = 10.0
LARGEST_HEAD = 16 * 1024
MOST_ADDRESSES = 3
STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n]*)?\r?\n")
HEAD_END = re.compile(rb"\r?\n\r?\n")
RETRY_AFTER = re.compile(rb"\nretry-after:[ \t]*([0-9]{1,6})[ \t]*\r?\n", re.IGNORECASE)
AGENT = "Interrater-Webhooks"
LATE = f"No response within {SECONDS:.0f} seconds."


class NoResponseError(Exception):
    """No response came; the message says why."""


@dataclass(frozen=True)
class Response:
    """The status of a response, and after how many seconds it asks for the next request."""

    status: int
    retry_after: int | None = None

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300


def post(target: Target, headers: Mapping[str, str], body: bytes, seconds: float = SECONDS) -> Response:
    """Send `body` and return the response's status. Raises NoResponseError and AddressRefusedError."""
    ends = time.monotonic() + seconds
    try:
        with _connected(target, ends) as connection:
            connection.settimeout(_left(ends))
            connection.sendall(_request(target, headers, body))
            return _response(connection, ends)
    except TimeoutError:
        raise NoResponseError(LATE) from None
    except ssl.SSLError as problem:
        raise NoResponseError(f"The secure connection failed: {problem.reason or 'it was ended'}.") from problem
    except OSError as problem:
        raise NoResponseError(f"The connection failed: {problem.strerror or 'it was ended'}.") from problem


def _left(ends: float) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connected(target: Target, ends: float) -> socket.socket:
    """A connection to the first of the target's addresses that accepts one."""
    try:
        addresses = resolve(target)[:MOST_ADDRESSES]
    except HostUnknownError as problem:
        raise NoResponseError(str(problem)) from problem
    for number, address in enumerate(addresses, 1):
        try:
            plain = socket.create_connection((address, target.port), timeout=_left(ends))
            break
        except OSError:
            if number == len(addresses):
                raise
    if target.scheme == "http":
        return plain
    try:
        secure = ssl.create_default_context().wrap_socket(
            plain, server_hostname=target.host, do_handshake_on_connect=False
        )
        secure.settimeout(_left(ends))
        secure.do_handshake()
    except BaseException:
        plain.close()
        raise
    return secure


def _request(target: Target, headers: Mapping[str, str], body: bytes) -> bytes:
    sent = {
        "Host": target.host_header, "User-Agent": AGENT, "Content-Type": "application/json",
        "Content-Length": str(len(body)), "Connection": "close", **headers,
    }  # fmt: skip
    lines = [f"POST {target.path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
    return "\r\n".join(lines).encode("ascii") + body


def _response(connection: socket.socket, ends: float) -> Response:
    """Read heads of responses up to the first that is final."""
    read = b""
    while True:
        end = HEAD_END.search(read)
        if end is not None:
            head, read = read[: end.end()], read[end.end() :]
            line = STATUS_LINE.match(head)
            if line is None:
                raise NoResponseError("The response is not HTTP.")
            status = int(line[1])
            if status >= 200:
                asked = RETRY_AFTER.search(head)
                return Response(status, int(asked[1]) if asked else None)
            continue
        if len(read) > LARGEST_HEAD:
            raise NoResponseError("The headers of the response are too large.")
        connection.settimeout(_left(ends))
        part = connection.recv(4096)
        if not part:
            raise NoResponseError("The connection was closed without a response.")
        read += part
