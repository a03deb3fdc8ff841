"""The home page: the studies in which somebody annotates, and those that they run."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from annotation.access import may_make_studies
from annotation.desk.task_page import person_tag
from annotation.studies.queries import work_of
from annotation.studies.run_studies import runs_of


@require_safe
@signed_in
def home(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    context = {
        "works": work_of(person),
        "runs": runs_of(person),
        "person_tag": person_tag(person.pk),
        "makes_studies": may_make_studies(person),
    }
    return render(request, "annotation/home.html", context)
