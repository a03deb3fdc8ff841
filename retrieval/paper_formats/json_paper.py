"""Reads a paper from JSON: one of the `documents` of an item's line."""

from typing import Any

from config.text_validation import TextRefusedError, check_json
from files.line_reading import JSONInvalidError, parse_json
from retrieval.paper_formats.plain_text import decoded
from retrieval.papers import Paper
from retrieval.search_errors import PaperError

KEYS = frozenset({"id", "title", "authors", "url", "year", "paragraphs"})
YEARS = range(1, 10_000)


def read(name: str, content: bytes) -> Paper:
    """Return the paper; its id defaults to the file's name."""
    try:
        body = check_json(parse_json(decoded(content)))
    except (JSONInvalidError, TextRefusedError) as problem:
        raise PaperError(f"cannot be read: {problem}") from None
    if not isinstance(body, dict):
        raise PaperError("is not a JSON object")
    unknown = sorted(body.keys() - KEYS)
    if unknown:
        raise PaperError(f"has the unknown key {unknown[0][:60]!r}")
    body = {"id": name, **body}
    _check(body)
    return Paper.from_line(body)


def _check(body: dict[str, Any]) -> None:
    for key in ("id", "title"):
        if not isinstance(body.get(key, ""), str):
            raise PaperError(f"has a {key} that is not text")
    for key in ("authors", "paragraphs"):
        value = body.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise PaperError(f"has {key} that are not a list of texts")
    if "paragraphs" not in body:
        raise PaperError("has no paragraphs")
    url, year = body.get("url"), body.get("year")
    if url is not None and not (isinstance(url, str) and url.startswith(("https://", "http://"))):
        raise PaperError("has a url that does not begin with https:// or http://")
    if year is not None and (type(year) is not int or year not in YEARS):
        raise PaperError("has a year that is not a whole number from 1 to 9999")
