"""A person's own pages of e-mail: their address and choices, and the links in mails, which need no sign-in."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from annotation.access import NOTHING
from recruiting.mail.mail_forms import AddressForm, ChoicesForm
from recruiting.mail.mail_links import MailLinkDeadError, MailStop, read_confirmation, read_stop
from recruiting.mail.mail_tables import MailAddress, RefusedAddress
from recruiting.mail.own_address import (
    KINDS,
    MailAddressRefusedError,
    address_row,
    choose_mails,
    confirm_address,
    remove_address,
    set_address,
)


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
            return redirect("recruiting:my_mail")
        except MailAddressRefusedError as problem:
            form.add_error("address", str(problem))
    row = address_row(person)
    chosen = ChoicesForm(initial={kind: getattr(row, f"wants_{kind}") for kind in KINDS} if row else None)
    context = {"form": form, "row": row, "choices": chosen}
    return render(request, "recruiting/mail/my_mail.html", context, status=422 if form.is_bound else 200)


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
    return redirect("recruiting:my_mail")


@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """The link of a confirmation; POST confirms, because mail programs open links."""
    try:
        row, digest = read_confirmation(token)
    except MailLinkDeadError:
        return render(request, "recruiting/mail/link_dead.html", status=404)
    if request.method == "POST":
        if not confirm_address(row, digest):
            return render(request, "recruiting/mail/link_dead.html", status=404)
        return render(request, "recruiting/mail/done.html", {"confirmed": True})
    return render(request, "recruiting/mail/confirm.html")


@csrf_exempt  # mail programs send the form themselves; the signed token in the address is what proves the right
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """The link that stops mails; POST stops them at once, also for a mail program (RFC 8058), without signing in.

    With the field `again` they come again, for somebody who pressed by mistake.
    """
    try:
        asked = read_stop(token)
    except MailLinkDeadError:
        return render(request, "recruiting/mail/link_dead.html", status=404)
    if request.method == "POST":
        again = "again" in request.POST
        _stop(asked, again=again)
        return render(request, "recruiting/mail/done.html", {"confirmed": False, "again": again})
    return render(request, "recruiting/mail/stop.html", {"asked": asked})


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
