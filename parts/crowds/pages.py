"""Researchers' pages of people who came by links: their submissions, and the links themselves."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from annotation.access import NOTHING, RESEARCHERS, study_for
from annotation.forms import PlainText
from annotation.models import Study
from config.form_fields import WholeNumberField
from parts.crowds.checked_values import MOST_MINUTES
from parts.crowds.entering import places_taken
from parts.crowds.link_settings import LONGEST_INTRO, MOST_PEOPLE, LinkChangeRefusedError, change_link, public_link_of
from parts.crowds.models import OUTCOMES
from parts.crowds.recruiter_settings import recruiter_of
from parts.crowds.signed_entry import signing_key
from parts.crowds.submissions import (
    CrowdSubmission,
    approve_lines,
    bonus_lines,
    stays_of,
    submissions_of,
    table_lines,
)

PER_PAGE = 100
LISTS: Mapping[str, Callable[[Iterable[CrowdSubmission]], str]] = {
    "approve.csv": approve_lines, "bonuses.csv": bonus_lines,
}  # fmt: skip
TABLE = "submissions.csv"
KEPT = ("intro", "minutes")
"""Keys of the public link that the form shows as they are."""


class PublicLinkForm(forms.Form):
    """The public link of a study."""

    is_open = forms.BooleanField(label="People can come in by this link", required=False)
    people = WholeNumberField(
        label="At most", min_value=0, max_value=MOST_PEOPLE, help_text="people who are in the study or completed it."
    )
    minutes = WholeNumberField(
        label="Minutes without work", min_value=1, max_value=MOST_MINUTES, required=False,
        help_text="Places of people who do nothing for so long are free again. Empty: places stay taken.",
    )  # fmt: skip
    intro = PlainText(
        label="What people read first", max_length=LONGEST_INTRO, required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="Without it, they read the description of the study.",
    )  # fmt: skip


@require_safe
@signed_in
def submissions(request: HttpRequest, slug: str) -> HttpResponse:
    """The people who came by links, with filters, active time and suggested payment."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    chosen = _chosen(request)
    page = Paginator(stays_of(study, **chosen), PER_PAGE).get_page(request.GET.get("page"))
    recruiter = recruiter_of(study)
    context = {
        "study": study, "rows": submissions_of(study, page.object_list), "page": page, "chosen": chosen,
        "outcomes": [("open", "Under way"), *OUTCOMES.items()], "recruiter": recruiter,
        "currency": recruiter.body.get("currency", "") if recruiter else "", "query": _query(request),
    }  # fmt: skip
    return render(request, "crowds/submissions.html", context)


def _chosen(request: HttpRequest) -> dict[str, Any]:
    given = request.GET
    return {"outcome": given.get("outcome", ""), "source": given.get("source", ""), "odd": given.get("odd") == "1"}


def _query(request: HttpRequest) -> str:
    """The filters of the page as the query of an address."""
    kept = request.GET.copy()
    kept.pop("page", None)
    return kept.urlencode()


@require_safe
@signed_in
def submissions_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The submissions of the page's filters as a file, or a list that the recruiter's site takes."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if name != TABLE and name not in LISTS:
        raise Http404(NOTHING)
    found = submissions_of(study, stays_of(study, **_chosen(request)))
    text = table_lines(study, found) if name == TABLE else LISTS[name](found)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{name}"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def entry_links(request: HttpRequest, slug: str) -> HttpResponse:
    """The links of recruiter and public; POST opens, closes or caps the public one."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = PublicLinkForm(request.POST) if request.method == "POST" else PublicLinkForm(initial=_initial(study))
    if form.is_bound and form.is_valid():
        given = form.cleaned_data
        changes = {"people": given["people"], "open": given["is_open"], "intro": given["intro"].strip(),
                   "minutes": "" if given["minutes"] is None else given["minutes"]}  # fmt: skip
        try:
            changed = change_link(study, changes, person)
            messages.success(request, "Saved." if changed else "Nothing was changed.")
            return redirect("crowds:entry_links", slug=slug)
        except LinkChangeRefusedError as problem:
            form.add_error(None, str(problem))
    context = {"study": study, "form": form, "link": public_link_of(study), **_recruiter_link(request, study)}
    context["joined"] = places_taken(study) if context["link"] else 0
    context["address"] = request.build_absolute_uri(reverse("crowds:join", args=[slug]))
    return render(request, "crowds/entry_links.html", context, status=422 if form.is_bound else 200)


def _initial(study: Study) -> dict[str, Any]:
    link = public_link_of(study)
    if link is None:
        return {"people": 50, "is_open": True}
    return {"people": link.people, "is_open": link.is_open, **{name: link.body.get(name) for name in KEPT}}


def _recruiter_link(request: HttpRequest, study: Study) -> dict[str, Any]:
    """What a researcher gives to the recruiter: the address with the places of ids, and the key for signatures."""
    recruiter = recruiter_of(study)
    if recruiter is None:
        return {"recruiter": None}
    pattern = "{{{{%{}%}}}}" if recruiter.is_prolific else "<{}>"
    words = {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}
    places = [
        f"{name}={pattern.format(words[part] if recruiter.is_prolific else part)}"
        for part, name in recruiter.parameters.items()
    ]
    signed = "signature" in recruiter.body
    if signed:
        places.append(f"{recruiter.body['signature']['parameter']}=<signature>")
    address = request.build_absolute_uri(reverse("crowds:enter", args=[study.slug]))
    key = signing_key(study, recruiter) if signed else ""
    return {"recruiter": recruiter, "entry_address": f"{address}?{'&'.join(places)}", "signing_key": key}
