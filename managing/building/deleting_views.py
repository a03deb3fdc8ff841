"""The pages that delete a study: what will go, and how far the work is."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from accounts.audited_erasure import ErasureRefusedError
from annotation.access import OWNERS, deletion_for, study_for
from annotation.studies.study_deletion import delete_study as delete
from annotation.studies.study_deletion import failed_deletion, waiting_deletion
from annotation.studies.study_erasure import MOST_SHOWN, shown_rows_of
from config.htmx_request import HtmxRequest
from files.entered.drafts import is_changeable
from managing.building.making_forms import DeleteForm

GONE = "The study was deleted. Its short name is free again. Backups and exported folders may still contain it."


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def delete_study(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what will go with a study, and delete it once its name was typed. A draft without answers needs no name."""
    person = person_of(request)
    study = study_for(person, slug, OWNERS)
    waiting, simple = waiting_deletion(study), is_changeable(study)
    posted = request.POST if request.method == "POST" else None
    form = DeleteForm({"name": slug} if simple and posted is not None else posted, slug=slug)
    problem = ""
    if form.is_bound and form.is_valid():
        try:
            row = delete(study, person)
        except ErasureRefusedError as refused:
            problem = str(refused)
        else:
            if row is not None:
                return redirect("managing:deletion", pk=row.pk)
            messages.success(request, GONE)
            return redirect("annotation:home")
    context = {
        "study": study, "form": form, "problem": problem, "is_simple": simple, "waiting": waiting,
        "failed": failed_deletion(study), "most": MOST_SHOWN, "rows": shown_rows_of(study),
        "must_close": study.status in ("live", "paused"),
    }  # fmt: skip
    return render(request, "managing/delete_study.html", context, status=422 if form.is_bound else 200)


@require_safe
@signed_in
def deletion(request: HtmxRequest, pk: int) -> HttpResponse:
    """Show how far the deletion of a large study is; to htmx the state alone."""
    row = deletion_for(person_of(request), pk)
    template = "managing/_deletion.html" if request.htmx else "managing/deletion.html"
    return render(request, template, {"row": row, "gone": GONE})
