"""The page on which raters would answer, made from an unsaved body of a study. Nothing is written."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from annotation.desk.statements import DeskRow, TaskOutputRow
from annotation.desk.task_page import RaterProgress, desk_context
from annotation.models import Assignment, Item, Question, Rater, Slot, Study, Task
from annotation.pools import main_items
from annotation.protocols import TaskPlan, protocols
from annotation.studies.guideline_text import render
from config.model_fields import canonical_json
from files.reading.study_file import MOST_RATERS, readable_options, readable_questions
from managing.building.sample_item import sample_item, sample_outputs

NO_TASK = uuid.UUID(int=0)


@dataclass(frozen=True)
class DeskPreview:
    """The template and the context of a page that raters would see; `left_out` counts questions with problems."""

    template: str
    context: dict[str, Any]
    is_sample: bool
    left_out: int


def desk_preview(study: Study, body: Mapping[str, Any]) -> DeskPreview:
    """The page of the study's first item, or of a sample item if the study has none."""
    protocol = protocols()[study.protocol]
    questions, problems = readable_questions(body.get("questions"), protocol)
    drafted = _drafted(study, body, questions)
    item = main_items(study).order_by("key").first()  # the index of keys finds one without reading the others
    outputs = [] if item is None else _outputs_of(item)
    is_sample = item is None or (protocol.files.needs_outputs and not outputs)
    if item is None or is_sample:
        item, outputs = sample_item(item, drafted), sample_outputs() if protocol.files.needs_outputs else []
    own = protocol.flow.preview(drafted, item, questions)
    template, context = own or (protocol.template, _desk(drafted, item, outputs, questions, body))
    return DeskPreview(
        template,
        {**context, "is_preview": True, "preview_guidelines": render(_text(body.get("guidelines")))},
        is_sample,
        len(problems),
    )


def _outputs_of(item: Item) -> list[TaskOutputRow]:
    rows = item.outputs.order_by("position").values_list("pk", "key", "text", "turns")
    return [
        TaskOutputRow(pk, key, text, None if turns is None else canonical_json(turns)) for pk, key, text, turns in rows
    ]


def _drafted(study: Study, body: Mapping[str, Any], questions: list[Question]) -> Study:
    """The study as the body describes it, live and not saved."""
    protocol, redundancy = protocols()[study.protocol], body.get("redundancy")
    return Study(
        pk=study.pk, slug=study.slug, protocol=study.protocol, status=Study.Status.LIVE,
        redundancy=redundancy if type(redundancy) is int and 1 <= redundancy <= MOST_RATERS else 1,
        options=readable_options(body.get("options"), questions, protocol),
        **{name: _text(body.get(name)) for name in ("title", "contact")}, language=_text(body.get("language")) or "en",
    )  # fmt: skip


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _desk(
    study: Study, item: Item, outputs: list[TaskOutputRow], questions: list[Question], body: Mapping[str, Any]
) -> dict[str, Any]:
    protocol = protocols()[study.protocol]
    by_key = {output.key: output for output in outputs}
    plans = protocol.plan(list(by_key), study.options) or protocol.plan(list(by_key), {})
    plan = plans[0] if plans else TaskPlan(tuple(by_key))
    seed = study.options.get("seed", 0)
    orders = protocol.orders(len(plan.outputs), study.redundancy, Random(seed), seed=seed)  # noqa: S311 - no secret
    task = Task(item=item, variant=plan.variant)
    assignment = Assignment(key=NO_TASK, rater=Rater(study=study), task=task, order=orders[0])
    row = DeskRow(
        assignment=assignment, questions=tuple(questions), outputs=tuple(by_key[key] for key in plan.outputs),
        slot=Slot(), current=None, guidelines_version=None, guidelines=_text(body.get("guidelines")), previous=None,
        next=None, last=None, newest_batch=None,
    )  # fmt: skip
    return desk_context(row, progress=RaterProgress(0, len(plans), False, None))
