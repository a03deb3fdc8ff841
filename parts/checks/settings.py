"""The settings of hidden checks in a study file: `recruiting: checks:`."""

import json
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Literal, Self

from pydantic import Field, WrapValidator, model_validator

from annotation.models import Study
from annotation.studies.file_sections import FileFacts
from config.model_fields import canonical_json
from config.strict_models import SettingsModel, invalid, must_be, whole
from parts.checks.conduct import FIGURES
from parts.checks.damaging import DAMAGES

KINDS = ("gold", "twins", "repeats")
"""The kinds of checks, in the order in which draws are shared out among them."""
FIRST_CLAIM = 3
"""How many claims come before the first that may get a check, if the study does not say."""
AFTER = 10
"""How many of a rater's tasks come between a task and its repeat or twin, if the study does not say."""
MOST_SHARE = 0.5
MOST_NUMBER = 10_000
ACTIONS = ("pause", "ask")
MOST_OF_RULE: Mapping[str, float] = {"time": 100, "in_a_row": MOST_NUMBER}
"""What a rule's figure may be compared with at most; shares with 1."""
ABOVE = frozenset({"in_a_row", "same_forms"})
"""The figures of which more is worse."""
MOST_RULES = 20
Number = Annotated[int | float, must_be("a number")]


def some_of(known: Collection[str]) -> WrapValidator:
    """Allow lists of some of these words."""
    return must_be(f"a list of some of {', '.join(known)}", lambda words: bool(words) and set(words) <= set(known))


class GoldSettings(SettingsModel):
    """Checks with items whose answers are known."""

    share: Annotated[
        float, must_be(f"a number above 0 and at most {MOST_SHARE}", lambda value: 0 < value <= MOST_SHARE)
    ]


class RepeatSettings(GoldSettings):
    """Checks with tasks that the rater has answered; `after` so many others."""

    after: Annotated[int, whole(0, MOST_NUMBER)] = AFTER


class TwinSettings(RepeatSettings):
    """Checks with such tasks of which an output is damaged, in one of these ways. None: all ways, all questions."""

    damage: Annotated[list[str] | None, some_of(DAMAGES)] = None
    questions: Annotated[list[str] | None, must_be("a list of questions", bool)] = None
    lower_is_better: Annotated[list[str], must_be("a list of questions")] = []


MODELS: Mapping[str, type[GoldSettings]] = {"gold": GoldSettings, "twins": TwinSettings, "repeats": RepeatSettings}


class CheckRule(SettingsModel):
    """What happens to a rater whose figure, of so many checks or answers, is below or above a number."""

    figure: str
    below: Number | None = None
    above: Number | None = None
    of: Annotated[int, whole(1, MOST_NUMBER)]
    do: Annotated[Literal["pause", "ask"], must_be(" or ".join(ACTIONS))]

    @model_validator(mode="after")
    def check_bound(self) -> Self:
        if self.figure not in KINDS and self.figure not in FIGURES:
            return self  # the whole settings say which figures there are
        than, other = ("above", "below") if self.figure in ABOVE else ("below", "above")
        bound, most = getattr(self, than), MOST_OF_RULE.get(self.figure, 1)
        if getattr(self, other) is not None:
            raise invalid(f"is not for {self.figure}, whose rules have {than}", other)
        if bound is None or not 0 < bound <= most:
            raise invalid(f"must be a number above 0 and at most {most:g}", than)
        return self

    def is_met(self, value: float) -> bool:
        """Whether a rater with this figure meets the rule."""
        return value < self.below if self.below is not None else self.above is not None and value > self.above


class CheckSettings(SettingsModel):
    """All settings of a study's hidden checks."""

    first: Annotated[int, whole(0, MOST_NUMBER)] = FIRST_CLAIM
    gold: GoldSettings | None = None
    twins: TwinSettings | None = None
    repeats: RepeatSettings | None = None
    tolerance: dict[str, Annotated[int | float, must_be("a number, 0 or more", lambda value: value >= 0)]] = {}
    rules: Annotated[list[CheckRule], Field(max_length=MOST_RULES)] = []

    @property
    def kinds(self) -> Mapping[str, GoldSettings]:
        """The settings of the kinds that the study has, in the order of KINDS."""
        given = {kind: getattr(self, kind) for kind in KINDS}
        return {kind: settings for kind, settings in given.items() if settings is not None}

    @model_validator(mode="after")
    def check_kinds(self) -> Self:
        if not self.kinds:
            raise invalid(f"must have at least one of {', '.join(KINDS)}")
        if sum(kind.share for kind in self.kinds.values()) > MOST_SHARE:
            raise invalid(f"must have shares that add up to {MOST_SHARE} or less")
        for place, rule in enumerate(self.rules):
            if rule.figure not in self.kinds and rule.figure not in FIGURES:
                words = f"must be a kind of check that the study has, or one of {', '.join(FIGURES)}"
                raise invalid(words, "rules", place, "figure")
        return self

    def misfits(self, facts: FileFacts) -> Iterator[tuple[str, str]]:
        if not facts.protocol.flow.offers_every_task or facts.protocol.flow.has_own_pages:
            yield "", "cannot be used with this protocol, whose tasks cannot be copied"
        for key in self.tolerance:
            if key not in facts.keys:
                yield f"tolerance.{key}", "is no question of the study"
        for name in ("questions", "lower_is_better") if self.twins else ():
            if not set(getattr(self.twins, name) or ()) <= set(facts.keys):
                yield f"twins.{name}", f"must name some of {', '.join(sorted(facts.keys))}"


def checks_of(study: Study) -> CheckSettings | None:
    """Return the study's settings of hidden checks; None if it has none."""
    given = study.recruiting.get("checks") if study.recruiting else None
    return _read(canonical_json(given)) if given else None


@lru_cache(maxsize=64)
def _read(text: str) -> CheckSettings:
    return CheckSettings.model_validate(json.loads(text))
