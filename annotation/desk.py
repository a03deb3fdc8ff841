"""What a rater's page shows of a task. Outputs go by letter; nothing here names a system or shows a reference."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language_info

from annotation.answers import Sheet, Shown
from annotation.assigning import open_slots, tasks_of
from annotation.guidelines import sections_on
from annotation.models import Annotation, Assignment, Guideline, Rater, Slot, Study
from annotation.protocols import Protocol, protocols
from annotation.submitting import ANSWERED, Form, current_annotation, sheet_of
from annotation.words import words_payload

MOST_COUNTED = 200
RECENT = 10
CHECKLIST, EXAMPLE = "checklist", "example"
"""How the headings begin of the parts of guidelines that a page may show beside the task."""


@dataclass(frozen=True)
class Progress:
    """Tasks answered, tasks left for this rater (`more`: at least so many), seconds that they may take."""

    done: int
    left: int
    more: bool
    seconds_left: float | None


def progress_of(study: Study, rater: Rater) -> Progress:
    """How far a rater has come. Counting stops at a few hundred tasks, so that it costs the same in any study."""
    protocol = protocols()[study.protocol]
    answered = Annotation.objects.filter(rater=rater, is_current=True, status__in=["submitted", "skipped"])
    if not protocol.offers_all:
        return Progress(*tasks_of(study, rater), False, None)
    held = Slot.objects.filter(study=study, holder=rater, state=Slot.State.HELD).count()
    ahead = open_slots(study, rater)
    if rater.place is not None:
        ahead = ahead.filter(place__gte=rater.place)
    tasks = list(ahead.values_list("task", flat=True)[: MOST_COUNTED + 1])
    left = held + len(set(tasks[:MOST_COUNTED]))
    recent = answered.filter(status="submitted").order_by("-pk").values("visible_seconds")[:RECENT]
    pace = recent.aggregate(mean=Avg("visible_seconds"))["mean"]
    return Progress(answered.count(), left, len(tasks) > MOST_COUNTED, pace * left if pace else None)


def person_tag(rater: Rater) -> str:
    """An opaque name under which a browser keeps what this person typed, apart from anybody else's."""
    return salted_hmac("annotation.desk", str(rater.person_id)).hexdigest()[:16]


def text_direction(language: str) -> str:
    """`rtl` or `ltr` for a BCP 47 tag."""
    try:
        return "rtl" if get_language_info(language.lower())["bidi"] else "ltr"
    except KeyError:
        return "ltr"


def same_as(output: Shown, sheet: Sheet) -> list[str]:
    """The letters of the other outputs with the very same text."""
    return [other.letter for other in sheet.outputs if other.text == output.text and other != output]


def neighbours(assignment: Assignment) -> tuple[str | None, str | None]:
    """Addresses of the tasks that this rater was given before and after this one."""
    mine = Assignment.objects.filter(rater=assignment.rater_id)
    before = mine.filter(pk__lt=assignment.pk).order_by("-pk").values_list("key", flat=True).first()
    after = mine.filter(pk__gt=assignment.pk).order_by("pk").values_list("key", flat=True).first()
    return _address(before), _address(after)


def _address(key: uuid.UUID | None) -> str | None:
    """The desk sends on to where the task has its page, where that is elsewhere."""
    return reverse("annotation:desk", args=[key]) if key else None


def desk_context(
    assignment: Assignment, *, form: Form | None = None, errors: dict[str, str] | None = None
) -> dict[str, Any]:
    """The context of a protocol's page; `form` is what was just posted, else the draft, else the saved answer."""
    rater, task = assignment.rater, assignment.task
    study, item = rater.study, task.item
    protocol, questions = protocols()[study.protocol], list(study.questions.order_by("position"))
    current, sheet = current_annotation(assignment), sheet_of(assignment)
    if form is None:
        form = assignment.draft
    if form is None:
        form = protocol.form_of(current.answers, questions, sheet) if current else {}
    previous_url, next_url = neighbours(assignment)
    slot = Slot.objects.filter(task=task, holder=rater).first()
    newest = Guideline.objects.filter(study=study).order_by("-number").first()
    return {
        "study": study,
        "assignment": assignment,
        "desk": {
            **protocol.shows(assignment),
            "document": item.document,
            "instruction": item.instruction,
            "outputs": [
                {"letter": output.letter, "text": output.text, "same_as": same_as(output, sheet)}
                for output in sheet.outputs
            ],
            "fields": protocol.fields(form, questions, sheet, errors or {}),
            "errors": errors or {},
            "progress": progress_of(study, rater),
            "previous_url": previous_url,
            "next_url": next_url,
            "last": last_submitted(assignment),
            "submitted": current,
            "is_answered": current is not None and current.status in ANSWERED,
            "flag": assignment.flag,
            "reason": (form.get("reason") or [""])[-1],
            "holds_slot": slot is not None,
            "lease_until": slot.lease_until if slot else None,
            "draft_version": assignment.draft_version,
            "revision": current.revision if current else 0,
            "client_key": uuid.uuid4(),
            "guidelines_version": newest.number if newest else None,
            "checklist": sections_on(newest.text, CHECKLIST) if newest else [],
            "examples": sections_on(newest.text, EXAMPLE) if newest else [],
            "language": study.language,
            "person_tag": person_tag(rater),
            "direction": text_direction(study.language),
            "words": words_payload(item.document, "\n".join(output.text for output in sheet.outputs), study.language),
        },
    }


def last_submitted(assignment: Assignment) -> dict[str, Any] | None:
    """This rater's last answer, for taking it back: address, revision and time; not the task on the desk."""
    mine = Annotation.objects.filter(rater=assignment.rater_id, is_current=True, status__in=["submitted", "skipped"])
    last = mine.exclude(task=assignment.task_id).order_by("-pk").first()
    if last is None:
        return None
    before = Assignment.objects.select_related("rater__study", "task").get(rater=assignment.rater_id, task=last.task_id)
    protocol = protocols()[before.rater.study.protocol]
    if protocol.address(before) != Protocol.address(protocol, before):
        return None  # it was given on a page of its own
    return {
        "undo_url": reverse("annotation:undo_task", args=[before.key]),
        "revision": last.revision,
        "submitted_at": last.submitted_at,
    }
