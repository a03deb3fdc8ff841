"""A person's own API tokens: of their account, and those with which they annotate."""

from collections.abc import Collection
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from accounts.models import Person
from annotation.access import ANNOTATORS, RESEARCHERS, may_make_studies, own_token_for, own_tokens, studies_of
from annotation.forms import AccountTokenForm
from annotation.members.revoking import revoke_token
from annotation.members.tokens import issue_account_token, issue_token, may_have_token
from annotation.models import Study
from annotation.studies.queries import state_of_token

MOST_LISTED = 200
"""Studies that the form offers, newest first, and tokens that the page lists."""


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def account_tokens(request: HttpRequest) -> HttpResponse:
    """List the person's own tokens; POST creates one and shows its secret this one time."""
    person = person_of(request)
    form = _form(person, request.POST if request.method == "POST" else None)
    secret = ""
    if form.is_bound and form.is_valid():
        secret = _issued(person, form)
        form = _form(person)
    found = own_tokens(person).prefetch_related("opened__study").order_by("-pk")[:MOST_LISTED]
    context = {"form": form, "secret": secret, "rows": [(token, state_of_token(token)) for token in found]}
    return render(request, "annotation/account_tokens.html", context, status=422 if form.is_bound else 200)


@require_POST
@signed_in
def revoke_account_token(request: HttpRequest, pk: int) -> HttpResponse:
    person = person_of(request)
    if revoke_token(own_token_for(person, pk), person):
        messages.success(request, gettext("The token has been revoked. Programs that use it no longer have access."))
    else:
        messages.error(request, gettext("This token has already been revoked."))
    return redirect("annotation:account_tokens")


def _form(person: Person, posted: Any = None) -> AccountTokenForm:
    run, annotated = (_newest(person, roles) for roles in (RESEARCHERS, ANNOTATORS))
    return AccountTokenForm(posted, run=run, annotated=annotated, may_make=may_make_studies(person))


def _newest(person: Person, roles: Collection[str]) -> QuerySet[Study]:
    newest = [one for one in studies_of(person, roles).order_by("-pk")[:MOST_LISTED] if may_have_token(person, one)]
    return Study.objects.filter(pk__in=[one.pk for one in newest]).order_by("-pk")


def _issued(person: Person, form: AccountTokenForm) -> str:
    """The secret of the token that a checked form asks for."""
    data = form.cleaned_data
    if data["opens"] == form.TASKS:
        return issue_token(data["tasks_of"], person, name=data["name"], scope="annotate", days=data["days"])
    return issue_account_token(
        person, name=data["name"], scope=data["scope"], days=data["days"],
        studies=data["studies"] if data["opens"] == form.NAMED else None, makes_studies=bool(data.get("makes_studies")),
    )  # fmt: skip
