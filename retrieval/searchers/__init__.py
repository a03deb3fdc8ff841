"""Searchers: one module each, found by the registry.

A searcher makes an index of passages from parts, of some hundred passages each, and opens one that is made. An
index knows passages as rows, from 0, and each text once; which rows are an item's is kept by `retrieval.layout`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.models import Study
from config.registry import discover

DEFAULT = "bm25"
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Best:
    """What was found for a query: places in the rows that were searched, best first, and their scores."""

    places: tuple[int, ...]
    scores: tuple[float, ...]


class OpenIndex(ABC):
    """An index that is opened for searching; used by several threads at once."""

    @abstractmethod
    def best(self, queries: Sequence[str], rows: Rows, k: int) -> list[Best]:
        """For each query the `k` best of `rows`, which are distinct; equal scores in the order of `rows`.

        Raises SearchError.
        """


class Searcher(ABC):
    """What a searcher knows. Instances have no state."""

    key: str
    label: str
    part_passages: int
    """How many passages make a part: what a killed building loses at most."""
    part_suffix: str

    @abstractmethod
    def settings(self, study: Study) -> dict[str, Any]:
        """What the study sets it to, as plain JSON: other settings, other index."""

    @abstractmethod
    def describe(self, settings: Mapping[str, Any]) -> str:
        """How sessions and exports name the searcher with its model."""

    @abstractmethod
    def check(self, settings: Mapping[str, Any]) -> None:
        """Raise SearchError where an index cannot be made with these settings here."""

    @abstractmethod
    def write_part(self, path: Path, texts: Sequence[str], settings: Mapping[str, Any]) -> None:
        """Write what the index needs of these passages to the new file `path`: always the same bytes for the same."""

    @abstractmethod
    def assemble(self, folder: Path, parts: Sequence[Path], settings: Mapping[str, Any]) -> None:
        """Write the index of all parts, whose rows follow each other, into the empty `folder`."""

    @abstractmethod
    def open(self, folder: Path, settings: Mapping[str, Any]) -> OpenIndex:
        """The index in `folder`; raises SearchError, or OSError where its files are gone."""


def searchers() -> Mapping[str, Searcher]:
    """All searchers by key."""
    return discover("searchers", "SEARCHER")


def ordered(scores: NDArray[np.float32], k: int) -> Best:
    """The `k` highest of `scores` by place, ties in the order of places."""
    if k < len(scores):
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        kept = np.flatnonzero(scores >= least)
    else:
        kept = np.arange(len(scores))
    order = kept[np.argsort(-scores[kept], kind="stable")][:k]
    return Best(tuple(order.tolist()), tuple(scores[order].tolist()))
