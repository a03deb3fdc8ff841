"""The agreement report of a study, as docs/formats.md describes it, as plain values for JSON and pages."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, Q
from numpy.typing import NDArray

from agreement.arrays.rankings import Rankings
from agreement.question_figures.by_category import by_category
from agreement.reliability.dimensions import describe_dimensions
from annotation.blinding import unblinding_facts
from annotation.members.standing import excluded
from annotation.models import Question, Rater, Rating, Study
from annotation.pools import main_items
from annotation.questions import question_types
from annotation.studies.snapshots import study_snapshot
from config.parts import parts
from reports.figures import rows
from reports.figures.balance_report import balance_report
from reports.figures.figures_by_level import LEVELS, RANKS
from reports.figures.rows.pair_rows import dimensions, rank_columns
from reports.figures.rows.rated_items import RatedItems
from reports.report_kinds.agreement import leaves_out, of_pairs, tells_pairs_apart

REPLICATES = 1000

Report = dict[str, Any]


def agreement_report(
    study: Study,
    kinds: frozenset[str] = rows.PEOPLE,
    *,
    names: frozenset[str] = frozenset(),
    guidelines: int | str | None = None,
    categories: bool = False,
    without_excluded: bool = False,
    pairs_by_name: bool = False,
    replicates: int = REPLICATES,
) -> Report:
    """All figures of all questions, and, under `dimensions`, of each two questions that rank outputs.

    The raters are those of `kinds` and those called one of `names`. With `categories`, each question also has the
    figures of each category's items under `by_category`. With `without_excluded`, answers of raters whom a researcher
    has excluded do not count, and `excluded` says so. With `pairs_by_name`, figures of choices that are corrected for
    chance tell the outputs of a pair apart by name, as older printed tables do, and `pair_coding` says so. Answers
    without a level of measurement, such as texts, are only counted.

    Answers under different versions of the guidelines answer different questions. Only people's ratings under one
    version count: the latest with any rating, or version `guidelines`; "all" combines them. Ratings of machines count
    that were shown this version, or none; if people's have no version, the latest that machines were shown. The
    report's `guidelines` says which, with the number of ratings under each and of those left out. Left out are, too,
    and each question has their number, answers in another shape and reruns other than the latest.
    Answers to tasks that already had all their raters count like any other; `surplus` is their number. In a study that
    asks third raters if two disagree, only answers in planned places count, and its facts say why. Raises
    ChoiceInvalidError.
    """
    with study_snapshot(study):
        choice, said = choose(
            study, kinds, names, guidelines, without_excluded=without_excluded, pairs_by_name=pairs_by_name
        )
        return _report(study, choice, said, categories, replicates)


def _report(study: Study, choice: rows.Choice, said: Report, categories: bool, replicates: int) -> Report:
    rated, questions = RatedItems(study), list(study.questions.order_by("position"))
    return {
        "study": study.slug,
        "protocol": study.protocol,
        **({"dry_run": True} if study.is_dry_run else {}),
        **({"blinding": told} if (told := unblinding_facts(study)) else {}),
        "items": main_items(study).count(),
        "kinds": sorted(choice.kinds),
        "raters": sorted(choice.names),
        **({"pooled_raters": pooled} if (pooled := _pooled_raters(study, choice)) else {}),
        **({"excluded": left_out} if (left_out := excluded_facts(study, choice)) else {}),
        "guidelines": said,
        **of_pairs(choice.pairs_by_name),
        "surplus": rows.surplus(study, choice),
        **_facts_of_parts(study),
        "questions": {
            question.key: _of_question(rated, question, choice, categories, replicates) for question in questions
        },
        "dimensions": _of_dimensions(rated, questions, choice, categories, replicates),
        **({"balance": balance} if (balance := balance_report(study)) else {}),
    }


def _facts_of_parts(study: Study) -> Report:
    found = {key: facts_of(study) for part in parts() for key, facts_of in part.report_facts.items()}
    return {key: facts for key, facts in found.items() if facts is not None}


def excluded_facts(study: Study, choice: rows.Choice) -> Report:
    """What a report without the answers of excluded raters says of them; otherwise empty."""
    if not choice.without_excluded:
        return {}
    chosen = Q(rater__kind__in=choice.kinds) | Q(rater__name__in=choice.names)
    return {"left_out": True, "raters": excluded(study).filter(chosen).count()}


def _pooled_raters(study: Study, choice: rows.Choice) -> dict[str, int]:
    """The raters of each kind with any answer, if people and machines are combined; otherwise empty."""
    answered = Exists(Rating.objects.filter(rater=OuterRef("pk")))
    chosen = Q(kind__in=choice.kinds) | Q(name__in=choice.names)
    kinds = Counter(Rater.objects.filter(chosen, answered, study=study).values_list("kind", flat=True))
    is_pooled = Rater.Kind.HUMAN in kinds and len(kinds) > 1
    return {kind: kinds[kind] for kind in sorted(kinds)} if is_pooled else {}


def _of_question(rated: RatedItems, question: Question, choice: rows.Choice, categories: bool, draws: int) -> Report:
    """The figures of one question, for its level of measurement."""
    level = question_types()[question.type].level
    if level not in LEVELS:
        return {"level": level, **rows.count(rated.study, question, choice)}
    figured = LEVELS[level](rated, question, choice)
    report = {**figured.describe(figured.data, replicates=draws), **rows.not_read(rated.study, question, choice)}
    if categories:
        report["by_category"] = by_category(
            figured.data, rated.categories, lambda part: figured.describe(part, replicates=draws)
        )
    return report


@dataclass(frozen=True)
class _Dimensions:
    """Two dimensions' rankings of the same outputs, restricted to items together."""

    first: Rankings
    second: Rankings

    def of_items(self, keep: NDArray[np.bool_]) -> "_Dimensions":
        return _Dimensions(self.first.of_items(keep), self.second.of_items(keep))


