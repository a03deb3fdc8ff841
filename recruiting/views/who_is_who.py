"""Who the raters of a study are: apart from their figures, after a press, and with an entry in the audit."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from accounts.auditing import record
from accounts.models import Person
from annotation.access import RESEARCHERS, study_for
from annotation.models import Membership, Rater, Study
from recruiting.models import CrowdId, MailAddress


@dataclass(frozen=True)
class KnownMember:
    """A member of a study with all that says who they are."""

    member: Membership
    rater: str
    address: str
    participant: str


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def who_is_who(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what the page is for; POST shows the names, e-mail addresses and participant ids of the members."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    members = None
    if request.method == "POST":
        record("who is who shown", study.slug, actor=person, study=study.slug)
        members = _known_members(study)
    return render(request, "recruiting/who_is_who.html", {"study": study, "members": members})


def _known_members(study: Study) -> list[KnownMember]:
    """Read them in four queries, by the random name."""
    members = list(Membership.objects.filter(study=study).select_related("person").order_by("pk"))
    people = [one.person_id for one in members]
    raters = dict(Rater.objects.filter(study=study, person__in=people).values_list("person", "name"))
    addresses = dict(MailAddress.objects.filter(person__in=people).values_list("person", "address"))
    ids = dict(CrowdId.objects.filter(study=study, person__in=people).values_list("person", "participant"))
    found = [
        KnownMember(one, raters.get(one.person_id, ""), _address(one.person, addresses), ids.get(one.person_id, ""))
        for one in members
    ]
    return sorted(found, key=lambda one: (not one.rater, one.rater))


def _address(person: Person, confirmed: dict[int, str]) -> str:
    return confirmed.get(person.pk) or person.email
