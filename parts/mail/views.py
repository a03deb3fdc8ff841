"""Pages of mail: a person's address and choices, links in mails, a forgotten password, and a study's mails."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from accounts.later_page import try_later
from accounts.sign_in_limits import TooManyTriesError
from annotation.access import NOTHING, RESEARCHERS, study_for
from annotation.models import Study
from config.client_address import client_address
from parts.mail.forms import AddressForm, ChoicesForm, ForgottenPasswordForm, MailInvitationsForm, ReminderForm
from parts.mail.mail_links import MailLinkDeadError, MailStop, read_confirmation, read_stop
from parts.mail.mail_queue import InvitationsRefusedError, idle_raters, invite_by_mail, newcomers, remind_idle
from parts.mail.models import MailAddress, OutgoingMail, RefusedAddress
from parts.mail.own_address import (
    KINDS,
    MailAddressRefusedError,
    address_row,
    choose_mails,
    confirm_address,
    remove_address,
    set_address,
)
from parts.mail.password_mail import HOURS, ask_for_password
from parts.mail.reminder_section import declared_most, reminder_days, set_reminder_days

SHOWN = 50
DAYS_BY_PRESS = 3
"""Who has not worked for so many days gets a reminder by a press, if the study does not say."""


def refuse_without_mail() -> None:
    """Raise Http404 if the site sends no mail."""
    if not settings.SENDS_MAIL:
        raise Http404(NOTHING)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def my_mail(request: HttpRequest) -> HttpResponse:
    """The person's address; POST asks to confirm another one."""
    refuse_without_mail()
    person = person_of(request)
    form = AddressForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            set_address(person, form.cleaned_data["address"])
            messages.success(request, gettext("Open the link in the mail that we send to this address."))
            return redirect("mail:my_mail")
        except MailAddressRefusedError as problem:
            form.add_error("address", str(problem))
    row = address_row(person)
    chosen = ChoicesForm(initial={kind: getattr(row, f"wants_{kind}") for kind in KINDS} if row else None)
    context = {"form": form, "row": row, "choices": chosen}
    return render(request, "mail/my_mail.html", context, status=422 if form.is_bound else 200)


@require_POST
@signed_in
def my_mail_choices(request: HttpRequest) -> HttpResponse:
    """Change which mails come; with `remove`, delete the address."""
    refuse_without_mail()
    person = person_of(request)
    row, form = address_row(person), ChoicesForm(request.POST)
    if "remove" in request.POST:
        if remove_address(person):
            messages.success(request, gettext("Your address is deleted."))
    elif row is not None and form.is_valid():
        changed = choose_mails(row, person, **{str(kind): form.cleaned_data[kind] for kind in KINDS})
        messages.success(request, gettext("Saved.") if changed else gettext("Nothing was changed."))
    return redirect("mail:my_mail")


@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """The link of a confirmation; POST confirms, because mail programs open links."""
    try:
        row, digest = read_confirmation(token)
    except MailLinkDeadError:
        return render(request, "mail/link_dead.html", status=404)
    if request.method == "POST":
        if not confirm_address(row, digest):
            return render(request, "mail/link_dead.html", status=404)
        return render(request, "mail/done.html", {"confirmed": True})
    return render(request, "mail/confirm.html")


@csrf_exempt  # mail programs send the form themselves; the signed token in the address is what proves the right
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """The link that stops mails; POST stops them at once, also for a mail program (RFC 8058), without signing in.

    With the field `again` they come again, for somebody who pressed by mistake.
    """
    try:
        asked = read_stop(token)
    except MailLinkDeadError:
        return render(request, "mail/link_dead.html", status=404)
    if request.method == "POST":
        again = "again" in request.POST
        _stop(asked, again=again)
        return render(request, "mail/done.html", {"confirmed": False, "again": again})
    return render(request, "mail/stop.html", {"asked": asked})


def _stop(asked: MailStop, *, again: bool) -> None:
    """Stop mails, or with `again` let them come again."""
    if asked.row is not None:
        row = MailAddress.objects.filter(pk=asked.row).select_related("person").first()
        if row is not None:
            choose_mails(row, row.person, **{asked.kind: again})
    elif again:
        RefusedAddress.objects.filter(digest=asked.digest).delete()
    else:
        RefusedAddress.objects.bulk_create([RefusedAddress(digest=asked.digest)], ignore_conflicts=True)


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten_password(request: HttpRequest) -> HttpResponse:
    """POST answers alike for everybody: it looks nobody up."""
    refuse_without_mail()
    form = ForgottenPasswordForm(request.POST if request.method == "POST" else None)
    template = "mail/forgotten_password.html"
    if form.is_valid():
        try:
            ask_for_password(form.cleaned_data["account"], client_address(request))
        except TooManyTriesError as problem:
            return try_later(request, template, {"form": form}, problem)
        return render(request, template, {"asked": True, "hours": HOURS})
    return render(request, template, {"form": form}, status=422 if form.is_bound else 200)


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
            return redirect("mail:study_mail", slug=slug)
        except InvitationsRefusedError as problem:
            form.add_error("addresses", str(problem))
    context = {
        "study": study, "form": form, "days": _days(study), "idle": _idle(study),
        "reminders": ReminderForm(initial={"days": reminder_days(study), "most": declared_most(study)}),
        "rows": OutgoingMail.objects.filter(study=study).order_by("-pk")[:SHOWN],
    }  # fmt: skip
    return render(request, "mail/study_mail.html", context, status=422 if form.is_bound else 200)


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
    return redirect("mail:study_mail", slug=slug)


def _idle(study: Study) -> int:
    """How many people a press would remind."""
    return len(idle_raters(study, _days(study))) + (len(newcomers(study, _days(study))) if study.is_live else 0)


def _days(study: Study) -> int:
    return reminder_days(study) or DAYS_BY_PRESS
