"""Invitations: making them, and taking one up."""

from django.contrib import messages
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from accounts.forms import JoinForm
from accounts.models import Person
from accounts.signing_in import enter
from annotation import inviting
from annotation.access import RESEARCHERS, invitation_for, roles_to_offer, study_for
from annotation.forms import InviteForm
from annotation.models import Invitation, Study
from annotation.queries import invitations_of, state_of


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def invitations(request: HttpRequest, slug: str) -> HttpResponse:
    """The list; by POST new ones, whose links this one answer shows."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = InviteForm(request.POST if request.method == "POST" else None, roles=roles_to_offer(person, study))
    links: list[str] = []
    if request.method == "POST" and form.is_valid():
        paths = inviting.invite(study, actor=person, **form.cleaned_data)
        links = [request.build_absolute_uri(path) for path in paths]
        form = InviteForm(roles=roles_to_offer(person, study))
    context = {"study": study, "form": form, "links": links, "rows": _rows(person, study)}
    return render(request, "annotation/invitations.html", context, status=422 if form.is_bound else 200)


def _rows(person: Person, study: Study) -> list[tuple[Invitation, str, bool]]:
    """Each invitation, its state, and whether `person` may revoke it."""
    allowed = {role for role, _ in roles_to_offer(person, study)}
    rows = []
    for invitation in invitations_of(study):
        state = state_of(invitation)
        rows.append((invitation, state, state == "open" and invitation.role in allowed))
    return rows


@require_POST
@signed_in
def revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    if inviting.revoke(invitation_for(person, slug, pk), person):
        messages.success(request, "The invitation is revoked.")
    else:
        messages.error(request, "This invitation was used or revoked before.")
    return redirect("annotation:invitations", slug=slug)


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What one is invited to; by POST, joining. GET uses nothing up: mail programs look at links."""
    try:
        found = inviting.open_invitation(token)
        if request.method == "POST":
            return _join(request, found)
    except inviting.InvitationDeadError:
        return render(request, "annotation/invitation_dead.html", status=404)
    except inviting.AlreadyMemberError:
        messages.info(request, "You take part in this study already, or did before: an invitation changes nothing.")
        return redirect("annotation:home")
    return _offer(request, found, None if request.user.is_authenticated else JoinForm())


def _join(request: HttpRequest, found: Invitation) -> HttpResponse:
    if request.user.is_authenticated:
        inviting.accept(found, person_of(request))
        return redirect("annotation:home")
    form = JoinForm(request.POST)
    if form.is_valid():
        person = form.person()
        try:
            inviting.accept(found, person)
        except IntegrityError:
            form.add_error("username", "This user name is taken: choose another.")
        else:
            enter(request, person, "invitation")
            return redirect("annotation:home")
    return _offer(request, found, form)


def _offer(request: HttpRequest, found: Invitation, form: JoinForm | None) -> HttpResponse:
    context = {"invitation": found, "study": found.study, "form": form}
    return render(request, "annotation/invitation.html", context, status=422 if form and form.is_bound else 200)
