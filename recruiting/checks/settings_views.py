"""The page on which researchers set up hidden checks. It works without scripts."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from annotation.models import Study
from annotation.protocols import protocols
from annotation.studies.check_draws import checks_of
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.recruiting_settings import RecruitingRefusedError, digest
from recruiting.checks.settings_form import Settings, fields_of, rearranged, settings_in
from recruiting.way_in.declaring import change_checks

SAVE = "save"


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def check_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """The settings of hidden checks; POST saves them, or adds or removes the row of a rule."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if request.method != "POST":
        return _page(request, study, checks_of(study), digest(study))
    given, seen, do = settings_in(request.POST), request.POST.get("seen", ""), request.POST.get("do", SAVE)
    if do != SAVE:
        return _page(request, study, rearranged(given, do), seen)
    reason = request.POST.get("reason", "").strip()
    try:
        changed = change_checks(study, given, person_of(request), seen=seen, reason=reason)
    except RecruitingRefusedError as problem:
        return _page(request, study, given, seen, problem.problems)
    except StudyRefusedError as problem:
        return _page(request, study, given, seen, (str(problem),))
    messages.success(request, "Saved." if changed else "Nothing was changed.")
    return redirect("recruiting:check_settings", slug=slug)


def _page(
    request: HttpRequest, study: Study, checks: Settings | None, seen: str, problems: tuple[str, ...] = ()
) -> HttpResponse:
    protocol = protocols()[study.protocol]
    context: dict[str, Any] = {
        "study": study, "seen": seen, "problems": problems, "reason": request.POST.get("reason", ""),
        "possible": protocol.flow.offers_every_task and not protocol.flow.has_own_pages,
        **fields_of(checks, list(study.questions.order_by("position"))),
    }  # fmt: skip
    return render(request, "recruiting/check_settings.html", context, status=422 if problems else 200)
