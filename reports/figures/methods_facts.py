"""The facts of a study that its methods paragraph states, as plain values."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Max, Min, Q

from annotation.blinding import is_blind
from annotation.models import Annotation, Question, Rater, Rating
from annotation.pools import in_main_pool
from annotation.questions import question_types
from config.software_version import SOFTWARE_VERSION
from reports.figures.rows import PEOPLE, Choice
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.submission_times import chosen_annotations

Facts = dict[str, Any]
FIGURES = {
    "alpha_nominal": "Krippendorff's alpha (nominal)",
    "alpha_interval": "Krippendorff's alpha (interval)",
    "icc_single": "the intraclass correlation ICC(1,1)",
    "alpha_masi": "Krippendorff's alpha over pairs of outputs (MASI distance)",
}


def methods_facts(
    rated: RatedItems, choice: Choice, said: Mapping[str, Any], questions: Mapping[str, Any], replicates: int
) -> Facts:
    """The facts, for the ratings chosen; `questions` are their details, `said` is what is read of the guidelines."""
    study = rated.study
    current = choice.rows(study)
    by_kind = dict(
        current.values_list("rater__kind").annotate(Count("rater", distinct=True)).order_by()
    )  # fmt: skip
    ends = current.aggregate(first=Min("submitted_at"), last=Max("submitted_at"))
    answers = Annotation.objects.filter(chosen_annotations(study, choice), status=Annotation.Status.SUBMITTED)
    imported = current.filter(annotation=None, rater__kind=Rater.Kind.HUMAN).exists()
    listed = list(study.questions.order_by("position"))
    versions = sorted(study.guidelines.values_list("number", flat=True))
    return {
        "slug": study.slug,
        "title": study.title or study.slug,
        "protocol": study.protocol,
        "language": study.language,
        "redundancy": study.redundancy,
        "items": int(rated.items.size),
        "outputs": len(rated.systems),
        "systems": len(set(rated.systems.values())),
        "people": by_kind.get(Rater.Kind.HUMAN, 0),
        "models": by_kind.get(Rater.Kind.MODEL, 0),
        "metrics": by_kind.get(Rater.Kind.METRIC, 0),
        "only_people": choice.kinds <= PEOPLE and not choice.names,
        "ratings": current.count(),
        "answers": answers.count(),
        "imported": imported,
        "on_platform": Rating.objects.filter(
            in_main_pool(study), Q(annotation__isnull=False), study=study, is_current=True
        ).exists(),
        "first": ends["first"].date().isoformat() if ends["first"] else None,
        "last": ends["last"].date().isoformat() if ends["last"] else None,
        "guidelines": {"versions": len(versions), "used": said["version"], "pooled": said["pooled"]},
        "blinded_researchers": is_blind(study),
        "questions": [_of_question(one, questions.get(one.key, {})) for one in listed],
        "question_keys": sorted(one.key for one in listed),
        "replicates": replicates,
        "software": SOFTWARE_VERSION,
    }


def _of_question(question: Question, details: Mapping[str, Any]) -> Facts:
    kind = question_types()[question.type]
    scale, found = kind.scale(question.spec), details.get("agreement")
    steps, offered = kind.steps(question.spec), kind.choices(question.spec)
    return {
        "key": question.key,
        "text": (question.text or question.key).strip(),
        "type": question.type,
        "level": kind.level,
        "low": None if scale is None else scale[0],
        "high": None if scale is None else scale[1],
        "steps": len(steps),
        "choices": [] if scale is not None else [str(one["label"] or one["value"]) for one in offered],
        "ties": kind.takes_ties(question.spec),
        "required": question.required,
        "figure": FIGURES[found["figure"]] if found else None,
        "key_of_figure": found["figure"] if found else None,
        "alpha": found["alpha"] if found else None,
        "alpha_ci": found["alpha_ci"] if found else None,
        "percent_agreement": found["percent_agreement"] if found else None,
        "ranked": bool(details.get("tests")),
    }
