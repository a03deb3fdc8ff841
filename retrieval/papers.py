"""The papers of an item and their passages: one per paragraph, with an id and a place that never change.

Papers are stored in their item's content only. A paper's text is its paragraphs joined by an empty line, and the
offsets of passages count code points in that text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Item

SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper; `id` is unique among the papers of its item."""

    id: str
    title: str
    authors: tuple[str, ...]
    url: str | None
    year: int | None
    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole text, to which the offsets of passages refer."""
        return SEPARATOR.join(self.paragraphs)

    @classmethod
    def from_line(cls, given: Mapping[str, Any]) -> "Paper":
        """Return the paper in one of the `documents` of an item's line."""
        return cls(
            id=given["id"],
            title=given.get("title") or "",
            authors=tuple(given.get("authors") or ()),
            url=given.get("url"),
            year=given.get("year"),
            paragraphs=tuple(given["paragraphs"]),
        )

    def line(self) -> dict[str, Any]:
        """Return one of the `documents` of an item's line, which `from_line` reads."""
        body: dict[str, Any] = {"id": self.id, "title": self.title, "authors": list(self.authors)}
        if self.url is not None:
            body["url"] = self.url
        if self.year is not None:
            body["year"] = self.year
        return body | {"paragraphs": list(self.paragraphs)}


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph of a paper: `text` is `paper.text[start:end]`; `paragraph` counts from 0."""

    document: str
    paragraph: int
    start: int
    end: int
    text: str

    @property
    def id(self) -> str:
        return f"{self.document}:{self.paragraph}"


def papers_of(item: Item) -> tuple[Paper, ...]:
    """Return the papers of an item in file order; citations number them by this order, from 0."""
    return tuple(Paper.from_line(given) for given in (item.content or {}).get("documents") or ())


def passages(paper: Paper) -> list[Passage]:
    """Return all passages of a paper in order, empty ones included, so that the numbers are those of the file."""
    return list(_placed(paper))


def _placed(paper: Paper) -> Iterator[Passage]:
    start = 0
    for number, text in enumerate(paper.paragraphs):
        yield Passage(paper.id, number, start, start + len(text), text)
        start += len(text) + len(SEPARATOR)
