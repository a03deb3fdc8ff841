"""The options of a session study: the checks for study files, and the defaults."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from annotation.models import Study
from annotation.spec_fields import SpecField
from retrieval.searchers import DEFAULT as DEFAULT_SEARCHER
from retrieval.searchers import searchers
from retrieval.searchers.dense import MODEL as DENSE_MODEL

MODEL = re.compile(r"[^\s/]+/\S+")
LONGEST_MODEL = 200
EXTRACTIVE = "extractive/extractive"
SECOND_KEYS = frozenset({"share", "count", "raters"})


class OptionInvalidError(ValueError):
    """An invalid option; the message names it."""


@dataclass(frozen=True)
class Options:
    """The options of a study's sessions."""

    models: tuple[str, ...] = (EXTRACTIVE,)
    max_turns: int = 10
    passages: int = 5
    temperature: float = 0.7


OPTION_FIELDS = (
    SpecField(
        "models", "Models that answer", kind="lines", default=list(Options.models),
        help="One per line, as endpoint/model. Each question has one session per model.",
    ),
    SpecField("max_turns", "Most turns per session", kind="whole", default=Options.max_turns, least=1, most=100),
    SpecField("passages", "Passages per search", kind="whole", default=Options.passages, least=1, most=50),
    SpecField(
        "temperature", "Temperature", "From 0 to 2.", kind="number", default=Options.temperature, least=0, most=2
    ),
    SpecField(
        "searcher", "Searcher", kind="choice", default=DEFAULT_SEARCHER,
        choices=tuple((one.key, one.label) for one in searchers().values()),
    ),
    SpecField(
        "searcher_model", "Model of the searcher", "Its name or path.", default=DENSE_MODEL,
        shown_if=("searcher", "dense"),
    ),
    SpecField(
        "searcher_approximate", "Search only the nearest clusters", "Faster for many passages.", kind="truth",
        default=False, shown_if=("searcher", "dense"),
    ),
    SpecField(
        "second_ratings", "Second ratings of turns", "Give a share or a number of turns.", kind="group",
        fields=(
            SpecField("share", "Share of the rated turns", "From 0 to 1.", kind="number", least=0, most=1),
            SpecField("count", "Number of turns, instead of a share", kind="whole", least=1, most=10**6),
            SpecField("raters", "Second raters per turn", kind="whole", default=1, least=1, most=100),
        ),
    ),
    SpecField(
        "markdown", "Answers are Markdown", "Without images, links or HTML; edits have a preview.", kind="truth",
        default=False,
    ),
)  # fmt: skip


def options_of(study: Study) -> Options:
    """Return the study's options, with defaults for those that it does not set."""
    default = Options()
    return Options(
        tuple(study.options.get("models", default.models)),
        study.options.get("max_turns", default.max_turns),
        study.options.get("passages", default.passages),
        study.options.get("temperature", default.temperature),
    )


def models_in(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the models that the options name; each question has one session per model."""
    return tuple(options.get("models", Options.models))


def check_options(options: Mapping[str, Any]) -> None:
    """Raise OptionInvalidError for the first invalid option. Whether models exist is checked later."""
    for key, (fits, must) in _CHECKS.items():
        if key in options and not fits(options[key]):
            raise OptionInvalidError(f"options.{key}: {must}")


def _are_models(value: Any) -> bool:
    return (
        isinstance(value, list)
        and 0 < len(value) == len({str(name) for name in value})
        and all(isinstance(name, str) and len(name) <= LONGEST_MODEL and MODEL.fullmatch(name) for name in value)
    )


def _is_second(value: Any) -> bool:
    if not isinstance(value, dict) or not value.keys() <= SECOND_KEYS or ("share" in value) == ("count" in value):
        return False
    share, count, raters = value.get("share", 1), value.get("count", 1), value.get("raters", 1)
    return type(share) in (int, float) and 0 <= share <= 1 and _is_whole(count, 1, 10**6) and _is_whole(raters, 1, 100)


def _is_whole(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _is_number(value: Any, least: float, most: float) -> bool:
    return type(value) in (int, float) and least <= value <= most


_CHECKS: Mapping[str, tuple[Callable[[Any], bool], str]] = MappingProxyType({
    "models": (_are_models, 'must be a list of different models, each named as "endpoint/model"'),
    "max_turns": (lambda value: _is_whole(value, 1, 100), "must be a whole number from 1 to 100"),
    "passages": (lambda value: _is_whole(value, 1, 50), "must be a whole number from 1 to 50"),
    "temperature": (lambda value: _is_number(value, 0, 2), "must be a number from 0 to 2"),
    "searcher": (lambda value: isinstance(value, str) and bool(value), "must be the name of a searcher"),
    "searcher_model": (lambda value: isinstance(value, str) and bool(value), "must be the name or path of a model"),
    "searcher_approximate": (lambda value: isinstance(value, bool), "must be true or false"),
    "markdown": (lambda value: isinstance(value, bool), "must be true or false (whether answers are Markdown)"),
    "second_ratings": (
        _is_second,
        "must be {share: number from 0 to 1} or {count: whole number}, optionally with raters: second raters per turn",
    ),
})  # fmt: skip
