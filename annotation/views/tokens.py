"""Tokens of a study: the list, a new one shown once, the end of one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from annotation.access import OWNERS, RESEARCHERS, may, may_revoke, study_for, token_for
from annotation.forms import TokenForm
from annotation.queries import state_of_token, tokens_of
from annotation.tokens import issue
from annotation.tokens import revoke as revoke_token


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def tokens(request: HttpRequest, slug: str) -> HttpResponse:
    """The list; by POST a new token, whose secret this one answer shows."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = TokenForm(request.POST if request.method == "POST" else None)
    secret = ""
    if request.method == "POST" and form.is_valid():
        secret = issue(study, person, **form.cleaned_data)
        form = TokenForm()
    owns = may(person, study, OWNERS)
    rows = [
        (token, state, state == "open" and may_revoke(person, token, owns))
        for token in tokens_of(study)
        if (state := state_of_token(token))
    ]
    context = {"study": study, "form": form, "secret": secret, "rows": rows}
    return render(request, "annotation/tokens.html", context, status=422 if form.is_bound else 200)


@require_POST
@signed_in
def revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    if revoke_token(token_for(person, slug, pk), person):
        messages.success(request, "The token is revoked: nothing that uses it gets in any more.")
    else:
        messages.error(request, "This token was revoked before.")
    return redirect("annotation:tokens", slug=slug)
