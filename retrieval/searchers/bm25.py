"""BM25: scores words that query and passage share, stemmed and without stop words (`retrieval.bm25_index`)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from annotation.models import Study
from retrieval.searchers import OpenIndex, Searcher

K1, B, METHOD = 1.5, 0.75, "lucene"
TOKENS_VERSION = 1
"""Increase it when `retrieval.bm25_index.tokens` changes, so that indexes are rebuilt."""
ENCODING = "utf-8"
INDEX_MODULE = "retrieval.bm25_index"


class BM25(Searcher):
    key = "bm25"
    label = "BM25 (words in common)"
    part_passages = 1000
    part_suffix = ".json"

    def settings(self, study: Study) -> dict[str, Any]:
        return {"language": study.language, "k1": K1, "b": B, "method": METHOD, "tokens": TOKENS_VERSION}

    def describe(self, settings: Mapping[str, Any]) -> str:
        return self.key

    def check(self, settings: Mapping[str, Any]) -> None:
        return

    def write_part(self, path: Path, texts: Sequence[str], settings: Mapping[str, Any]) -> None:
        tokens, language = import_module(INDEX_MODULE).tokens, settings["language"]
        found = [tokens(text, language) for text in texts]
        path.write_text(json.dumps(found, ensure_ascii=False, separators=(",", ":")), encoding=ENCODING)

    def assemble(self, folder: Path, parts: Sequence[Path], settings: Mapping[str, Any]) -> None:
        k1, b, method = settings["k1"], settings["b"], settings["method"]
        import_module(INDEX_MODULE).write_index(folder, _passages(parts), k1, b, method)

    def open(self, folder: Path, settings: Mapping[str, Any]) -> OpenIndex:
        found: OpenIndex = import_module(INDEX_MODULE).open_index(folder, settings["language"])
        return found


def _passages(parts: Sequence[Path]) -> Iterator[list[str]]:
    for part in parts:
        yield from json.loads(part.read_text(encoding=ENCODING))


SEARCHER = BM25()
