"""An annotator's client: the tasks of the desk for programs, by the same functions, for the token's annotator."""

import uuid
from collections.abc import Mapping
from typing import Any

from rest_framework import exceptions
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import assignment_for, desk_task_for
from annotation.desk import drafting, submitting
from annotation.desk.assigning import BusyError, next_assignment
from annotation.desk.conflicting_drafts import FormTooLargeError
from annotation.desk.posted_answers import RequestInvalidError, submission_in
from annotation.desk.statements import TaskRow, desk_row_of
from annotation.desk.submitting import Effort, KeyReusedError, StaleRevisionError, StudyClosedError, Submission
from annotation.members.membership import rater_for
from annotation.models import Annotation, Assignment, Rater
from annotation.protocols import AnswersInvalidError, protocols
from annotation.studies.queries import unread_notes
from api import access
from api.lists.keyset_pages import CURSOR, LIMIT, START, next_address, page_size, place_in
from api.requests.api_errors import ConflictError, TooLargeError
from api.requests.authentication import caller_of
from api.requests.json_bodies import Sent, sent_as
from api.requests.once_per_key import HEADER, once
from api.requests.parameters import check_parameters
from api.schema import JSON, READING, UPLOADING, operation, parameter
from api.work import work_shapes as shapes
from api.work.work_texts import form_of_fields, task_answer, task_text
from config.text_validation import TextRefusedError

OWN_PAGES = "Tasks of this study are answered on their pages, and not by programs."
NOTES = "Read the notes of the study's researchers on its page first."
NOTHING_OPEN = "Nothing is open for you now."
STEPS_FIRST = "Pass the steps of the study on its page first."
KEY_REUSED = "This client_key was sent with another answer. Use a new key for each answer."
NOT_LIVE = "The study is {}: it gives out no tasks."
SAME_KEY = uuid.UUID("6a1f3c4e-8f54-4d0f-9a51-6c6f7a6d2b10")
"""Names the client keys that are made from idempotency keys."""
ASKING = (400, 401, 403, 404, 409, 411, 413, 415, 422, 429, 503)


class AnswersRefusedError(exceptions.APIException):
    """Answers that do not fit their questions; `more` has a sentence for each question."""

    status_code = 422

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("The answers do not fit their questions.")
        self.more = {"errors": dict(errors)}


class NoTaskYetError(exceptions.APIException):
    status_code = 503
    wait = 2.0
    default_detail = "Other annotators are being given the open tasks. Send the request again."


@operation(
    "claim_task",
    "Claim the next task",
    "The next task, leased from now on, or the one that is held; null with a reason if there is none.",
    shapes.ClaimedSerializer,
    ASKING,
    keyed=True,
    example={"task": shapes.TASK, "detail": ""},
)
def claim_task(request: Request, slug: str) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    study = access.desk_study(caller, slug)
    if protocols()[study.protocol].flow.has_own_pages:
        raise ConflictError(OWN_PAGES)

    def work() -> Response:
        if unread_notes(caller.person).filter(annotation__rater__study=study).exists():
            return Response({"task": None, "detail": NOTES})
        try:
            rater = rater_for(study, caller.person)
            claimed = next_assignment(study, rater)
        except BusyError:
            raise NoTaskYetError from None
        if claimed is None:
            nothing = NOTHING_OPEN if rater.admitted else STEPS_FIRST
            told = nothing if study.is_live else NOT_LIVE.format(study.status)
            return Response({"task": None, "detail": told})
        return Response({"task": task_text(desk_row_of(claimed.pk)), "detail": ""})

    # A claim has transactions of its own; a person who asks again gets the task that they hold.
    return once(request, "", work, together=False)


@operation(
    "list_own_tasks",
    "Own tasks",
    "The annotator's tasks, newest first, each with the state of its answer.",
    shapes.WorkPageSerializer,
    (400, 401, 403, 404, 429, 503),
    parameters=(
        parameter(LIMIT, "The most entries of a page."),
        parameter(CURSOR, "Where the page begins: in `next` of the page before."),
    ),
    example={"work": [shapes.OWN], "next": None},
)
def list_work(request: Request, slug: str) -> Response:
    check_parameters(request, (LIMIT, CURSOR))
    caller = caller_of(request)
    study = access.desk_study(caller, slug)
    after, size = place_in(request), page_size(request)
    rater = Rater.objects.filter(study=study, person=caller.person).first()
    mine = Assignment.objects.filter(rater=rater) if rater else Assignment.objects.none()
    if after != START:
        mine = mine.filter(pk__lt=after[0])
    rows = list(mine.order_by("-pk")[: size + 1])
    place = (rows[size - 1].pk, 0) if len(rows) > size else None
    tasks = [row.task_id for row in rows[:size]]
    given = Annotation.objects.filter(rater=rater, task__in=tasks, is_current=True)
    answers = {one.task_id: one for one in given}
    entries = [task_answer(row, answers.get(row.task_id)) for row in rows[:size]]
    return Response({"work": entries, "next": next_address(request, place)})


