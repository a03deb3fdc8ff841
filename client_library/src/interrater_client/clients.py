"""The clients: `Client` waits, `AsyncClient` is awaited. Both perform the same steps, over httpx."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

import httpx

from interrater_client import shapes
from interrater_client.decoding import encoded
from interrater_client.desk_operations import DeskOperations
from interrater_client.operations import Awaiting, Caller, Waiting, listing, operation
from interrater_client.requests import Retries, Server, fetched, pages
from interrater_client.steps import Flow, Give, Pause, Reply, Request, Send, Step, Stream, pairs
from interrater_client.study_operations import StudyOperations

T = TypeVar("T")
AGENT = "interrater-client/0.1.0"
TIMEOUT = 60.0
CHUNK = 64 * 1024
StudyFile = str | os.PathLike[str] | Mapping[str, Any]
"""The path of a study file, or its content."""


class SiteOperations(Caller):
    """What a program can do that is not about one study."""

    @listing(of=shapes.StudySummary)
    def studies(
        self, *, status: str | None = None, protocol: str | None = None, project: str | None = None,
        limit: int | None = None,
    ) -> Stream:  # fmt: skip
        """The studies that the token opens."""
        params = pairs({"status": status, "protocol": protocol, "project": project, "limit": limit})
        return pages(self.server, Request("GET", "/api/studies/", params), "studies")

    @operation
    def make_study(self, study: StudyFile) -> Flow[shapes.StudyDetail]:
        """Make a draft from a study file, which is YAML, or from its content, and return what the server says of it."""
        if isinstance(study, Mapping):
            body, media = encoded(study), "application/json"
        else:
            body, media = Path(study).read_bytes(), "application/yaml"
        return fetched(self.server, Request("POST", "/api/studies/", (), {"Content-Type": media}, body))


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", "User-Agent": AGENT}


def _file_headers(request: Request) -> dict[str, str]:
    """The length of a body that is streamed from a file: the server refuses those of unknown length."""
    length = {"Content-Length": str(request.body.stat().st_size)} if isinstance(request.body, Path) else {}
    return {**request.headers, **length}


class Client(SiteOperations, Waiting):
    """A client that waits. Close it, or use it in a `with` block.

    `token` is made on the site: on a study's page *Tokens*, or in the account's menu. `retries` says how often requests
    are tried, and how long it waits in between. `transport` is for tests.
    """

    def __init__(
        self, site: str, *, token: str, timeout: float = TIMEOUT, retries: Retries | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:  # fmt: skip
        self.server = Server(retries or Retries())
        self.http = httpx.Client(base_url=site, headers=_headers(token), timeout=timeout, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self.http.close()

    def study(self, slug: str) -> Study:
        """The study with this slug, for its operations."""
        return Study(self, slug)

    def desk(self, slug: str) -> Desk:
        """The annotator's desk in this study."""
        return Desk(self, slug)

    def create_study(self, study: StudyFile) -> Study:
        """Make a draft from a study file or its content."""
        return self.study(self.make_study(study)["slug"])

    def run(self, flow: Flow[T]) -> T:
        """Perform the steps of an operation and return its result."""
        result: Any = None
        try:
            while True:
                result = self._perform(flow.send(result))
        except StopIteration as end:
            value: T = end.value
            return value
        finally:
            flow.close()

    def iterate(self, stream: Generator[Step, Any, None]) -> Iterator[Any]:
        """Perform the steps of a listing and give its values."""
        result: Any = None
        try:
            while True:
                step = stream.send(result)
                result = None
                if isinstance(step, Give):
                    yield step.value
                else:
                    result = self._perform(step)
        except StopIteration:
            return
        finally:
            stream.close()

    def _perform(self, step: Step) -> Any:
        if isinstance(step, Send):
            return self._send(step.request)
        assert isinstance(step, Pause)
        time.sleep(step.seconds)
        return None

    def _send(self, request: Request) -> Reply:
        content: Any = request.body
        try:
            if isinstance(request.body, Path):
                with request.body.open("rb") as file:
                    return self._exchange(request, iter(lambda: file.read(CHUNK), b""))
            return self._exchange(request, content)
        except httpx.TransportError as problem:
            return Reply(0, reason=str(problem) or type(problem).__name__)

    def _exchange(self, request: Request, content: Any) -> Reply:
        with self.http.stream(
            request.method, request.path, params=request.params or None, headers=_file_headers(request), content=content
        ) as response:
            if request.save_to is None or not response.is_success:
                return Reply(response.status_code, response.headers, response.read())
            with request.save_to.open("wb") as file:
                for chunk in response.iter_bytes(CHUNK):
                    file.write(chunk)
            return Reply(response.status_code, response.headers)


