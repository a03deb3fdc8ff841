"""The section `adjudication` of a study file: whether annotators give final answers, and which of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from django.db import transaction
from pydantic import AfterValidator

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Rater, Study
from annotation.studies.corrections import check_correction
from annotation.studies.file_sections import FileFacts
from annotation.studies.locking import lock_study
from config.strict_models import SettingsModel, invalid, must_be
from config.text_validation import TextRefusedError, check_id

ADJUDICATION, BY, RATERS = "adjudication", "by", "raters"
ANNOTATORS = "annotators"
MOST_RATERS = 1000


def _check_names(names: list[str]) -> list[str]:
    for name in names:
        try:
            check_id(name, "")
        except TextRefusedError as problem:
            raise invalid(problem.reason) from None
    if len(set(names)) < len(names):
        raise invalid("names somebody twice")
    return names


Names = Annotated[
    list[str],
    must_be(f"a list of 1 to {MOST_RATERS} names of raters", lambda names: 1 <= len(names) <= MOST_RATERS),
    AfterValidator(_check_names),
]


class StageSettings(SettingsModel):
    """Who gives final answers: annotators, all of them or those with these names."""

    by: Annotated[Literal["annotators"], must_be(f"{ANNOTATORS}; without the section, researchers give final answers")]
    raters: Names | None = None

    def misfits(self, facts: FileFacts) -> Iterator[tuple[str, str]]:
        if not facts.protocol.flow.offers_every_task or facts.protocol.flow.has_own_pages:
            yield "", "cannot be used with this protocol, whose tasks have pages of their own"


def without_raters(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return the section for a copy, which has none of the raters that it names: all annotators give final answers."""
    return {key: value for key, value in section.items() if key != RATERS}


def without_adjudicator(options: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a study's options without a rater in the section; without the section if nobody else is named."""
    section = options.get(ADJUDICATION) or {}
    left = [one for one in section.get(RATERS, ()) if one != name]
    if left == section.get(RATERS, []):
        return dict(options)
    others = {key: value for key, value in options.items() if key != ADJUDICATION}
    return {**others, ADJUDICATION: {**section, RATERS: left}} if left else others


def has_stage(study: Study) -> bool:
    """Whether annotators give final answers in this study."""
    return ADJUDICATION in study.options


def named_adjudicators(study: Study) -> list[str] | None:
    """The names of the raters who may; None for all annotators."""
    section = study.options.get(ADJUDICATION)
    names: list[str] | None = section.get(RATERS) if section else []
    return names


def may_adjudicate(study: Study, rater: Rater) -> bool:
    """Whether a rater gives final answers in this study now, to items that they have not rated."""
    names = named_adjudicators(study)
    return (names is None or rater.name in names) and rater.paused_at is None and rater.admitted


def set_stage(study: Study, names: Sequence[str] | None, actor: Person, *, on: bool, reason: str = "") -> bool:
    """Declare who gives final answers: all annotators for None, or not `on`: researchers alone.

    Returns whether that is a change. Raises StudyRefusedError and StudyArchivedError.
    """
    with transaction.atomic():
        now = lock_study(study.pk)
        why = check_correction(now, reason)
        section = {BY: ANNOTATORS} if names is None else {BY: ANNOTATORS, RATERS: sorted(names)}
        others = {key: value for key, value in now.options.items() if key != ADJUDICATION}
        old, new = now.options.get(ADJUDICATION), section if on else None
        if old == new:
            return False
        now.options = others if new is None else {**others, ADJUDICATION: new}
        now.save(update_fields=["options"])
        record("second stage changed", study.slug, actor=actor, study=study.slug, old=old, new={"now": new, **why})
    study.options = now.options
    return True
