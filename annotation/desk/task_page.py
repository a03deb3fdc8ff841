"""The data of a rater's page. Outputs are named by letter; no system is named and no reference is shown."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.urls import get_script_prefix, reverse
from django.utils.crypto import salted_hmac
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import get_language_info

from annotation.answers import Sheet, ShownOutput
from annotation.conversations import ShownTurn, places_in, shown_turns
from annotation.desk.assigning import tasks_of
from annotation.desk.highlighting import words_payload
from annotation.desk.statements import DeskRow, count_tasks
from annotation.desk.submitting import Form
from annotation.formatting.markdown_text import clean
from annotation.models import Annotation, Assignment, Item, Rater
from annotation.protocols import protocols
from annotation.questions import question_types
from annotation.studies.guideline_text import render, sections_on
from annotation.text_formats import MARKDOWN, OPTION, PLAIN
from config.parts import parts, parts_of

NO_TASK = uuid.UUID(int=0)
OF_TASKS = ("desk", "save_draft", "pulse", "submit_task", "flag_task", "skip_task")


def task_address(name: str, key: uuid.UUID) -> str:
    """The address `annotation:NAME` of the assignment with this key."""
    return _of_study(get_script_prefix(), f"annotation:{name}", NO_TASK).replace(str(NO_TASK), str(key))


def page_addresses(slug: str, key: uuid.UUID) -> dict[str, str]:
    """All addresses on the page of a task of the study `slug`, by their names."""
    prefix = get_script_prefix()
    return {
        "home": _of_study(prefix, "annotation:home"),
        "sign_in": _of_study(prefix, "accounts:sign_in"),
        "keys": _of_study(prefix, "accounts:keys"),
        "preferences": _of_study(prefix, "accounts:preferences"),
        "guidelines": _of_study(prefix, "annotation:guidelines", slug),
        **{name: task_address(name, key) for name in OF_TASKS},
    }


@dataclass(frozen=True)
class TaskLink:
    """A link to a page about a task: its route takes the study's slug and the key of the assignment.

    It has a sign and, where there is room, a word; `label` says it all.
    """

    key: str
    route: str
    sign: str
    word: str | Promise
    label: str | Promise


def task_links(slug: str, key: uuid.UUID) -> list[tuple[TaskLink, str]]:
    """The links of all apps on the page of a task, with their addresses."""
    prefix = get_script_prefix()
    return [
        (link, _of_study(prefix, link.route, slug, NO_TASK).replace(str(NO_TASK), str(key)))
        for part in parts() for link in part.task_links
    ]  # fmt: skip


@lru_cache(maxsize=256)
def _of_study(prefix: str, name: str, *args: uuid.UUID | str) -> str:
    """An address below `prefix`, which `reverse` takes from the thread."""
    return reverse(name, args=args)


MOST_FORMATTED = 200_000
"""Characters of the longest Markdown that is formatted; longer texts are shown as they are."""


def shown_text(text: str, turns: Sequence[Sequence[Any]] | None, text_format: str) -> dict[str, Any]:
    """The context in which a template shows `text`: its turns, and for Markdown its formatted parts."""
    pieces = shown_turns(text, turns)
    return {"text": text, "turns": pieces, "formatted": _formatted(text, pieces) if text_format == MARKDOWN else None}


def _formatted(text: str, turns: list[ShownTurn]) -> list[tuple[str, SafeString]] | None:
    """[(role, HTML)] of the turns, or one part without a role; None if the text is too long to be formatted."""
    if len(text) > MOST_FORMATTED:
        return None
    return [(turn.role, _html(turn.said)) for turn in turns] or [("", _html(text))]


@lru_cache(maxsize=32)
def _html(text: str) -> SafeString:
    # Without links: a text is judged, and following an address in it would tell its host about the reader.
    return clean(render(text))


def last_answer(rater: Rater) -> dict[str, Any] | None:
    """The rater's last submitted or skipped task, if it can be undone: address, revision, status and time."""
    mine = Annotation.objects.filter(rater=rater, is_current=True, status__in=Annotation.ANSWERED)
    last = mine.order_by("-pk").first()
    if last is None:
        return None
    given = Assignment.objects.select_related("rater__study", "task")
    before = given.filter(rater=rater, task=last.task_id).first()
    if before is None:  # the answer was imported: it was never given out here, so there is no page to undo it on
        return None
    if protocols()[before.rater.study.protocol].flow.own_page(before) is not None:
        return None  # it is taken back on its own page
    return _undoable(before.key, last.revision, last.status, last.submitted_at)


