"""Small bodies of requests: JSON objects and study files, limited in length and checked against their shape."""

import hashlib
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import UnreadablePostError
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from api.requests.api_errors import LengthRequiredError, TooLargeError
from config.middleware import stated_length
from config.text_validation import TextRefusedError, check_json
from files.line_reading import JSONInvalidError, parse_json
from files.reading.study_file import parsed_study

EMPTY = "The body is empty. Send a JSON object."
CUT = "The body is shorter than its Content-Length. Nothing was changed; send it again."
YAML = ("application/yaml", "application/x-yaml", "text/yaml")


@dataclass(frozen=True)
class Sent:
    """What a body says, and the digest of its bytes."""

    data: dict[str, Any]
    digest: str


def sent_as(request: Request, shape: type[Serializer[Any]]) -> Sent:
    """The body as an object with the fields of `shape`, checked. Raises ParseError for unknown keys, too."""
    raw = raw_body(request)
    body = _object(raw)
    checked = shape(data=body)
    known = ", ".join(checked.fields)
    for key in body:
        if key not in checked.fields:
            raise ParseError(f"Unknown key {key[:40]!a}. Known here: {known}.")
    if not checked.is_valid():
        name, told = next(iter(checked.errors.items()))
        raise ParseError(f"{name}: {_first(told)}")
    return Sent(dict(checked.validated_data), hashlib.sha256(raw).hexdigest())


def sent_object(request: Request) -> Sent:
    """The body as any JSON object."""
    raw = raw_body(request)
    return Sent(_object(raw), hashlib.sha256(raw).hexdigest())


def sent_study(request: Request) -> Sent:
    """What a study file holds, sent as YAML or JSON, unchecked. Raises ImportRefusedError."""
    raw = raw_body(request)
    is_yaml = (request.content_type or "").partition(";")[0] in YAML
    body = parsed_study(raw, "study.yaml" if is_yaml else "study.json")
    if not isinstance(body, dict):
        raise ParseError("The body must be an object: the contents of a study file.")
    return Sent(body, hashlib.sha256(raw).hexdigest())


def raw_body(request: Request) -> bytes:
    """All of a body that is no longer than a line of a file. Raises TooLargeError, ParseError, LengthRequiredError."""
    if "Transfer-Encoding" in request.headers:
        raise LengthRequiredError
    length = stated_length(request)
    if length > settings.LINE_LIMIT:
        raise TooLargeError(f"The body may have at most {settings.LINE_LIMIT} bytes.")
    stream = request.data
    if not length:
        raise ParseError(EMPTY)
    try:
        raw: bytes = stream.read(length)
    except UnreadablePostError:
        raise ParseError(CUT) from None
    if len(raw) != length:
        raise ParseError(CUT)
    return raw


def _object(raw: bytes) -> dict[str, Any]:
    try:
        body = check_json(parse_json(raw.decode()))
    except UnicodeDecodeError:
        raise ParseError("The body is not UTF-8.") from None
    except JSONInvalidError as problem:
        raise ParseError(f"The body {problem}.") from None
    except TextRefusedError as problem:
        raise ParseError(f"{problem.place or 'The body'}: {problem.reason}.") from None
    if not isinstance(body, dict):
        raise ParseError("The body must be a JSON object.")
    return body


def _first(told: Any) -> str:
    """The first sentence of a field's problems, which may be nested."""
    while isinstance(told, dict | list):
        told = next(iter(told.values() if isinstance(told, dict) else told), "is not valid.")
    return str(told)
