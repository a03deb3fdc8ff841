"""Flat and exact indexes of FAISS, which compare vectors of a bi-encoder by their inner product.

Query and passage need no words in common. Items of 100,000 passages or more are searched only in their nearest
clusters if the study asks for it, which is faster but may miss the best passages.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrieval.embedding import Encoder, Vectors, library, load_encoder
from retrieval.model_files import find_model
from retrieval.searchers import OpenIndex, TopPassages

Rows = NDArray[np.int64]

INDEX, CLUSTERS = "vectors.faiss", "clusters.faiss"
THREADED_FROM = 100_000
"""Rows from which several threads search a range, because FAISS uses only one per query."""
THREADS = 2
CLUSTERED_FROM = 100_000
"""Rows from which clusters are built and used, if the study asks for them."""
TRAINED_ON = 50
"""Vectors per cluster from which the clusters are learnt."""
PROBED_SHARE, FEWEST_PROBED = 32, 16
"""One cluster in 32 is searched, the nearest ones, and never fewer than 16."""


class OpenDense(OpenIndex):
    def __init__(self, index: Any, encoder: Encoder, clusters: Any = None) -> None:
        self.index, self.encoder, self.clusters = index, encoder, clusters

    def best(self, queries: Sequence[str], rows: Rows, k: int) -> list[TopPassages]:
        vectors = self.encoder.queries(queries)
        if self.clusters is not None and len(rows) >= CLUSTERED_FROM and _is_range(rows):
            return [nearest(self.clusters, vector, rows, k) for vector in vectors]
        return [best_of(self.index, vector, rows, k) for vector in vectors]


def build_clusters(vectors: Any) -> Any:
    """Build an index of the same vectors in clusters; the same vectors give the same clusters."""
    faiss = library("faiss")
    count = int(4 * vectors.ntotal**0.5)
    sample = np.random.default_rng(0).choice(vectors.ntotal, min(vectors.ntotal, count * TRAINED_ON), replace=False)
    found = faiss.IndexIVFFlat(faiss.IndexFlatIP(vectors.d), vectors.d, count, faiss.METRIC_INNER_PRODUCT)
    found.train(vectors.reconstruct_batch(np.sort(sample)))
    for start in range(0, vectors.ntotal, CLUSTERED_FROM):
        found.add(vectors.reconstruct_n(start, min(CLUSTERED_FROM, vectors.ntotal - start)))
    return found


def nearest(clusters: Any, vector: Vectors, rows: Rows, k: int) -> TopPassages:
    """Return the `k` best of a range of rows in the clusters nearest to the query."""
    faiss = library("faiss")
    chosen = faiss.SearchParametersIVF(
        sel=faiss.IDSelectorRange(int(rows[0]), int(rows[-1]) + 1),
        nprobe=max(FEWEST_PROBED, clusters.nlist // PROBED_SHARE),
    )
    scores, found = clusters.search(vector[None, :], min(k, len(rows)), params=chosen)
    valid = found[0] >= 0
    order = np.lexsort((found[0][valid], -scores[0][valid]))
    return TopPassages(tuple((found[0][valid][order] - rows[0]).tolist()), tuple(scores[0][valid][order].tolist()))


def best_of(index: Any, vector: Vectors, rows: Rows, k: int) -> TopPassages:
    """Return the `k` of `rows` with the highest inner product; equal ones in the order of `rows`.

    More than `k` are requested until the last one scores less than the k-th, so that none of its equals is missing.
    """
    k = min(k, len(rows))
    places = {row: place for place, row in enumerate(rows.tolist())} if not _is_range(rows) else None
    asked = k
    while True:
        asked = min(max(asked * 2, 16), len(rows))
        scores, found = _search(index, vector, rows, asked)
        order = np.lexsort((found, -scores))
        scores, found = scores[order], found[order]
        if asked == len(rows) or scores[-1] < scores[k - 1]:
            break
    if places is None:
        return TopPassages(tuple((found[:k] - rows[0]).tolist()), tuple(scores[:k].tolist()))
    placed = sorted(zip(scores.tolist(), (places[row] for row in found.tolist()), strict=True), key=_by_score)[:k]
    return TopPassages(tuple(place for _, place in placed), tuple(score for score, _ in placed))


def _by_score(scored: tuple[float, int]) -> tuple[float, int]:
    return -scored[0], scored[1]


def _is_range(rows: Rows) -> bool:
    return bool(rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all())


def _search(index: Any, vector: Vectors, rows: Rows, k: int) -> tuple[Vectors, Rows]:
    """Return scores and rows of the `k` best, unsorted."""
    faiss = library("faiss")
    if not _is_range(rows):
        return _select(faiss, index, vector, faiss.IDSelectorArray(rows), k)
    edges = np.linspace(rows[0], rows[-1] + 1, 1 + (THREADS if len(rows) >= THREADED_FROM else 1)).astype(np.int64)
    selectors = [faiss.IDSelectorRange(int(low), int(high)) for low, high in pairwise(edges)]
    if len(selectors) == 1:
        return _select(faiss, index, vector, selectors[0], k)
    with ThreadPoolExecutor(THREADS) as threads:
        found = list(threads.map(lambda selector: _select(faiss, index, vector, selector, k), selectors))
    scores, kept = (np.concatenate(parts) for parts in zip(*found, strict=True))
    top = np.lexsort((kept, -scores))[:k]
    return scores[top], kept[top]


def _select(faiss: Any, index: Any, vector: Vectors, selector: Any, k: int) -> tuple[Vectors, Rows]:
    scores, found = index.search(vector[None, :], k, params=faiss.SearchParameters(sel=selector))
    valid = found[0] >= 0
    return scores[0][valid], found[0][valid]


def write_vectors(path: Path, texts: Sequence[str], model: str) -> None:
    """Write the vectors of `texts` by the model of this name to the new file `path`. Raises SearchError."""
    np.save(path, load_encoder(find_model(model)).documents(texts), allow_pickle=False)


def write_index(folder: Path, parts: Sequence[Path], approximate: bool) -> None:
    """Write the index of all vectors in `parts`, and the clusters of many if it is `approximate`, into `folder`."""
    faiss = library("faiss")
    index = None
    for part in parts:
        vectors = np.load(part, allow_pickle=False)
        index = index or faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)
    faiss.write_index(index, str(folder / INDEX))
    if approximate and index is not None and index.ntotal >= CLUSTERED_FROM:
        faiss.write_index(build_clusters(index), str(folder / CLUSTERS))


def open_index(folder: Path, model: str) -> OpenDense:
    """Open what `write_index` wrote, for queries by the model of this name. Raises SearchError or OSError."""
    faiss, path = library("faiss"), folder / INDEX
    if not path.is_file():
        raise FileNotFoundError(path)
    encoder = load_encoder(find_model(model))
    clusters = faiss.read_index(str(folder / CLUSTERS)) if (folder / CLUSTERS).is_file() else None
    return OpenDense(faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC), encoder, clusters)
