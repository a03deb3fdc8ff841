"""Pages of a person's own data: what is kept, a download of all of it, and leaving a study."""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from annotation.models import Membership
from annotation.models.people import Role
from recruiting.access import own_rater
from recruiting.crowds.ending import withdraw
from recruiting.models import CrowdId
from recruiting.step_kinds.consent import consent_texts
from recruiting.way_in.data_download import own_data
from recruiting.way_in.leaving import (
    ErasureRefusedError,
    MembershipRefusedError,
    consent_step,
    leave,
    rule_for,
    stated_rule,
)


@require_safe
@signed_in
def my_data(request: HttpRequest) -> HttpResponse:
    """What is kept about the person, and the studies that they can leave."""
    mine = Membership.objects.filter(person=person_of(request), active=True).select_related("study").order_by("pk")
    rows = [
        (one.study, one.get_role_display(), one.role == Role.ANNOTATOR and consent_step(one.study) is not None,
         one.role == Role.ANNOTATOR)
        for one in mine
    ]  # fmt: skip
    return render(request, "recruiting/my_data.html", {"rows": rows})


@require_safe
@signed_in
def my_data_file(request: HttpRequest) -> HttpResponseBase:
    """All that is kept about the person, as JSON."""
    response = StreamingHttpResponse(own_data(person_of(request)), content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="my-data.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def leave_study(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what leaving does; POST leaves."""
    person = person_of(request)
    study, rater = own_rater(person, slug)
    rule = rule_for(study, rater)
    problem = ""
    if request.method == "POST":
        try:
            back = withdraw(rater, person) if study.has_crowd else None
            account_is_gone = leave(rater, person)
            context = {"study": study, "rule": rule, "account_is_gone": account_is_gone, "back": back}
            if account_is_gone:
                request.session.flush()
                request.user = AnonymousUser()  # the page offers no button to sign out
            return render(request, "recruiting/left.html", context)
        except (ErasureRefusedError, MembershipRefusedError) as refused:
            problem = str(refused)
    step = consent_step(study)
    retention = consent_texts(step.body)["retention"] if step else ""
    context = {"study": study, "rule": rule, "is_stated": stated_rule(study, rater) is not None, "problem": problem,
               "retention": retention,
               "has_participant": CrowdId.objects.filter(study=study, person=person).exists()}  # fmt: skip
    return render(request, "recruiting/leave.html", context, status=409 if problem else 200)


@require_safe
@signed_in
def my_consent(request: HttpRequest, slug: str) -> HttpResponse:
    """The text that the study shows now, for people who have agreed to it."""
    study, _ = own_rater(person_of(request), slug)
    step = consent_step(study)
    if step is None:
        return redirect("annotation:home")
    return render(request, "recruiting/my_consent.html", {"study": study, **consent_texts(step.body)})
