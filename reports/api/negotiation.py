"""What a request brings and what its answer is: neither is guessed."""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.request import Request


class OneAnswer(DefaultContentNegotiation):
    """Each address answers in one format, told by its documentation, whatever the client says that it accepts."""

    def select_renderer(self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None) -> Any:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class JSONLines(BaseParser):
    """JSONL is not parsed here but handed on as it comes in: the importer reads it line by line."""

    media_type = "application/x-ndjson"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        return stream


class NamedJSONLines(JSONLines):
    """The same by its other name."""

    media_type = "application/jsonl"
