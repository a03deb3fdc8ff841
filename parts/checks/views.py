"""The page on which researchers set up hidden checks, which works without scripts; and answers to notices of rules."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from annotation.members.standing import DecidedMeanwhileError
from annotation.members.standing_forms import words
from annotation.models import Study
from annotation.protocols import protocols
from annotation.studies.corrections import StudyRefusedError
from files.entered.recruiting_settings import RecruitingRefusedError, change_recruiting, digest
from parts.checks import rules
from parts.checks.models import RaterNotice
from parts.checks.settings_form import Settings, fields_of, rearranged, settings_in

SAVE = "save"


class NoticeForm(forms.Form):
    """What a researcher did about a notice."""

    outcome = words("What you did, and why")
    resume = forms.BooleanField(label="Give this rater tasks again", required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def check_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """The settings of hidden checks; POST saves them, or adds or removes the row of a rule."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if request.method != "POST":
        return _page(request, study, study.recruiting.get("checks"), digest(study))
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
    return redirect("checks:check_settings", slug=slug)


def _page(
    request: HttpRequest, study: Study, checks: Settings | None, seen: str, problems: tuple[str, ...] = ()
) -> HttpResponse:
    protocol = protocols()[study.protocol]
    context: dict[str, Any] = {
        "study": study, "seen": seen, "problems": problems, "reason": request.POST.get("reason", ""),
        "possible": protocol.flow.offers_every_task and not protocol.flow.has_own_pages,
        **fields_of(checks, list(study.questions.order_by("position"))),
    }  # fmt: skip
    return render(request, "checks/check_settings.html", context, status=422 if problems else 200)


@require_POST
@signed_in
def answer_notice(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Say what was done about a notice."""
    person = person_of(request)
    notice, form = _notice_in(person, slug, pk), NoticeForm(request.POST)
    if form.is_valid():
        try:
            given = form.cleaned_data
            rules.answer_notice(notice, given["outcome"], person, resume=given["resume"])
            messages.success(request, "Saved.")
        except (DecidedMeanwhileError, StudyRefusedError) as problem:
            messages.error(request, str(problem))
    for errors in form.errors.values():
        messages.error(request, f"Nothing was changed: {' '.join(str(error) for error in errors)}")
    return redirect("reports:rater_checks", slug=notice.rater.study.slug)


def _notice_in(person: Person, slug: str, pk: int) -> RaterNotice:
    """A notice about a rater of a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    notice = RaterNotice.objects.filter(rater__study=study, pk=pk).select_related("rater__study").first()
    if notice is None:
        raise Http404(NOTHING)
    return notice


def change_checks(study: Study, checks: Settings | None, actor: Person, *, seen: str, reason: str = "") -> bool:
    """Make `checks` the settings of the study's hidden checks, or take them out. Raises as `change_recruiting`."""
    body = {key: value for key, value in study.recruiting.items() if key != "checks"}
    body |= {} if checks is None else {"checks": dict(checks)}
    return change_recruiting(study, body, actor, action="checks changed", seen=seen, reason=reason)
