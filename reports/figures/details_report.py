"""What a report says beyond agreement, and how the study was done: what a kept report of the kind `details` contains.

Per question: distributions of answers, ranks of systems with intervals and letters, wins, agreement over time, effects
of places and lengths. For the study: the time that answers took, the log of exclusions, and a paragraph on methods.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from agreement.answers.time_quartiles import time_quartiles
from agreement.question_figures.described_details import (
    GivenValues,
    Resampling,
    describe_pairs,
    describe_ranks,
    describe_values,
)
from annotation.models import Question, Study
from annotation.questions import question_types
from annotation.studies.snapshots import study_snapshot
from config.software_version import SOFTWARE_VERSION
from reports.figures import rows
from reports.figures.agreement_report import REPLICATES, choose
from reports.figures.methods_facts import methods_facts
from reports.figures.methods_text import methods_text
from reports.figures.rows.exclusion_rows import exclusion_log
from reports.figures.rows.opinions import Opinions, opinions
from reports.figures.rows.pair_rows import choices, rank_columns, rankings
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.submission_times import answer_times, submission_times
from reports.report_kinds.agreement import leaves_out, of_pairs, tells_pairs_apart

NO_DETAILS = "answers to this type of question have no details"
NO_ANSWERS = "there are no answers"

Report = dict[str, Any]


def details_report(
    study: Study,
    kinds: frozenset[str] = rows.PEOPLE,
    *,
    names: frozenset[str] = frozenset(),
    guidelines: int | str | None = None,
    without_excluded: bool = False,
    pairs_by_name: bool = False,
    replicates: int = REPLICATES,
) -> Report:
    """The details of a study, of the same ratings as the agreement report with these choices.

    Raises ChoiceInvalidError.
    """
    with study_snapshot(study):
        choice, said = choose(
            study, kinds, names, guidelines, without_excluded=without_excluded, pairs_by_name=pairs_by_name
        )
        rated, resampling = RatedItems(study), Resampling(replicates)
        questions = {
            one.key: _of_question(rated, one, choice, resampling) for one in study.questions.order_by("position")
        }
        exclusions = exclusion_log(study, choice, said)
        facts = methods_facts(rated, choice, said, questions, replicates)
        report = {
            "study": study.slug,
            "protocol": study.protocol,
            "software": SOFTWARE_VERSION,
            "kinds": sorted(kinds),
            "raters": sorted(names),
            "guidelines": said,
            **of_pairs(pairs_by_name),
            "replicates": replicates,
            "questions": questions,
            "time": time_quartiles(answer_times(rated, choice)),
            "exclusions": exclusions,
        }
    return report | {"methods": methods_text(facts, exclusions)}


def kept_details(study: Study, choices: Mapping[str, Any]) -> Report:
    """The report that is kept under these choices, which `reports.report_kinds.details` describes."""
    return details_report(
        study, frozenset(choices["kinds"]), names=frozenset(choices["raters"]), guidelines=choices["guidelines"],
        without_excluded=leaves_out(choices), pairs_by_name=tells_pairs_apart(choices),
    )  # fmt: skip


def _of_question(rated: RatedItems, question: Question, choice: rows.Choice, resampling: Resampling) -> Report:
    level = question_types()[question.type].level
    made = _described(rated, question, choice, resampling, level)
    if isinstance(made, str):
        return {"level": level, "reason": made}
    return {"level": level, "reason": "", **made}


def _described(
    rated: RatedItems, question: Question, choice: rows.Choice, resampling: Resampling, level: str | None
) -> Report | str:
    """The details of a question, or why it has none."""
    if level not in ("nominal", "interval", "choice", "rank"):
        return NO_DETAILS
    time = submission_times(rated.study, question, choice)
    if not time.size:
        return NO_ANSWERS
    if level == "choice":
        return describe_pairs(choices(rated, question, choice), time, resampling)
    if level == "rank":
        return describe_ranks(rankings(rated, rank_columns(rated, question, choice)), time, resampling)
    given = opinions(rated, question, choice)
    assert given is not None  # the level says so
    given = _in_order(question, given)
    kind = question_types()[question.type]
    scale = kind.scale(question.spec)
    steps = kind.steps(question.spec) if scale is not None else range(len(kind.choices(question.spec)))
    made = describe_values(
        GivenValues(
            given.ratings, "interval" if level == "interval" else "nominal", given.position, time, given.words,
            tuple(float(one) for one in steps), scale,
        ),
        resampling,
    )  # fmt: skip
    made["distribution"]["labels"] = {f"{value:g}": label for value, label in given.labels.items()}
    return made


def _in_order(question: Question, given: Opinions) -> Opinions:
    """The opinions with categories numbered in the order of the question's choices, and the others after them."""
    kind = question_types()[question.type]
    if kind.scale(question.spec) is not None:
        return given
    offered = [choice["value"] for choice in kind.choices(question.spec)]
    others = sorted(set(given.labels.values()) - set(offered))
    place = {label: number for number, label in enumerate([*offered, *others])}
    new = np.full(len(given.labels), -1.0)
    for old, label in given.labels.items():
        new[int(old)] = place[label]
    named = {choice["value"]: str(choice["label"] or choice["value"]) for choice in kind.choices(question.spec)}
    return replace(
        given,
        ratings=replace(given.ratings, value=new[given.ratings.value.astype(np.int64)]),
        labels={float(number): named.get(label, label) for label, number in place.items()},
    )
