"""The page of a study's mails, for its researchers: invitations, reminders, and what became of the last mails."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from annotation.models import Study
from recruiting.mail.mail_forms import MailInvitationsForm, ReminderForm
from recruiting.mail.mail_queue import InvitationsRefusedError, idle_raters, invite_by_mail, newcomers, remind_idle
from recruiting.mail.mail_section import declared_most, reminder_days, set_reminder_days
from recruiting.mail.mail_tables import OutgoingMail
from recruiting.mail.person_views import refuse_without_mail

SHOWN = 50
DAYS_BY_PRESS = 3
"""Who has not worked for so many days gets a reminder by a press, if the study does not say."""


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def study_mail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the study's mails; POST sends invitations."""
    refuse_without_mail()
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = MailInvitationsForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            given = form.cleaned_data
            count = invite_by_mail(study, given["addresses"], person, given["days"])
            messages.success(request, f"{count} invitation{'' if count == 1 else 's'} queued.")
            return redirect("recruiting:study_mail", slug=slug)
        except InvitationsRefusedError as problem:
            form.add_error("addresses", str(problem))
    context = {
        "study": study, "form": form, "days": _days(study), "idle": _idle(study),
        "reminders": ReminderForm(initial={"days": reminder_days(study), "most": declared_most(study)}),
        "rows": OutgoingMail.objects.filter(study=study).order_by("-pk")[:SHOWN],
    }  # fmt: skip
    return render(request, "recruiting/mail/study_mail.html", context, status=422 if form.is_bound else 200)


@require_POST
@signed_in
def study_reminders(request: HttpRequest, slug: str) -> HttpResponse:
    """Change after how many days the study reminds; with `now`, remind those who have not worked."""
    refuse_without_mail()
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = ReminderForm(request.POST)
    if "now" in request.POST:
        count = remind_idle(study, _days(study), person)
        messages.success(request, f"{count} reminder{'' if count == 1 else 's'} queued.")
    elif form.is_valid():
        changed = set_reminder_days(study, form.cleaned_data["days"], person, form.cleaned_data["most"])
        messages.success(request, "Saved." if changed else "Nothing was changed.")
    else:
        problems = [str(one) for errors in form.errors.values() for one in errors]
        messages.error(request, f"Nothing was changed: {' '.join(problems)}")
    return redirect("recruiting:study_mail", slug=slug)


def _idle(study: Study) -> int:
    """How many people a press would remind."""
    return len(idle_raters(study, _days(study))) + (len(newcomers(study, _days(study))) if study.is_live else 0)


def _days(study: Study) -> int:
    return reminder_days(study) or DAYS_BY_PRESS
