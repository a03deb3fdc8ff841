"""Searchers: one module each, found by the registry.

A searcher builds an index from parts of some hundred passages, and opens it. An index numbers its texts, each of them
once, as rows from 0; `retrieval.index_layout` knows which rows belong to an item.
Modules here load no numpy, because workers and web processes list searchers long before one of them searches. What a
searcher computes is in a module of its own, such as `retrieval.bm25_index`, and is loaded by its methods.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation.models import Study
from config.registry import discover

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

DEFAULT = "bm25"


@dataclass(frozen=True, slots=True)
class TopPassages:
    """The hits of a query: places in the searched rows, best first, and their scores."""

    places: tuple[int, ...]
    scores: tuple[float, ...]


class OpenIndex(ABC):
    """An index that is open for searching; several threads use it at once."""

    @abstractmethod
    def best(self, queries: Sequence[str], rows: "Rows", k: int) -> list[TopPassages]:
        """Return the `k` best of the distinct `rows` for each query; equal scores in the order of `rows`.

        Raises SearchError.
        """


class Searcher(ABC):
    """A way to index and search passages. Instances have no state."""

    key: str
    label: str
    part_passages: int
    """Passages per part, which is what a killed build loses at most."""
    part_suffix: str

    @abstractmethod
    def settings(self, study: Study) -> dict[str, Any]:
        """Return the study's settings as JSON; other settings need another index."""

    @abstractmethod
    def describe(self, settings: Mapping[str, Any]) -> str:
        """Return the name of the searcher, with its model, for sessions and exports."""

    @abstractmethod
    def check(self, settings: Mapping[str, Any]) -> None:
        """Raise SearchError if an index with these settings cannot be built here."""

    @abstractmethod
    def write_part(self, path: Path, texts: Sequence[str], settings: Mapping[str, Any]) -> None:
        """Write what the index needs of these passages to the new file `path`, always the same bytes."""

    @abstractmethod
    def assemble(self, folder: Path, parts: Sequence[Path], settings: Mapping[str, Any]) -> None:
        """Write the index of all parts, in the order of their rows, into the empty `folder`."""

    @abstractmethod
    def open(self, folder: Path, settings: Mapping[str, Any]) -> OpenIndex:
        """Open the index in `folder`. Raises SearchError, or OSError if its files are missing."""


def searchers() -> Mapping[str, Searcher]:
    """Return all searchers by key."""
    return discover("searchers", "SEARCHER")
