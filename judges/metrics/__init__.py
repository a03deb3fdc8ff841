"""Metrics: one module each, found by the registry. docs/metrics.md says what each of them computes.

A metric gives one number per output, from texts alone: it knows neither studies nor the database. What decides the
numbers is its configuration; the caller decides which outputs and whose references it is given.
"""

from __future__ import annotations

import importlib.metadata
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from config.registry import discover

Need = Literal["references", "document"]
Kind = Literal["choice", "whole", "flag", "model"]


class MetricError(ValueError):
    """A metric cannot be computed; the message says why, and what to do."""


class MetricOptionError(MetricError):
    """An option of a metric is unknown or its value is invalid; the message names it."""


@dataclass(frozen=True, slots=True)
class MetricInput:
    """The texts of one output. What a study does not have is empty."""

    output: str
    document: str = ""
    references: tuple[str, ...] = ()
    instruction: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """The value of one output, always finite, and how many tokens of its texts were too many and not read."""

    value: float
    truncated: int = 0


@dataclass(frozen=True, slots=True)
class MetricOption:
    """An option of a metric, from which a page makes a field and a command an argument.

    `kind` is "choice" (one of `choices`), "whole" (a whole number from `least` to `most`), "flag" (true or false), or
    "model" (the name of a model on this machine or, if the caller allows it, the absolute path of its folder). An
    option that does not decide the value, such as the batch size, is not part of the configuration.
    """

    kind: Kind
    default: str | int | bool
    help: str
    choices: tuple[str, ...] = ()
    least: int = 1
    most: int = 1_000_000
    decides: bool = True

    def problem(self, value: object, *, paths: bool) -> str | None:
        """Return what is wrong with a value, as the end of a sentence, or None."""
        if self.kind == "choice" and value not in self.choices:
            return f"must be one of {', '.join(self.choices)}"
        if self.kind == "whole" and (type(value) is not int or not self.least <= value <= self.most):
            return f"must be a whole number from {self.least} to {self.most}"
        if self.kind == "flag" and type(value) is not bool:
            return "must be true or false"
        if self.kind == "model" and (not isinstance(value, str) or not value or "\0" in value):
            return "must be the name of a model"
        if self.kind == "model" and not paths and str(value).startswith("/"):
            return "must be the name of a model, not a path"
        return None


class Metric(ABC):
    """A number per output. Instances have no state."""

    key: ClassVar[str]
    name: ClassVar[str]
    needs: ClassVar[Need | None] = None
    """What every input must have besides its output: at least one reference, a document, or nothing."""
    extra: ClassVar[bool] = False
    """Whether it needs torch, and so only works in workers that have the extra of `make dense`."""
    options: ClassVar[Mapping[str, MetricOption]] = MappingProxyType({})

    def checked(self, options: Mapping[str, Any], *, paths: bool = True) -> dict[str, Any]:
        """Return all options, with defaults for those not given. Raises MetricOptionError.

        `paths` says whether a model may be a path. A page must not allow that: its form would tell which files exist.
        """
        for name in options:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise MetricOptionError(f"{self.key} has no option {name!r}. Its options: {known}.")
        given = {name: options.get(name, option.default) for name, option in self.options.items()}
        for name, option in self.options.items():
            problem = option.problem(given[name], paths=paths)
            if problem is not None:
                raise MetricOptionError(f"The option {name} of {self.key} {problem}; it is {given[name]!r}.")
        self.check_together(given)
        return given

    def check_together(self, options: Mapping[str, Any]) -> None:
        """Raise MetricOptionError if valid options do not go together."""

    def needed(self, options: Mapping[str, Any]) -> Need | None:
        """Return what every input must have under these options, which were checked."""
        return self.needs

    def scores(self, inputs: Sequence[MetricInput], options: Mapping[str, Any]) -> list[Scored]:
        """Return one value per input, in their order.

        Raises MetricOptionError for an invalid option, and MetricError if an input lacks a text that the metric needs,
        a model is missing or unsuitable, or a value is not finite.
        """
        given = self.checked(options)
        need = self.needed(given)
        for number, one in enumerate(inputs, 1):
            if need == "references" and not one.references:
                raise MetricError(
                    f"Input {number} of {len(inputs)} has no reference. {self.key} compares outputs with references."
                )
            if need == "document" and not one.document.strip():
                raise MetricError(
                    f"Input {number} of {len(inputs)} has no document. {self.key} compares outputs with documents."
                )
        found = self.compute(inputs, given) if inputs else []
        for number, scored in enumerate(found, 1):
            if not math.isfinite(scored.value):
                raise MetricError(f"{self.key} is not a finite number for input {number} of {len(inputs)}.")
        return found

    @abstractmethod
    def compute(self, inputs: Sequence[MetricInput], options: Mapping[str, Any]) -> list[Scored]:
        """Return one value per input; options and inputs were checked. Raises MetricError."""

    def configuration(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return everything that decides the values, as JSON: metric, options, versions, and the model's digest.

        Raises MetricOptionError, and MetricError if the model is not on this machine.
        """
        given = self.checked(options)
        decisive = {name: given[name] for name, option in self.options.items() if option.decides}
        return {"metric": self.key, "options": decisive, **self.versions(given)}

    def versions(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return what decides the values besides the options: versions of packages and digests of weights."""
        return {}


def package_versions(*names: str) -> dict[str, str | None]:
    """Return the installed version of each package, None if it is absent, without importing it."""
    found: dict[str, str | None] = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def metrics() -> Mapping[str, Metric]:
    """Return all metrics by key."""
    return discover("metrics", "METRIC")
