"""The agreement report of a study, as docs/formats.md describes it: plain values, ready for JSON and for pages."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.by_category import by_category
from agreement.dimensions import describe_dimensions
from agreement.rankings import Rankings
from annotation.models import Item, Question, Rater, Study
from annotation.questions import question_types
from reports import rows
from reports.levels import LEVELS, RANKS
from reports.rows.material import Material
from reports.rows.pairs import dimensions, rank_columns

REPLICATES = 1000
LONGEST_NUMBER = 9

Report = dict[str, Any]


class ChoiceInvalidError(ValueError):
    """Ratings that there are none of: of an unknown kind of rater, or under no version that there is."""


def agreement_report(
    study: Study,
    kinds: frozenset[str] = rows.PEOPLE,
    *,
    guidelines: int | str | None = None,
    categories: bool = False,
    replicates: int = REPLICATES,
) -> Report:
    """Every figure of every question, and of each two dimensions that are ranked, under `dimensions`.

    With `categories` each has its figures for the items of each category too, under `by_category`.
    Answers on no level of measurement, such as texts, are counted only.

    Answers given under different versions of the guidelines answer different questions: people's ratings are
    those under the latest version that has any, under version `guidelines`, or, asked for by "all", under every
    one. The report's `guidelines` says which, and how many there are of each. Answers that came when their task
    had all its raters count like any other; `surplus` says how many. Raises ChoiceInvalidError.
    """
    choice, said = choose(study, kinds, guidelines)
    material, questions = Material(study), list(study.questions.order_by("position"))
    return {
        "study": study.slug,
        "protocol": study.protocol,
        "items": Item.objects.filter(study=study).count(),
        "kinds": sorted(kinds),
        "guidelines": said,
        "surplus": rows.surplus(study, choice),
        "questions": {
            question.key: _of_question(material, question, choice, categories, replicates) for question in questions
        },
        "dimensions": _of_dimensions(material, questions, choice, categories, replicates),
    }


def _of_question(material: Material, question: Question, choice: rows.Choice, categories: bool, draws: int) -> Report:
    """The figures of one question by its level of measurement."""
    level = question_types()[question.type].level
    if level not in LEVELS:
        return {"level": level, **rows.count(material.study, question, choice)}
    figured = LEVELS[level](material, question, choice)
    report = figured.describe(figured.data, replicates=draws)
    if categories:
        report["by_category"] = by_category(
            figured.data, material.categories, lambda part: figured.describe(part, replicates=draws)
        )
    return report


@dataclass(frozen=True)
class _Dimensions:
    """Two rankings of the same outputs, cut down to items together."""

    first: Rankings
    second: Rankings

    def of_items(self, keep: NDArray[np.bool_]) -> "_Dimensions":
        return _Dimensions(self.first.of_items(keep), self.second.of_items(keep))


def _of_dimensions(
    material: Material, questions: list[Question], choice: rows.Choice, categories: bool, draws: int
) -> list[Report]:
    """Agreement of each two questions that rank the same outputs, a row each with the keys of both."""
    types = question_types()
    ranked = [question for question in questions if types[question.type].level == RANKS]
    if len(ranked) < 2:
        return []
    read = dimensions(material, [rank_columns(material, question, choice) for question in ranked])

    def described(both: _Dimensions) -> Report:
        return describe_dimensions(both.first, both.second, replicates=draws)

    reports = []
    for (one, first), (other, second) in combinations(zip(ranked, read, strict=True), 2):
        both = _Dimensions(first, second)
        report = {"questions": [one.key, other.key], **described(both)}
        if categories:
            report["by_category"] = by_category(both, material.categories, described)
        reports.append(report)
    return reports


def choose(study: Study, kinds: frozenset[str], guidelines: int | str | None) -> tuple[rows.Choice, Report]:
    """Which ratings a report reads, and what it says about that; raises ChoiceInvalidError."""
    there = rows.versions(study, kinds)
    pooled = guidelines == "all"
    version = next(reversed(there), None) if guidelines is None or pooled else guidelines
    if guidelines is not None and not pooled and version not in there:
        raise ChoiceInvalidError(f"There are no ratings under version {guidelines} of the guidelines.")
    said = {
        "version": None if pooled else version,
        "pooled": pooled and len(there) > 1,
        "ratings": {"none" if number is None else str(number): count for number, count in there.items()},
    }
    return rows.Choice(kinds, version if isinstance(version, int) else None, pooled), said


def read_choice(kinds: str, guidelines: str | None) -> tuple[frozenset[str], int | str | None]:
    """Kinds of raters and the guidelines' version, as they are written; raises ChoiceInvalidError."""
    known = Rater.Kind.values
    chosen = frozenset(kinds.split(","))
    if not chosen <= set(known):
        raise ChoiceInvalidError(f"kinds takes {', '.join(known)}, with commas between.")
    if guidelines is None or guidelines == "all":
        return chosen, guidelines
    if not guidelines.isascii() or not guidelines.isdigit() or len(guidelines) > LONGEST_NUMBER:
        raise ChoiceInvalidError("guidelines takes the number of a version, or all.")
    return chosen, int(guidelines)
