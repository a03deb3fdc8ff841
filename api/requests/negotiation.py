"""Formats of requests and responses: neither is guessed."""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request


class OneFormat(DefaultContentNegotiation):
    """Each address answers in its one documented format, whatever the client accepts."""

    def select_renderer(self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None) -> Any:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class JSONLines(BaseParser):
    """JSONL, passed on unparsed: the importer reads it line by line."""

    media_type = "application/x-ndjson"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        return stream


class AlternativeJSONLines(JSONLines):
    """JSONL under its other media type."""

    media_type = "application/jsonl"


class JSONObjects(JSONLines):
    """JSON, passed on unparsed: `api.requests.json_bodies` reads it as strictly as files are read."""

    media_type = "application/json"


class YAMLFiles(JSONLines):
    """A study file, passed on unparsed."""

    media_type = "application/yaml"


class FileParts(JSONLines):
    """A part of a file, passed on as it is."""

    media_type = "application/octet-stream"


LINES = (JSONLines, AlternativeJSONLines)


class JSONWithLineEnd(JSONRenderer):
    """JSON that ends with a line end, so that terminals and tools for text show it well."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        body: bytes = super().render(data, accepted_media_type, renderer_context)
        return body + b"\n" if body else body
