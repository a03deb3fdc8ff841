"""Connections that end at the deadline of their call or soon after its stop, whatever the server does.

The client library's timeouts apply to each read, so a server that sends a byte now and then could block a worker for
ever. Here every wait is cut into slices, and the deadline and the stop are checked between them.
"""

import os
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import httpcore2
import httpx2

SLICE = 0.25
STOP_CHECKED_EVERY = 0.5
WRITTEN_AT_ONCE = 65_536
LONGEST_WRITE = 10.0
"""Seconds for one write. It cannot be cut into slices, because nobody knows how much of it was sent."""
LARGEST_REPLY = 8 * 1024 * 1024
SENT_HEADERS = frozenset(
    (b"host", b"accept", b"authorization", b"connection", b"content-length", b"content-type", b"x-request-id")
)
"""The client library adds headers about this machine, and those named by its environment variables."""
OWN_HEADERS = ((b"User-Agent", b"Interrater"), (b"Accept-Encoding", b"identity"))


class DeadlinePassedError(Exception):
    """The deadline of the call has passed."""


class StopRequestedError(Exception):
    """The call was stopped."""


class ReplyTooLargeError(Exception):
    """The reply is too large."""


class CallDeadline:
    """The deadline of a call, and whether it was stopped. Only the thread of the call uses it."""

    def __init__(self, seconds: float, stopped: Callable[[], bool] | None) -> None:
        self.ends = time.monotonic() + seconds
        self._stopped = stopped
        self._checked_at = 0.0

    def left(self) -> float:
        """Return the seconds until the deadline. Raises DeadlinePassedError or StopRequestedError."""
        now = time.monotonic()
        if now >= self.ends:
            raise DeadlinePassedError
        if self._stopped is not None and now - self._checked_at >= STOP_CHECKED_EVERY:
            self._checked_at = now
            if self._stopped():
                raise StopRequestedError
        return self.ends - now

    def within(self, timeout: float | None) -> float:
        """Return the shorter of `timeout` and the time left."""
        left = self.left()
        return left if timeout is None else min(timeout, left)

    def sleep(self, seconds: float) -> None:
        """Wait. Raises DeadlinePassedError or StopRequestedError."""
        ends = time.monotonic() + seconds
        while (rest := ends - time.monotonic()) > 0:
            time.sleep(min(rest, SLICE, self.left()))
        self.left()


_DEADLINE: ContextVar[CallDeadline] = ContextVar("deadline")


@contextmanager
def bounded_by(deadline: CallDeadline) -> Iterator[None]:
    """Apply the deadline to everything that this thread reads and writes inside the block."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


_HEADERS: ContextVar[Mapping[str, str]] = ContextVar("headers", default=MappingProxyType({}))


@contextmanager
def with_headers(headers: Mapping[str, str]) -> Iterator[None]:
    """Send these headers, whose names are lower case, with all requests inside the block; an empty one is not sent."""
    token = _HEADERS.set(headers)
    try:
        yield
    finally:
        _HEADERS.reset(token)


class BoundedStream(httpcore2.NetworkStream):
    """A connection whose waits end at the deadline of the call that uses it."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        deadline = _DEADLINE.get()
        until = time.monotonic() + (timeout if timeout is not None else deadline.left())
        while True:
            rest = until - time.monotonic()
            try:
                return self._inner.read(max_bytes, max(min(SLICE, rest, deadline.left()), 0.001))
            except httpcore2.ReadTimeout:
                if time.monotonic() >= until:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        deadline = _DEADLINE.get()
        for start in range(0, len(buffer), WRITTEN_AT_ONCE):
            self._inner.write(buffer[start : start + WRITTEN_AT_ONCE], min(deadline.within(timeout), LONGEST_WRITE))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        within = _DEADLINE.get().within(timeout)
        return BoundedStream(self._inner.start_tls(ssl_context, server_hostname, within))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class BoundedBackend(httpcore2.NetworkBackend):
    """Opens bounded connections, trying the addresses of a host in turn."""

    def __init__(self) -> None:
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        deadline = _DEADLINE.get()
        deadline.left()
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as problem:  # UnicodeError for impossible names such as a..b
            raise httpcore2.ConnectError(str(problem)) from None
        addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
        for address in addresses[:-1]:
            try:
                return self._connect(address, port, deadline.within(timeout), socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return self._connect(addresses[-1], port, deadline.within(timeout), socket_options)

    def _connect(self, address: str, port: int, timeout: float, options: Iterable[Any] | None) -> BoundedStream:
        return BoundedStream(self._inner.connect_tcp(address, port, timeout, None, options))


class BoundedBody(httpx2.SyncByteStream):
    """The body of a reply, of limited size."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        with _library_errors():
            for piece in self._inner:
                size += len(piece)
                if size > LARGEST_REPLY:
                    raise ReplyTooLargeError
                yield piece

    def close(self) -> None:
        self._inner.close()


class BoundedTransport(httpx2.BaseTransport):
    """HTTP over bounded connections, with the certificates of the system (or SSL_CERT_FILE) and without a proxy."""

    def __init__(self) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=ssl.create_default_context(), max_connections=None, max_keepalive_connections=64,
            keepalive_expiry=15, network_backend=BoundedBackend(),
        )  # fmt: skip

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        own = {name.encode(): value.encode() for name, value in _HEADERS.get().items()}
        kept = [(name, value) for name, value in request.headers.raw if name.lower() in SENT_HEADERS - own.keys()]
        kept += [(name, value) for name, value in own.items() if value]
        url = httpcore2.URL(
            scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
        )
        inner = httpcore2.Request(
            request.method, url, headers=[*kept, *OWN_HEADERS], content=request.stream,
            extensions=request.extensions,
        )  # fmt: skip
        with _library_errors():
            response = self._pool.handle_request(inner)
        # A body that is compressed despite our header is not unpacked and so is unusable: it could have any size.
        headers = [(name, value) for name, value in response.headers if name.lower() != b"content-encoding"]
        return httpx2.Response(
            response.status, headers=headers, stream=BoundedBody(response.stream), extensions=response.extensions
        )

    def close(self) -> None:
        self._pool.close()


@contextmanager
def _library_errors() -> Iterator[None]:
    """Raise the errors of connections as those that the client library knows."""
    try:
        yield
    except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as problem:
        kind: type[httpx2.TransportError] = getattr(httpx2, type(problem).__name__, httpx2.TransportError)
        raise kind(str(problem)) from problem


def connections() -> httpx2.Client:
    """Return this process's connections: open between calls, never shared with a forked process."""
    return _connections(os.getpid())


@lru_cache(maxsize=1)
def _connections(process: int) -> httpx2.Client:
    return httpx2.Client(transport=BoundedTransport(), follow_redirects=False, trust_env=False)
