"""Reading of the forms that a task's page posts: answers, versions, effort."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from annotation.desk.form_reading import PREFIX
from annotation.desk.submitting import Effort, Form, Submission
from annotation.models import Assignment, Study
from annotation.protocols import protocols
from config.form_fields import WholeNumberField

MOST_SECONDS = 10**9
MOST_USES = 100_000


class RequestInvalidError(ValueError):
    """A field that only our own page fills has a value that the page cannot have sent."""


EFFORT_FIELDS: Mapping[str, forms.Field] = {
    "visible_seconds": forms.FloatField(required=False, min_value=0, max_value=MOST_SECONDS),
    "active_seconds": forms.FloatField(required=False, min_value=0, max_value=MOST_SECONDS),
    "tool_use": forms.CharField(required=False),
    "device": forms.RegexField(r"\A[a-z]+( [a-z]+){0,7}\Z", required=False, max_length=80),
}
"""The seconds and the uses of reading aids that the page has counted since it last reported, and how it looks."""
ANSWER_FIELDS: Mapping[str, forms.Field] = {
    **EFFORT_FIELDS,
    "revision": WholeNumberField(required=False),
    "guidelines_version": WholeNumberField(required=False),
    "client_key": forms.UUIDField(required=False),
}
"""The fields beside the answers: the revision and the guidelines that the page was made from, and its key.

Each is used as it is. A form of Django would copy all of them for every answer, which takes longer than to read them.
"""


class DraftVersionsForm(forms.Form):
    """The revision and the draft that an autosave continues."""

    revision = WholeNumberField(required=False)
    draft_version = WholeNumberField(required=False)


def answers_form(request: HttpRequest) -> Form:
    """The fields of the form that answer questions, as lists of raw strings."""
    return {name: [str(v) for v in request.POST.getlist(name)] for name in request.POST if name.startswith(PREFIX)}


def read_submission(request: HttpRequest, assignment: Assignment, form: Form) -> Submission:
    """The submission that the page sent; raises RequestInvalidError."""
    study = assignment.rater.study
    newest = study.guidelines.order_by("-number").values_list("number", flat=True).first()
    return submission_in(request.POST, study, newest, form)


def submission_in(sent: Mapping[str, Any], study: Study, newest: int | None, form: Form) -> Submission:
    """As `read_submission`, from fields that a page or a program sent; `newest` is the number of the guidelines."""
    fields = _read_fields(ANSWER_FIELDS, sent, protocols()[study.protocol].reading_aids)
    number = fields["guidelines_version"]
    if number is None:
        number = newest  # which is what the page would show
    elif number != newest and not study.guidelines.filter(number=number).exists():
        raise RequestInvalidError("guidelines_version: The study has no such version.")
    return Submission(form, fields["revision"] or 0, number, fields["client_key"], _effort(fields))


def read_effort(request: HttpRequest, assignment: Assignment) -> Effort:
    """The effort that the page has counted since it last reported; raises RequestInvalidError."""
    aids = protocols()[assignment.rater.study.protocol].reading_aids
    return _effort(_read_fields(EFFORT_FIELDS, request.POST, aids))


def read_draft_versions(request: HttpRequest) -> tuple[int, int]:
    """The versions of the draft and of the answer that an autosave continues; raises RequestInvalidError."""
    fields = cleaned_fields(DraftVersionsForm(request.POST))
    return fields["draft_version"] or 0, fields["revision"] or 0


def _read_fields(fields: Mapping[str, forms.Field], sent: Mapping[str, Any], aids: frozenset[str]) -> dict[str, Any]:
    """The values of these fields, reading aids as {reading aid: count}; raises RequestInvalidError for the first."""
    values = {}
    for name, field in fields.items():
        try:
            values[name] = value = field.clean(sent.get(name))
            if name == "tool_use":
                values[name] = _uses_in(value, aids)
        except ValidationError as problem:
            raise RequestInvalidError(f"{name}: {problem.messages[0]}") from None
    return values


def _uses_in(text: str, aids: frozenset[str]) -> dict[str, int]:
    try:
        use = json.loads(text or "{}")
    except (ValueError, RecursionError):
        raise ValidationError("must be JSON.") from None
    fits = isinstance(use, dict) and use.keys() <= aids
    if not fits or not all(type(count) is int and 0 <= count <= MOST_USES for count in use.values()):
        raise ValidationError("must give a count for each reading aid.")
    return use


def _effort(fields: dict[str, Any]) -> Effort:
    seconds = fields["visible_seconds"] or 0.0, fields["active_seconds"] or 0.0
    return Effort(*seconds, fields["tool_use"], fields["device"])


def cleaned_fields(form: forms.Form) -> dict[str, Any]:
    """The values of a form that only our own page fills; raises RequestInvalidError."""
    if form.is_valid():
        return form.cleaned_data
    name, (problem, *_) = next(iter(form.errors.items()))
    raise RequestInvalidError(f"{name}: {problem}")
