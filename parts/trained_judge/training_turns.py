"""A judge of turns that is fine-tuned on rated turns (KIWI A.5.2): `fine_tuning` trains it, `likeliest_labels` asks it.

It knows neither studies nor the database: the caller draws the split and names it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from judges.metrics import MetricError

TRAINING_FILE = "training.json"
LONGEST_INPUT = 1024
"""Tokens of a turn that are read by default; the paper names no limit (reading)."""
SHORTENED = (3, 7, 1)
"""Pieces of `turn_text` that lose their ends if a turn is too long: previous answer, new answer, question (reading)."""


class TrainingError(MetricError):
    """A judge cannot be trained or asked; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class TrainingTurn:
    """A turn of a session, and its rating in one word; `key` says which turn it is, for the digest alone."""

    question: str
    previous_answer: str
    instruction: str
    new_answer: str
    rating: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class TrainingEpoch:
    """What came of one epoch.

    Losses are mean negative log-likelihoods per target token; accuracy is the share of validation turns, from 0 to 1.
    """

    number: int
    training_loss: float
    validation_loss: float
    validation_accuracy: float


@dataclass(frozen=True, slots=True)
class Trained:
    """A judge that was trained and saved. Digests are SHA-256, in hexadecimal."""

    folder: Path
    labels: tuple[str, ...]
    best_epoch: int
    epochs: tuple[TrainingEpoch, ...]
    data_digest: str
    weights_digest: str
    truncated: int = field(default=0)
    """Tokens of all turns together that were too many and not read."""


def turn_text(turn: TrainingTurn) -> tuple[str, ...]:
    """Return what the model reads of a turn, as KIWI words it, in pieces: a heading, then its text, four times."""
    return (
        "Original question: ", turn.question, " Previous answer: ", turn.previous_answer,
        " Instruction: ", turn.instruction, " Updated answer: ", turn.new_answer,
    )  # fmt: skip


def target_text(label: str) -> str:
    """Return what the model learns to write for a rating, as KIWI words it."""
    return f"Rating : {label}"


def data_digest(parts: Mapping[str, Sequence[TrainingTurn]]) -> str:
    """Return the SHA-256 of all turns of all parts, in their order: one line of JSON per turn, keys sorted."""
    found = hashlib.sha256()
    for part, turns in sorted(parts.items()):
        for turn in turns:
            line = json.dumps({"part": part, **asdict(turn)}, sort_keys=True, ensure_ascii=False)
            found.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()


def weights_digest(files: Iterable[Path]) -> str:
    """Return the SHA-256 of the names and contents of files of weights, sorted by name."""
    found = hashlib.sha256()
    for path in sorted(files):
        found.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                found.update(piece)
    return found.hexdigest()
