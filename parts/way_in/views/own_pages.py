"""Pages of a person's part in a study: what they agreed to, and leaving."""

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from annotation.members.own_rater import own_rater
from parts.way_in.followers import followers_of
from parts.way_in.leaving import (
    ErasureRefusedError,
    MembershipRefusedError,
    consent_step,
    leave,
    rule_for,
    stated_rule,
)
from parts.way_in.step_kinds.consent import consent_texts


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
            with transaction.atomic():  # if the erasure is refused, nothing that comes before it has happened
                farewell = [html for part in followers_of(study) if (html := part.before_leaving(rater, person))]
                account_is_gone = leave(rater, person)
            context = {"study": study, "rule": rule, "account_is_gone": account_is_gone, "farewell": farewell}
            if account_is_gone:
                request.session.flush()
                request.user = AnonymousUser()  # the page offers no button to sign out
            return render(request, "way_in/left.html", context)
        except (ErasureRefusedError, MembershipRefusedError) as refused:
            problem = str(refused)
    step = consent_step(study)
    retention = consent_texts(step.body)["retention"] if step else ""
    context = {"study": study, "rule": rule, "is_stated": stated_rule(study, rater) is not None, "problem": problem,
               "retention": retention}  # fmt: skip
    return render(request, "way_in/leave.html", context, status=409 if problem else 200)


@require_safe
@signed_in
def my_consent(request: HttpRequest, slug: str) -> HttpResponse:
    """The text that the study shows now, for people who have agreed to it."""
    study, _ = own_rater(person_of(request), slug)
    step = consent_step(study)
    if step is None:
        return redirect("annotation:home")
    return render(request, "way_in/my_consent.html", {"study": study, **consent_texts(step.body)})
