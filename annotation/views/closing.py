"""What an owner decides about a study as a whole, in its settings: project, lock, archive and unblinding."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.access import person_of, signed_in
from accounts.models import Person
from annotation.access import OWNERS, study_for
from annotation.blinding import unblind as unblind_study
from annotation.forms import ProjectForm, ReasonForm
from annotation.models import Study
from annotation.studies import closing
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.projects import move_to_project

Verb = Callable[[Study, str, Person], object]


@require_POST
@signed_in
def move(request: HttpRequest, slug: str) -> HttpResponse:
    form = ProjectForm(request.POST)
    name = form.cleaned_data["name"] if form.is_valid() else ""
    return _decided(request, slug, lambda study, _, person: move_to_project(study, name, person), "Saved.")


@require_POST
@signed_in
def lock(request: HttpRequest, slug: str) -> HttpResponse:
    said = "The study is locked: corrections need a reason."
    return _decided(request, slug, lambda study, _, person: closing.lock(study, person), said)


@require_POST
@signed_in
def unlock(request: HttpRequest, slug: str) -> HttpResponse:
    return _decided(request, slug, closing.unlock, "The study is not locked any more.")


@require_POST
@signed_in
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    said = "The study is archived: it can be read and exported, and is listed under Archived."
    return _decided(request, slug, lambda study, _, person: closing.archive(study, person), said)


@require_POST
@signed_in
def bring_back(request: HttpRequest, slug: str) -> HttpResponse:
    said = "The study is back on the home page."
    return _decided(request, slug, lambda study, _, person: closing.bring_back(study, person), said)


@require_POST
@signed_in
def unblind(request: HttpRequest, slug: str) -> HttpResponse:
    return _decided(request, slug, unblind_study, "The study is unblinded: systems have their names from now on.")


def _decided(request: HttpRequest, slug: str, verb: Verb, said: str) -> HttpResponse:
    """Call a verb for an owner of the study, and return to its settings."""
    person = person_of(request)
    study = study_for(person, slug, OWNERS)
    form = ReasonForm(request.POST)
    try:
        verb(study, form.cleaned_data["reason"] if form.is_valid() else "", person)
        messages.success(request, said)
    except StudyRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("annotation:settings", slug=slug)
