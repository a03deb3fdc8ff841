"""Judges turns with a model that `fine_tuning` trained.

The paper lets the model write and reads what it wrote. Here the allowed labels are compared by the likelihood of what
the model would have to write for each (reading): it is the same where the model writes a label, and never invalid.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judges.metrics.model_loading import LoadedModel, by_length, load_model
from judges.metrics.sequence_likelihood import read_sequence_model, token_likelihoods
from judges.metrics.text_fitting import fitted
from parts.trained_judge.training_turns import (
    SHORTENED,
    TRAINING_FILE,
    TrainingError,
    TrainingTurn,
    target_text,
    turn_text,
)

TurnTokens = tuple[list[int], int]
"""The ids of a turn's tokens, and how many more it has that are not read."""


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """The label of a turn, the log-likelihood of each allowed label's target, and how many tokens were not read."""

    label: str
    likelihoods: Mapping[str, float]
    truncated: int


def training_of(folder: Path) -> dict[str, Any]:
    """Return what `training.json` says of a trained judge. Raises TrainingError if there is none."""
    try:
        found = json.loads((folder / TRAINING_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise TrainingError(
            f"The folder {folder} has no readable {TRAINING_FILE}, so it is no trained judge. Train one first."
        ) from None
    return dict(found)


def turn_tokens(loaded: LoadedModel, turns: Sequence[TrainingTurn], max_length: int) -> list[TurnTokens]:
    """Return the tokens that the model reads of each turn; one that is too long loses parts of its answers."""
    limit = loaded.limit(max_length)
    return [fitted(loaded.tokenizer, turn_text(turn), SHORTENED, limit) for turn in turns]


def target_tokens(loaded: LoadedModel, labels: Sequence[str]) -> dict[str, list[int]]:
    """Return the token ids that the model has to write for each label."""
    return {label: loaded.tokenizer(target_text(label))["input_ids"] for label in labels}


def label_likelihoods(
    loaded: LoadedModel, turns: Sequence[TurnTokens], labels: Sequence[str], size: int
) -> list[dict[str, float]]:
    """Return the log-likelihood of the whole target of each label, for each turn in order."""
    targets = target_tokens(loaded, labels)
    found: list[dict[str, float]] = [{} for _ in turns]
    for batch in by_length([len(ids) for ids, _ in turns], size):
        sources = [turns[place][0] for place in batch]
        for label in labels:
            likelihood = token_likelihoods(loaded, sources, [targets[label]] * len(batch)).sum(dim=1)
            for row, place in enumerate(batch):
                found[place][label] = float(likelihood[row])
    return found


def likeliest(likelihoods: Mapping[str, float]) -> str:
    """Return the label with the highest likelihood, of several the first."""
    return max(likelihoods, key=lambda label: likelihoods[label])


def judged_turns(
    turns: Sequence[TrainingTurn],
    folder: Path,
    labels: Sequence[str] | None = None,
    *,
    batch_size: int = 16,
    device: str = "auto",
) -> list[JudgedTurn]:
    """Return the label of each turn, in order, with the likelihoods of all allowed labels; ratings are not looked at.

    `labels` are those allowed, by default all that the judge was trained on. Raises TrainingError for a label that it
    was not trained on, and MetricError if the model cannot be loaded.
    """
    training = training_of(folder)
    allowed = list(training["labels"] if labels is None else labels)
    unknown = [label for label in allowed if label not in training["labels"]]
    if unknown or not allowed:
        known = ", ".join(training["labels"])
        raise TrainingError(f"The judge was trained on the labels {known}, not on {', '.join(unknown) or 'none'}.")
    loaded = load_model(read_sequence_model, folder.resolve(), device)
    with loaded.busy:
        tokens = turn_tokens(loaded, turns, training["parameters"]["max_length"])
        likelihoods = label_likelihoods(loaded, tokens, allowed, batch_size)
    return [JudgedTurn(likeliest(of_turn), of_turn, cut) for of_turn, (_, cut) in zip(likelihoods, tokens, strict=True)]


def judge(turns: Sequence[TrainingTurn], folder: Path, labels: Sequence[str] | None = None) -> list[str]:
    """Return the label of each turn, in order. Raises as `judged_turns` does."""
    return [judged.label for judged in judged_turns(turns, folder, labels)]
