"""The list of a study's API tokens, with forms to create and revoke them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from annotation.access import OWNERS, RESEARCHERS, may, may_revoke, study_for, token_for
from annotation.forms import TokenForm
from annotation.members.revoking import revoke_token
from annotation.members.tokens import issue_token
from annotation.studies.queries import state_of_token, tokens_of


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def tokens(request: HttpRequest, slug: str) -> HttpResponse:
    """List tokens; POST creates one and shows its secret this one time."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = TokenForm(request.POST if request.method == "POST" else None)
    secret = ""
    if request.method == "POST" and form.is_valid():
        secret = issue_token(study, person, **form.cleaned_data)
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
        messages.success(request, "The token has been revoked. Programs that use it no longer have access.")
    else:
        messages.error(request, "This token has already been revoked.")
    return redirect("annotation:tokens", slug=slug)
