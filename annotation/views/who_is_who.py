"""Who the raters of a study are: apart from their figures, after a press, and with an entry in the audit."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from accounts.auditing import record
from annotation.access import RESEARCHERS, study_for
from annotation.models import Membership, Rater, Study
from config.parts import parts


@dataclass(frozen=True)
class KnownMember:
    """A member of a study with all that says who they are; `columns` has texts by their titles."""

    member: Membership
    rater: str
    columns: Mapping[str, str]


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
    return render(request, "annotation/who_is_who.html", {"study": study, "members": members})


def _known_members(study: Study) -> list[KnownMember]:
    """Return them in the order of their random names."""
    members = list(Membership.objects.filter(study=study).select_related("person").order_by("pk"))
    people = [member.person_id for member in members]
    raters = dict(Rater.objects.filter(study=study, person__in=people).values_list("person", "name"))
    columns = {"E-mail": {member.person_id: member.person.email for member in members}}
    for part in parts():
        for title, texts in part.identities(study, people).items():
            columns.setdefault(title, {}).update({person: text for person, text in texts.items() if text})
    known = [
        KnownMember(
            member, raters.get(member.person_id, ""),
            {title: texts.get(member.person_id, "") for title, texts in columns.items()},
        )
        for member in members
    ]  # fmt: skip
    return sorted(known, key=lambda one: (not one.rater, one.rater))
