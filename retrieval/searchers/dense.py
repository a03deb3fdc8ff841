"""Dense search: compares the meaning of query and passage (`retrieval.dense_index`).

The model is `facebook/contriever-msmarco` unless the study names another.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from annotation.models import Study
from retrieval.model_files import check_name, find_model, fingerprint
from retrieval.search_errors import ModelMissingError, SearchError
from retrieval.searchers import OpenIndex, Searcher

MODEL = "facebook/contriever-msmarco"
INDEX_MODULE = "retrieval.dense_index"


class Dense(Searcher):
    key = "dense"
    label = "Dense vectors (meaning)"
    part_passages = 256
    part_suffix = ".npy"

    def settings(self, study: Study) -> dict[str, Any]:
        name = check_name(study.options.get("searcher_model", MODEL))
        found: dict[str, Any] = {"model": name, "fingerprint": ""}
        if study.options.get("searcher_approximate", False) is True:
            found["approximate"] = True
        try:
            return found | {"fingerprint": fingerprint(find_model(name))}
        except ModelMissingError:
            return found  # the build will fail and say so; the model gets a fingerprint once it is here

    def describe(self, settings: Mapping[str, Any]) -> str:
        return f"{self.key} {settings['model']}"

    def check(self, settings: Mapping[str, Any]) -> None:
        if fingerprint(find_model(settings["model"])) != settings["fingerprint"]:
            raise SearchError(f"The files of the model {settings['model']} have changed. Rebuild the index.")
        import_module("retrieval.embedding").load_encoder(find_model(settings["model"]))

    def write_part(self, path: Path, texts: Sequence[str], settings: Mapping[str, Any]) -> None:
        import_module(INDEX_MODULE).write_vectors(path, texts, settings["model"])

    def assemble(self, folder: Path, parts: Sequence[Path], settings: Mapping[str, Any]) -> None:
        import_module(INDEX_MODULE).write_index(folder, parts, bool(settings.get("approximate")))

    def open(self, folder: Path, settings: Mapping[str, Any]) -> OpenIndex:
        found: OpenIndex = import_module(INDEX_MODULE).open_index(folder, settings["model"])
        return found


SEARCHER = Dense()
