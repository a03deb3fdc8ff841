"""Searches the papers of one item in the study's current index.

Each process opens an index once and keeps the last few open. The files of an index never change; a new build has new
files, which are used as soon as the database names it.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from annotation.models import Item, Study
from config.model_fields import canonical_json
from retrieval.index_builds import wanted
from retrieval.models import IndexBuild
from retrieval.papers import papers_of
from retrieval.search_errors import IndexNotReadyError, SearchError
from retrieval.searchers import OpenIndex, TopPassages, searchers

if TYPE_CHECKING:
    from retrieval.index_layout import Layout

__all__ = ["Hit", "IndexNotReadyError", "SearchError", "SearchResult", "search", "search_many"]

logger = logging.getLogger(__name__)
MOST_HITS = 100
OPEN_AT_ONCE = 4
OPENING = Lock()
NOT_BUILT = "The papers of this study are being indexed. Try again later."
DAMAGED = "The files of {} are damaged. Ask the operator to delete the folder indexes/{}, then rebuild the index."
NOT_IN_INDEX = "These papers are not in the index yet: it is being rebuilt. Try again later."


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found. `paper` is the paper's place in the item, from 0; `rank` counts from 1."""

    document: str
    paragraph: int
    paper: int
    title: str
    text: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best passages, best first, with the searcher (and its model) and the version of the index."""

    hits: tuple[Hit, ...]
    searcher: str
    index: str


def search(item: Item, query: str, k: int = 5) -> SearchResult:
    """Return the `k` best passages of the item's papers, or fewer if it has fewer.

    Passages with equal scores are in the order of the papers. Raises IndexNotReadyError and SearchError.
    """
    return search_many(item, [query], k)[0]


def search_many(item: Item, queries: Sequence[str], k: int = 5) -> tuple[SearchResult, ...]:
    """Search for several queries in the same build of the index, with the same scores as `search`."""
    if not 1 <= k <= MOST_HITS:
        raise SearchError(f"A search returns 1 to {MOST_HITS} passages, not {k}.")
    build = current_build(item.study)
    found = _best(build, item, queries, k)
    if found is None:  # the build was replaced and its files were removed before we opened them
        build = current_build(item.study)
        found = _best(build, item, queries, k)
    if found is None:
        raise IndexNotReadyError(f"The files of {build} are missing. Rebuild the index.")
    name = searchers()[build.searcher].describe(build.settings)
    return tuple(SearchResult(_hits(item, best), name, build.version) for best in found)


def current_build(study: Study) -> IndexBuild:
    """Return the build that searches of the study use. Raises IndexNotReadyError."""
    searcher, settings = wanted(study)
    build = IndexBuild.objects.filter(study=study, searcher=searcher.key, is_current=True).first()
    if build is not None and canonical_json(build.settings) == canonical_json(settings):
        return build
    newest = IndexBuild.objects.filter(study=study, searcher=searcher.key).order_by("number").last()
    if newest is not None and not newest.is_waiting and newest.reason:
        raise IndexNotReadyError(f"The papers of this study cannot be searched. {newest.reason}")
    raise IndexNotReadyError(NOT_BUILT)


def _best(build: IndexBuild, item: Item, queries: Sequence[str], k: int) -> list[TopPassages] | None:
    """Return the hits as places in the item's list of passages, or None if the index files are missing."""
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
    found = [TopPassages((), ())] * len(queries)
    if asked:
        best = index.best([queries[number] for number in asked], known[places].astype("int64"), k)
        for number, one in zip(asked, best, strict=True):
            found[number] = TopPassages(tuple(places[list(one.places)].tolist()), one.scores)
    return found


@lru_cache(maxsize=OPEN_AT_ONCE)
def _opened(folder: str, key: str, settings: str) -> tuple["Layout", OpenIndex]:
    """Return the index in a folder, whose name is never reused. Hold OPENING, so that it is opened once."""
    searcher = searchers()[key]
    place = Path(folder)
    layout: Layout = import_module("retrieval.index_layout").Layout.open(place)  # loads numpy: with the first search
    return layout, searcher.open(place, json.loads(settings))


def _hits(item: Item, best: TopPassages) -> tuple[Hit, ...]:
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
