"""The page on which an owner makes or revokes a sign-in link for a member."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from accounts.sign_in_links import revoke_links
from annotation.access import member_for
from annotation.members.member_links import (
    HOURS,
    MemberLinkRefusedError,
    make_member_link,
    why_no_link,
    working_links,
)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def member_link(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """POST makes a link and shows it this one time; with `revoke`, it ends those of the study."""
    owner = person_of(request)
    member = member_for(owner, slug, pk)
    link = ""
    if "revoke" in request.POST:
        ended = revoke_links(member.person, owner, member.study.slug)
        messages.success(request, "The link no longer works." if ended else "There was no link to revoke.")
        return redirect("annotation:member_link", slug=slug, pk=pk)
    if request.method == "POST":
        try:
            link = request.build_absolute_uri(make_member_link(member, owner))
        except MemberLinkRefusedError:  # the page says why
            link = ""
    context = {
        "study": member.study, "member": member, "link": link, "open": working_links(member), "hours": HOURS,
        "refused": why_no_link(member.study, member.person, owner),
    }  # fmt: skip
    return render(request, "annotation/member_link.html", context)