def _undoable(key: UUID, revision: int, status: str, at: datetime | None) -> dict[str, Any]:
    undo = task_address("undo_task", key)
    return {"undo_url": undo, "revision": revision, "status": status, "submitted_at": at}


def undo_context(row: DeskRow) -> dict[str, Any]:
    """What the page of a task says about undoing: the `last` answer to another one, and what was `undone` here."""
    last = None if row.last is None or _has_own_page(row, row.last.key) else _undoable(*row.last)
    return {"last": last, "undone": _undone(row.current)}


def _has_own_page(row: DeskRow, key: UUID) -> bool:
    flow = protocols()[row.study.protocol].flow
    if not flow.has_own_pages:
        return False
    before = Assignment.objects.select_related("rater__study", "task").get(key=key)
    return flow.own_page(before) is not None


def _undone(current: Annotation | None) -> str:
    """The status of the revision that the current one withdraws: `submitted`, `skipped`, or empty."""
    if current is None or current.status != "withdrawn":
        return ""
    same = Annotation.objects.filter(task=current.task_id, rater=current.rater_id, revision=current.revision - 1)
    return same.filter(status__in=Annotation.ANSWERED).values_list("status", flat=True).first() or ""


MOST_COUNTED = 200
RECENT = 10
CHECKLIST, EXAMPLE = "checklist", "example"
"""First words of the headings of guidelines that a page may show beside the task."""


@dataclass(frozen=True)
class RaterProgress:
    """A rater's tasks: answered, left (`more`: at least as many), and the seconds that those left may take.

    A skipped task is neither.
    """

    done: int
    left: int
    more: bool
    seconds_left: float | None


def progress_of(row: DeskRow) -> RaterProgress:
    """A rater's progress. Counting stops at a few hundred tasks, so that it costs the same in any study."""
    if not protocols()[row.study.protocol].flow.offers_every_task:
        return RaterProgress(*tasks_of(row.study, row.rater), False, None)
    counted = count_tasks(row.study, row.rater, row.last_place, MOST_COUNTED, RECENT)
    search = parts_of(row.study).search
    if search is not None:
        ahead, more = search.ahead(row.study, row.rater, MOST_COUNTED)
        counted = counted._replace(ahead=ahead, more=more)
    left = counted.held + counted.ahead
    return RaterProgress(counted.done, left, counted.more, counted.pace * left if counted.pace else None)


def person_tag(person_id: int | None) -> str:
    """An opaque name under which a browser keeps this person's drafts apart from other people's."""
    return salted_hmac("annotation.desk", str(person_id)).hexdigest()[:16]


@lru_cache(maxsize=64)
def text_direction(language: str) -> str:
    """`rtl` or `ltr` for a BCP 47 tag."""
    try:
        return "rtl" if get_language_info(language.lower())["bidi"] else "ltr"
    except KeyError:
        return "ltr"


def same_as(output: ShownOutput, sheet: Sheet) -> list[str]:
    """The letters of the other outputs with the same text."""
    return [other.letter for other in sheet.outputs if other.text == output.text and other != output]