class _OfClient(Waiting):
    def __init__(self, client: Client, slug: str) -> None:
        self.client, self.slug = client, slug
        self.server = client.server

    def run(self, flow: Flow[T]) -> T:
        return self.client.run(flow)

    def iterate(self, stream: Generator[Step, Any, None]) -> Iterator[Any]:
        return self.client.iterate(stream)


class Study(StudyOperations, _OfClient):
    """A study, for a program that waits."""


class Desk(DeskOperations, _OfClient):
    """An annotator's desk, for a program that waits."""


class AsyncClient(SiteOperations, Awaiting):
    """A client that is awaited. Use it in an `async with` block. Its parameters are those of `Client`."""

    def __init__(
        self, site: str, *, token: str, timeout: float = TIMEOUT, retries: Retries | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:  # fmt: skip
        self.server = Server(retries or Retries())
        self.http = httpx.AsyncClient(base_url=site, headers=_headers(token), timeout=timeout, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close its connections."""
        await self.http.aclose()

    def study(self, slug: str) -> AsyncStudy:
        """The study with this slug, for its operations."""
        return AsyncStudy(self, slug)

    def desk(self, slug: str) -> AsyncDesk:
        """The annotator's desk in this study."""
        return AsyncDesk(self, slug)

    async def create_study(self, study: StudyFile) -> AsyncStudy:
        """Make a draft from a study file or its content."""
        return self.study((await self.make_study(study))["slug"])

    async def run(self, flow: Flow[T]) -> T:
        """Perform the steps of an operation and return its result."""
        result: Any = None
        try:
            while True:
                result = await self._perform(flow.send(result))
        except StopIteration as end:
            value: T = end.value
            return value
        finally:
            flow.close()

    async def iterate(self, stream: Generator[Step, Any, None]) -> AsyncIterator[Any]:
        """Perform the steps of a listing and give its values."""
        result: Any = None
        try:
            while True:
                step = stream.send(result)
                result = None
                if isinstance(step, Give):
                    yield step.value
                else:
                    result = await self._perform(step)
        except StopIteration:
            return
        finally:
            stream.close()

    async def _perform(self, step: Step) -> Any:
        if isinstance(step, Send):
            return await self._send(step.request)
        assert isinstance(step, Pause)
        await asyncio.sleep(step.seconds)
        return None

    async def _send(self, request: Request) -> Reply:
        try:
            if isinstance(request.body, Path):
                with request.body.open("rb") as file:
                    return await self._exchange(request, _chunks(file))
            return await self._exchange(request, request.body)
        except httpx.TransportError as problem:
            return Reply(0, reason=str(problem) or type(problem).__name__)

    async def _exchange(self, request: Request, content: Any) -> Reply:
        async with self.http.stream(
            request.method, request.path, params=request.params or None, headers=_file_headers(request), content=content
        ) as response:
            if request.save_to is None or not response.is_success:
                return Reply(response.status_code, response.headers, await response.aread())
            with request.save_to.open("wb") as file:
                async for chunk in response.aiter_bytes(CHUNK):
                    file.write(chunk)
            return Reply(response.status_code, response.headers)


async def _chunks(file: IO[bytes]) -> AsyncIterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


class _OfAsyncClient(Awaiting):
    def __init__(self, client: AsyncClient, slug: str) -> None:
        self.client, self.slug = client, slug
        self.server = client.server

    async def run(self, flow: Flow[T]) -> T:
        return await self.client.run(flow)

    def iterate(self, stream: Generator[Step, Any, None]) -> AsyncIterator[Any]:
        return self.client.iterate(stream)


class AsyncStudy(StudyOperations, _OfAsyncClient):
    """A study, for a program that awaits."""


class AsyncDesk(DeskOperations, _OfAsyncClient):
    """An annotator's desk, for a program that awaits."""
