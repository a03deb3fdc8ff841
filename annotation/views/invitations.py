"""The list of a study's invitations, and the page that accepts one."""

from django.contrib import messages
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from accounts.forms import JoinForm
from accounts.hashing import HashingBusyError
from accounts.models import Person
from accounts.signing_in import enter
from annotation.access import RESEARCHERS, invitation_for, roles_to_offer, study_for
from annotation.forms import InviteForm
from annotation.members.invitations import (
    AlreadyMemberError,
    InvitationDeadError,
    accept,
    invite,
    mark_opened,
    open_invitation,
)
from annotation.members.revoking import revoke_invitation
from annotation.models import Invitation, Study
from annotation.studies.queries import invitations_of, state_of


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def invitations(request: HttpRequest, slug: str) -> HttpResponse:
    """List invitations; POST creates new ones and shows their links this one time."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = InviteForm(request.POST if request.method == "POST" else None, roles=roles_to_offer(person, study))
    links: list[str] = []
    if request.method == "POST" and form.is_valid():
        paths = invite(study, actor=person, **form.cleaned_data)
        links = [request.build_absolute_uri(path) for path in paths]
        form = InviteForm(roles=roles_to_offer(person, study))
    context = {"study": study, "form": form, "links": links, "rows": _rows(person, study)}
    return render(request, "annotation/invitations.html", context, status=422 if form.is_bound else 200)


def _rows(person: Person, study: Study) -> list[tuple[Invitation, str, bool]]:
    """Return each invitation, its state, and whether `person` may revoke it."""
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
    if revoke_invitation(invitation_for(person, slug, pk), person):
        messages.success(request, "The invitation has been revoked.")
    else:
        messages.error(request, "This invitation has already been used or revoked.")
    return redirect("annotation:invitations", slug=slug)


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Describe the study; POST joins it. GET uses nothing up, because mail programs open links."""
    try:
        found = open_invitation(token)
        if request.method == "POST":
            return _join(request, found)
    except InvitationDeadError:
        return render(request, "annotation/invitation_dead.html", status=404)
    except AlreadyMemberError:
        messages.info(request, gettext("You are or were in this study, so the invitation changes nothing."))
        return redirect("annotation:home")
    return _offer(request, found, JoinForm() if _joins_as_new(request, found) else None)


@require_POST
def opened(request: HttpRequest, token: str) -> HttpResponse:
    """Keep that the page of an invitation was shown. Its script asks for it, which programs that open links do not."""
    try:
        mark_opened(open_invitation(token))
    except InvitationDeadError:
        return HttpResponse(status=404)
    return HttpResponse(status=204)


def _join(request: HttpRequest, found: Invitation) -> HttpResponse:
    if not _joins_as_new(request, found):
        accept(found, person_of(request))
        return redirect("annotation:home")
    form = JoinForm(request.POST)
    if form.is_valid():
        try:
            person = form.person()
            accept(found, person)
        except HashingBusyError:
            form.add_error(
                None, gettext("The site is busy because many people are signing in. Try again in a few seconds.")
            )
            return _offer(request, found, form, status=503)
        except IntegrityError:
            form.add_error("username", gettext("This user name is taken. Choose another one."))
        else:
            enter(request, person, "invitation")
            return redirect("annotation:home")
    return _offer(request, found, form)


def _joins_as_new(request: HttpRequest, found: Invitation) -> bool:
    """Whether somebody joins with a new account: nobody is signed in, or a guest of another study."""
    return not isinstance(request.user, Person) or not request.user.may_be_in(found.study.slug)


def _offer(request: HttpRequest, found: Invitation, form: JoinForm | None, status: int = 0) -> HttpResponse:
    is_guest = form is not None and request.user.is_authenticated
    context = {"invitation": found, "study": found.study, "form": form, "is_guest": is_guest}
    response = render(
        request, "annotation/invitation.html", context, status=status or (422 if form and form.is_bound else 200)
    )
    if status == 503:
        response.headers["Retry-After"] = str(HashingBusyError.retry_after)
    return response
