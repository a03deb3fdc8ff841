"""The page on which a person has a model write and revise an answer, and the steps that the page sends."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.desk.part_tasks import page_before_task
from annotation.desk.posted_answers import RequestInvalidError, answers_form, cleaned_fields, read_submission
from annotation.desk.submitting import Form, KeyReusedError, StaleRevisionError, StudyClosedError
from annotation.models import Assignment, Rater
from annotation.protocols import AnswersInvalidError
from config.parts import parts_of
from config.text_validation import TextRefusedError
from sessions import steps
from sessions.access import session_for
from sessions.forms import (
    OWN_FIELDS,
    EditForm,
    InstructionForm,
    PageChoice,
    PageChoiceForm,
    SessionFieldsForm,
    VersionsForm,
)
from sessions.locked_session import ENDED, StepRefusedError, TurnConflictError
from sessions.models import RevisionSession
from sessions.pages.session_page import SessionPage
from sessions.pages.writing_progress import writing_progress


@require_safe
@signed_in
def session(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Show the page of a session: the step that is due, and everything to read for it."""
    assignment, found = session_for(person_of(request), key)
    rater = assignment.rater
    steps_first, before = parts_of(found.study).steps, page_before_task(found.study, rater)
    if steps_first is not None and before is not None and not steps_first.is_waiting(rater):
        return redirect(before)
    return _page(request, SessionPage(assignment, found, PageChoiceForm(request.GET).choice()))


def _page(request: HttpRequest, page: SessionPage, status: int = 200, **more: object) -> HttpResponse:
    template = "sessions/over.html" if page.step.name == "over" and status == 200 else "sessions/session.html"
    context = {"page": page, "step": page.step, "study": page.study, "assignment": page.assignment, **more}
    return render(request, template, context, status=status)


@require_safe
@signed_in
def writing(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Show the progress of the answer that is being written; the page asks every second."""
    _, found = session_for(person_of(request), key)
    turn = found.turns.filter(discarded=False).order_by("-number").first()
    if turn is None:
        return HttpResponse(status=204)
    context = {"study": found.study, "writing": writing_progress(found, turn)}
    return render(request, "sessions/_writing.html", context)


@require_POST
@signed_in
def step(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Take the step that the page sends. Repeating the request, for example after a lost response, changes nothing."""
    assignment, found = session_for(person_of(request), key)
    form = answers_form(request)
    take = STEPS.get(request.POST.get("step", ""))
    if take is None:
        return HttpResponseBadRequest("The field step does not name a step of a session.", content_type="text/plain")
    try:
        take(Posted(request, assignment, found, form, Versions.of(request)))
    except RequestInvalidError as problem:
        return HttpResponseBadRequest(str(problem), content_type="text/plain")
    except (AnswersInvalidError, StepInvalidError) as problem:
        return _again(request, key, form, 422, problem.errors)
    except TextRefusedError as problem:
        return _again(request, key, form, 422, {"general": str(problem)})
    except StudyClosedError as problem:
        return _again(request, key, form, 409, {"general": str(problem)})
    except (StepRefusedError, TurnConflictError, StaleRevisionError, KeyReusedError) as problem:
        return _conflict(request, key, form, str(problem))
    return redirect("revision_sessions:session", key=key)


class StepInvalidError(ValueError):
    """A step with invalid fields; `errors` holds a sentence for each field."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors


def _again(request: HttpRequest, key: uuid.UUID, form: Form, status: int, errors: Mapping[str, str]) -> HttpResponse:
    """Render the page with the typed text and the errors."""
    assignment, found = session_for(person_of(request), key)
    page = SessionPage(assignment, found, PageChoice(step=request.POST.get("step", "")), form, errors)
    if page.step.name == "over":  # there is no form left: the page shows the typed text, and how the session ended
        return _conflict(request, key, form, errors.get("general", gettext(ENDED)))
    return _page(request, page, status)


def _conflict(request: HttpRequest, key: uuid.UUID, form: Form, reason: str) -> HttpResponse:
    """Render the session as it is now, with the text that was typed on the outdated page."""
    assignment, found = session_for(person_of(request), key)
    named = {f"q-{question.key}": question.text or question.key for question in found.study.questions.all()}
    typed = [(name, named.get(name, ""), " ".join(values)) for name, values in form.items() if any(values)]
    shown = [one for one in typed if one[0] in named or one[0] in OWN_FIELDS[:-1]]
    return _page(request, SessionPage(assignment, found), 409, conflict={"reason": reason, "typed": shown})


class Versions(NamedTuple):
    """The turn that a step is about, and how often it had been rated and edited when the page was made."""

    turn: int
    rated: int
    edits: int

    @classmethod
    def of(cls, request: HttpRequest) -> "Versions":
        """Read the numbers that a page sent; missing ones are 0. Raises RequestInvalidError."""
        fields = cleaned_fields(VersionsForm(request.POST))
        return cls(*(fields[name] or 0 for name in cls._fields))


class Posted(NamedTuple):
    """The request of a page that takes a step."""

    request: HttpRequest
    assignment: Assignment
    session: RevisionSession
    form: Form
    versions: Versions

    def cleaned(self, kind: type[SessionFieldsForm]) -> dict[str, str]:
        """Return the values of the page's own fields. Raises StepInvalidError."""
        own = kind(self.request.POST)
        if not own.is_valid():
            raise StepInvalidError(own.problems())
        values: dict[str, str] = own.cleaned_data
        return values


def _instruct(posted: Posted) -> None:
    values = posted.cleaned(InstructionForm)
    submission = read_submission(posted.request, posted.assignment, posted.form)
    instruction = steps.Instruction(values["kind"], values["instruction"], posted.versions.turn, submission.client_key)
    steps.instruct(posted.session, instruction)


def _rate(posted: Posted) -> None:
    answers = {name: values for name, values in posted.form.items() if name not in OWN_FIELDS}
    submission = read_submission(posted.request, posted.assignment, answers)
    steps.rate(posted.session, posted.versions.turn, replace(submission, revision=posted.versions.rated))
    _end_if_over(posted.session.rater)  # rating the last turn ends the session


def _finish(posted: Posted) -> None:
    steps.finish(posted.session)
    _end_if_over(posted.session.rater)


def _end_if_over(rater: Rater) -> None:
    """Let the rater wait for a decision if this was the last task that they may be given before it."""
    before = parts_of(rater.study).steps
    if before is not None:
        before.end_if_over(rater)


def _edit(posted: Posted) -> None:
    steps.edit(posted.session, posted.versions.turn, posted.cleaned(EditForm)["edit"], posted.versions.edits)


STEPS: Mapping[str, Callable[[Posted], object]] = MappingProxyType({
    "instruct": _instruct,
    "rate": _rate,
    "edit": _edit,
    "retry": lambda posted: steps.retry(posted.session, posted.versions.turn),
    "discard": lambda posted: steps.discard(posted.session, posted.versions.turn),
    "stop": lambda posted: steps.stop(posted.session, posted.versions.turn),
    "resume": lambda posted: steps.resume(posted.session),
    "finish": _finish,
})  # fmt: skip
