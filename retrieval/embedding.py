"""The one door to torch, sentence-transformers and FAISS: loaded when first needed, never where pages are made.

They take half a gigabyte of memory, and hang in a process forked from one that used them. So they are loaded by
workers, after any fork. Loading a model never asks the network.
"""

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from retrieval.errors import ModelMissingError, SearchError
from retrieval.model_files import fingerprint, models_folder

PACKAGES = ("torch", "sentence_transformers", "faiss")
MODELS_AT_ONCE = 2
LOADING = Lock()
TEXTS_AT_ONCE = 32
LONGEST_TEXT = 512
"""Tokens of a passage that a plain transformer reads, or fewer where it was made for fewer; the rest is not seen."""

Vectors = NDArray[np.float32]


def installed() -> bool:
    """Whether the extra packages of dense search are there; loads none of them."""
    return all(importlib.util.find_spec(name) is not None for name in PACKAGES)


def library(name: str) -> Any:
    """One of PACKAGES; raises SearchError where it is not installed, or in a process that serves pages."""
    if settings.WSGI_APPLICATION.rpartition(".")[0] in sys.modules:
        raise SearchError("Dense search is done by workers, never by the process that makes pages.")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TQDM_DISABLE", "1")
    try:
        return importlib.import_module(name)
    except ImportError:
        raise SearchError(f"Dense search needs the package {name}: see docs/retrieval.md on installing it.") from None


class Encoder:
    """A model that makes vectors of texts. Several threads may use it; one at a time is let in."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._busy = Lock()  # tokenizers cannot be shared, and two at once are no faster than one after the other

    def documents(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self.model.encode_document, texts)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self.model.encode_query, texts)

    def _encode(self, encode: Any, texts: Sequence[str]) -> Vectors:
        with self._busy:
            given = encode(list(texts), batch_size=TEXTS_AT_ONCE, convert_to_numpy=True, show_progress_bar=False)
        found = np.ascontiguousarray(given, dtype=np.float32)
        if not np.isfinite(found).all():
            raise SearchError("The model gave vectors that are no numbers.")
        return found


def load_encoder(folder: Path) -> Encoder:
    """The model in `folder`, loaded once a process as long as its files stay the same; raises SearchError."""
    with LOADING:
        return _loaded(str(folder), fingerprint(folder))


@lru_cache(maxsize=MODELS_AT_ONCE)
def _loaded(folder: str, files: str) -> Encoder:
    transformers = library("sentence_transformers")
    try:
        if Path(folder, "modules.json").is_file():
            return Encoder(transformers.SentenceTransformer(folder, device="cpu", local_files_only=True))
        return Encoder(_plain(transformers, folder))
    except (OSError, ValueError, KeyError, RuntimeError) as problem:
        name = Path(folder).name
        raise ModelMissingError(
            f"The model in the folder {name} cannot be loaded ({type(problem).__name__})."
        ) from None


def _plain(transformers: Any, folder: str) -> Any:
    """A transformer without a head of its own: the mean of its tokens' vectors, compared by inner product."""
    modules = importlib.import_module("sentence_transformers.sentence_transformer.modules")
    tokens = modules.Transformer(folder)
    most = getattr(tokens.auto_model.config, "max_position_embeddings", LONGEST_TEXT)
    tokens.max_seq_length = min(LONGEST_TEXT, most)
    pooling = modules.Pooling(tokens.get_embedding_dimension(), pooling_mode="mean")
    return transformers.SentenceTransformer(modules=[tokens, pooling], similarity_fn_name="dot", device="cpu")


def download(name: str, revision: str) -> None:
    """Fetch a model's files from the hub into the folder of models; raises SearchError."""
    hub = library("huggingface_hub")
    patterns = ["*.json", "*.txt", "*.model", "*.safetensors"]
    try:
        files = hub.list_repo_files(name, revision=revision)
        if not any(file.endswith(".safetensors") for file in files):
            patterns.append("pytorch_model.bin")
        place = Path(hub.snapshot_download(name, revision=revision, cache_dir=models_folder(), allow_patterns=patterns))
    except (OSError, ValueError) as problem:  # the hub's own errors are among these
        raise ModelMissingError(f"{name} could not be fetched: {' '.join(str(problem).split())[:200]}") from None
    reference = place.parent.parent / "refs" / "main"
    reference.parent.mkdir(exist_ok=True)
    reference.write_text(place.name, encoding="ascii")