def _of_dimensions(
    rated: RatedItems, questions: list[Question], choice: rows.Choice, categories: bool, draws: int
) -> list[Report]:
    """Agreement between each two questions that rank the same outputs, one row per pair with their keys."""
    types = question_types()
    ranked = [question for question in questions if types[question.type].level == RANKS]
    if len(ranked) < 2:
        return []
    read = dimensions(rated, [rank_columns(rated, question, choice) for question in ranked])

    def described(both: _Dimensions) -> Report:
        return describe_dimensions(both.first, both.second, replicates=draws)

    reports = []
    for (one, first), (other, second) in combinations(zip(ranked, read, strict=True), 2):
        both = _Dimensions(first, second)
        report = {"questions": [one.key, other.key], **described(both)}
        if categories:
            report["by_category"] = by_category(both, rated.categories, described)
        reports.append(report)
    return reports


def choose(
    study: Study,
    kinds: frozenset[str],
    names: frozenset[str],
    guidelines: int | str | None,
    *,
    judges: rows.Choice | None = None,
    without_excluded: bool = False,
    pairs_by_name: bool = False,
) -> tuple[rows.Choice, Report]:
    """The ratings that a report reads, and its `guidelines` entry about them; raises ChoiceInvalidError.

    `judges` are the machines with which people are compared, if they are not among the raters. Figures of people never
    depend on what machines were shown.
    """
    known = Rater.objects.filter(study=study, name__in=names).values_list("name", flat=True)
    for name in sorted(names - set(known)):
        raise rows.ChoiceInvalidError(f"There is no rater called {name}.")
    raters = rows.Choice(kinds, names=names, without_excluded=without_excluded, pairs_by_name=pairs_by_name)
    of_people, shown = rows.versions(study, raters), rows.versions_shown(study, judges or raters)
    there = of_people or shown
    pooled = guidelines == "all"
    version = guidelines if isinstance(guidelines, int) else next(reversed(there), None)
    seen = version if version is not None else next(reversed(shown), None)
    if isinstance(guidelines, int) and version not in there:
        if version not in shown or set(of_people) != {None}:
            raise rows.ChoiceInvalidError(f"There are no ratings under guidelines version {guidelines}.")
        version = None
    said: Report = {
        "version": None if pooled else version,
        "pooled": pooled and len({*there, *shown}) > 1,
        "ratings": {"none" if number is None else str(number): count for number, count in there.items()},
    }
    if shown:
        said["machines"] = {str(number): count for number, count in shown.items()}
        said["shown"] = None if pooled else seen
    if not pooled:
        left_out = {"people": _others(of_people, version), "machines": _others(shown, seen)}
        said |= {"left_out": {kind: count for kind, count in left_out.items() if count}}
    planned = rows.has_third_raters(study)
    return replace(raters, version=version, shown=seen, pooled=pooled, only_planned=planned), said


def _others(counts: Mapping[int | None, int], chosen: int | None) -> int:
    return sum(count for version, count in counts.items() if version != chosen)


def kept_agreement_report(study: Study, choices: Mapping[str, Any]) -> Report:
    """The report that is kept under these choices, which `reports.report_kinds.agreement` describes."""
    return agreement_report(
        study,
        frozenset(choices["kinds"]),
        names=frozenset(choices["raters"]),
        guidelines=choices["guidelines"],
        categories=choices["categories"],
        without_excluded=leaves_out(choices),
        pairs_by_name=tells_pairs_apart(choices),
    )
