"""What every operation is made of: steps that a client performs, waiting or awaiting.

An operation is a generator that yields steps and is sent their results, so that it is written once for both clients.
It never opens a connection, sleeps or starts a thread itself.
"""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from interrater_client.decoding import decoded

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """One HTTP request. A body is bytes, or a file that is streamed; with `save_to` the response goes to a file."""

    method: str
    path: str
    params: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Path | None = None
    save_to: Path | None = None


@dataclass(frozen=True)
class Reply:
    """A response; `status` is 0 if none came, and `reason` says why."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    reason: str = ""

    def json(self) -> Any:
        """The decoded body; None if it is not JSON."""
        return decoded(self.body)


@dataclass(frozen=True)
class Send:
    """Send a request once; the result is its Reply."""

    request: Request


@dataclass(frozen=True)
class Pause:
    """Wait; there is no result."""

    seconds: float


@dataclass(frozen=True)
class Give:
    """Give a value to the loop that runs over a stream."""

    value: Any


Step = Send | Pause | Give
Flow = Generator[Step, Any, T]
"""The steps of an operation that returns a T."""
Stream = Generator[Step, Any, None]
"""The steps of an operation that gives values one after the other."""


def pairs(params: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Parameters of an address: without those that are None, lists repeated, booleans as true and false."""
    found: list[tuple[str, str]] = []
    for name, value in params.items():
        values: Iterable[Any] = value if isinstance(value, list | tuple) else [value]
        found += [(name, _text(one)) for one in values if one is not None]
    return tuple(found)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
