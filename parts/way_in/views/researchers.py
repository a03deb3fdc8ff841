"""Researchers' pages: a study's steps and what people said in questionnaires."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import NOTHING, RESEARCHERS, study_for
from annotation.models import Guideline, Study
from annotation.protocols import protocols
from annotation.studies.corrections import StudyRefusedError
from files.entered.recruiting_settings import RecruitingRefusedError, digest
from parts.way_in.background_counts import background_of
from parts.way_in.declaring import change_steps, qualify_again
from parts.way_in.entry_step import EntryStepKind, step_kinds, steps_of
from parts.way_in.practice_tasks import lacking_items
from parts.way_in.step_fields import KEY, TITLE, EntryStepForm

MOVES = {"up": -1, "down": 1}


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def steps(request: HttpRequest, slug: str) -> HttpResponse:
    """List the study's steps; POST moves or removes one."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    if request.method == "POST":
        changed = _rearranged(study, request.POST.get("step", ""), request.POST.get("do", ""))
        if changed is not None:
            _try(request, study, changed)
        return redirect("way_in:steps", slug=slug)
    lacking = lacking_items(study)
    rows = [(step, lacking.get(step.key, 0)) for step in steps_of(study)]
    newest = Guideline.objects.filter(study=study).order_by("-number").values_list("number", flat=True).first()
    qualifies = any("since_guidelines" in step.kind.spec_keys for step, _ in rows)
    kinds = [kind for kind in step_kinds().values() if kind.suits(protocols()[study.protocol])]
    context = {"study": study, "rows": rows, "seen": digest(study), "kinds": kinds,
               "newest": newest if qualifies else None}  # fmt: skip
    return render(request, "way_in/steps.html", context)


def _rearranged(study: Study, key: str, do: str) -> list[Any] | None:
    """The study's steps after a move or removal, or None if it asks for nothing."""
    bodies = [step.body for step in steps_of(study)]
    place = next((number for number, body in enumerate(bodies) if body["key"] == key), None)
    if place is None:
        return None
    if do == "remove":
        return bodies[:place] + bodies[place + 1 :]
    there = place + MOVES.get(do, 0)
    if there == place or not 0 <= there < len(bodies):
        return None
    bodies[place], bodies[there] = bodies[there], bodies[place]
    return bodies


def _try(request: HttpRequest, study: Study, bodies: list[Any]) -> bool:
    """Change the steps, and say how it went."""
    seen, reason = request.POST.get("seen", ""), request.POST.get("reason", "").strip()
    try:
        changed = change_steps(study, bodies, person_of(request), seen=seen, reason=reason)
    except (RecruitingRefusedError, StudyRefusedError) as problem:
        messages.error(request, str(problem))
        return False
    messages.success(request, "Saved." if changed else "Nothing was changed.")
    return True


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def add_step(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """A form for a new step of this kind, which comes last; a consent comes first."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    found, protocol = step_kinds().get(kind), protocols()[study.protocol]
    if found is None or not found.suits(protocol):
        raise Http404(NOTHING)
    fields, posted = (KEY, TITLE, *found.fields_in(protocol)), request.POST if request.method == "POST" else None
    form = EntryStepForm(fields, posted, {"key": kind})
    if form.is_bound and form.is_valid():
        bodies = [dict(step.body) for step in steps_of(study)]
        bodies.insert(0 if kind == "consent" else len(bodies), {"kind": kind, **form.body()})
        if _saved(request, study, bodies, form):
            return redirect("way_in:steps", slug=slug)
    return _form_page(request, study, found, form, found.label)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def edit_step(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """A form with a step's own keys."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    step = next((one for one in steps_of(study) if one.key == key), None)
    if step is None:
        raise Http404(NOTHING)
    fields = (TITLE, *step.kind.fields_in(protocols()[study.protocol]))
    form = EntryStepForm(fields, request.POST if request.method == "POST" else None, step.body)
    if form.is_bound and form.is_valid():
        body = {"key": key, "kind": step.kind.key, **form.body()}
        if _saved(request, study, [body if one.key == key else dict(one.body) for one in steps_of(study)], form):
            return redirect("way_in:steps", slug=slug)
    return _form_page(request, study, step.kind, form, step.title)


def _saved(request: HttpRequest, study: Study, bodies: list[dict[str, Any]], form: EntryStepForm) -> bool:
    """Change the steps; False with the problems in the form."""
    seen, reason = request.POST.get("seen", ""), request.POST.get("reason", "").strip()
    try:
        changed = change_steps(study, bodies, person_of(request), seen=seen, reason=reason)
    except RecruitingRefusedError as refused:
        for problem in refused.problems:
            form.add_error(None, problem)
        return False
    except StudyRefusedError as refused:
        form.add_error(None, str(refused))
        return False
    messages.success(request, "Saved." if changed else "Nothing was changed.")
    return True


def _form_page(
    request: HttpRequest, study: Study, kind: EntryStepKind, form: EntryStepForm, title: str
) -> HttpResponse:
    context = {"study": study, "kind": kind, "form": form, "title": title,
               "seen": request.POST.get("seen") or digest(study)}  # fmt: skip
    return render(request, "way_in/step_form.html", context, status=422 if form.is_bound else 200)


@require_POST
@signed_in
def requalify(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask everybody for the qualifications again, under the newest guidelines."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    try:
        version = qualify_again(study, person_of(request))
        if version is not None:
            messages.success(request, f"Qualifications count from version {version} of the guidelines on.")
    except (RecruitingRefusedError, StudyRefusedError) as problem:
        messages.error(request, str(problem))
    return redirect("way_in:steps", slug=slug)


@require_safe
@signed_in
def background(request: HttpRequest, slug: str) -> HttpResponse:
    """What people said about themselves, in groups of five or more."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    return render(request, "way_in/background.html", {"study": study, "background": background_of(study)})


@require_safe
@signed_in
def background_file(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(person_of(request), slug, RESEARCHERS)
    return JsonResponse(background_of(study), json_dumps_params={"ensure_ascii": False, "indent": 1})
