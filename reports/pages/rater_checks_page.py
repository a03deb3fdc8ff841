"""The page that shows how careful each rater is, with the notices of rules and the exclusions by researchers."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from annotation.members.standing import excluded
from annotation.members.standing_forms import ExclusionForm
from annotation.models import ExclusionReply, Rater, Study
from config.htmx_request import HtmxRequest
from config.parts import parts
from reports.access import reported_study
from reports.kept.kept_reports import Kept, kept_report
from reports.pages.display.kept_status import KeptStatus, shown_before
from reports.pages.seen_results import ResultPage, note_seen

OWN_COLUMNS = {
    "agrees": ("Agreement", "the share of answers that are the most common one of the other raters"),
    "time": ("Time", "the median time per task, as a multiple of the others'"),
    "in_a_row": ("Same in a row", "the most forms in a row with the same answers by letters; below, in random order"),
    "same_forms": ("Same forms", "the share of the form that was given most often, by letters"),
}
UNCHANGED = 204


def columns_of_raters() -> dict[str, tuple[str, str]]:
    """The titles of all figures of raters, and what they are: first those of parts."""
    added = {column.key: (column.title, column.about) for part in parts() for column in part.rater_columns}
    return {**added, **OWN_COLUMNS}


@require_safe
@signed_in
def rater_checks(request: HtmxRequest, slug: str) -> HttpResponse:
    """The kept figures of each rater; a page that waits asks again, and gets its part when it has changed."""
    study = reported_study(person_of(request), slug)
    kept = kept_report(study, "rater_checks", {}, person_of(request))
    status = KeptStatus.of([kept], request.GET)
    before = shown_before(request.GET) if request.htmx else None
    if before == status.mark:
        return HttpResponse(status=UNCHANGED)
    if kept.is_there:
        note_seen(study, person_of(request), ResultPage.CHECKS)
    template = "reports/rater_checks.html" if before is None else "reports/_rater_checks.html"
    return render(request, template, {**_context(study, kept), "study": study, "status": status})


def _context(study: Study, kept: Kept) -> dict[str, Any]:
    figures = kept.figures if kept.is_there else {"raters": [], "questions": {}}
    columns = columns_of_raters()
    raters = {rater.pk: rater for rater in Rater.objects.filter(study=study, kind=Rater.Kind.HUMAN)}
    out = {one.rater_id: one for one in excluded(study)}
    replies: dict[int, list[ExclusionReply]] = defaultdict(list)
    for reply in ExclusionReply.objects.filter(exclusion__in=out.values()).order_by("pk"):
        replies[reply.exclusion_id].append(reply)
    return {
        "columns": list(columns.values()),
        "width": len(columns) + 2,
        "rows": [_row(row, raters, out, columns) for row in figures["raters"] if row["pk"] in raters],
        "figures": figures,
        "exclusions": [(one, replies[one.pk]) for one in out.values()],
        "exclusion_form": ExclusionForm(auto_id=False),
    }


def _row(
    row: Mapping[str, Any], raters: Mapping[int, Rater], out: Mapping[int, Any], columns: Mapping[str, tuple[str, str]]
) -> dict[str, Any]:
    cells = [{"of": key, "title": title, **row[key]} for key, (title, _) in columns.items() if key in row]
    return {"rater": raters[row["pk"]], "cells": cells, "excluded": row["pk"] in out}
