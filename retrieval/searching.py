"""Searching within the papers of one item, in the study's current index.

An index is opened once a process and kept for a few others. Its files never change; a new build has new ones, and is
taken from the search after the one in which the database names it.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from annotation.models import Item, Study
from config.fields import canonical_json
from retrieval.errors import IndexNotReadyError, SearchError
from retrieval.indexing import wanted
from retrieval.layout import Layout
from retrieval.models import IndexBuild
from retrieval.papers import papers_of
from retrieval.searchers import Best, OpenIndex, searchers

__all__ = ["Found", "Hit", "IndexNotReadyError", "SearchError", "search", "search_many"]

logger = logging.getLogger(__name__)
MOST_HITS = 100
OPEN_AT_ONCE = 4
OPENING = Lock()
NOT_BUILT = "The papers of this study are being prepared for searching. Try again in a while."
DAMAGED = "The files of {} are damaged. Once the operator has removed the folder indexes/{}, have it built anew."
NOT_IN_INDEX = "These papers are not searchable yet: the study's index is being built anew. Try again in a while."


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found. `paper` is its paper's number in the item's list, from 0; `rank` counts from 1."""

    document: str
    paragraph: int
    paper: int
    title: str
    text: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """The best passages, best first; by which searcher (with its model) and which version of the index."""

    hits: tuple[Hit, ...]
    searcher: str
    index: str


def search(item: Item, query: str, k: int = 5) -> Found:
    """The `k` best passages of the item's papers, fewer where it has fewer.

    Equal scores stand in the order of the papers. Raises IndexNotReadyError and SearchError.
    """
    return search_many(item, [query], k)[0]


def search_many(item: Item, queries: Sequence[str], k: int = 5) -> tuple[Found, ...]:
    """`search` for several queries at once, which takes a dense searcher little longer than one."""
    if not 1 <= k <= MOST_HITS:
        raise SearchError(f"A search finds 1 to {MOST_HITS} passages, not {k}.")
    build = current_build(item.study)
    found = _best(build, item, queries, k)
    if found is None:  # the build was replaced, and its files removed, between our asking and opening
        build = current_build(item.study)
        found = _best(build, item, queries, k)
    if found is None:
        raise IndexNotReadyError(f"The files of {build} are gone. Have it built anew.")
    name = searchers()[build.searcher].describe(build.settings)
    return tuple(Found(_hits(item, best), name, build.version) for best in found)


def current_build(study: Study) -> IndexBuild:
    """The build that searches of the study use; raises IndexNotReadyError."""
    searcher, settings = wanted(study)
    build = IndexBuild.objects.filter(study=study, searcher=searcher.key, is_current=True).first()
    if build is not None and canonical_json(build.settings) == canonical_json(settings):
        return build
    newest = IndexBuild.objects.filter(study=study, searcher=searcher.key).order_by("number").last()
    if newest is not None and not newest.is_waiting and newest.reason:
        raise IndexNotReadyError(f"The papers of this study cannot be searched. {newest.reason}")
    raise IndexNotReadyError(NOT_BUILT)


def _best(build: IndexBuild, item: Item, queries: Sequence[str], k: int) -> list[Best] | None:
    """What the index finds, as places in the item's list of passages; None where its files are gone."""
    try:
        with OPENING:
            layout, index = _opened(str(build.files), build.searcher, canonical_json(build.settings))
    except OSError:
        return None
    except (ValueError, KeyError, EOFError, RuntimeError) as problem:
        logger.error("%s in %s cannot be opened: %s", build, build.place, " ".join(str(problem).split()))
        raise SearchError(DAMAGED.format(build, build.folder)) from None
    known = layout.rows_of(item.pk)
    if known is None:
        raise IndexNotReadyError(NOT_IN_INDEX)
    places = (known >= 0).nonzero()[0]
    asked = [number for number, query in enumerate(queries) if query.strip() and len(places)]
    found = [Best((), ())] * len(queries)
    if asked:
        best = index.best([queries[number] for number in asked], known[places].astype("int64"), k)
        for number, one in zip(asked, best, strict=True):
            found[number] = Best(tuple(places[list(one.places)].tolist()), one.scores)
    return found


@lru_cache(maxsize=OPEN_AT_ONCE)
def _opened(folder: str, key: str, settings: str) -> tuple[Layout, OpenIndex]:
    """The index of a folder, whose name is never used twice. Call it holding OPENING, so that it is opened once."""
    searcher = searchers()[key]
    place = Path(folder)
    return Layout.open(place), searcher.open(place, json.loads(settings))


def _hits(item: Item, best: Best) -> tuple[Hit, ...]:
    placed = [
        (number, paper, paragraph)
        for number, paper in enumerate(papers_of(item))
        for paragraph in range(len(paper.paragraphs))
    ]
    found = []
    for rank, (place, score) in enumerate(zip(best.places, best.scores, strict=True), 1):
        number, paper, paragraph = placed[place]
        found.append(Hit(paper.id, paragraph, number, paper.title, paper.paragraphs[paragraph], rank, score))
    return tuple(found)
