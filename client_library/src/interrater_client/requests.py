"""One request with all its tries, and the flows that are built from it: pages, waiting, downloads."""

import email.utils
import hashlib
import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from interrater_client.problems import (
    ConnectionLostError,
    DamagedFileError,
    NotSupportedError,
    WaitedTooLongError,
    problem_of,
)
from interrater_client.steps import Flow, Give, Pause, Reply, Request, Send, Stream

BUSY = (429, 502, 503, 504)
KEYED = ("POST", "PATCH")
KEY = "Idempotency-Key"
MISSING = (404, 405)


@dataclass(frozen=True)
class Retries:
    """How often a request is tried, and how long to wait in between: growing, at least what the server asks for."""

    tries: int = 6
    first_wait: float = 0.5
    longest_wait: float = 60.0

    def wait(self, number: int, reply: Reply) -> float:
        """Seconds after try `number` (1, 2, ...). A third is random, so that clients do not return all at once."""
        growing = self.first_wait * 2.0 ** (number - 1)
        growing *= 1 - random.random() / 3  # noqa: S311
        return min(max(growing, asked_wait(reply) or 0.0), self.longest_wait)


def asked_wait(reply: Reply) -> float | None:
    """The seconds of `Retry-After`, which is a number or a date; None without a readable one."""
    given = reply.headers.get("retry-after", "").strip()
    if given.isdigit():
        return float(given)
    parsed = email.utils.parsedate_tz(given) if given else None
    return None if parsed is None else max(email.utils.mktime_tz(parsed) - time.time(), 0.0)


@dataclass
class Server:
    """What a client knows about its server: how to try, and which addresses the server has, once that was asked."""

    retries: Retries
    paths: frozenset[tuple[str, str]] | None = None
    version: str = ""


def sent(server: Server, request: Request) -> Flow[Reply]:
    """Send a request until a response comes that is final. Raises ProblemError and ConnectionLostError.

    A POST or PATCH gets a key, the same for all tries, with which the server does it once.
    """
    if request.method in KEYED and KEY not in request.headers:
        request = replace(request, headers={**request.headers, KEY: str(uuid.uuid4())})
    number = 0
    while True:
        number += 1
        reply: Reply = yield Send(request)
        if 200 <= reply.status < 400:
            return reply
        if number >= server.retries.tries or not _passes(reply):
            break
        yield Pause(server.retries.wait(number, reply))
    if reply.status == 0:
        raise ConnectionLostError(f"{request.method} {request.path}: {reply.reason} ({number} tries)")
    if reply.status in MISSING:
        yield from _refuse_unsupported(server, request)
    raise problem_of(reply.status, reply.json())


def _passes(reply: Reply) -> bool:
    """Whether the same request may succeed a little later."""
    if reply.status == 409:  # the first request with this key is still under way
        return asked_wait(reply) is not None
    return reply.status == 0 or reply.status in BUSY


def _refuse_unsupported(server: Server, request: Request) -> Flow[None]:
    """Raise NotSupportedError if the server's own schema does not have the request's address."""
    if server.paths is None:
        reply: Reply = yield Send(Request("GET", "/api/schema/"))
        schema = reply.json() if reply.status == 200 else None
        if not isinstance(schema, Mapping):
            return
        server.paths = frozenset(
            (method.upper(), path) for path, methods in schema.get("paths", {}).items() for method in methods
        )
    if not any(method == request.method and fits(path, request.path) for method, path in server.paths):
        raise NotSupportedError(
            f"This server has no {request.method} {request.path}: it is older than this library. "
            "Ask its operator to update Interrater, or use an earlier version of interrater-client."
        )


def fits(template: str, path: str) -> bool:
    """Whether a path is one of those that a template of the schema, such as /api/studies/{slug}/, describes."""
    wanted, given = template.strip("/").split("/"), path.strip("/").split("/")
    named = [one.startswith("{") and one.endswith("}") for one in wanted]
    if wanted and named[-1] and not template.endswith("/") and len(given) > len(wanted):
        given = [*given[: len(wanted) - 1], "/".join(given[len(wanted) - 1 :])]  # a file's name has slashes
    return len(wanted) == len(given) and all(
        is_named or one == other for is_named, one, other in zip(named, wanted, given, strict=True)
    )


def fetched(server: Server, request: Request) -> Flow[Any]:
    """The decoded body of a response."""
    reply = yield from sent(server, request)
    return reply.json()


def pages(server: Server, request: Request, key: str) -> Stream:
    """Give the entries of a list, page by page. A server without pages returns all entries at once."""
    while True:
        page = yield from fetched(server, request)
        if not isinstance(page, Mapping) or key not in page:
            raise NotSupportedError(f"This server has no list of {key}: it is older than this library.")
        for entry in page[key]:
            yield Give(entry)
        if not page.get("next"):
            return
        following = urlsplit(page["next"])
        request = replace(request, path=f"{following.path}?{following.query}", params=())


def ready(
    server: Server, request: Request, deadline: float, on_wait: Callable[[Mapping[str, Any]], None] | None = None
) -> Flow[Any]:
    """The body of a response that is not 202 any more: the server says after how many seconds to ask again."""
    while True:
        reply = yield from sent(server, request)
        if reply.status != 202:
            return reply.json()
        if on_wait is not None:
            on_wait(reply.json() or {})
        wait = asked_wait(reply) or server.retries.first_wait
        if time.monotonic() + wait > deadline:
            raise WaitedTooLongError(f"{request.path} is not ready yet. Ask again later.")
        yield Pause(wait)


def saved(server: Server, request: Request, path: Path, sha256: str = "", size: int | None = None) -> Flow[Path]:
    """Save a response as a file, which appears when it is complete and has the SHA-256 and size that are expected."""
    part = path.with_name(path.name + ".part")
    try:
        yield from sent(server, replace(request, save_to=part))
        if size is not None and part.stat().st_size != size:
            raise DamagedFileError(f"{path.name} has {part.stat().st_size} bytes, not {size}.")
        if sha256 and _sha256(part) != sha256:
            raise DamagedFileError(f"{path.name} does not have the SHA-256 {sha256}.")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
