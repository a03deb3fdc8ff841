"""The configuration of a run of a trained judge: what it was trained from, on which turns and how."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.models import Study
from judges.turn_split import TurnSplit
from parts.trained_judge.likeliest_labels import training_of
from parts.trained_judge.training_turns import TrainingError, weights_digest

FOLDER = "turn_judges"
WEIGHTS = "*.safetensors"
IDENTITY = ("model", "base", "ratings", "labels", "split", "parameters", "data_sha256", "weights_sha256")
"""What makes two trained judges different raters."""
GONE = (
    "The trained judge of this run, {}, is not in {} any more, or has changed. Train it again with the same command: "
    "equal weights make the same rater."
)


@dataclass(frozen=True)
class TrainedConfiguration:
    """A trained judge, which judges the test part of its split.

    `trained` is the name of its folder: the digest of what the training began with. `base` identifies the files of the
    model that was trained further. `epochs` are those of `training.json`, for readers.
    """

    trained: str
    model: str
    base: Mapping[str, Any]
    ratings: str
    labels: tuple[str, ...]
    questions: tuple[str, ...]
    split: Mapping[str, Any]
    parameters: Mapping[str, Any]
    turns: Mapping[str, int]
    data_sha256: str
    weights_sha256: str
    best_epoch: int
    epochs: tuple[Mapping[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """Return the configuration as it is stored and exported."""
        found = asdict(self)
        return {**found, **{name: list(found[name]) for name in ("labels", "questions", "epochs")}}

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "TrainedConfiguration":
        """Return the configuration that `as_json` stored."""
        return cls(**{**stored, **{name: tuple(stored[name]) for name in ("labels", "questions", "epochs")}})

    def identity(self) -> dict[str, Any]:
        """Return what makes the judge: two configurations with an equal identity belong to one rater."""
        found = self.as_json()
        return {name: found[name] for name in IDENTITY}

    @property
    def turn_split(self) -> TurnSplit:
        return TurnSplit(**self.split)

    def folder(self, study: Study) -> Path:
        """Return where the trained judge is kept."""
        return trained_judges(study) / self.trained

    def check_folder(self, study: Study, *, whole: bool) -> None:
        """Raise TrainingError unless the folder has the judge of this run; `whole` compares the weights themselves."""
        folder = self.folder(study)
        try:
            found = training_of(folder)["weights_sha256"]
        except TrainingError:
            found = ""
        if found and whole:
            found = weights_digest(folder.glob(WEIGHTS))
        if found != self.weights_sha256:
            raise TrainingError(GONE.format(self.trained[:12], folder.parent.relative_to(settings.VAR)))


def trained_judges(study: Study) -> Path:
    """Return the folder of all trained judges of a study."""
    return Path(settings.VAR) / FOLDER / study.slug
