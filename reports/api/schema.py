"""What the schema says of each operation, beside what its code says."""

from collections.abc import Callable, Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from config.problems import MEDIA_TYPE
from reports.api.shapes import ImportRefused, Problem

REASONS: Mapping[int, str] = {
    400: "The request cannot be understood.",
    401: "Nobody is known by this request: no token, or one that opens nothing any more.",
    403: "Whoever asks may not do this.",
    404: "There is nothing here, or nothing that this token opens.",
    411: "The body came without its length.",
    413: "The body is larger than this installation takes.",
    415: "The body is said to be something else than JSONL.",
    429: "Too many requests; Retry-After says when the next one is taken.",
    503: "The export could not be written on the server.",
}
READING = (401, 404, 429)
EXPORTING = (400, 401, 403, 404, 429, 503)
UPLOADING = (400, 401, 403, 404, 411, 413, 415, 429)
TAKES_TOKEN: Any = [{"token": []}]
JSONL = ("application/x-ndjson", "application/jsonl")


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "reports.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer"}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "reports.api.authentication.SessionReading"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}


def parameter(name: str, says: str, **more: Any) -> OpenApiParameter:
    """A query parameter."""
    return OpenApiParameter(name, OpenApiTypes.STR, OpenApiParameter.QUERY, description=says, **more)


def operation(
    name: str,
    summary: str,
    says: str,
    answer: Any,
    problems: tuple[int, ...],
    *,
    media_type: str = "application/json",
    body: str = "",
    parameters: tuple[OpenApiParameter, ...] = (),
) -> Callable[[Any], Any]:
    """The decorator that documents an operation: `answer` to 200 and the problems it may end in.

    `body` says what a JSONL body holds. An operation that may be forbidden takes a token, and no session.
    """
    shape = ImportRefused if body else Problem
    responses = {(200, media_type): OpenApiResponse(answer, description="Done.")}
    for status in problems:
        found = OpenApiResponse(shape if status == 400 else Problem, description=REASONS[status])
        responses[(status, MEDIA_TYPE)] = found
    if body:
        says = f"{says} The body: {body}"
    return extend_schema(
        operation_id=name,
        auth=TAKES_TOKEN if 403 in problems else None,
        summary=summary,
        description=says,
        parameters=list(parameters),
        request=dict.fromkeys(JSONL, OpenApiTypes.BINARY) if body else None,
        responses=responses,
    )


def described() -> dict[str, Any]:
    """The whole schema (OpenAPI 3.1), the same for everybody who may see it."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return made
