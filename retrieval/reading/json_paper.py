"""A paper as JSON: one of `documents` in an item's line."""

from typing import Any

from annotation.importing.reading import JSONInvalidError, parse_json
from annotation.text import TextRefusedError, check_json
from retrieval.errors import PaperError
from retrieval.papers import Paper
from retrieval.reading.plain import decoded

KEYS = frozenset({"id", "title", "authors", "url", "year", "paragraphs"})
YEARS = range(1, 10_000)


def read(name: str, content: bytes) -> Paper:
    """The paper; without an id of its own it has the file's name."""
    try:
        body = check_json(parse_json(decoded(content)))
    except (JSONInvalidError, TextRefusedError) as problem:
        raise PaperError(f"cannot be read: {problem}") from None
    if not isinstance(body, dict):
        raise PaperError("is no JSON object")
    unknown = sorted(body.keys() - KEYS)
    if unknown:
        raise PaperError(f"has the key {unknown[0][:60]!r}, which no paper has")
    body = {"id": name, **body}
    _check(body)
    return Paper.from_line(body)


def _check(body: dict[str, Any]) -> None:
    for key in ("id", "title"):
        if not isinstance(body.get(key, ""), str):
            raise PaperError(f"has a {key} that is no text")
    for key in ("authors", "paragraphs"):
        value = body.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise PaperError(f"has {key} that are no list of texts")
    if "paragraphs" not in body:
        raise PaperError("has no paragraphs")
    url, year = body.get("url"), body.get("year")
    if url is not None and not (isinstance(url, str) and url.startswith(("https://", "http://"))):
        raise PaperError("has a url that is no address on the web")
    if year is not None and (type(year) is not int or year not in YEARS):
        raise PaperError("has a year that is no whole number from 1 to 9999")
