"""Loads the models of metrics with torch and transformers, when first needed, and never in the web process.

A model is the name of one on this machine, as for dense search (docs/retrieval.md), or the absolute path of a folder.
Loading never uses the network and never runs code that came with a model.
"""

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from pickle import UnpicklingError
from threading import Lock
from typing import Any

from django.conf import settings

from judges.metrics import MetricError, MetricOption, package_versions
from retrieval.model_files import CONFIGS, find_model, fingerprint
from retrieval.search_errors import ModelMissingError

MODELS_KEPT = 1
LOADING = Lock()
PACKAGES = ("torch", "transformers", "tokenizers")
UNREADABLE = (OSError, ValueError, KeyError, RuntimeError, AttributeError, TypeError, UnpicklingError)
"""What transformers raises if files are missing, damaged or of another kind of model."""
REVISION = re.compile(r"[0-9a-f]{40}")
DEVICES = ("auto", "cpu", "cuda")


def device_option() -> MetricOption:
    """Return the option that chooses where a model runs."""
    return MetricOption(
        "choice", "auto", "Where the model runs; auto takes a graphics card if there is one.",
        choices=DEVICES, decides=False,
    )  # fmt: skip


def batch_option(default: int) -> MetricOption:
    """Return the option for how many texts are computed at once."""
    return MetricOption(
        "whole", default, "Texts computed at once; a larger batch needs more memory.", most=4096, decides=False
    )


def library(name: str) -> Any:
    """Load a package of the extra. Raises MetricError if it is not installed, or in the web process."""
    if settings.WSGI_APPLICATION.rpartition(".")[0] in sys.modules:
        raise MetricError("Metrics with a model only work in workers, not in the web process.")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TQDM_DISABLE", "1")
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise MetricError(
            f"This needs the package {package}, which is not installed. `make dense` installs it (docs/operating.md)."
        ) from None


def model_folder(model: str | Path) -> Path:
    """Return the folder of a model named by name or absolute path. Raises MetricError, which says what to do."""
    if Path(model).is_absolute():
        folder = Path(model)
        if not any((folder / config).is_file() for config in CONFIGS):
            raise MetricError(f"The folder {folder} has no config.json, so it is no model.")
        return folder
    try:
        return find_model(str(model))
    except ModelMissingError as problem:
        raise MetricError(str(problem)) from None


def model_identity(model: str | Path) -> dict[str, Any]:
    """Return what identifies a model's files: a digest, the hub's revision if it is known, versions of the packages.

    Raises MetricError if the model is not on this machine.
    """
    folder = model_folder(model)
    return {
        "digest": fingerprint(folder),
        "revision": folder.name if REVISION.fullmatch(folder.name) else None,
        "packages": package_versions(*PACKAGES),
    }


def chosen_device(device: str) -> str:
    """Return "cpu" or "cuda". Raises MetricError if a graphics card is wanted and torch finds none."""
    has_card = library("torch").cuda.is_available()
    if device == "cuda" and not has_card:
        raise MetricError("torch finds no graphics card here. Choose cpu or auto as the device.")
    return "cuda" if has_card and device != "cpu" else "cpu"


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model ready for use, without dropout, on its device. One thread at a time uses it (`busy`)."""

    model: Any
    tokenizer: Any
    device: str
    positions: int | None
    """Tokens that the model has positions for; None if its positions are relative, without a limit."""
    busy: Lock = field(default_factory=Lock)

    def limit(self, most: int) -> int:
        """Return how many tokens of a text are read if the caller wants at most `most`."""
        return most if self.positions is None else min(most, self.positions)


Reader = Callable[[str], tuple[Any, Any]]
"""Returns model and tokenizer of a folder. It is a function of a module, since models are kept by it."""


def load_model(read: Reader, model: str | Path, device: str) -> LoadedModel:
    """Return a model on its device, kept in this process until its files change. Raises MetricError."""
    folder = model_folder(model)
    with LOADING:
        return _kept(read, str(folder), fingerprint(folder), chosen_device(device))


@lru_cache(maxsize=MODELS_KEPT)
def _kept(read: Reader, folder: str, files: str, device: str) -> LoadedModel:
    return new_model(read, folder, device)


def new_model(read: Reader, folder: str, device: str) -> LoadedModel:
    """Return a model that nobody else has, on "cpu" or "cuda", in single precision. Raises MetricError."""
    torch = library("torch")
    library("transformers")
    try:
        model, tokenizer = read(folder)
        model = model.to(device=device, dtype=torch.float32).eval()
    except MetricError:
        raise
    except UNREADABLE as problem:
        reason = " ".join(str(problem).split())[:200]
        raise MetricError(
            f"The model in the folder {Path(folder).name} cannot be loaded ({type(problem).__name__}: {reason})."
        ) from None
    return LoadedModel(model, tokenizer, device, positions_of(model))


def read_automatically(kind: str, folder: str) -> tuple[Any, Any]:
    """Return the model of a folder by an automatic class of transformers, such as AutoModel, and its tokenizer.

    Raises MetricError if weights are missing: transformers would fill them with random numbers.
    """
    transformers = library("transformers")
    model, report = getattr(transformers, kind).from_pretrained(folder, local_files_only=True, output_loading_info=True)
    missing = sorted(name for name in report["missing_keys"] if "position_ids" not in name)
    if missing and not all(name.startswith("pooler.") for name in missing):
        raise MetricError(
            f"The model in the folder {Path(folder).name} has no weights for {missing[0]}, so it is not a model for "
            "this metric."
        )
    return model, transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)


def positions_of(model: Any) -> int | None:
    """Return how many tokens a model has positions for, or None if its positions have no limit."""
    most = getattr(model.config, "max_position_embeddings", None)
    embeddings = getattr(getattr(model, "base_model", model), "embeddings", None)
    padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    if most is None or padding is None:
        return most
    return most - padding - 1  # RoBERTa counts positions from the one after its padding


def by_length(lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """Return the places of texts in batches of `size`, longest first, so that batches have little padding."""
    order = sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))
    for start in range(0, len(order), size):
        yield order[start : start + size]


def token_ids(tokenizer: Any, text: str, limit: int) -> tuple[list[int], int]:
    """Return the ids of a text's tokens with special ones, at most `limit`, and how many tokens were cut at its end."""
    whole = tokenizer(text, verbose=False)["input_ids"]
    if len(whole) <= limit:
        return whole, 0
    kept = tokenizer(text, truncation=True, max_length=limit, verbose=False)["input_ids"]
    return kept, len(whole) - len(kept)


def padded(torch: Any, rows: Sequence[Sequence[int]], padding: int, device: str) -> tuple[Any, Any]:
    """Return token ids of shape (texts, longest text), padded at the end, and their mask: 1 is a token, 0 padding."""
    longest = max(map(len, rows))
    ids = torch.full((len(rows), longest), padding, dtype=torch.long)
    mask = torch.zeros((len(rows), longest), dtype=torch.long)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = torch.tensor(row, dtype=torch.long)
        mask[place, : len(row)] = 1
    return ids.to(device), mask.to(device)


def padding_of(tokenizer: Any) -> int:
    """Return the id that fills short rows; masks hide it, so any id does for a tokenizer without one."""
    return 0 if tokenizer.pad_token_id is None else tokenizer.pad_token_id
