"""What a plan states of a study, and the same of the study as it is now. Reads all items: for workers."""

import hashlib
from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Min

from annotation.blinding import NAMING_OPTIONS, OPTION, exported_options
from annotation.models import Guideline, Rater, Rating, Study
from annotation.pools import no_copies
from annotation.studies.snapshots import study_snapshot
from config.model_fields import canonical_json
from config.text_validation import time_text
from files.writing.study_lines import item_lines
from files.writing.study_yaml import study_body
from parts.stopping.plan_spec import stopping_of
from parts.stopping.plan_words import plan_in_words

NAMING = frozenset({"outputs", "gold", "metadata", "withdrawn", "priority"})
"""Keys of an item's line that name systems, or that change while people work."""


def plan_facts(study: Study) -> dict[str, Any]:
    """The facts of a plan. They are the same whether systems have names or codes."""
    body = study_body(study)
    guideline = Guideline.objects.filter(study=study).order_by("-number").first()
    options = {key: value for key, value in exported_options(study).items() if key not in (*NAMING_OPTIONS, OPTION)}
    return {
        "protocol": study.protocol,
        "language": study.language,
        "raters_per_task": study.redundancy,
        "items": _items(study),
        "questions": body["questions"],
        "guidelines": None
        if guideline is None
        else {"version": guideline.number, "sha256": hashlib.sha256(guideline.text.encode()).hexdigest()},
        "options": options,
        **({"stopping": plan_in_words(spec)} if (spec := stopping_of(study)) else {}),
    }


def _items(study: Study) -> dict[str, Any]:
    """The number of items that are not withdrawn, and a digest of all that raters may see of them."""
    count, made = 0, hashlib.sha256()
    for line in item_lines(study):
        if "withdrawn" in line:
            continue
        count += 1
        texts = sorted(_digest(one["text"]) for one in line.get("outputs", ()))
        shown = {key: value for key, value in line.items() if key not in NAMING}
        made.update(f"{_digest({**shown, 'outputs': texts})}\n".encode())
    return {"count": count, "sha256": made.hexdigest()}


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def done_facts(study: Study, choices: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a plan as they are now, with what was answered: a kind of report."""
    with study_snapshot(study) as present:
        people = Rating.objects.filter(no_copies(present), study=present, is_current=True, rater__kind=Rater.Kind.HUMAN)
        versions = people.values_list("guidelines_version").annotate(Count("pk")).order_by("guidelines_version")
        told = people.aggregate(answers=Count("pk"), raters=Count("rater", distinct=True), first=Min("submitted_at"))
        return {
            **plan_facts(present),
            "status": present.status,
            "answers": told["answers"],
            "raters": told["raters"],
            "first_answer_at": time_text(told["first"]),
            "answers_by_guidelines": {str(version): count for version, count in versions},
        }
