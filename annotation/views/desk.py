"""The rater's desk: pages of tasks, drafts, submissions, skips, flags and heartbeats."""

import logging
import uuid
from typing import Any

from django.db import Error as DatabaseFailure
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import assignment_for, desk_row_for, desk_task_for, membership_for
from annotation.desk import drafting, submitting
from annotation.desk.conflicting_drafts import FormTooLargeError
from annotation.desk.next_page import next_page, next_page_after_saving
from annotation.desk.part_tasks import page_before_task
from annotation.desk.posted_answers import (
    RequestInvalidError,
    answers_form,
    read_draft_versions,
    read_effort,
    submission_in,
)
from annotation.desk.skip_reasons import posted_reason
from annotation.desk.statements import DeskRow, TaskRow
from annotation.desk.submitting import Form, KeyReusedError, StaleRevisionError, StudyClosedError, submit_and_claim
from annotation.desk.task_page import desk_context
from annotation.models import Assignment
from annotation.protocols import AnswersInvalidError, protocols
from config.text_validation import TextRefusedError, check_text

logger = logging.getLogger(__name__)
LONGEST_REASON = 5000
PAGE_AT_ONCE = "return=representation"
"""What a script's `Prefer` says (RFC 7240) to get the next page with `Content-Location`, and not its address."""


