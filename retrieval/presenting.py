"""What the page of papers shows: questions with their papers, and the builds of the index."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.models import Item, Study
from config.background.rows import Status
from retrieval.errors import SearchError
from retrieval.indexing import digest_of, items_with_papers, wanted
from retrieval.models import IndexBuild
from retrieval.papers import Paper, papers_of
from retrieval.searchers import searchers

MOST_KEYS = 1000
LATEST = 10


@dataclass(frozen=True)
class ShownPaper:
    paper: Paper
    paragraphs: int


@dataclass(frozen=True)
class ShownQuestion:
    """An item with papers. `question` is empty where the study's items have none."""

    key: str
    question: str
    papers: tuple[ShownPaper, ...]

    @property
    def paragraphs(self) -> int:
        return sum(shown.paragraphs for shown in self.papers)


@dataclass(frozen=True)
class ShownBuild:
    """A build with its searcher in words."""

    row: IndexBuild
    searcher: str


@dataclass(frozen=True)
class IndexState:
    """The index of a study. `state`: none (no papers), missing, building, ready, old or failed; `problem` in words."""

    state: str
    searcher: str = ""
    problem: str = ""
    builds: tuple[ShownBuild, ...] = ()

    @property
    def waits(self) -> bool:
        return any(build.row.is_waiting for build in self.builds)

    @property
    def searching(self) -> bool:
        """Whether a finished index is there to search meanwhile."""
        return any(build.row.is_current for build in self.builds)


def shown_questions(items: Iterable[Item]) -> list[ShownQuestion]:
    """Items with their papers."""
    found = []
    for item in items:
        papers = tuple(ShownPaper(paper, len(paper.paragraphs)) for paper in papers_of(item))
        found.append(ShownQuestion(item.key, str((item.content or {}).get("question") or item.instruction), papers))
    return found


def keys_in(study: Study) -> list[str]:
    """The keys of items that may have papers: the first thousand of them."""
    return list(
        Item.objects.filter(study=study, content__isnull=False).order_by("pk").values_list("key", flat=True)[:MOST_KEYS]
    )


def index_state(study: Study) -> IndexState:
    """How far the study's index is, compared with its items as they are now."""
    rows = list(IndexBuild.objects.filter(study=study).order_by("-pk")[:LATEST])
    builds = tuple(ShownBuild(row, _named(row)) for row in rows)
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
    return IndexState("old" if any(row.is_current for row in rows) else "missing", name, builds=builds)


def _named(row: IndexBuild) -> str:
    known = searchers().get(row.searcher)
    return known.describe(row.settings) if known else row.searcher
