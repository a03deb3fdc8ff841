"""A synthetic rater on the way in and at the desk: the very requests that a browser sends, answered by this site."""

import uuid
from collections.abc import Mapping

from django.conf import settings
from django.http import HttpResponseBase
from django.urls import Resolver404, resolve, reverse
from django.utils.module_loading import import_string

from accounts.models import Person
from annotation.desk.submitting import sheet_of
from annotation.members.membership import rater_for
from annotation.models import Assignment, Question, Rater, Study
from annotation.protocols import protocols
from managing.dry_runs.way_walking import walk_on
from recruiting.dry_runs.synthetic_answers import SyntheticRater, synthetic_form

OK, REDIRECT = 200, 302
BROWSER = "django.test.Client"
"""Loaded by the first dry run: it brings 5 MB that workers otherwise never need."""


class DeskRefusedError(Exception):
    """A page of the desk did not answer as it does for people; the message says which and how."""


class DeskVisitor:
    """One synthetic rater with a browser of their own."""

    def __init__(self, study: Study, person: Person, rater: SyntheticRater, seconds: float) -> None:
        self.study, self.person, self.rater, self.seconds = study, person, rater, seconds
        self.is_in = False
        host = next((name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"), "localhost")
        self.browser = import_string(BROWSER)(SERVER_NAME=host.strip("[]") if host != "[::1]" else "localhost")
        self.browser.force_login(person)
        self.questions = list(Question.objects.filter(study=study).order_by("position"))

    def step_in(self) -> bool:
        """Do what comes next on the way into the study; False if they may have tasks, or can get no further."""
        if self.is_in:
            return False
        if walk_on(self.rater_row(), self.rater, self._get, self._post):
            return True
        self.is_in = True
        if self.rater_row().admitted:
            self.begin()
        return False

    def rater_row(self) -> Rater:
        """Their rater as it is now."""
        row = rater_for(self.study, self.person)
        row.study = self.study
        return row

    def begin(self) -> None:
        """Read the guidelines and confirm it."""
        newest = self.study.guidelines.order_by("-number").values_list("number", flat=True).first()
        address = reverse("annotation:begin", args=[self.study.slug])
        self._get(address)
        self._post(address, {} if newest is None else {"version": str(newest)})

    def answer_next(self) -> bool:
        """Claim a task, open its page and submit an answer; False if there is none for this rater."""
        key = _task_in(self._post(reverse("annotation:next_task", args=[self.study.slug]), {}))
        if key is None:
            return False
        page = reverse("annotation:desk", args=[key])
        self._get(page)
        assignment = Assignment.objects.select_related("task__item", "rater__study").get(key=key)
        sheet, protocol = sheet_of(assignment), protocols()[self.study.protocol]
        merits = self.rater.merits(assignment.task.item.key, sheet)
        form = synthetic_form(protocol, self.questions, sheet, merits)
        effort = {"active_seconds": str(self.seconds), "visible_seconds": str(self.seconds)}
        fields = {"client_key": str(uuid.uuid4()), "revision": "0", **effort}
        self._post(reverse("annotation:submit_task", args=[key]), {**form, **fields})
        return True

    def _get(self, address: str) -> None:
        response = self.browser.get(address, secure=settings.SECURE_SSL_REDIRECT)
        if response.status_code not in (OK, REDIRECT):
            raise DeskRefusedError(f"{address} answered {response.status_code}.")

    def _post(self, address: str, fields: Mapping[str, object]) -> HttpResponseBase:
        response: HttpResponseBase = self.browser.post(address, fields, secure=settings.SECURE_SSL_REDIRECT)
        if response.status_code != REDIRECT:
            raise DeskRefusedError(f"{address} answered {response.status_code}.")
        return response


def _task_in(response: HttpResponseBase) -> uuid.UUID | None:
    """The key of the task to which a response leads, or None if it leads elsewhere."""
    try:
        match = resolve(response.headers.get("Location", "").partition("?")[0])
    except Resolver404:
        return None
    return match.kwargs["key"] if match.view_name == "annotation:desk" else None
