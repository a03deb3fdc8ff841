"""Pages of an annotator's own work: the guidelines before the first task, their answers, and their day."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from accounts.preferences import preferences_of
from annotation.access import ANNOTATORS, membership_for
from annotation.desk.my_answers import FILTERS, answers_of, page_of
from annotation.desk.my_day import SHORTEST_PACE_MINUTES, day_of, paced_work, zone_called
from annotation.desk.next_page import next_page
from annotation.forms import GuidelinesVersionForm
from annotation.members.membership import rater_for
from annotation.members.reading_guidelines import confirm_reading, newest_guidelines
from annotation.studies.guideline_text import render as render_markdown

LONGEST_SEARCH = 200


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the guidelines until the rater confirms having read them, then open the next task."""
    membership = membership_for(person_of(request), slug, roles=ANNOTATORS)
    study, newest = membership.study, newest_guidelines(membership.study)
    rater = rater_for(study, membership.person)
    status = 200
    if request.method == "POST":
        form = GuidelinesVersionForm(request.POST)
        read = study.guidelines.filter(number=form.cleaned_data["version"]).first() if form.is_valid() else None
        if newest is None or read is not None:
            if read is not None:
                confirm_reading(rater, read)
            if study.is_live:
                return next_page(request, study)
            messages.success(request, gettext("Saved. Your tasks appear here when the study gives them out."))
            return redirect("annotation:home")
        status = 422
    html = render_markdown(newest.text) if newest else ""
    context = {"study": study, "shown": newest, "newest": newest.number if newest else None, "html": html,
               "before": rater.guidelines_read}  # fmt: skip
    return render(request, "annotation/begin.html", context, status=status)


@require_safe
@signed_in
def my_answers(request: HttpRequest, slug: str) -> HttpResponse:
    """The person's own answers in a study; `?show=` filters them, `?q=` searches, `?page=` turns the pages."""
    membership = membership_for(person_of(request), slug, roles=ANNOTATORS)
    study = membership.study
    rater, newest = rater_for(study, membership.person), newest_guidelines(study)
    rater.study = study
    number = newest.number if newest else None
    kind = request.GET.get("show", "")
    kind = kind if kind in FILTERS else ""
    words = " ".join(request.GET.get("q", "").replace("\0", "").split())[:LONGEST_SEARCH]
    page, rows = page_of(rater, answers_of(rater, kind, words, number), request.GET.get("page"), number)
    filters = [(key, gettext(name)) for key, name in FILTERS.items()]
    context = {"study": study, "page": page, "rows": rows, "kind": kind, "words": words, "filters": filters,
               "newest": number,
               "unread": [one for row in rows if (one := row.flag_answer) and one.seen_at is None]}  # fmt: skip
    return render(request, "annotation/my_answers.html", context)


@require_safe
@signed_in
def my_day(request: HttpRequest) -> HttpResponse:
    """The person's answers, pace and active time today, by days of the time zone in `?zone=` or their own."""
    zone = zone_called(request.GET.get("zone", "") or preferences_of(person_of(request)).time_zone)
    paced, rest = paced_work(person_of(request))
    context = {"day": day_of(person_of(request), zone), "zone": zone, "pace_after": SHORTEST_PACE_MINUTES,
               "paced": paced, "rest": rest, "steps": any(one.study.has_steps for one in paced)}  # fmt: skip
    return render(request, "annotation/my_day.html", context)