def _texts(item: Item, sheet: Sheet, text_format: str) -> dict[str, Any]:
    """The part of the context about the document, the instruction and the outputs."""
    return {
        "text_format": text_format,
        "document": item.document,
        "document_shown": shown_text(item.document, item.document_turns, text_format),
        "instruction": item.instruction,
        "outputs": [_shown(output, sheet, text_format) for output in sheet.outputs],
        "output_texts": [{"letter": output.letter, "text": output.text} for output in sheet.outputs],
    }


def _shown(output: ShownOutput, sheet: Sheet, text_format: str) -> dict[str, Any]:
    """The context in which a template shows an output."""
    about = {"letter": output.letter, "same_as": same_as(output, sheet)}
    return {**about, **shown_text(output.text, places_in(output.turns), text_format)}


class WithoutBlanks(json.JSONEncoder):
    """Writes JSON in as few characters as it needs."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**{**more, "separators": (",", ":")})


def _words(item: Item, sheet: Sheet, language: str) -> SafeString:
    """The element with the words of the texts."""
    words = words_payload(item.document, "\n".join(output.text for output in sheet.outputs), language)
    return json_script(words, "words", WithoutBlanks)


def _address(key: uuid.UUID | None) -> str | None:
    """The address of a task on the desk, which redirects if the task has a page of its own."""
    return task_address("desk", key) if key else None


def _fixed_for(row: DeskRow) -> tuple[Any, ...] | None:
    """What the fixed parts of a page follow from, apart from the person's own settings; None for a preview."""
    study = row.study
    if not row.questions_text:
        return None
    return (
        study.protocol,
        row.questions_text,
        row.guidelines_version,
        study.language,
        study.options.get(OPTION, PLAIN),
    )


def _empty_form_for(row: DeskRow, form: Form, errors: Mapping[str, str] | None) -> tuple[Any, ...] | None:
    """What a form without answers follows from, apart from the person's own settings; None for any other form."""
    if form or errors or any(question_types()[question.type].shows_texts for question in row.questions):
        return None
    fixed = _fixed_for(row)
    return fixed and (*fixed, len(row.outputs))


def desk_context(
    row: DeskRow, *, form: Form | None = None, errors: dict[str, str] | None = None,
    progress: RaterProgress | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The context of a page: with a posted `form`, the draft or the saved answer; `progress` if it has no rater."""
    assignment, study, current, sheet = row.assignment, row.study, row.current, row.sheet
    protocol, item = protocols()[study.protocol], row.assignment.task.item
    if form is None:
        form = assignment.draft
    if form is None:
        form = protocol.form_of(current.answers, row.questions, sheet) if current else {}
    return {
        "study": study,
        "assignment": assignment,
        "desk": {
            **protocol.flow.page_context(assignment),
            "addresses": page_addresses(study.slug, assignment.key),
            **_texts(item, sheet, study.options.get(OPTION, PLAIN)),
            "fields": SimpleLazyObject(lambda: protocol.fields(form, row.questions, sheet, errors or {})),
            "fixed_for": _fixed_for(row),
            "empty_form_for": _empty_form_for(row, form, errors),
            "errors": errors or {},
            "progress": progress or progress_of(row),
            "previous_url": _address(row.previous),
            "next_url": _address(row.next),
            **undo_context(row),
            "submitted": current,
            "is_answered": current is not None and current.status in Annotation.ANSWERED,
            "flag": assignment.flag,
            "reason": (form.get("reason") or [""])[-1],
            "holds_slot": row.slot is not None,
            "lease_until": row.slot.lease_until if row.slot else None,
            "draft_version": assignment.draft_version,
            "revision": current.revision if current else 0,
            "client_key": uuid.uuid4(),
            "guidelines_version": row.guidelines_version,
            "checklist": sections_on(row.guidelines, CHECKLIST),
            "examples": sections_on(row.guidelines, EXAMPLE),
            "language": study.language,
            "person_tag": person_tag(row.rater.person_id),
            "direction": text_direction(study.language),
            "words": _words(item, sheet, study.language),
        },
    }
