"""The page on which a person has a model write and revise an answer, and the steps that it sends."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.models import Assignment
from annotation.protocols import AnswersInvalidError
from annotation.submitting import Form, KeyReusedError, StaleRevisionError, StudyClosedError
from annotation.text import TextRefusedError
from annotation.views.desk import RequestInvalidError, answers_form, read_submission
from sessions import revising
from sessions.access import session_for
from sessions.models import RevisionSession
from sessions.revising import Instruction, StepRefusedError, TurnConflictError
from sessions.showing import EDIT, INSTRUCTION, KIND, OWN_FIELDS, SessionPage, writing_of

LABELS = {INSTRUCTION: "Instruction", KIND: "What it asks for", EDIT: "Edited answer"}


@require_safe
@signed_in
def session(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """The page of a session: its one step that is due, and everything to read for it."""
    assignment, found = session_for(person_of(request), key)
    return _page(request, SessionPage(assignment, found, request.GET.dict()))


def _page(request: HttpRequest, page: SessionPage, status: int = 200, **more: object) -> HttpResponse:
    template = "sessions/over.html" if page.due == "over" and status == 200 else "sessions/session.html"
    context = {"page": page, "study": page.study, "assignment": page.assignment, **more}
    return render(request, template, context, status=status)


@require_safe
@signed_in
def writing(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """How far the answer is that is being written: what the page asks for every second."""
    _, found = session_for(person_of(request), key)
    turn = found.turns.filter(discarded=False).order_by("-number").first()
    if turn is None:
        return HttpResponse(status=204)
    context = {"study": found.study, "writing": writing_of(found, turn)}
    return render(request, "sessions/_writing.html", context)


@require_POST
@signed_in
def step(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Take the step that the page sends; sent again, as after a lost answer, it changes nothing."""
    assignment, found = session_for(person_of(request), key)
    form = answers_form(request)
    take = STEPS.get(request.POST.get("step", ""))
    if take is None:
        return HttpResponseBadRequest("step names no step of a session.", content_type="text/plain")
    try:
        take(request, assignment, found, form)
    except RequestInvalidError as problem:
        return HttpResponseBadRequest(str(problem), content_type="text/plain")
    except AnswersInvalidError as problem:
        return _again(request, key, form, 422, problem.errors)
    except StepInvalidError as problem:
        return _again(request, key, form, 422, problem.errors)
    except TextRefusedError as problem:
        return _again(request, key, form, 422, {"general": str(problem)})
    except StudyClosedError as problem:
        return _again(request, key, form, 409, {"general": str(problem)})
    except (StepRefusedError, TurnConflictError, StaleRevisionError, KeyReusedError) as problem:
        return _conflict(request, key, form, str(problem))
    return redirect("revision_sessions:session", key=key)


class StepInvalidError(ValueError):
    """A step with something missing; `errors` says what, by field."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors


def _again(request: HttpRequest, key: uuid.UUID, form: Form, status: int, errors: Mapping[str, str]) -> HttpResponse:
    """The page with what was typed, and what is wrong beside it."""
    assignment, found = session_for(person_of(request), key)
    step = request.POST.get("step", "")
    asked = {step: "1"} if step in ("edit", "rate") else {}
    page = SessionPage(assignment, found, asked, form, errors)
    if page.due == "over":  # no step to set right: what was typed is shown beside what the session came to
        return _conflict(request, key, form, errors.get("general", revising.ENDED))
    return _page(request, page, status)


def _conflict(request: HttpRequest, key: uuid.UUID, form: Form, reason: str) -> HttpResponse:
    """The page as the session stands now, with what was typed on the one that came too late."""
    assignment, found = session_for(person_of(request), key)
    page = SessionPage(assignment, found)
    named = {f"q-{question.key}": question.text or question.key for question in found.study.questions.all()} | LABELS
    typed = [(named[name], " ".join(values)) for name, values in form.items() if name in named and any(values)]
    return _page(request, page, 409, conflict={"reason": reason, "typed": typed})


def _instruct(request: HttpRequest, assignment: Assignment, found: RevisionSession, form: Form) -> None:
    text, kind = (form.get(INSTRUCTION) or [""])[-1], (form.get(KIND) or [""])[-1]
    errors = {}
    if not text.strip():
        errors["instruction"] = "Write what the answer should become."
    elif len(text) > revising.LONGEST_INSTRUCTION:
        errors["instruction"] = f"An instruction may have at most {revising.LONGEST_INSTRUCTION} characters."
    if kind not in revising.KINDS:
        errors["kind"] = "Choose one: are the papers to be searched for it?"
    if errors:
        raise StepInvalidError(errors)
    submission = read_submission(request, assignment, form)
    revising.instruct(found, Instruction(kind, text, _turn(request), submission.client_key))


def _rate(request: HttpRequest, assignment: Assignment, found: RevisionSession, form: Form) -> None:
    answers = {name: values for name, values in form.items() if name not in OWN_FIELDS}
    submission = replace(read_submission(request, assignment, answers), revision=_whole(request, "rated"))
    revising.rate(found, _turn(request), submission)


def _edit(request: HttpRequest, assignment: Assignment, found: RevisionSession, form: Form) -> None:
    text = (form.get(EDIT) or [""])[-1]
    if not text.strip():
        raise StepInvalidError({"edit": "The edited answer is empty. To leave the answer as it was, choose Not now."})
    if len(text) > revising.LONGEST_ANSWER:
        raise StepInvalidError({"edit": f"An answer may have at most {revising.LONGEST_ANSWER} characters."})
    revising.edit(found, _turn(request), text, _whole(request, "edits"))


def _retry(request: HttpRequest, assignment: Assignment, found: RevisionSession, form: Form) -> None:
    revising.retry(found, _turn(request))


def _discard(request: HttpRequest, assignment: Assignment, found: RevisionSession, form: Form) -> None:
    revising.discard(found, _turn(request))


def _stop(request: HttpRequest, assignment: Assignment, found: RevisionSession, form: Form) -> None:
    revising.stop(found, _turn(request))


def _resume(request: HttpRequest, assignment: Assignment, found: RevisionSession, form: Form) -> None:
    revising.resume(found)


def _finish(request: HttpRequest, assignment: Assignment, found: RevisionSession, form: Form) -> None:
    revising.ready(found)


STEPS: Mapping[str, Callable[[HttpRequest, Assignment, RevisionSession, Form], None]] = MappingProxyType({
    "instruct": _instruct, "rate": _rate, "edit": _edit, "retry": _retry, "discard": _discard, "stop": _stop,
    "resume": _resume, "finish": _finish,
})  # fmt: skip


def _turn(request: HttpRequest) -> int:
    return _whole(request, "turn")


def _whole(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name) or "0"
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise RequestInvalidError(f"{name} must be a whole number.")
    return int(text)