@operation(
    "read_own_task",
    "One of the own tasks",
    "A task as its page shows it: outputs by letter, no system's name; and the annotator's own answer or draft.",
    shapes.TaskSerializer,
    (400, 403, *READING),
    example=shapes.TASK,
)
def read_task(request: Request, slug: str, key: uuid.UUID) -> Response:
    check_parameters(request)
    return Response(task_text(desk_row_of(_row(request, slug, key).assignment.pk)))


@operation(
    "submit_answer",
    "Submit an answer",
    "Submits an answer to a task, or a new revision of it.",
    shapes.AnsweredSerializer,
    ASKING,
    sends={JSON: shapes.SubmissionSerializer},
    keyed=True,
    sent=shapes.SUBMISSION,
    example=shapes.OWN,
)
def submit_task(request: Request, slug: str, key: uuid.UUID) -> Response:
    check_parameters(request)
    row = _row(request, slug, key)
    sent = sent_as(request, shapes.SubmissionSerializer)

    def work() -> Response:
        form = form_of_fields(row, sent.data["fields"])
        return _saved(row, lambda: submitting.submit(row.assignment, _submission(request, row, sent, form)))

    # The client key makes a repetition harmless, and a stale answer is kept aside in a transaction of its own.
    return once(request, sent.digest, work, together=False)


@operation(
    "skip_task",
    "Skip a task",
    "Skips a task, with a reason; its place opens to others.",
    shapes.AnsweredSerializer,
    ASKING,
    sends={JSON: shapes.SkipSerializer},
    keyed=True,
    sent={"reason": "The text is in another language.", "revision": 0},
    example={**shapes.OWN, "status": "skipped"},
)
def skip_task(request: Request, slug: str, key: uuid.UUID) -> Response:
    check_parameters(request)
    row = _row(request, slug, key)
    sent = sent_as(request, shapes.SkipSerializer)
    reason = sent.data["reason"]
    if not reason.strip():
        raise ParseError("reason: Give a reason for skipping this task.")

    def work() -> Response:
        return _saved(row, lambda: submitting.skip(row.assignment, _submission(request, row, sent, {}), reason))

    return once(request, sent.digest, work, together=False)


@operation(
    "renew_lease",
    "Renew the lease",
    "Tells that the annotator is at work on the task, and adds the seconds since the last time.",
    shapes.LeaseSerializer,
    UPLOADING,
    sends={JSON: shapes.PulseSerializer},
    keyed=True,
    sent={"visible_seconds": 20},
    example={"place": "held", "lease_until": "2026-11-22T18:30:00Z"},
)
def renew_task(request: Request, slug: str, key: uuid.UUID) -> Response:
    check_parameters(request)
    _row(request, slug, key)
    sent = sent_as(request, shapes.PulseSerializer)

    def work() -> Response:
        assignment = assignment_for(caller_of(request).person, key)
        effort = Effort(sent.data.get("visible_seconds", 0.0), sent.data.get("active_seconds", 0.0))
        slot = drafting.pulse(assignment, effort)
        return Response({"place": "none" if slot is None else slot.state, "lease_until": slot and slot.lease_until})

    return once(request, sent.digest, work)


def _row(request: Request, slug: str, key: uuid.UUID) -> TaskRow:
    """A task of the caller in the study of their token, if it is answered on the desk."""
    caller = caller_of(request)
    study = access.desk_study(caller, slug)
    row = desk_task_for(caller.person, key)
    if row.study.pk != study.pk:
        raise access.Http404(access.NOTHING)
    return row


def _submission(request: Request, row: TaskRow, sent: Sent, form: dict[str, list[str]]) -> Submission:
    data = {name: value for name, value in sent.data.items() if name not in ("fields", "reason")}
    given = request.headers.get(HEADER)
    if given and "client_key" not in data:
        data["client_key"] = uuid.uuid5(SAME_KEY, f"{row.assignment.key} {given}")
    try:
        return submission_in(data, row.study, row.guidelines_version, form)
    except RequestInvalidError as problem:
        raise ParseError(str(problem)) from None


def _saved(row: TaskRow, save: Any) -> Response:
    """The state of an answer that `save` writes; what the desk refuses is refused here, too."""
    try:
        annotation: Annotation = save()
    except AnswersInvalidError as problem:
        raise AnswersRefusedError(problem.errors) from None
    except TextRefusedError as problem:
        raise AnswersRefusedError({"": str(problem)}) from None
    except FormTooLargeError as problem:
        raise TooLargeError(str(problem)) from None
    except StudyClosedError as problem:
        raise ConflictError(str(problem)) from None
    except KeyReusedError:
        raise ConflictError(KEY_REUSED) from None
    except StaleRevisionError as problem:
        raise ConflictError(str(problem), task=task_text(desk_row_of(row.assignment.pk))) from None
    return Response(task_answer(Assignment.objects.get(pk=row.assignment.pk), annotation))
