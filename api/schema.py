"""The OpenAPI schema: what it says about each operation beyond its code."""

from collections.abc import Callable, Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from api.response_shapes import ComputingSerializer, ImportRefusedSerializer, ProblemSerializer
from config.problem_details import MEDIA_TYPE

REASONS: Mapping[int, str] = {
    400: "The request is not valid.",
    401: "Not authenticated: no token, or a token that is no longer valid.",
    403: "Not allowed for this caller.",
    404: "Not found, or not open to this token.",
    409: "Not possible in the present state; the detail says what to do.",
    411: "The body has no Content-Length.",
    413: "The body is too large.",
    415: "The body has another media type.",
    422: "Answers that do not fit their questions, or an idempotency key of another request.",
    429: "Too many requests; Retry-After says how long to wait.",
    503: "The site or the study is busy, or an export could not be written; Retry-After says how long to wait.",
}
LATER_DONE = "Accepted: workers do it."
LATER = "Being computed: send the same request again after the seconds in Retry-After."
READING = (401, 404, 429, 503)
EXPORTING = (400, 401, 403, 404, 429, 503)
UPLOADING = (400, 401, 403, 404, 409, 411, 413, 415, 422, 429, 503)
DELETING = (400, 401, 403, 404, 409, 429, 503)
TAKES_TOKEN: Any = [{"token": []}]
JSONL = ("application/x-ndjson", "application/jsonl")
JSON = "application/json"
KEY = OpenApiParameter(
    "Idempotency-Key", OpenApiTypes.STR, OpenApiParameter.HEADER,
    description="1 to 200 printable characters: for a day the same request with the same key is made only once.",
)  # fmt: skip


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "api.requests.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer"}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "api.requests.authentication.SessionReading"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}


def parameter(name: str, says: str, **more: Any) -> OpenApiParameter:
    """A query parameter."""
    return OpenApiParameter(name, OpenApiTypes.STR, OpenApiParameter.QUERY, description=says, **more)


GET = ("GET", "HEAD")
WITHIN = "within"
RECENT = parameter(
    WITHIN, "Also accept a report of data that were read at most this many seconds ago; by default only of the newest."
)


def operation(
    name: str,
    summary: str,
    says: str,
    answer: Any,
    problems: tuple[int, ...],
    *,
    media_type: str = JSON,
    body: str = "",
    parameters: tuple[OpenApiParameter, ...] = (),
    later: Any = False,
    sends: Mapping[str, Any] | None = None,
    example: Any = None,
    sent: Any = None,
    status: int = 200,
    keyed: bool = False,
) -> Callable[[Any], Any]:
    """Document an operation, with the `answer` for `status` and the statuses of its problems.

    `body` describes a JSONL body; `sends` gives the shapes of other bodies by media type. With `later`, the answer may
    have to be computed first (202): True, or the shape of that response. `example` is one of the response, `sent` of
    the request. A `keyed` operation takes an idempotency key. One that may be forbidden needs a token; a session is
    not enough.
    """
    takes_file = bool(body) or any("yaml" in one for one in sends or {})
    shape = ImportRefusedSerializer if takes_file else ProblemSerializer
    responses: dict[Any, Any] = {(status, media_type): OpenApiResponse(answer, description="Done.")}
    if status == 204:
        responses = {204: OpenApiResponse(None, description="Done.")}
    if later:
        coming = ComputingSerializer if later is True else later
        responses[(202, JSON)] = OpenApiResponse(coming, description=LATER if later is True else LATER_DONE)
    for problem in problems:
        found = OpenApiResponse(shape if problem == 400 else ProblemSerializer, description=REASONS[problem])
        responses[(problem, MEDIA_TYPE)] = found
    if body:
        says = f"{says} Body: {body}"
    taken: dict[str, Any] = {**(sends or {}), **(dict.fromkeys(JSONL, OpenApiTypes.BINARY) if body else {})}
    return extend_schema(
        operation_id=name,
        auth=TAKES_TOKEN if 403 in problems else None,
        summary=summary,
        description=says,
        parameters=[*parameters, *([KEY] if keyed else [])],
        request=taken or None,
        responses=responses,
        examples=[*_examples("sent", sent, tuple(taken)), *_response_example(example, status, media_type)],
    )


def _examples(name: str, value: Any, media_types: tuple[str, ...]) -> list[OpenApiExample]:
    """An example of a request for each media type that it may have."""
    if value is None:
        return []
    return [
        OpenApiExample(f"{name} {number}" if number else name, value=value, request_only=True, media_type=one)
        for number, one in enumerate(media_types)
    ]


def _response_example(value: Any, status: int, media_type: str) -> list[OpenApiExample]:
    if value is None:
        return []
    about: dict[str, Any] = {"response_only": True, "status_codes": [str(status)], "media_type": media_type}
    return [OpenApiExample("received", value=value, **about)]


def described() -> dict[str, Any]:
    """The whole schema (OpenAPI 3.1), the same for everybody."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return made
