"""How a synthetic rater walks the steps before the first task: by the pages that people open, one press per call."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from django.urls import reverse

from annotation.models import Item, Rater
from config.database_clock import database_now
from recruiting.dry_runs.synthetic_answers import SyntheticRater
from recruiting.dry_runs.synthetic_practice import practice_form
from recruiting.models import PracticeAnswer, StepPassage
from recruiting.way_in.practice_tasks import task_at
from recruiting.way_in.steps_taken import Way, unread_answer, way_of


def walk_on(
    row: Rater, rater: SyntheticRater, get: Callable[[str], None], post: Callable[[str, Mapping[str, Any]], object]
) -> bool:
    """Take the next step, or answer its next practice task; False if they may have tasks, or have to wait.

    Where they are is read from the database, so a worker that goes on after a kill repeats nothing.
    """
    way, slug = way_of(row.study, row, database_now()), row.study.slug
    step = way.step
    if step is None or way.halt is not None or step.kind.admits(step, way.passages):
        return False
    passage = way.passage
    if passage is not None and step.kind.has_practice(step):
        _practise(way, passage, rater, get, post)
        return True
    random = Random(f"{rater.seed} {rater.name} step {step.key}")  # noqa: S311 - reproducible, not secret
    address = reverse("recruiting:way_in", args=[slug])
    get(address)
    post(address, {"step": step.key, **step.kind.synthetic_form(step, rater.accuracy, random)})
    return True


def _practise(
    way: Way, passage: StepPassage, rater: SyntheticRater, get: Callable[[str], None],
    post: Callable[[str, Mapping[str, Any]], object],
) -> None:  # fmt: skip
    """Answer the next task of an attempt, or read the right answer to the last one."""
    slug, unread = way.study.slug, unread_answer(passage, way.step) if way.step else None
    if unread is not None:
        page = reverse("recruiting:why", args=[slug, unread.number + 1])
        get(page)
        post(page, {})
        return
    number = PracticeAnswer.objects.filter(passage=passage).count()
    page = reverse("recruiting:practice", args=[slug])
    get(page)
    task = task_at(way.study, way.rater, passage.tasks, number)
    form = practice_form(task, Item.objects.get(pk=task.item.pk), rater, passage.attempt)
    post(page, {"number": str(number), **form})
