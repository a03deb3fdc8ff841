"""The people of a study. Owners can change their roles and remove them."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import OWNERS, RESEARCHERS, may, member_for, study_for
from annotation.forms import RoleForm
from annotation.members import membership
from annotation.models import Study
from annotation.models.people import Role
from annotation.studies.newer_counts import UNCHANGED, has_shown
from annotation.studies.study_overview import overview_of
from config.htmx_request import HtmxRequest

PAGE_SIZE = 50


@require_safe
@signed_in
def people(request: HtmxRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    overview = overview_of(study)
    if has_shown(request, overview.kept):
        return HttpResponse(status=UNCHANGED)
    context = {
        "study": study,
        "page": Paginator(overview.contributions(), PAGE_SIZE).get_page(request.GET.get("page")),
        "kept": overview.kept,
        "owns": may(person, study, OWNERS),
        "roles": Role.choices,
    }
    return render(request, "annotation/people.html", context)


@require_POST
@signed_in
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    member = member_for(person, slug, pk)
    try:
        membership.deactivate_member(member, person)
        messages.success(
            request,
            f"{member.person} has been removed. Their answers stay; their open invitations and tokens no longer work.",
        )
    except membership.MembershipRefusedError as problem:
        messages.error(request, str(problem))
    return _back(request, member.study)


@require_POST
@signed_in
def restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    member = member_for(person, slug, pk)
    membership.restore_member(member, person)
    messages.success(request, f"{member.person} is back in the study.")
    return _back(request, member.study)


@require_POST
@signed_in
def change_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    member = member_for(person, slug, pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose one of the roles.")
        return _back(request, member.study)
    try:
        membership.change_role(member, form.cleaned_data["role"], person)
        messages.success(request, f"{member.person} is now {member.get_role_display().lower()}.")
    except membership.MembershipRefusedError as problem:
        messages.error(request, str(problem))
    return _back(request, member.study)


def _back(request: HttpRequest, study: Study) -> HttpResponse:
    """Redirect to the people page, or home if the person has just lost access to it."""
    stays = may(person_of(request), study, RESEARCHERS)
    return redirect("annotation:people", slug=study.slug) if stays else redirect("annotation:home")
