"""The page after the last task."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from annotation.access import membership_for
from annotation.desk.task_page import last_answer
from annotation.members.membership import rater_for
from annotation.studies.queries import work_in

ENDS = ("done", "waiting", "between")


@require_safe
@signed_in
def end(request: HttpRequest, slug: str) -> HttpResponse:
    """Thank the annotator, say what was done and what comes, and offer to undo the last answer."""
    person = person_of(request)
    study = membership_for(person, slug, roles=("annotator",)).study
    work = work_in(person, study)
    if work is None or work.state not in ENDS:
        return redirect("annotation:home")
    last = last_answer(rater_for(study, person))
    return render(
        request, "annotation/end.html", {"study": study, "work": work, "last": last, "client_key": uuid.uuid4()}
    )
