"""The content of an item in a session study: a question and the papers to answer it from."""

from collections.abc import Mapping
from typing import Any

from annotation.models import Item
from annotation.protocols import UnitInvalidError
from config.text_validation import TextRefusedError, check_id

PAPER_KEYS = frozenset({"id", "title", "authors", "url", "year", "paragraphs"})
ADDRESSES = ("https://", "http://")
YEARS = range(1000, 3000)


def check_question(value: Any) -> None:
    """Raise UnitInvalidError if `value` is not a question."""
    if not isinstance(value, str) or not value.strip():
        raise UnitInvalidError("question", "is missing" if value is None else "must be text")


def check_papers(value: Any) -> None:
    """Raise UnitInvalidError if `value` is not a list of papers; the error names the first invalid field."""
    if not isinstance(value, list) or not value:
        raise UnitInvalidError("documents", "is missing" if value is None else "must be a list of at least one paper")
    seen: set[str] = set()
    for number, paper in enumerate(value):
        place = f"documents.{number}"
        if not isinstance(paper, dict):
            raise UnitInvalidError(place, "must be an object with id, title and paragraphs")
        _check_paper(paper, place)
        if paper["id"] in seen:
            raise UnitInvalidError(f"{place}.id", "is the id of another paper of this item")
        seen.add(paper["id"])


def _check_paper(paper: Mapping[str, Any], place: str) -> None:
    for key in paper:
        if key not in PAPER_KEYS:
            raise UnitInvalidError(f"{place}.{ascii(key)[1:-1][:60]}", "unknown key")
    try:
        check_id(paper.get("id"), f"{place}.id")
    except TextRefusedError as problem:
        raise UnitInvalidError(problem.place, problem.reason) from None
    if not isinstance(paper.get("title"), str):
        raise UnitInvalidError(f"{place}.title", "is missing" if paper.get("title") is None else "must be text")
    authors, url, year = paper.get("authors"), paper.get("url"), paper.get("year")
    if authors is not None and not _is_texts(authors):
        raise UnitInvalidError(f"{place}.authors", "must be a list of texts")
    if url is not None and not (isinstance(url, str) and url.startswith(ADDRESSES)):
        raise UnitInvalidError(f"{place}.url", "must be an address that begins with https:// or http://")
    if year is not None and not (type(year) is int and year in YEARS):
        raise UnitInvalidError(f"{place}.year", "must be a year, as a whole number")
    paragraphs = paper.get("paragraphs")
    if not _is_texts(paragraphs) or not any(text.strip() for text in paragraphs or ()):
        raise UnitInvalidError(f"{place}.paragraphs", "must be a list of texts, at least one of them not empty")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def question_of(item: Item) -> str:
    """Return the item's question."""
    question: str = (item.content or {})["question"]
    return question
