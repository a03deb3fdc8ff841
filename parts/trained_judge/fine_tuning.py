"""Fine-tunes a sequence-to-sequence model, such as T5, to rate turns (KIWI A.5.2).

As the paper: batches of 16, Adam with a learning rate of 1e-4 that falls linearly to 0, 5 epochs, and the epoch with
the best validation accuracy; equally good epochs by their validation loss, then the earlier one (reading). No warm-up,
no weight decay, single precision (reading).
"""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from judges.metrics.model_loading import (
    LoadedModel,
    chosen_device,
    library,
    model_folder,
    model_identity,
    new_model,
    padded,
    padding_of,
)
from judges.metrics.sequence_likelihood import NOT_COUNTED, read_sequence_model
from parts.trained_judge.likeliest_labels import TurnTokens, label_likelihoods, likeliest, target_tokens, turn_tokens
from parts.trained_judge.training_turns import (
    LONGEST_INPUT,
    TRAINING_FILE,
    Trained,
    TrainingEpoch,
    TrainingError,
    TrainingTurn,
    data_digest,
    weights_digest,
)

Progress = Callable[[int, int], None]
"""Called after each step with the steps done and all steps; it may raise to stop the training."""


@dataclass(frozen=True, slots=True)
class PreparedTurns:
    """Turns as a model reads them, and their ratings."""

    tokens: list[TurnTokens]
    ratings: list[str]


def checked_labels(turns: Sequence[TrainingTurn], validation: Sequence[TrainingTurn]) -> tuple[str, ...]:
    """Return the ratings that occur in training, sorted. Raises TrainingError if nothing can be learned."""
    if not validation:
        raise TrainingError("There are no validation turns, so the best epoch cannot be chosen.")
    if any(not turn.rating.strip() for turn in (*turns, *validation)):
        raise TrainingError("A turn without a rating cannot be used for training or validation.")
    labels = tuple(sorted({turn.rating for turn in turns}))
    if len(labels) < 2:
        raise TrainingError("The training turns need at least two different ratings.")
    strange = sorted({turn.rating for turn in validation} - set(labels))
    if strange:
        raise TrainingError(f"The validation turns have ratings that no training turn has: {', '.join(strange)}.")
    return labels


