"""The list of a rater's own answers in a study: searched, filtered, and each a way back to its task.

It reads what the rater has seen and written. Values that name outputs are neither shown nor searched, because the keys
of outputs name systems.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Left
from django.utils.translation import gettext_noop

from annotation.models import Annotation, Assignment, FlagAnswer, Question, Rater, Rating, TaskOutput
from annotation.protocols import protocols
from annotation.questions import question_types
from config.model_fields import canonical_json

PAGE_SIZE = 25
EXCERPT = 240
FILTERS = {
    "": gettext_noop("All"), "skipped": gettext_noop("Skipped"), "flagged": gettext_noop("Flagged"),
    "answers": gettext_noop("Answers to flags"), "drafted": gettext_noop("Not submitted"),
    "changed": gettext_noop("Older guidelines"),
}  # fmt: skip


@dataclass(frozen=True)
class MyAnswer:
    """One task in the list: what it shows, and what the rater has said about it."""

    assignment: Assignment
    title: str
    texts: Sequence[str]
    current: Annotation | None
    words: Sequence[tuple[str, str]]
    is_older: bool
    """Whether it was given under an earlier version of the guidelines than the newest."""
    flag_answer: FlagAnswer | None = None
    """What the researchers answered to the flag, or to an earlier one."""

    @property
    def is_drafted(self) -> bool:
        return bool(self.assignment.draft)

    @property
    def at(self) -> datetime | None:
        return self.current.submitted_at if self.current else None


def answers_of(rater: Rater, kind: str, words: str, newest: int | None) -> QuerySet[Assignment]:
    """Return the tasks that `rater` has answered, drafted or flagged, the latest first.

    `kind` is a key of FILTERS, `words` a text to find in what the rater read or wrote, and `newest` the number of the
    newest guidelines.
    """
    current = Annotation.objects.filter(task=OuterRef("task"), rater=OuterRef("rater"), is_current=True)
    drafted = Q(draft__isnull=False) & ~Q(draft={})
    mine = Assignment.objects.filter(rater=rater)
    match kind:
        case "skipped":
            mine = mine.filter(Exists(current.filter(status="skipped")))
        case "flagged":
            mine = mine.exclude(flag="")
        case "answers":
            mine = mine.filter(Exists(FlagAnswer.objects.filter(rater=rater, task=OuterRef("task"))))
        case "drafted":
            mine = mine.filter(drafted)
        case "changed":
            mine = mine.filter(Exists(current.filter(status="submitted", guidelines_version__lt=newest or 0)))
        case _:
            mine = mine.filter(Exists(current) | drafted | ~Q(flag=""))
    if words:
        mine = mine.filter(_contains(words, current))
    return mine.order_by("-pk")


def _contains(words: str, current: QuerySet[Annotation]) -> Q:
    """The condition that the texts of a task, or what the rater wrote about it, contain `words`."""
    in_json = canonical_json(words)[1:-1]
    of_task = {"annotation__task": OuterRef("task"), "annotation__rater": OuterRef("rater"), "is_current": True}
    written = Rating.objects.filter(level=Rating.Level.TEXT, value__icontains=in_json, **of_task)
    outputs = TaskOutput.objects.filter(task=OuterRef("task"), output__text__icontains=words)
    item = Q(task__item__instruction__icontains=words) | Q(task__item__document__icontains=words)
    return (
        item | Q(task__item__content__icontains=in_json) | Q(flag__icontains=words) | Q(draft__icontains=in_json)
        | Q(Exists(current.filter(reason__icontains=words))) | Q(Exists(written)) | Q(Exists(outputs))
    )  # fmt: skip


def page_of(
    rater: Rater, mine: QuerySet[Assignment], number: str | None, newest: int | None
) -> tuple[Any, list[MyAnswer]]:
    """Return a page of `mine`, and its rows; the number of queries is the same for any length."""
    rows = mine.annotate(
        item=F("task__item"),
        instruction=Left("task__item__instruction", EXCERPT),
        document=Left("task__item__document", EXCERPT),
    )
    page: Page[Any] = Paginator(rows, PAGE_SIZE).get_page(number)
    shown = list(page)
    tasks = [row.task_id for row in shown]
    given = Annotation.objects.filter(rater=rater, task__in=tasks, is_current=True)
    current = {annotation.task_id: annotation for annotation in given}
    replied = {one.task_id: one for one in FlagAnswer.objects.filter(rater=rater, task__in=tasks, is_current=True)}
    questions = list(rater.study.questions.order_by("position"))
    titles = protocols()[rater.study.protocol].flow.titles({row.item for row in shown})
    outputs = _only_outputs(tasks)
    return page, [
        _answer(
            row,
            current.get(row.task_id),
            titles.get(row.item, ""),
            outputs.get(row.task_id, ""),
            questions,
            newest,
            replied.get(row.task_id),
        )
        for row in shown
    ]


def _only_outputs(tasks: list[int]) -> dict[int, str]:
    """The beginning of the output of each task that shows a single one."""
    found: dict[int, list[str]] = {}
    rows = TaskOutput.objects.filter(task__in=tasks).order_by("position")
    for task, text in rows.values_list("task", Left("output__text", EXCERPT)):
        found.setdefault(task, []).append(text)
    return {task: texts[0] for task, texts in found.items() if len(texts) == 1}


def _answer(
    row: Any,
    current: Annotation | None,
    title: str,
    output: str,
    questions: Sequence[Question],
    newest: int | None,
    replied: FlagAnswer | None,
) -> MyAnswer:
    first, *more = [text for text in (title, row.instruction, row.document, output) if text] or [""]
    is_submitted = current is not None and current.status == "submitted"
    version = current.guidelines_version if current else None
    is_older = is_submitted and version is not None and newest is not None and version < newest
    words = _in_words(current.answers, questions) if current and is_submitted else []
    return MyAnswer(row, first, more, current, words, is_older, replied)


def _in_words(answers: Any, questions: Sequence[Question]) -> list[tuple[str, str]]:
    """The questions and the values that can be said in words."""
    given = [(question, answers.get(question.key)) for question in questions]
    said = [
        (question.text or question.key, question_types()[question.type].in_words(value, question.spec))
        for question, value in given
        if value is not None
    ]
    return [(text, value) for text, value in said if value]
