"""The home page: the studies in which somebody annotates, and those that they run."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, may_make_studies, project_for, studies_of
from annotation.desk.task_page import person_tag
from annotation.studies.projects import ProjectRuns, by_project
from annotation.studies.queries import work_of
from annotation.studies.run_studies import runs_of


@require_safe
@signed_in
def home(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    context = {
        "works": work_of(person), "groups": by_project(runs_of(person)), "person_tag": person_tag(person.pk),
        "has_archived": studies_of(person, RESEARCHERS).filter(archived_at__isnull=False).exists(),
        "makes_studies": may_make_studies(person),
    }  # fmt: skip
    return render(request, "annotation/home.html", context)


@require_safe
@signed_in
def archived(request: HttpRequest) -> HttpResponse:
    """The archived studies that somebody runs."""
    groups = by_project(runs_of(person_of(request), archived=True))
    return render(request, "annotation/studies.html", {"title": "Archived studies", "groups": groups})


@require_safe
@signed_in
def project(request: HttpRequest, pk: int) -> HttpResponse:
    """The studies of a project that somebody runs, archived ones too."""
    person = person_of(request)
    found = project_for(person, pk)
    groups = [ProjectRuns(None, runs_of(person, project=found))]
    return render(request, "annotation/studies.html", {"title": found.name, "groups": groups, "project": found})
