"""The rater's desk: what opens a task, saves it, and sends it in."""

import json
import math
import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation import drafting, submitting
from annotation.access import assignment_for, desk_assignment_for, membership_for
from annotation.assigning import BusyError, next_assignment
from annotation.desk import desk_context
from annotation.membership import rater_for
from annotation.models import Annotation, Assignment, Study
from annotation.protocols import AnswersInvalidError, protocols
from annotation.queries import unread_notes
from annotation.submitting import (
    Effort,
    Form,
    KeyReusedError,
    StaleRevisionError,
    StudyClosedError,
    Submission,
)
from annotation.text import TextRefusedError, check_text

LONGEST_REASON = 5000
MOST_USES = 100_000


class RequestInvalidError(ValueError):
    """A field that only our own page fills, filled with something else."""


@require_POST
@signed_in
def next_task(request: HttpRequest, slug: str) -> HttpResponse:
    """Give the next task, or go home where the state of the study is said."""
    membership = membership_for(person_of(request), slug, roles=("annotator",))
    return go_on(request, membership.study)


def go_on(request: HttpRequest, study: Study) -> HttpResponse:
    """To the notes that are to be read first, to what has to be said first, or to the next task."""
    person = person_of(request)
    if unread_notes(person).filter(annotation__rater__study=study).exists():
        return redirect("annotation:notes", slug=study.slug)
    rater = rater_for(study, person)
    first = protocols()[study.protocol].before(rater) if study.is_live else None
    if first is not None:
        return redirect(first)
    try:
        assignment = next_assignment(study, rater)
    except BusyError:
        response = render(request, "annotation/busy.html", {"study": study}, status=503)
        response["Retry-After"] = "2"
        return response
    if assignment is None:
        return redirect("annotation:home")
    return redirect(protocols()[study.protocol].address(assignment))


