"""Trains a judge on the rated turns of a study's sessions (KIWI A.5.2), and keeps it in `VAR`.

Its folder is named by the digest of what the training begins with: files of the model, data, split and parameters. A
training with the same beginning is not repeated.
"""

import fcntl
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annotation.models import Question, Study
from annotation.questions import question_types
from config.model_fields import canonical_json
from judges.answered_turns import turns_of_part
from judges.configuration import ConfigurationRefusedError
from judges.metrics import MetricError
from judges.metrics.model_loading import DEVICES, chosen_device, model_identity
from judges.options import JudgeOptionError, Option, read_options
from judges.turn_ratings import LABELS, TWO_WAY
from judges.turn_split import SPLIT_OPTIONS, TEST, TRAINING, VALIDATION, TurnSplit
from parts.trained_judge.fine_tuning import Progress, checked_labels, train
from parts.trained_judge.likeliest_labels import training_of
from parts.trained_judge.trained_configuration import TrainedConfiguration, trained_judges
from parts.trained_judge.training_turns import LONGEST_INPUT, TrainingTurn, data_digest
from parts.trained_judge.turn_texts import TurnTexts
from sessions.workflow import RATING

TRAINING_OPTIONS = {
    "ratings": Option(
        "choice", TWO_WAY, "good or bad, where neutral counts as bad, or all three", choices=tuple(LABELS)
    ),
    **SPLIT_OPTIONS,
    "batch_size": Option("whole", 16, "turns per step", least=1, most=4096),
    "learning_rate": Option("number", 1e-4, "that of the first step; it falls linearly to 0", most=1),
    "epochs": Option("whole", 5, "how often all training turns are seen", least=1, most=1000),
    "max_length": Option("whole", LONGEST_INPUT, "tokens of a turn that are read", least=64, most=65_536),
    "seed": Option("whole", 0, "the seed of order and dropout"),
    "device": Option("choice", "auto", "auto takes a graphics card if there is one", choices=DEVICES),
}  # fmt: skip
PARAMETERS = ("batch_size", "learning_rate", "epochs", "max_length", "seed")
NO_QUESTION = "The study has no question {!r} with the choices {}, so it has no turns to learn from."
NO_TEST = "The split's test part is empty, so there is nothing to judge. Choose other shares or another seed."
RUNNING = "This training is running already. Wait for its end."
NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_./-]")


def trained_configuration(
    study: Study, model: str, given: Mapping[str, Any], progress: Progress | None = None
) -> TrainedConfiguration:
    """Return the configuration of a run of a trained judge, which is trained now unless it was before.

    `model` is a name or the absolute path of a folder; `given` has values of TRAINING_OPTIONS. Raises
    ConfigurationRefusedError.
    """
    options = _checked_options(given)
    labels, split = LABELS[options["ratings"]], TurnSplit.of(options)
    _check_question(study, labels)
    try:
        parameters = {**{name: options[name] for name in PARAMETERS}, "device": chosen_device(options["device"])}
        begin: dict[str, Any] = {
            "model": shown_name(model), "base": model_identity(model), "ratings": options["ratings"],
            "split": asdict(split), "parameters": parameters,
        }  # fmt: skip
        turns = {part: _turns(study, split, part, labels) for part in (TRAINING, VALIDATION)}
        checked_labels(turns[TRAINING], turns[VALIDATION])
        if next(turns_of_part(study, split, TEST), None) is None:
            raise ConfigurationRefusedError(NO_TEST, "option-training")
        begin["data_sha256"] = data_digest(turns)
        name = hashlib.sha256(canonical_json(begin).encode()).hexdigest()
        folder = trained_judges(study) / name
        with _alone(folder):
            if not folder.exists():
                train(
                    turns[TRAINING],
                    turns[VALIDATION],
                    model,
                    folder,
                    split=asdict(split),
                    progress=progress,
                    **parameters,
                )
        training = training_of(folder)
    except MetricError as problem:
        raise ConfigurationRefusedError(str(problem), "model") from None
    return TrainedConfiguration(
        trained=name, labels=tuple(training["labels"]), questions=(RATING,), turns=training["turns"],
        weights_sha256=training["weights_sha256"], best_epoch=training["best_epoch"], epochs=tuple(training["epochs"]),
        **begin,
    )  # fmt: skip


def _checked_options(given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return read_options(TRAINING_OPTIONS, given)
    except JudgeOptionError as problem:
        raise ConfigurationRefusedError(str(problem), f"option-{problem.option}") from None


def shown_name(model: str) -> str:
    """Return the name of a model as raters and files show it: of a path only the last folder."""
    name = Path(model).name if Path(model).is_absolute() else model
    return NOT_IN_NAMES.sub("-", name)[:150]


def _check_question(study: Study, labels: Sequence[str]) -> None:
    question = Question.objects.filter(study=study, key=RATING).first()
    choices = [] if question is None else question_types()[question.type].choices(question.spec)
    if not {choice["value"] for choice in choices} >= set(labels):
        raise ConfigurationRefusedError(NO_QUESTION.format(RATING, ", ".join(labels)), "questions")


def _turns(study: Study, split: TurnSplit, part: str, labels: Sequence[str]) -> list[TrainingTurn]:
    """Return the rated turns of a part, sorted by name: equal data in another order of import are equal."""
    records = [one for one in turns_of_part(study, split, part) if one.rating is not None]
    records.sort(key=lambda one: (one.turn.session.key, one.turn.number))
    return [turn for _, turn in TurnTexts(labels).read(records)]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of a training. Raises ConfigurationRefusedError if another process has it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigurationRefusedError(RUNNING, "model") from None
        yield
