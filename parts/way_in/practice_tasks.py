"""Practice tasks: which items of a pool a step uses, and what a task shows. They look as ordinary tasks do.

Nothing here reads a right answer: pages of tasks are made from these functions alone.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db.models import Count

from annotation.answers import Form, Sheet
from annotation.desk.statements import DeskRow, TaskOutputRow
from annotation.desk.task_page import RaterProgress, desk_context
from annotation.models import Assignment, Guideline, Item, Question, Rater, Slot, Study, Task
from annotation.pools import MAIN
from annotation.protocols import protocols
from annotation.studies.planning import seeded
from annotation.studies.secret_seeds import drawn_options, secretly_seeded
from config.model_fields import canonical_json
from parts.way_in.entry_step import EntryStep, steps_of
from parts.way_in.models import StepPassage
from parts.way_in.practice_drafts import PracticeDraft

TRAINING, QUALIFICATION = "training", "qualification"
"""The pools of items for practice."""

MOST_ITEMS = 200
HIDDEN = ("gold", "feedback", "references", "metadata", "content")


@dataclass(frozen=True)
class PracticeTask:
    """One task of an attempt: its item with the outputs in the order shown."""

    study: Study
    rater: Rater
    item: Item
    variant: str
    outputs: tuple[TaskOutputRow, ...]
    order: tuple[int, ...]
    questions: tuple[Question, ...]

    @property
    def sheet(self) -> Sheet:
        shown = [self.outputs[place] for place in self.order]
        return Sheet.of([one.key for one in shown], [one.text for one in shown], self.item.document)


def items_for(study: Study, step: EntryStep) -> list[Item]:
    """Return the items of a step: those that it names, or the next ones of its pool after those of earlier steps."""
    pool = step.kind.pool_of(step)
    found = Item.objects.filter(study=study, pool=pool, withdrawn_at=None).defer(*HIDDEN).order_by("pk")
    wanted = step.option("items", None)
    if isinstance(wanted, list):
        named = {item.key: item for item in found.filter(key__in=wanted)}
        return [named[key] for key in wanted if key in named]
    before = 0
    for earlier in steps_of(study):
        if earlier.key == step.key:
            break
        taken = earlier.option("items", None)
        if earlier.kind.has_tasks and earlier.kind.pool_of(earlier) == pool and isinstance(taken, int):
            before += taken
    return list(found[before : before + min(wanted or MOST_ITEMS, MOST_ITEMS)])


def drawn_items(study: Study, step: EntryStep, rater: Rater) -> list[Item]:
    """Return the items of a rater's next attempt: all of the step, or a `sample` drawn for this person and attempt.

    Items that the rater has had in an attempt at any step come only when no others are left.
    """
    found, size = items_for(study, step), step.option("sample", None)
    if size is None:
        return found
    earlier = list(StepPassage.objects.filter(rater=rater).values_list("step", "tasks"))
    had = {task[0] for _, tasks in earlier for task in tasks}
    attempt = sum(key == step.key for key, _ in earlier) + 1
    Random(seeded(study, "sample", rater.name, step.key, attempt)).shuffle(found)  # noqa: S311 - no secret
    return sorted(found, key=lambda item: item.pk in had)[:size]


def lacking_items(study: Study) -> dict[str, int]:
    """Return how many items each step with tasks lacks, by its key, in two queries; steps that lack none are absent."""
    steps = [step for step in steps_of(study) if step.kind.has_practice(step)]
    if not steps:
        return {}
    named = {key for step in steps if isinstance(step.option("items", None), list) for key in step.body["items"]}
    there = Item.objects.filter(study=study, withdrawn_at=None)
    pool_of = dict(there.filter(key__in=named).values_list("key", "pool"))
    counted = there.exclude(pool=MAIN).order_by().values_list("pool").annotate(count=Count("pk"))
    left, lacking = dict(counted), {}
    for step in steps:
        pool, wanted = step.kind.pool_of(step), step.option("items", None)
        if isinstance(wanted, list):
            missing = sum(pool_of.get(key) != pool for key in wanted)
        else:
            missing = max(0, (wanted or step.option("sample", 1)) - left.get(pool, 0))
            left[pool] = max(0, left.get(pool, 0) - (wanted or 0))
        if missing:
            lacking[step.key] = missing
    return lacking


def tasks_for(study: Study, step: EntryStep, rater: Rater) -> list[list[Any]]:
    """Return the tasks of an attempt as [item, variant, order of outputs]; both orders are the rater's own.

    The tasks of an item come in a secret order: in that of the file, the first would always show the same system.
    """
    protocol, found = protocols()[study.protocol], []
    for item in drawn_items(study, step, rater):
        keys = list(item.outputs.order_by("position").values_list("key", flat=True))
        plans = protocol.plan(keys, drawn_options(study))
        Random(secretly_seeded(study, "practice", rater.name, item.key)).shuffle(plans)  # noqa: S311 - as below
        for plan in plans:
            own = secretly_seeded(study, "practice", rater.name, item.key, plan.outputs, plan.variant)
            random = Random(own)  # noqa: S311 - seeded with a secret
            order = protocol.orders(len(plan.outputs), 1, random, 0, secretly_seeded(study, "practice", rater.name))[0]
            positions = [keys.index(key) for key in plan.outputs]
            found.append([item.pk, plan.variant, [positions[place] for place in order]])
    return found


def task_at(study: Study, rater: Rater, tasks: Sequence[Sequence[Any]], number: int) -> PracticeTask:
    """Return a task of an attempt by its place."""
    pk, variant, order = tasks[number]
    item = Item.objects.defer(*HIDDEN).get(study=study, pk=pk)
    rows = item.outputs.order_by("position").values_list("pk", "key", "text", "turns")
    outputs = [
        TaskOutputRow(one, key, text, None if turns is None else canonical_json(turns))
        for one, key, text, turns in rows
    ]
    chosen = sorted(order)
    return PracticeTask(
        study, rater, item, variant, tuple(outputs[place] for place in chosen),
        tuple(chosen.index(place) for place in order), tuple(study.questions.order_by("position")),
    )  # fmt: skip


def practice_context(
    task: PracticeTask, addresses: Mapping[str, str], draft: PracticeDraft, key: uuid.UUID, *,
    form: Form | None = None, errors: Mapping[str, str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the context of a task's page with its own `addresses`, and a posted `form` or the draft.

    The browser keeps what it has not saved yet under `key`.
    """
    newest = Guideline.objects.filter(study=task.study).order_by("-number").first()
    assignment = Assignment(
        key=key, rater=task.rater, task=Task(item=task.item, variant=task.variant), order=list(task.order),
        draft=draft.form, draft_version=draft.version,
    )  # fmt: skip
    task.rater.study = task.study
    row = DeskRow(
        assignment=assignment, questions=task.questions, outputs=task.outputs, slot=Slot(), current=None,
        guidelines_version=newest.number if newest else None, guidelines=newest.text if newest else "",
        previous=None, next=None, last=None, newest_batch=None,
    )  # fmt: skip
    context = desk_context(row, form=form, errors=dict(errors or {}), progress=RaterProgress(0, 1, False, None))
    context["desk"]["addresses"] |= addresses
    return context