@require_safe
@signed_in
def desk(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """The page of a task that this person was given."""
    assignment = assignment_for(person_of(request), key)
    address = protocols()[assignment.rater.study.protocol].address(assignment)
    return _page(request, assignment) if address == request.path else redirect(address)


def _page(request: HttpRequest, assignment: Assignment, status: int = 200, **more: Any) -> HttpResponse:
    conflict = more.pop("conflict", None)
    context = desk_context(assignment, **more) | {"conflict": conflict}
    return render(request, protocols()[assignment.rater.study.protocol].template, context, status=status)


@require_POST
@signed_in
def submit_task(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Keep the answer and go on to the next task."""
    assignment = desk_assignment_for(person_of(request), key)
    form = answers_form(request)
    try:
        submitting.submit(assignment, read_submission(request, assignment, form))
    except AnswersInvalidError as problem:
        return _page(request, assignment, 422, form=form, errors=problem.errors)
    except StudyClosedError as problem:
        return _page(request, assignment, 409, form=form, errors={"": str(problem)})
    except TextRefusedError as problem:
        return _page(request, assignment, 422, form=form, errors={"": str(problem)})
    except StaleRevisionError as problem:
        return _stale(request, assignment, form, problem.current)
    except KeyReusedError:
        return _stale(request, assignment, form, submitting.current_annotation(assignment))
    except RequestInvalidError as problem:
        return HttpResponseBadRequest(str(problem), content_type="text/plain")
    return go_on(request, assignment.rater.study)


def _stale(request: HttpRequest, assignment: Assignment, form: Form, current: Annotation | None) -> HttpResponse:
    """The page with both versions: what stands, and what was just sent."""
    study = assignment.rater.study
    questions = list(study.questions.order_by("position"))
    protocol = protocols()[study.protocol]
    sheet = submitting.sheet_of(assignment)
    saved = protocol.form_of(current.answers, questions, sheet) if current else {}
    theirs = protocol.fields(saved, questions, sheet, {})
    return _page(request, assignment, 409, form=form, conflict={"current": current, "fields": theirs})


@require_POST
@signed_in
def skip_task(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Pass the task on to somebody else, with a reason."""
    assignment = desk_assignment_for(person_of(request), key)
    form, reason = answers_form(request), request.POST.get("reason", "")
    try:
        submission = read_submission(request, assignment, form)
        if not reason.strip():
            return _page(request, assignment, 422, form=form, errors={"skip": "Say in a few words why you skip it."})
        submitting.skip(assignment, submission, _checked_reason(reason))
    except StudyClosedError as problem:
        return _page(request, assignment, 409, form=form, errors={"skip": str(problem)})
    except (StaleRevisionError, KeyReusedError):
        return _stale(request, assignment, form, submitting.current_annotation(assignment))
    except TextRefusedError as problem:
        return _page(request, assignment, 422, form=form, errors={"skip": str(problem)})
    except RequestInvalidError as problem:
        return HttpResponseBadRequest(str(problem), content_type="text/plain")
    return go_on(request, assignment.rater.study)


@require_POST
@signed_in
def flag_task(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Tell the researchers that something is wrong with the task; the rater stays on it."""
    assignment = desk_assignment_for(person_of(request), key)
    try:
        submitting.flag(assignment, _checked_reason(request.POST.get("reason", "").strip()))
    except StudyClosedError as problem:
        return _page(request, assignment, 409, errors={"flag": str(problem)})
    except TextRefusedError as problem:
        return _page(request, assignment, 422, errors={"flag": str(problem)})
    return redirect("annotation:desk", key=key)


@require_POST
@signed_in
def undo_task(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Withdraw the last answer to this task and open it again as it was typed."""
    assignment = desk_assignment_for(person_of(request), key)
    try:
        submitting.undo(assignment, read_submission(request, assignment, {}))
    except StudyClosedError as problem:
        return _page(request, assignment, 409, errors={"": str(problem)})
    except (StaleRevisionError, KeyReusedError):
        return _stale(request, assignment, assignment.draft or {}, submitting.current_annotation(assignment))
    except RequestInvalidError as problem:
        return HttpResponseBadRequest(str(problem), content_type="text/plain")
    return redirect("annotation:desk", key=key)


@require_POST
@signed_in
def save_draft(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Keep what is typed; 409 where another page saved since, 410 where the task was submitted since."""
    assignment = assignment_for(person_of(request), key)
    try:
        base, revision = _whole(request, "draft_version"), _whole(request, "revision")
        version = drafting.save_draft(assignment, answers_form(request), base_version=base, revision=revision)
    except drafting.DraftConflictError as problem:
        theirs = problem.assignment
        return JsonResponse({"version": theirs.draft_version, "draft": theirs.draft or {}}, status=409)
    except drafting.AlreadySubmittedError:
        return JsonResponse({"submitted": True}, status=410)
    except (TextRefusedError, RequestInvalidError) as problem:
        return JsonResponse({"error": str(problem)}, status=400)
    return JsonResponse({"version": version})


@require_POST
@signed_in
def pulse(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """A sign of life: renews the lease, adds the seconds and uses counted since the last answered one."""
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


def answers_form(request: HttpRequest) -> Form:
    """The fields of the form that answer questions, as lists of raw strings."""
    return {name: [str(v) for v in request.POST.getlist(name)] for name in request.POST if name.startswith("q-")}


def read_submission(request: HttpRequest, assignment: Assignment, form: Form) -> Submission:
    """What the page sent beside the answers; raises RequestInvalidError."""
    version = request.POST.get("guidelines_version", "")
    client_key = request.POST.get("client_key", "")
    try:
        key = uuid.UUID(client_key) if client_key else None
    except ValueError:
        raise RequestInvalidError("client_key is not a UUID.") from None
    numbers = list(assignment.rater.study.guidelines.order_by("number").values_list("number", flat=True))
    number = _whole(request, "guidelines_version") if version else None
    if number is not None and number not in numbers:
        raise RequestInvalidError("guidelines_version names no version of this study.")
    if number is None and numbers:
        number = numbers[-1]  # the version in force: whoever sends none works by what a page would show
    return Submission(
        form=form,
        revision=_whole(request, "revision"),
        guidelines_version=number,
        client_key=key,
        effort=read_effort(request, assignment),
    )


def read_effort(request: HttpRequest, assignment: Assignment) -> Effort:
    """The seconds and uses of aids that the page counted since it last reported; raises RequestInvalidError."""
    try:
        use = json.loads(request.POST.get("tool_use") or "{}")
    except (ValueError, RecursionError):
        raise RequestInvalidError("tool_use is not JSON.") from None
    aids = protocols()[assignment.rater.study.protocol].reading_aids
    fits = isinstance(use, dict) and use.keys() <= aids
    if not fits or not all(type(count) is int and 0 <= count <= MOST_USES for count in use.values()):
        raise RequestInvalidError("tool_use must give a count for each reading aid.")
    return Effort(_seconds(request, "visible_seconds"), _seconds(request, "active_seconds"), use)


def _seconds(request: HttpRequest, name: str) -> float:
    try:
        seconds = float(request.POST.get(name) or 0)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < 10**9:
        raise RequestInvalidError(f"{name} must be a number of seconds.")
    return seconds


def _whole(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name) or "0"
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise RequestInvalidError(f"{name} must be a whole number.")
    return int(text)


def _checked_reason(reason: str) -> str:
    if len(reason) > LONGEST_REASON:
        raise TextRefusedError("the reason", f"must have at most {LONGEST_REASON} characters")
    return check_text(reason, "the reason")
