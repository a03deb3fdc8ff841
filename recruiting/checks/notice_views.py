"""The answer to the notice of a rule."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.access import person_of, signed_in
from annotation.members.standing import DecidedMeanwhileError
from annotation.studies.corrections import StudyRefusedError
from recruiting.checks import rule_notices
from recruiting.checks.notice_access import notice_in
from recruiting.checks.notice_forms import NoticeForm


@require_POST
@signed_in
def answer_notice(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Say what was done about a notice."""
    person = person_of(request)
    notice, form = notice_in(person, slug, pk), NoticeForm(request.POST)
    if form.is_valid():
        try:
            given = form.cleaned_data
            rule_notices.answer_notice(notice, given["outcome"], person, resume=given["resume"])
            messages.success(request, "Saved.")
        except (DecidedMeanwhileError, StudyRefusedError) as problem:
            messages.error(request, str(problem))
    for errors in form.errors.values():
        messages.error(request, f"Nothing was changed: {' '.join(str(error) for error in errors)}")
    return redirect("reports:rater_checks", slug=notice.rater.study.slug)
