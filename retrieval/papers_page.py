"""Data for the page of papers: questions with their papers, and the builds of the index."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.models import Item, Study
from config.background.rows import Status
from retrieval.index_builds import digest_of, items_with_papers, wanted
from retrieval.models import IndexBuild
from retrieval.papers import Paper, papers_of
from retrieval.search_errors import SearchError
from retrieval.searchers import searchers

MOST_KEYS = 1000
LATEST = 10


@dataclass(frozen=True)
class QuestionRow:
    """An item with its papers. `question` is "" if the study's items have none."""

    key: str
    question: str
    papers: tuple[Paper, ...]

    @property
    def paragraphs(self) -> int:
        return sum(len(paper.paragraphs) for paper in self.papers)


@dataclass(frozen=True)
class BuildRow:
    """A build with the name of its searcher."""

    row: IndexBuild
    searcher: str


@dataclass(frozen=True)
class IndexState:
    """The index of a study. `state` is none (no papers), missing, building, ready, outdated or failed."""

    state: str
    searcher: str = ""
    problem: str = ""
    builds: tuple[BuildRow, ...] = ()

    @property
    def is_building(self) -> bool:
        return any(build.row.is_waiting for build in self.builds)

    @property
    def is_searchable(self) -> bool:
        """Whether a finished index exists that can be searched meanwhile."""
        return any(build.row.is_current for build in self.builds)


def question_rows(items: Iterable[Item]) -> list[QuestionRow]:
    """Return items with their papers."""
    found = []
    for item in items:
        question = str((item.content or {}).get("question") or item.instruction)
        found.append(QuestionRow(item.key, question, papers_of(item)))
    return found


def item_keys(study: Study) -> list[str]:
    """Return the keys of the first thousand items that may have papers."""
    return list(
        Item.objects.filter(study=study, content__isnull=False).order_by("pk").values_list("key", flat=True)[:MOST_KEYS]
    )


def index_state(study: Study) -> IndexState:
    """Compare the study's index with its current items."""
    rows = list(IndexBuild.objects.filter(study=study).order_by("-pk")[:LATEST])
    builds = tuple(BuildRow(row, _searcher_name(row)) for row in rows)
    try:
        searcher, settings = wanted(study)
    except SearchError as problem:
        return IndexState("failed", problem=str(problem), builds=builds)
    items = items_with_papers(study)
    name = searcher.describe(settings)
    if not items:
        return IndexState("none", name, builds=builds)
    digest = digest_of(searcher.key, settings, items)
    fitting = [row for row in rows if row.searcher == searcher.key and row.digest == digest]
    if any(row.is_current for row in fitting):
        return IndexState("ready", name, builds=builds)
    newest = fitting[0] if fitting else None
    if newest is not None and newest.is_waiting:
        return IndexState("building", name, builds=builds)
    if newest is not None and newest.status == Status.FAILED:
        return IndexState("failed", name, newest.reason, builds)
    return IndexState("outdated" if any(row.is_current for row in rows) else "missing", name, builds=builds)


def _searcher_name(row: IndexBuild) -> str:
    known = searchers().get(row.searcher)
    return known.describe(row.settings) if known else row.searcher
