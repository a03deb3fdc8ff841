"""The page of a study's dry runs: start one, watch it, stop it, look at its report, remove it."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from accounts.audited_erasure import ErasureRefusedError
from annotation.access import NOTHING, OWNERS, RESEARCHERS, study_for
from annotation.protocols import protocols
from annotation.studies.corrections import StudyRefusedError
from config.background.rows import WAITING
from config.background.workers import worker_status
from config.htmx_request import HtmxRequest
from parts.dry_runs.dry_run_steps import continue_dry_run, remove_dry_run, start_dry_run, stop_dry_run
from parts.dry_runs.forms import DryRunForm
from parts.dry_runs.models import StudyDryRun


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def dry_runs(request: HtmxRequest, slug: str) -> HttpResponse:
    """The dry runs of a study, and the form for another."""
    person = person_of(request)
    study = study_for(person, slug, OWNERS if request.method == "POST" else RESEARCHERS)
    form = DryRunForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            start_dry_run(study, form.settings(), person)
            return redirect("dry_runs:dry_runs", slug)
        except StudyRefusedError as problem:
            form.add_error(None, str(problem))
    rows = list(StudyDryRun.objects.filter(source_pk=study.pk).select_related("study").order_by("-pk"))
    context = {
        "study": study, "form": form, "runs": rows, "waiting": any(row.status in WAITING for row in rows),
        "workers": worker_status(), "made_up": protocols()[study.protocol].flow.has_own_pages,
    }  # fmt: skip
    template = "dry_runs/_dry_runs.html" if request.htmx else "dry_runs/dry_runs.html"
    return render(request, template, context, status=422 if form.is_bound else 200)


@require_POST
@signed_in
def change_dry_run(request: HtmxRequest, slug: str, pk: int, step: str) -> HttpResponse:
    """Stop, continue or remove a dry run of the study."""
    person = person_of(request)
    study = study_for(person, slug, OWNERS)
    row = StudyDryRun.objects.select_related("study").filter(source_pk=study.pk, pk=pk).first()
    if row is None:
        raise Http404(NOTHING)
    if step == "stop":
        stop_dry_run(row)
    elif step == "continue":
        continue_dry_run(row)
    else:
        try:
            remove_dry_run(row, person)
            messages.success(request, "The dry run was removed with everything in it.")
        except ErasureRefusedError as problem:
            messages.error(request, str(problem))
    return redirect("dry_runs:dry_runs", slug)
