"""The meta-evaluation report of a study, described in docs/formats.md: raters of any kind against a group of people."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.module_loading import import_string

from agreement.meta_evaluation.judge_report import REPLICATES
from annotation.models import Study
from annotation.pools import main_items
from annotation.studies.snapshots import study_snapshot
from config.software_version import SOFTWARE_VERSION
from reports.comparison_tables import comparison_questions, comparison_tables
from reports.figures.beyond_papers import FiguresBeyondPapers
from reports.figures.rows import ChoiceInvalidError
from reports.figures.study_answers import MACHINES, RaterComparison, Report, StudyAnswers
from reports.report_kinds.agreement import of_pairs, tells_pairs_apart
from reports.report_kinds.meta_evaluation import EPSILON

EVERYTHING = RaterComparison()


def meta_evaluation(study: Study, compared: RaterComparison = EVERYTHING, *, replicates: int = REPLICATES) -> Report:
    """Every figure of every judge, question by question, under `questions` and `across`, and `tables` of parts.

    Raises ChoiceInvalidError for an unknown rater, question or version.
    """
    with study_snapshot(study) as present:
        answers = StudyAnswers(present, compared, replicates)
        beyond = FiguresBeyondPapers(answers)
        return {
            "study": study.slug,
            "protocol": study.protocol,
            "software": SOFTWARE_VERSION,
            "items": main_items(present).count(),
            "kinds": sorted(compared.kinds),
            "raters": sorted(compared.raters),
            "people": sorted(compared.people),
            "guidelines": answers.said,
            **of_pairs(compared.pairs_by_name),
            "panel": sorted(compared.panel),
            "replicates": replicates,
            "beyond_papers": beyond.settings(),
            "questions": {key: _of_question(answers, beyond, key) for key in answers.questions},
            "across": [
                {"judged": judged, "against": against, **answers.figures(judged, against)}
                for judged, against in compared.across
            ],
            "tables": _tables(answers),
        }


def _tables(answers: StudyAnswers) -> Report:
    """The tables that parts make of the comparison, by key."""
    functions = [import_string(tables.function) for tables in comparison_tables()]
    return {key: table for tables_of in functions for key, table in tables_of(answers).items()}


def _of_question(answers: StudyAnswers, beyond: FiguresBeyondPapers, key: str) -> Report:
    figures = {"text": answers.questions[key].text, **beyond.added(key, answers.figures(key))}
    if not answers.compared.categories or key not in answers.compared_questions or "people" not in figures:
        return figures
    parts = {name: answers.of_items(key, keep) for name, keep in answers.categories.items()}
    return {**figures, "by_category": parts}


def kept_meta_evaluation(study: Study, choices: Mapping[str, Any]) -> Report:
    """The report for choices as `report_kinds.meta_evaluation.comparison_choices` makes them."""
    return meta_evaluation(study, comparison_from(choices))


def comparison_from(choices: Mapping[str, Any]) -> RaterComparison:
    """The comparison that a form's, or a kept report's, choices describe. Raises ChoiceInvalidError."""
    return RaterComparison(
        kinds=MACHINES if choices.get("kinds") is None else frozenset(choices["kinds"]),
        raters=frozenset(choices.get("raters") or ()),
        people=frozenset(choices.get("people") or ()),
        guidelines=choices.get("guidelines"),
        across=tuple(_pairs(choices.get("across") or ())),
        categories=bool(choices.get("categories")),
        questions={one.name: choices[one.name] for one in comparison_questions() if choices.get(one.name)},
        positive=choices.get("positive") or None,
        panel=frozenset(choices.get("panel") or ()),
        epsilon=EPSILON if choices.get("epsilon") is None else float(choices["epsilon"]),
        pairs_by_name=tells_pairs_apart(choices),
    )


def _pairs(texts: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Pairs of questions from texts JUDGED:PEOPLE; raises ChoiceInvalidError for another text."""
    for text in sorted(texts):
        judged, colon, people = text.partition(":")
        if not (judged and colon and people):
            raise ChoiceInvalidError("across takes JUDGED:PEOPLE, two keys of questions with a colon between them.")
        yield judged, people
