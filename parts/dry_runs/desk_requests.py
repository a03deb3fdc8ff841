"""A synthetic rater on the way in and at the desk: the very requests that a browser sends, answered by this site."""

import uuid
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from random import Random
from typing import Any

from django.conf import settings
from django.http import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve, reverse
from django.utils.module_loading import import_string

from accounts.models import Person
from annotation.answers import Form, Sheet
from annotation.desk.submitting import sheet_of
from annotation.members.membership import rater_for
from annotation.models import Assignment, Question, Rater, Study
from annotation.protocols import protocols
from config.parts import parts_of
from parts.dry_runs.synthetic_answers import SyntheticRater, synthetic_form

OK, REDIRECT = 200, 302
BROWSER = "django.test.Client"
"""Loaded by the first dry run: it brings 5 MB that workers otherwise never need."""


class DeskRefusedError(Exception):
    """A page of the desk did not answer as it does for people; the message says which and how."""


class Progress(Enum):
    """What a rater's turn brought: an answer, another step, waiting for an answer of a model, or nothing left."""

    ANSWERED = auto()
    MOVED = auto()
    WAITING = auto()
    NOTHING = auto()


class DeskVisitor:
    """One synthetic rater with a browser of their own."""

    @staticmethod
    def options_of_copy(options: dict[str, Any]) -> dict[str, Any]:
        """Return the options of a copy that such raters fill: nothing that it does may cost money."""
        return options

    def __init__(self, study: Study, person: Person, rater: SyntheticRater, seconds: float) -> None:
        self.study, self.person, self.rater, self.seconds = study, person, rater, seconds
        self.accuracy, self.is_in = rater.accuracy, False
        host = next((name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"), "localhost")
        self.browser = import_string(BROWSER)(SERVER_NAME=host.strip("[]") if host != "[::1]" else "localhost")
        self.browser.force_login(person)
        self.questions = list(Question.objects.filter(study=study).order_by("position"))

    def step_in(self) -> bool:
        """Do what comes next on the way into the study; False if they may have tasks, or can get no further."""
        if self.is_in:
            return False
        row = self.rater_row()
        steps = parts_of(self.study).steps
        if steps is not None and steps.walk(row, self):
            return True
        self.is_in = True
        row = self.rater_row()
        if row.admitted:
            self.begin(row)
        return False

    def rater_row(self) -> Rater:
        """Their rater as it is now."""
        row = rater_for(self.study, self.person)
        row.study = self.study
        return row

    def begin(self, row: Rater) -> None:
        """Read the guidelines and confirm it, unless they have."""
        newest = self.study.guidelines.order_by("-number").values_list("number", flat=True).first()
        if newest is not None and row.guidelines_read == newest:
            return
        address = reverse("annotation:begin", args=[self.study.slug])
        self.get(address)
        self.post(address, {} if newest is None else {"version": str(newest)})

    def go_on(self) -> Progress:
        """Claim a task, or go on with the one that they have."""
        led = _match_of(self.post(reverse("annotation:next_task", args=[self.study.slug]), {}))
        return Progress.NOTHING if led is None else self.work_on(led)

    def work_on(self, led: ResolverMatch) -> Progress:
        """Work on the page to which they were led: answer it if it is a task of the desk."""
        return self._answer(led.kwargs["key"]) if led.view_name == "annotation:desk" else Progress.NOTHING

    def form_for(self, assignment: Assignment) -> Form:
        """The answers to a task of the desk."""
        return self.answers(assignment.task.item.key, self.questions, sheet_of(assignment), {})

    def random(self, occasion: str) -> Random:
        return Random(f"{self.rater.seed} {self.rater.name} {occasion}")  # noqa: S311 - reproducible, not secret

    def answers(self, item: str, questions: Sequence[Question], sheet: Sheet, known: Mapping[str, Any]) -> Form:
        merits = self.rater.merits(item, sheet)
        return synthetic_form(protocols()[self.study.protocol], questions, sheet, merits, known)

    def effort_fields(self) -> dict[str, str]:
        """What the page sends beside an answer."""
        seconds = str(self.seconds)
        return {"client_key": str(uuid.uuid4()), "active_seconds": seconds, "visible_seconds": seconds}

    def _answer(self, key: uuid.UUID) -> Progress:
        """Open the page of a task and submit an answer."""
        self.get(reverse("annotation:desk", args=[key]))
        assignment = Assignment.objects.select_related("task__item", "rater__study").get(key=key)
        fields = {**self.form_for(assignment), **self.effort_fields(), "revision": "0"}
        self.post(reverse("annotation:submit_task", args=[key]), fields)
        return Progress.ANSWERED

    def get(self, address: str) -> None:
        """Open a page. Raises DeskRefusedError."""
        response = self.browser.get(address, secure=settings.SECURE_SSL_REDIRECT)
        if response.status_code not in (OK, REDIRECT):
            raise DeskRefusedError(f"{address} answered {response.status_code}.")

    def post(self, address: str, fields: Mapping[str, object]) -> HttpResponseBase:
        """Send a form; the response leads to another page. Raises DeskRefusedError."""
        response: HttpResponseBase = self.browser.post(address, fields, secure=settings.SECURE_SSL_REDIRECT)
        if response.status_code != REDIRECT:
            raise DeskRefusedError(f"{address} answered {response.status_code}.")
        return response


def _match_of(response: HttpResponseBase) -> ResolverMatch | None:
    """The page to which a response leads, or None if it is none of this site."""
    try:
        return resolve(response.headers.get("Location", "").partition("?")[0])
    except Resolver404:
        return None
