"""The page after a task: unread notes, steps before the first task, a welcome page, the next task, or the end.

A first task that somebody asks for on a page comes after the guidelines. The forms of pages say that they are on one;
a program that claims a task directly has no reader, and is not led to a page.
"""

import logging

from django.db import Error as DatabaseFailure
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.access import person_of
from annotation.desk.assigning import BusyError, next_assignment
from annotation.desk.part_tasks import page_before_task
from annotation.members.membership import rater_for
from annotation.members.reading_guidelines import must_read
from annotation.models import Study
from annotation.protocols import protocols
from annotation.studies.queries import unread_notes
from config.parts import parts_of
from config.site_busy import SiteBusyError

logger = logging.getLogger(__name__)
ON_A_PAGE = "on_page"
"""The field of the forms that ask for a task, in `annotation/_asks_for_task.html`."""


def next_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Redirect to unread notes, to the protocol's welcome page, to the next task, or to the page that says the end."""
    try:
        return _next_page(request, study)
    except BusyError:
        return _try_again(request, study, saved=False)


def next_page_after_saving(request: HttpRequest, study: Study) -> HttpResponse:
    """As `next_page`, but a page that reports the answer as saved if no task can be claimed.

    The answer has been committed in its own transaction. If the same request is sent again, its client key keeps it
    from being saved twice, and the claim is tried again.
    """
    try:
        return _next_page(request, study)
    except (BusyError, SiteBusyError):
        return _try_again(request, study, saved=True)
    except DatabaseFailure:
        logger.exception("The answer was saved, but the next task could not be claimed.")
        return _try_again(request, study, saved=True)


def _next_page(request: HttpRequest, study: Study) -> HttpResponse:
    person = person_of(request)
    if unread_notes(person).filter(annotation__rater__study=study).exists():
        return redirect("annotation:notes", slug=study.slug)
    rater = rater_for(study, person)
    before = page_before_task(study, rater)
    if before is not None:
        return redirect(before)
    if ON_A_PAGE in request.POST and study.is_live and must_read(rater):
        return redirect("annotation:begin", slug=study.slug)
    first = protocols()[study.protocol].flow.welcome_url(rater) if study.is_live else None
    if first is not None:
        return redirect(first)
    assignment = next_assignment(study, rater)
    if assignment is None:
        search = parts_of(study).search
        if search is not None and study.is_live and not search.is_ready(rater):
            return redirect(search.address(study))
        return redirect("annotation:end", slug=study.slug) if study.is_live else redirect("annotation:home")
    return redirect(protocols()[study.protocol].flow.address(assignment))


def _try_again(request: HttpRequest, study: Study, *, saved: bool) -> HttpResponse:
    """A page that asks for the next task again; scripts read from `X-Answer` whether the answer is saved."""
    response = render(request, "annotation/no_task_yet.html", {"study": study, "saved": saved}, status=503)
    response["Retry-After"] = "2"
    if saved:
        response["X-Answer"] = "saved"
    return response
