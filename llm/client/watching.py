"""Connections that keep an eye on the clock and on a stop, whatever the other side does.

The client library's timeouts count from one read to the next: a server that sends a byte now and then would hold a
worker for ever. Here every wait is cut into slices, and each ends at the deadline of the call or soon after its stop.
"""

import os
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import httpcore2
import httpx2

SLICE = 0.25
STOP_ASKED_EVERY = 0.5
PIECE = 65_536
LONGEST_WRITE = 10.0
"""Seconds for a piece of what is sent: a wait that cannot be cut into slices, as how much of it went is not known."""
LARGEST_REPLY = 8 * 1024 * 1024
SENT_HEADERS = frozenset((b"host", b"accept", b"authorization", b"connection", b"content-length", b"content-type"))
"""The client library adds headers on this machine, and those that environment variables of its own name."""
OWN_HEADERS = ((b"User-Agent", b"Interrater"), (b"Accept-Encoding", b"identity"))


class DeadlinePassedError(Exception):
    """The total time of the call is over."""


class StopSeenError(Exception):
    """The call was asked to stop."""


class TooMuchError(Exception):
    """The reply is larger than any that is kept."""


class Watch:
    """The deadline of one call, and whether it was asked to stop. Used by the call's own thread only."""

    def __init__(self, seconds: float, stopped: Callable[[], bool] | None) -> None:
        self.ends = time.monotonic() + seconds
        self._stopped = stopped
        self._asked = 0.0

    def left(self) -> float:
        """Seconds until the deadline. Raises DeadlinePassedError or StopSeenError."""
        now = time.monotonic()
        if now >= self.ends:
            raise DeadlinePassedError
        if self._stopped is not None and now - self._asked >= STOP_ASKED_EVERY:
            self._asked = now
            if self._stopped():
                raise StopSeenError
        return self.ends - now

    def within(self, timeout: float | None) -> float:
        """The shorter of `timeout` and the time left."""
        left = self.left()
        return left if timeout is None else min(timeout, left)

    def sleep(self, seconds: float) -> None:
        """Wait; raises DeadlinePassedError or StopSeenError meanwhile."""
        ends = time.monotonic() + seconds
        while (rest := ends - time.monotonic()) > 0:
            time.sleep(min(rest, SLICE, self.left()))
        self.left()


_WATCH: ContextVar[Watch] = ContextVar("watch")


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """All that this thread reads and writes inside is watched by `watch`."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


class WatchedStream(httpcore2.NetworkStream):
    """A connection whose every wait ends with the watch of the call that uses it."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        watch = _WATCH.get()
        patience = time.monotonic() + (timeout if timeout is not None else watch.left())
        while True:
            rest = patience - time.monotonic()
            try:
                return self._inner.read(max_bytes, max(min(SLICE, rest, watch.left()), 0.001))
            except httpcore2.ReadTimeout:
                if time.monotonic() >= patience:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        watch = _WATCH.get()
        for start in range(0, len(buffer), PIECE):
            self._inner.write(buffer[start : start + PIECE], min(watch.within(timeout), LONGEST_WRITE))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        within = _WATCH.get().within(timeout)
        return WatchedStream(self._inner.start_tls(ssl_context, server_hostname, within))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class WatchedBackend(httpcore2.NetworkBackend):
    """Opens watched connections; the addresses of a host are tried one after the other."""

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
        watch = _WATCH.get()
        watch.left()
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as problem:  # the latter of a name that can be none, such as a..b
            raise httpcore2.ConnectError(str(problem)) from None
        addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
        for address in addresses[:-1]:
            try:
                return self._connect(address, port, watch.within(timeout), socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return self._connect(addresses[-1], port, watch.within(timeout), socket_options)

    def _connect(self, address: str, port: int, timeout: float, options: Iterable[Any] | None) -> WatchedStream:
        return WatchedStream(self._inner.connect_tcp(address, port, timeout, None, options))


class WatchedBody(httpx2.SyncByteStream):
    """The body of a reply, of bounded size."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        with _named():
            for piece in self._inner:
                size += len(piece)
                if size > LARGEST_REPLY:
                    raise TooMuchError
                yield piece

    def close(self) -> None:
        self._inner.close()


class WatchedTransport(httpx2.BaseTransport):
    """HTTP over watched connections, with the system's certificates (or SSL_CERT_FILE), through no proxy."""

    def __init__(self) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=ssl.create_default_context(), max_connections=None, max_keepalive_connections=64,
            keepalive_expiry=15, network_backend=WatchedBackend(),
        )  # fmt: skip

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        kept = [(name, value) for name, value in request.headers.raw if name.lower() in SENT_HEADERS]
        url = httpcore2.URL(
            scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
        )
        inner = httpcore2.Request(
            request.method, url, headers=[*kept, *OWN_HEADERS], content=request.stream,
            extensions=request.extensions,
        )  # fmt: skip
        with _named():
            response = self._pool.handle_request(inner)
        # A body that is packed nevertheless stays packed, and is no reply then: unpacked, it could be of any size.
        headers = [(name, value) for name, value in response.headers if name.lower() != b"content-encoding"]
        return httpx2.Response(
            response.status, headers=headers, stream=WatchedBody(response.stream), extensions=response.extensions
        )

    def close(self) -> None:
        self._pool.close()


@contextmanager
def _named() -> Iterator[None]:
    """Failures of connections under the names that the client library knows."""
    try:
        yield
    except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as problem:
        kind: type[httpx2.TransportError] = getattr(httpx2, type(problem).__name__, httpx2.TransportError)
        raise kind(str(problem)) from problem


def connections() -> httpx2.Client:
    """This process's connections: kept open between calls, never shared with a forked process."""
    return _connections(os.getpid())


@lru_cache(maxsize=1)
def _connections(process: int) -> httpx2.Client:
    return httpx2.Client(transport=WatchedTransport(), follow_redirects=False, trust_env=False)