@require_POST
@signed_in
def next_task(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the next task, or to a page that says why there is none."""
    membership = membership_for(person_of(request), slug, roles=("annotator",))
    return next_page(request, membership.study)


@require_safe
@signed_in
def desk(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """The page of a task that is assigned to this person."""
    row = desk_row_for(person_of(request), key)
    before = page_before_task(row.study, row.rater)
    if before is not None:
        return redirect(before)
    address = protocols()[row.study.protocol].flow.address(row.assignment)
    return _page(request, row) if address == request.path else redirect(address)


def _page(request: HttpRequest, row: DeskRow, status: int = 200, **more: Any) -> HttpResponse:
    conflict = more.pop("conflict", None)
    context = desk_context(row, **more) | {"conflict": conflict}
    return render(request, protocols()[row.study.protocol].template, context, status=status)


def _again(request: HttpRequest, row: TaskRow, status: int, **more: Any) -> HttpResponse:
    """The page as it is now, after a step that was refused."""
    return _page(request, desk_row_for(person_of(request), row.assignment.key), status, **more)


@require_POST
@signed_in
def submit_task(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Save the answer, and redirect to the next task or show it."""
    row = desk_task_for(person_of(request), key)
    form = answers_form(request)
    try:
        following = submit_and_claim(row, submission_in(request.POST, row.study, row.guidelines_version, form))
    except AnswersInvalidError as problem:
        return _again(request, row, 422, form=form, errors=problem.errors)
    except StudyClosedError as problem:
        return _again(request, row, 409, form=form, errors={"": str(problem)})
    except FormTooLargeError as problem:
        return _again(request, row, 413, form=form, errors={"": str(problem)})
    except TextRefusedError as problem:
        return _again(request, row, 422, form=form, errors={"": str(problem)})
    except (StaleRevisionError, KeyReusedError):
        return _stale(request, row, form)
    except RequestInvalidError as problem:
        return HttpResponseBadRequest(str(problem), content_type="text/plain")
    if following is None:
        return next_page_after_saving(request, row.study)
    return _following(request, following)


def _following(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Redirect to the task that was claimed with an answer, or show its page at once to a script that prefers it.

    The answer is saved. If the page cannot be read now, the script follows the redirect and asks for it again.
    """
    address = reverse("annotation:desk", args=[assignment.key])
    if request.headers.get("Prefer") != PAGE_AT_ONCE:
        return redirect(address)
    try:
        response = _page(request, desk_row_for(person_of(request), assignment.key))
    except (DatabaseFailure, Http404):
        logger.exception("The answer was saved, but the page of the next task could not be shown with it.")
        return redirect(address)
    response["Content-Location"] = address
    return response


def _stale(request: HttpRequest, task: TaskRow, form: Form) -> HttpResponse:
    """The page with both versions: the saved answer and the posted one."""
    row = desk_row_for(person_of(request), task.assignment.key)
    protocol, current = protocols()[row.study.protocol], row.current
    saved = protocol.form_of(current.answers, row.questions, row.sheet) if current else {}
    theirs = protocol.fields(saved, row.questions, row.sheet, {})
    return _page(request, row, 409, form=form, conflict={"current": current, "fields": theirs})


@require_POST
@signed_in
def skip_task(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Skip the task, with a reason."""
    row = desk_task_for(person_of(request), key)
    form, reason = answers_form(request), posted_reason(request, row.study)
    try:
        submission = submission_in(request.POST, row.study, row.guidelines_version, form)
        if not reason.strip():
            return _again(
                request, row, 422, form=form, errors={"skip": gettext("Give a reason for skipping this task.")}
            )
        submitting.skip(row.assignment, submission, _checked_reason(reason))
    except StudyClosedError as problem:
        return _again(request, row, 409, form=form, errors={"skip": str(problem)})
    except (StaleRevisionError, KeyReusedError):
        return _stale(request, row, form)
    except TextRefusedError as problem:
        return _again(request, row, 422, form=form, errors={"skip": str(problem)})
    except RequestInvalidError as problem:
        return HttpResponseBadRequest(str(problem), content_type="text/plain")
    return next_page_after_saving(request, row.study)


@require_POST
@signed_in
def flag_task(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Flag a problem with the task to the researchers; the rater stays on it."""
    row = desk_task_for(person_of(request), key)
    try:
        submitting.flag(row.assignment, _checked_reason(request.POST.get("reason", "").strip()))
    except StudyClosedError as problem:
        return _again(request, row, 409, errors={"flag": str(problem)})
    except TextRefusedError as problem:
        return _again(request, row, 422, errors={"flag": str(problem)})
    return redirect("annotation:desk", key=key)


@require_POST
@signed_in
def undo_task(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Withdraw the answer to this task and put it back on the desk as a draft."""
    row = desk_task_for(person_of(request), key)
    try:
        submitting.undo(row.assignment, submission_in(request.POST, row.study, row.guidelines_version, {}))
    except StudyClosedError as problem:
        return _again(request, row, 409, errors={"": str(problem)})
    except (StaleRevisionError, KeyReusedError):
        return _stale(request, row, row.assignment.draft or {})
    except RequestInvalidError as problem:
        return HttpResponseBadRequest(str(problem), content_type="text/plain")
    return redirect("annotation:desk", key=key)


@require_POST
@signed_in
def save_draft(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Save a draft; 409 if another page saved a newer one, 410 if the task was submitted meanwhile."""
    assignment = assignment_for(person_of(request), key)
    try:
        base, revision = read_draft_versions(request)
        version = drafting.save_draft(assignment, answers_form(request), base_version=base, revision=revision)
    except drafting.DraftConflictError as problem:
        theirs = problem.assignment
        return JsonResponse({"version": theirs.draft_version, "draft": theirs.draft or {}}, status=409)
    except drafting.AlreadySubmittedError:
        return JsonResponse({"submitted": True}, status=410)
    except FormTooLargeError as problem:
        return JsonResponse({"error": str(problem)}, status=413)
    except (TextRefusedError, RequestInvalidError) as problem:
        return JsonResponse({"error": str(problem)}, status=400)
    return JsonResponse({"version": version})


@require_POST
@signed_in
def pulse(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Take a heartbeat: renew the lease and add the effort that the page has counted since the last one."""
    assignment = assignment_for(person_of(request), key)
    try:
        slot = drafting.pulse(assignment, read_effort(request, assignment))
    except RequestInvalidError as problem:
        return JsonResponse({"error": str(problem)}, status=400)
    return JsonResponse(
        {
            "lease_until": slot.lease_until if slot else None,
            "status": "surplus" if slot is None else slot.state,
            "study": assignment.rater.study.status,
        }
    )


def _checked_reason(reason: str) -> str:
    if len(reason) > LONGEST_REASON:
        raise TextRefusedError("the reason", f"must have at most {LONGEST_REASON} characters")
    return check_text(reason, "the reason")
