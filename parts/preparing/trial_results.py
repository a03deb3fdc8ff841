"""Who wins an instruction trial: on each document, the model whose set has the best mean rating (riSum 2.1)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from annotation.models import Rater, Rating
from parts.preparing.models import InstructionTrial

QUESTION = "quality"
RATINGS: Mapping[str, int] = {"good": 1, "neutral": 0, "bad": -1}
"""The ratings of a set and what they count. Question and ratings are those of `texts/trial_study.json`."""


@dataclass(frozen=True)
class ModelWins:
    """On how many documents a model's set was the best: alone, and with the same mean as another."""

    model: str
    alone: int
    shared: int
    mean: float | None
    """The mean of all ratings of its sets, from -1 (bad) to 1 (good); None without any."""

    @property
    def wins(self) -> int:
        return self.alone + self.shared


@dataclass(frozen=True)
class TrialResult:
    """The models by wins, most first; `documents` counts those on which at least two sets were rated."""

    models: tuple[ModelWins, ...]
    documents: int
    unrated: int

    @property
    def leaders(self) -> tuple[str, ...]:
        """The models with the most documents won, a shared one counting as one for each; none without ratings."""
        if not self.documents:
            return ()
        best = max((one.wins, one.alone) for one in self.models)
        return tuple(one.model for one in self.models if (one.wins, one.alone) == best)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "TrialResult":
        """Return a result that was kept."""
        return cls(tuple(ModelWins(**one) for one in stored["models"]), stored["documents"], stored["unrated"])

    def as_json(self) -> dict[str, Any]:
        return {"models": [asdict(one) for one in self.models], "documents": self.documents, "unrated": self.unrated}


def trial_result(trial: InstructionTrial) -> TrialResult:
    """Return the result so far, from people's current ratings."""
    models = sorted({step.said("model") for step in trial.steps.all()})
    found: dict[str, dict[str, list[int]]] = {key: defaultdict(list) for key in trial.documents}
    if trial.rated_in:
        rows = Rating.objects.filter(
            study__slug=trial.rated_in, question__key=QUESTION, is_current=True, rater__kind=Rater.Kind.HUMAN
        )
        for item, model, value in rows.values_list("item__key", "output__key", "value"):
            if item in found and model in models:
                found[item][model].append(RATINGS[value])
    return wins_of(models, list(found.values()))


def wins_of(models: Sequence[str], documents: Sequence[Mapping[str, Sequence[int]]]) -> TrialResult:
    """Return the result of ratings by model, for each document. Means are compared exactly."""
    alone, shared, rated = dict.fromkeys(models, 0), dict.fromkeys(models, 0), 0
    given: dict[str, list[int]] = {model: [] for model in models}
    for ratings in documents:
        means = {model: Fraction(sum(some), len(some)) for model, some in ratings.items() if some}
        for model, some in ratings.items():
            given[model] += some
        if len(means) < 2:
            continue
        rated += 1
        best = max(means.values())
        winners = [model for model, mean in means.items() if mean == best]
        for model in winners:
            (alone if len(winners) == 1 else shared)[model] += 1
    found = [
        ModelWins(model, alone[model], shared[model], sum(given[model]) / len(given[model]) if given[model] else None)
        for model in models
    ]
    found.sort(key=lambda one: (-one.wins, -one.alone, one.model))
    return TrialResult(tuple(found), rated, len(documents) - rated)