def train(
    turns: Sequence[TrainingTurn],
    validation: Sequence[TrainingTurn],
    model: str | Path,
    folder: Path,
    *,
    batch_size: int = 16,
    learning_rate: float = 1e-4,
    epochs: int = 5,
    seed: int = 0,
    device: str = "auto",
    max_length: int = LONGEST_INPUT,
    split: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Trained:
    """Fine-tune the model named by name or absolute path on rated turns, and save its best epoch as the new `folder`.

    `folder` gets the model in the form of transformers and `training.json`: digests of data and weights, the split as
    the caller describes it, seed, parameters, versions and the losses of each epoch. It appears when everything is
    written, and not at all after an error. The same data, seed and machine give the same weights on a processor.

    Raises TrainingError if the data cannot be used or `folder` exists, and MetricError if the model cannot be loaded.
    """
    if folder.exists():
        raise TrainingError(f"{folder} exists already. Name a new folder.")
    if batch_size < 1 or epochs < 1 or not learning_rate > 0:
        raise TrainingError("Batch size, epochs and learning rate must be greater than 0.")
    labels = checked_labels(turns, validation)
    place = chosen_device(device)
    loaded = new_model(read_sequence_model, str(model_folder(model)), place)
    parameters = {
        "batch_size": batch_size, "learning_rate": learning_rate, "epochs": epochs, "seed": seed,
        "max_length": max_length, "device": place,
    }  # fmt: skip
    about = {"model": str(model), "identity": model_identity(model), "split": dict(split or {})}
    with unfinished(folder) as part:
        rows = [
            PreparedTurns(turn_tokens(loaded, given, max_length), [turn.rating for turn in given])
            for given in (turns, validation)
        ]
        curve, best = fine_tuned(loaded, rows[0], rows[1], labels, parameters, part, progress)
        loaded.tokenizer.save_pretrained(part)
        trained = Trained(
            folder, labels, best.number, tuple(curve), data_digest({"training": turns, "validation": validation}),
            weights_digest(part.glob("*.safetensors")), sum(cut for one in rows for _, cut in one.tokens),
        )  # fmt: skip
        about |= {"turns": {"training": len(turns), "validation": len(validation)}, "parameters": parameters}
        write_training(part, trained, about)
    return trained


@contextmanager
def unfinished(folder: Path) -> Iterator[Path]:
    """Give an empty folder beside `folder` that gets its name at the end, or is deleted after an error."""
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        yield part
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_training(place: Path, trained: Trained, about: Mapping[str, Any]) -> None:
    """Write `training.json`: what was trained on what, and what came of it."""
    found = {
        **about,
        "labels": trained.labels,
        "data_sha256": trained.data_digest,
        "weights_sha256": trained.weights_digest,
        "truncated_tokens": trained.truncated,
        "best_epoch": trained.best_epoch,
        "epochs": [asdict(epoch) for epoch in trained.epochs],
    }
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    (place / TRAINING_FILE).write_text(text, encoding="utf-8")


def fine_tuned(
    loaded: LoadedModel,
    training: PreparedTurns,
    validation: PreparedTurns,
    labels: Sequence[str],
    parameters: Mapping[str, Any],
    place: Path,
    progress: Progress | None,
) -> tuple[list[TrainingEpoch], TrainingEpoch]:
    """Train all epochs, save the best one's weights in `place`, and return what came of all epochs and the best one."""
    torch = library("torch")
    size, seed = parameters["batch_size"], parameters["seed"]
    steps = parameters["epochs"] * -(-len(training.tokens) // size)
    optimizer = torch.optim.Adam(loaded.model.parameters(), lr=parameters["learning_rate"])
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / steps))
    targets = target_tokens(loaded, labels)
    order = torch.Generator().manual_seed(seed)
    curve: list[TrainingEpoch] = []
    with torch.random.fork_rng():  # dropout draws from the random numbers of the whole process
        torch.manual_seed(seed)
        for number in range(1, parameters["epochs"] + 1):
            loaded.model.train()
            lost, tokens = 0.0, 0
            shuffled = torch.randperm(len(training.tokens), generator=order).tolist()
            for start in range(0, len(shuffled), size):
                batch = shuffled[start : start + size]
                rows = [targets[training.ratings[turn]] for turn in batch]
                loss = batch_loss(torch, loaded, [training.tokens[turn][0] for turn in batch], rows)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
                lost, tokens = lost + float(loss.detach()) * sum(map(len, rows)), tokens + sum(map(len, rows))
                if progress is not None:
                    progress(schedule.last_epoch, steps)
            loaded.model.eval()
            epoch = TrainingEpoch(number, lost / tokens, *validated(loaded, validation, labels, targets, size))
            curve.append(epoch)
            if max(curve, key=goodness) is epoch:
                loaded.model.save_pretrained(place)
    return curve, max(curve, key=goodness)


def goodness(epoch: TrainingEpoch) -> tuple[float, float]:
    """Return what epochs are compared by: validation accuracy, then validation loss, where less is better."""
    return epoch.validation_accuracy, -epoch.validation_loss


def batch_loss(torch: Any, loaded: LoadedModel, sources: Sequence[list[int]], targets: Sequence[list[int]]) -> Any:
    """Return the mean negative log-likelihood per target token of a batch, as a tensor with its gradient."""
    padding = padding_of(loaded.tokenizer)
    ids, mask = padded(torch, sources, padding, loaded.device)
    target, target_mask = padded(torch, targets, padding, loaded.device)
    return loaded.model(
        input_ids=ids, attention_mask=mask, labels=target.masked_fill(target_mask == 0, NOT_COUNTED)
    ).loss


def validated(
    loaded: LoadedModel,
    validation: PreparedTurns,
    labels: Sequence[str],
    targets: Mapping[str, list[int]],
    size: int,
) -> tuple[float, float]:
    """Return the mean negative log-likelihood per target token of the right labels, and the accuracy."""
    likelihoods = label_likelihoods(loaded, validation.tokens, labels, size)
    right = [likeliest(found) == rating for found, rating in zip(likelihoods, validation.ratings, strict=True)]
    lost = -sum(found[rating] for found, rating in zip(likelihoods, validation.ratings, strict=True))
    tokens = sum(len(targets[rating]) for rating in validation.ratings)
    return lost / tokens, sum(right) / len(right)
