"""Write final answers of researchers, each with a reason, beside the raters' answers and never over them."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Adjudication, Item, Output, Question, Reviewer, Study
from annotation.protocols import Unit, protocols
from annotation.review.verdicts import ReviewedMeanwhileError, reviewer_for
from annotation.studies.corrections import check_correction
from annotation.studies.locking import lock_study
from config.database_clock import database_now
from config.model_fields import canonical_json


def unit_digest(unit: Unit) -> str:
    """The name of a unit within its item."""
    return hashlib.sha256(canonical_json([unit.output, unit.other, unit.variant]).encode()).hexdigest()


def ordered_unit(unit: Unit, outputs: Sequence[str]) -> Unit:
    """The unit with a pair in the order of the item's `outputs` (keys), so that a pair has one name."""
    if unit.output is None or unit.other is None or outputs.index(unit.output) < outputs.index(unit.other):
        return unit
    return Unit(unit.other, unit.output, unit.variant)


def is_asked_about(study: Study, question: Question, unit: Unit) -> bool:
    """Whether people answer the question about units of this kind: an output, a pair or the whole task."""
    kind = "pair" if unit.other is not None else "output" if unit.output is not None else "task"
    return protocols()[study.protocol].asks_about(question) == kind


def adjudicate(
    item: Item, question: Question, unit: Unit, value: Any, reason: str, person: Person, *, number: int,
    by: Reviewer | None = None,
) -> Adjudication:  # fmt: skip
    """Add a final answer; None as `value` withdraws the one before it. `number` is the last that the person saw.

    The value has been checked. `by` is the name that files show, if not the person's own as a researcher. Raises
    ReviewedMeanwhileError if there is a later one, StudyRefusedError for a locked study without a reason, and
    StudyArchivedError.
    """
    with transaction.atomic():
        why = check_correction(lock_study(item.study_id), reason)
        reviewer = by or reviewer_for(item.study, person)
        Item.objects.select_for_update(of=("self",), no_key=True).get(pk=item.pk)
        same = Adjudication.objects.filter(item=item, question=question, unit=unit_digest(unit))
        last = same.filter(is_current=True).first()
        if (last.number if last else 0) != number:
            raise ReviewedMeanwhileError
        same.filter(is_current=True).update(is_current=False)
        outputs = dict(Output.objects.filter(item=item, key__in=[unit.output, unit.other]).values_list("key", "pk"))
        added = Adjudication.objects.create(
            item=item, question=question, unit=unit_digest(unit), number=number + 1, value=value, reason=reason,
            output_id=outputs[unit.output] if unit.output is not None else None,
            other_output_id=outputs[unit.other] if unit.other is not None else None,
            variant=unit.variant, by=reviewer, at=database_now(),
        )  # fmt: skip
        action = "answer adjudicated" if value is not None else "adjudication withdrawn"
        record(
            action, f"question {question.key} on item {item.key}", actor=person, study=item.study.slug,
            old={"number": last.number} if last else None, new={"number": added.number, **why},
        )  # fmt: skip
    return added
