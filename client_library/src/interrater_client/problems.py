"""What can go wrong, as exceptions. Those that the server reports are made from its `application/problem+json`."""

from collections.abc import Mapping
from typing import Any


class InterraterError(Exception):
    """Any error of this library."""


class ConnectionLostError(InterraterError):
    """No response came, after all tries."""


class NotSupportedError(InterraterError):
    """The server is older than this library and has no such address."""


class WaitedTooLongError(InterraterError):
    """What was waited for was not ready in time. Ask again: the server continues with it."""


class WorkFailedError(InterraterError):
    """The server's workers could not do it; the message is their reason."""


class DamagedFileError(InterraterError):
    """A downloaded file does not have the size or the SHA-256 that the server gave."""


class ProblemError(InterraterError):
    """The server refused a request.

    `detail` is a sentence for people; `request_id` names the request in the server's log; `more` has all other fields
    of the response.
    """

    def __init__(self, status: int, detail: str, body: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {detail}")
        self.status, self.detail = status, detail
        self.type: str = str(body.get("type", "about:blank"))
        self.title: str = str(body.get("title", ""))
        self.request_id: str | None = body.get("request_id")
        self.more = {name: value for name, value in body.items() if name not in KNOWN}


KNOWN = ("type", "title", "status", "detail", "request_id")


class RequestInvalidError(ProblemError):
    """400: the request is not valid."""


class ImportRefusedError(RequestInvalidError):
    """400: a file or a study was refused. `problems` are its first errors, as {file, line, field, reason}."""

    @property
    def problems(self) -> list[dict[str, Any]]:
        return list(self.more.get("problems", []))

    def __str__(self) -> str:
        found = [_line(one) for one in self.problems[:5]]
        return "\n".join([super().__str__(), *found])


class NotAuthenticatedError(ProblemError):
    """401: no valid token."""


class NotAllowedError(ProblemError):
    """403: the token does not allow this."""


class NotFoundError(ProblemError):
    """404: not found, or not open to this token."""


class ConflictError(ProblemError):
    """409: not possible in the present state; `detail` says what to do."""


class AnswersRefusedError(ProblemError):
    """422: answers that do not fit their questions; `errors` by question."""

    @property
    def errors(self) -> dict[str, str]:
        return dict(self.more.get("errors", {}))


class TooManyRequestsError(ProblemError):
    """429: still too many requests after all tries."""


class UnavailableError(ProblemError):
    """502, 503 or 504: still busy, or away, after all tries."""


BY_STATUS: Mapping[int, type[ProblemError]] = {
    400: RequestInvalidError,
    401: NotAuthenticatedError,
    403: NotAllowedError,
    404: NotFoundError,
    409: ConflictError,
    422: AnswersRefusedError,
    429: TooManyRequestsError,
    502: UnavailableError,
    503: UnavailableError,
    504: UnavailableError,
}


def problem_of(status: int, body: Any) -> ProblemError:
    """The exception for a response with this status and decoded body (None: not JSON)."""
    told: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    detail = str(told.get("detail") or told.get("title") or "The server gave no reason.")
    if status == 400 and "problems" in told:
        return ImportRefusedError(status, detail, told)
    return BY_STATUS.get(status, ProblemError)(status, detail, told)


def _line(problem: Mapping[str, Any]) -> str:
    place = " ".join(f"{name} {problem[name]}" for name in ("file", "line", "field") if problem.get(name))
    return f"  {place}: {problem.get('reason', '')}"
