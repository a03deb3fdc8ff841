"""What a session's page shows of papers: the passages of one turn, and under each paper all that was read of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Item
from retrieval.papers import papers_of
from sessions.history import ToldTurn
from sessions.rendering import cited


@dataclass(frozen=True)
class ShownPassage:
    """A passage as it was searched: of which paper (its number), where, in which turns, and whether just now."""

    paper: int
    title: str
    place: str
    text: str
    read: str = ""
    now: bool = False


@dataclass(frozen=True)
class ShownPaper:
    """A paper of the question by its number in citations, with the passages read so far in the paper's order."""

    number: int
    title: str
    authors: str
    year: int | None
    url: str | None
    passages: tuple[ShownPassage, ...]


@dataclass(frozen=True)
class TurnPassages:
    """The passages of one turn by rank, what was summarised of them, and the turns that have passages."""

    turn: int | None
    title: str
    hits: tuple[ShownPassage, ...]
    summary: str
    choices: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class CitedPaper:
    """A number that an answer cites, how often, and its paper; None where the list has no such number."""

    number: int
    times: int
    paper: ShownPaper | None


def searched(turns: Sequence[ToldTurn], upto: int | None = None) -> list[ToldTurn]:
    """The turns that have passages, up to one of them."""
    return [one for one in turns if one.turn.passages and (upto is None or one.turn.number <= upto)]


def name_of(number: int) -> str:
    return f"turn {number}" if number else "the question"


def passages_of(item: Item, turns: Sequence[ToldTurn], wanted: int | None, upto: int | None) -> TurnPassages:
    """The passages of turn `wanted`, if it has any, else those of the last information turn up to `upto`."""
    having = searched(turns)
    choices = tuple((one.turn.number, name_of(one.turn.number)) for one in having)
    chosen = next((one for one in having if one.turn.number == wanted), None)
    chosen = chosen or next(iter(searched(turns, upto)[-1:]), None)
    if chosen is None:
        return TurnPassages(None, "Passages", (), "", choices)
    papers = {paper.id: (number, paper) for number, paper in enumerate(papers_of(item))}
    hits = []
    for passage in sorted(chosen.turn.passages or (), key=lambda one: one.get("rank") or 0):
        number, paper = papers[passage["document"]]
        hits.append(ShownPassage(number, paper.title, place_of(passage["paragraph"]), passage["text"]))
    title = f"Passages read for {name_of(chosen.turn.number)}"
    return TurnPassages(chosen.turn.number, title, tuple(hits), chosen.turn.summary or "", choices)


def place_of(paragraph: int) -> str:
    return f"paragraph {paragraph + 1}"


def shown_papers(item: Item, turns: Sequence[ToldTurn], now: int | None) -> list[ShownPaper]:
    """All papers of the item; `now` is the turn whose passages stand out."""
    read: dict[str, dict[int, tuple[str, list[int]]]] = {}
    for one in searched(turns):
        for passage in one.turn.passages or ():
            paragraphs = read.setdefault(passage["document"], {})
            _, numbers = paragraphs.setdefault(passage["paragraph"], (passage["text"], []))
            numbers.append(one.turn.number)
    return [
        ShownPaper(
            number, paper.title, ", ".join(paper.authors), paper.year, paper.url,
            tuple(
                ShownPassage(number, paper.title, place_of(paragraph), text, _read_for(numbers), now in numbers)
                for paragraph, (text, numbers) in sorted(read.get(paper.id, {}).items())
            ),
        )
        for number, paper in enumerate(papers_of(item))
    ]  # fmt: skip


def _read_for(numbers: Sequence[int]) -> str:
    return "read for " + ", ".join(name_of(number) for number in numbers)


def cited_papers(text: str, papers: Sequence[ShownPaper]) -> list[CitedPaper]:
    """The numbers that an answer cites, in order of number."""
    numbers = cited(text)
    return [
        CitedPaper(number, numbers.count(number), papers[number] if number < len(papers) else None)
        for number in sorted(set(numbers))
    ]
