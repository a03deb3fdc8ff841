"""The papers on a session's pages: the passages of one turn, and all passages read of each paper."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Item
from llm.citations import cited_numbers
from retrieval.papers import Paper, papers_of
from sessions.transcript import TurnRecord


@dataclass(frozen=True)
class PassageEntry:
    """A passage of the paper with the number `paper`; `turns` are those it was read for, 0 being the question."""

    paper: int
    title: str
    paragraph: int
    """Counted from 1."""
    text: str
    turns: tuple[int, ...] = ()
    is_current: bool = False
    """Whether it was read for the turn that the page shows."""


@dataclass(frozen=True)
class PaperEntry:
    """A paper of the question, by its number in citations, with the passages read so far in the paper's order."""

    number: int
    title: str
    authors: str
    year: int | None
    url: str | None
    passages: tuple[PassageEntry, ...]

    @property
    def is_current(self) -> bool:
        return any(passage.is_current for passage in self.passages)


@dataclass(frozen=True)
class CitedPaper:
    """A number that an answer cites, how often, and its paper, or None if no paper has the number."""

    number: int
    times: int
    paper: PaperEntry | None


@dataclass(frozen=True)
class PapersPanel:
    """The passages read for one `turn`, by rank, with their summary; and all papers.

    `choices` are the numbers of all turns with passages. `turn` is None if there are none.
    """

    turn: int | None
    hits: tuple[PassageEntry, ...]
    summary: str
    choices: tuple[int, ...]
    papers: tuple[PaperEntry, ...]


def papers_panel(item: Item, turns: Sequence[TurnRecord], wanted: int | None, upto: int | None) -> PapersPanel:
    """Return the panel for turn `wanted`; if that has no passages, for the last turn up to `upto` that has some."""
    searched = [one for one in turns if one.turn.passages]
    before = [one for one in searched if upto is None or one.turn.number <= upto]
    chosen = next((one for one in searched if one.turn.number == wanted), before[-1] if before else None)
    papers = papers_of(item)
    return PapersPanel(
        turn=chosen.turn.number if chosen else None,
        hits=tuple(turn_passages(papers, chosen)) if chosen else (),
        summary=(chosen.turn.summary or "") if chosen else "",
        choices=tuple(one.turn.number for one in searched),
        papers=tuple(paper_entries(papers, searched, chosen.turn.number if chosen else None)),
    )


def turn_passages(papers: Sequence[Paper], turn: TurnRecord) -> list[PassageEntry]:
    """Return the passages of a turn by rank."""
    numbers = {paper.id: number for number, paper in enumerate(papers)}
    found = sorted(turn.turn.passages or (), key=lambda one: one.get("rank") or 0)
    return [_entry(papers, numbers[one["document"]], one["paragraph"], one["text"]) for one in found]


def paper_entries(papers: Sequence[Paper], turns: Sequence[TurnRecord], current: int | None) -> list[PaperEntry]:
    """Return all papers with the passages of `turns`; those of the turn `current` are marked."""
    read: dict[str, dict[int, tuple[str, list[int]]]] = {}
    for one in turns:
        for passage in one.turn.passages or ():
            paragraphs = read.setdefault(passage["document"], {})
            _, numbers = paragraphs.setdefault(passage["paragraph"], (passage["text"], []))
            numbers.append(one.turn.number)
    return [_paper(papers, number, read.get(paper.id, {}), current) for number, paper in enumerate(papers)]


def _paper(
    papers: Sequence[Paper], number: int, read: Mapping[int, tuple[str, list[int]]], current: int | None
) -> PaperEntry:
    paper = papers[number]
    passages = tuple(
        _entry(papers, number, paragraph, text, turns=tuple(turns), is_current=current in turns)
        for paragraph, (text, turns) in sorted(read.items())
    )
    return PaperEntry(number, paper.title, ", ".join(paper.authors), paper.year, paper.url, passages)


def _entry(papers: Sequence[Paper], number: int, paragraph: int, text: str, **more: Any) -> PassageEntry:
    return PassageEntry(number, papers[number].title, paragraph + 1, text, **more)


def cited_papers(text: str, papers: Sequence[PaperEntry]) -> list[CitedPaper]:
    """Return the numbers that an answer cites, in numerical order."""
    times = Counter(cited_numbers(text))
    return [
        CitedPaper(number, times[number], papers[number] if number < len(papers) else None) for number in sorted(times)
    ]
