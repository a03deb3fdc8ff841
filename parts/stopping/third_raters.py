"""Asks a third rater where the planned ones disagree.

An answer leaves a row of work in its own transaction. A worker then locks the item and compares. Of two answers that
are submitted at once, the one that is committed last leaves a row whose worker sees both: none is missed, and the lock
and the one-to-one key let no place be made twice. Studies without the rule have no query more.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from accounts.auditing import record
from annotation.desk.part_tasks import lane_of
from annotation.models import Annotation, Item, Question, Rating, Slot, Study, Task
from annotation.protocols import protocols
from annotation.studies.planning import current_place
from annotation.studies.slot_steps import next_number, next_order
from annotation.studies.steered_items import lock_item
from config.background.kinds import works
from config.background.waking import enqueue
from config.database_clock import database_now
from parts.stopping.models import ExtraPlace, PairCheck
from parts.stopping.plan_spec import ThirdRater, third_rater_of

WORK_KEY = "pair_check"
PLANNED = 2
"""With fewer raters planned there is nobody to disagree."""
NOT_COMPARED = frozenset({"text", "span"})


def note_answer(study: Study, annotation: Annotation) -> None:
    """Have the raters of a task compared, if the study asks third raters. Called in the answer's transaction."""
    if third_rater_of(study) is None:
        return
    row = PairCheck.objects.create(task_id=annotation.task_id)
    enqueue(works()[WORK_KEY], row)


def compare_raters(task: Task) -> int:
    """Make a third place if the task's planned raters have all answered and disagree; return how many were made.

    If raters keep all tasks of an item, each of them gets a place. Raises ImportPendingError and StudyArchivedError.
    """
    with transaction.atomic():
        study, item = lock_item(task.item)
        rule = third_rater_of(study)
        if rule is None or item.withdrawn_at is not None or study.status == Study.Status.CLOSED:
            return 0
        slots = list(Slot.objects.filter(item=item).order_by("task", "number"))
        own = [slot for slot in slots if slot.task_id == task.pk]
        if len(own) < PLANNED or any(slot.state != Slot.State.FILLED for slot in own):
            return 0
        if any(slot.third_rater for slot in own):
            return 0
        disagreed = disagreements(task, [slot.holder_id for slot in own if slot.holder_id is not None], rule)
        return _ask(study, item, task, slots, disagreed) if disagreed else 0


def disagreements(task: Task, raters: Sequence[int], rule: ThirdRater) -> list[str]:
    """The keys of the rule's questions about which these raters gave values that differ by more than it allows."""
    rows = Rating.objects.filter(annotation__task=task, is_current=True, rater__in=raters).exclude(
        level__in=NOT_COMPARED
    )
    if rule.questions:
        rows = rows.filter(question__key__in=rule.questions)
    given: dict[tuple[int, Any, Any], list[tuple[float | None, Any]]] = defaultdict(list)
    for question, output, other, number, value in rows.values_list(
        "question_id", "output_id", "other_output_id", "number", "value"
    ):
        one, two = (output, other) if other is None else sorted((output, other))
        given[question, one, two].append((number, value))
    found = {key[0] for key, values in given.items() if _differ(values, rule.more_than)}
    return list(Question.objects.filter(pk__in=found).order_by("position").values_list("key", flat=True))


def _differ(values: Sequence[tuple[float | None, Any]], more_than: float) -> bool:
    numbers = [number for number, _ in values]
    if all(isinstance(number, float | int) for number in numbers):
        known = [float(number) for number in numbers if number is not None]
        return max(known) - min(known) > more_than
    return any(value != values[0][1] for _, value in values)


def _ask(study: Study, item: Item, task: Task, slots: Sequence[Slot], disagreed: list[str]) -> int:
    together = protocols()[study.protocol].keeps_raters(study.options)
    having = sorted({slot.task_id for slot in slots}) if together else [task.pk]
    number, place, now = next_number(slots), current_place(study, item), database_now()
    for one in Task.objects.filter(pk__in=having).order_by("pk"):
        orders = [slot.order for slot in slots if slot.task_id == one.pk]
        slot = Slot.objects.create(
            study=study, item=item, task=one, number=number, place=place, order=next_order(study, item, one, orders),
            lane=lane_of(study, item, number), third_rater=True,
        )  # fmt: skip
        ExtraPlace.objects.create(study=study, slot=slot, disagreed=disagreed, made_at=now)
    new = {"slot": number, "tasks": len(having), "questions": disagreed}
    record("third rater asked for", f"item {item.key}", actor=None, study=study.slug, new=new)
    return len(having)
