"""Indexes of BM25: makes tokens of texts, and builds and searches an index of them with the library bm25s.

Scores are those of Lucene's variant: Robertson and Zaragoza 2009 with an idf that is never negative. The idf counts
all passages of the study, so words that are common in it weigh little. A passage that shares no word with the query is
never found.
"""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from numpy.typing import NDArray

from annotation.desk.highlighting import words_of
from retrieval.searchers import OpenIndex, TopPassages
from retrieval.searchers.bm25 import K1, METHOD, B

Rows = NDArray[np.int64]

logging.getLogger("bm25s").setLevel(logging.WARNING)  # it logs each step of a build

EMPTY = "no-words"


def tokens(text: str, language: str) -> list[str]:
    """Return the stems of the words of `text` without stop words; see TOKENS_VERSION of the searcher."""
    return [word.stem for word in words_of(text, language) if not word.is_stop]


class OpenBM25(OpenIndex):
    def __init__(self, index: Any | None, language: str) -> None:
        self.index, self.language = index, language

    def best(self, queries: Sequence[str], rows: Rows, k: int) -> list[TopPassages]:
        return [self._best(query, rows, k) for query in queries]

    def most_similar(self, query: str, rows: Sequence[int], k: int) -> list[int]:
        """Return the `k` of the distinct `rows` that are most similar to the query, the best first.

        They are fewer if fewer share a word with it.
        """
        return [rows[place] for place in self._best(query, np.asarray(rows, dtype=np.int64), k).places]

    def _best(self, query: str, rows: Rows, k: int) -> TopPassages:
        known = {} if self.index is None else self.index.vocab_dict
        ids = [known[token] for token in tokens(query, self.language) if token in known]
        if not ids or self.index is None:
            return TopPassages((), ())
        scores = np.asarray(self.index.get_scores_from_ids(ids))[rows]
        sharing = np.flatnonzero(scores > 0)
        found = highest(scores[sharing], k)
        return TopPassages(tuple(sharing[list(found.places)].tolist()), found.scores)


def highest(scores: NDArray[np.float32], k: int) -> TopPassages:
    """Return the places of the `k` highest scores; equal scores in the order of places."""
    if k < len(scores):
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        kept = np.flatnonzero(scores >= least)
    else:
        kept = np.arange(len(scores))
    order = kept[np.argsort(-scores[kept], kind="stable")][:k]
    return TopPassages(tuple(order.tolist()), tuple(scores[order].tolist()))


def index_of_texts(texts: Sequence[str], language: str) -> OpenBM25:
    """Return an index of a few texts in memory; row n is text n."""
    index = _index([tokens(text, language) for text in texts], K1, B, METHOD)
    return OpenBM25(index, language)


def write_index(folder: Path, passages: Iterable[Sequence[str]], k1: float, b: float, method: str) -> None:
    """Write the index of passages, given by their tokens, into the empty `folder`."""
    index = _index(passages, k1, b, method)
    if index is None:
        (folder / EMPTY).touch()
    else:
        index.save(folder, show_progress=False)


def open_index(folder: Path, language: str) -> OpenBM25:
    """Open what `write_index` wrote. Raises OSError if a file is missing."""
    if (folder / EMPTY).exists():
        return OpenBM25(None, language)
    index = bm25s.BM25.load(folder, load_corpus=False, mmap=True, allow_pickle=False, show_progress=False)
    return OpenBM25(index, language)


def _index(passages: Iterable[Sequence[str]], k1: float, b: float, method: str) -> Any | None:
    """Return the index of passages, given by their tokens, or None if they have none."""
    vocabulary: dict[str, int] = {}
    ids = [
        np.fromiter((vocabulary.setdefault(token, len(vocabulary)) for token in passage), dtype=np.int64)
        for passage in passages
    ]
    if not vocabulary:
        return None
    index = bm25s.BM25(k1=k1, b=b, method=method)
    index.index(bm25s.tokenization.Tokenized(ids=ids, vocab=vocabulary), show_progress=False)
    return index
