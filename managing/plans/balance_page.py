"""The page that shows how often each system is shown at each position, from the kept balance report."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from agreement.table_catalogue import TABLES
from annotation.access import RESEARCHERS, study_for
from config.htmx_request import HtmxRequest
from reports.display.kept_status import KeptStatus, shown_before
from reports.kept_reports import kept_report

TITLES = {"planned": "Planned slots", "answered": "Answers"}
UNLIKELY = 0.01
SIDES = ("Left", "Right")
UNCHANGED = 204


@require_safe
@signed_in
def balance(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the counts and the test of planned slots and of answers."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    kept = kept_report(study, "balance", {})
    status = KeptStatus.of([kept], request.GET)
    before = shown_before(request.GET) if request.htmx else None
    if before == status.mark:
        return HttpResponse(status=UNCHANGED)
    parts = [] if status.placeholder else [_part(key, one) for key, one in kept.figures.items()]
    template = "managing/balance.html" if before is None else "managing/_balance.html"
    return render(request, template, {"study": study, "status": status, "parts": parts, "figure": TABLES["balance"]})


def _part(key: str, figures: Mapping[str, Any]) -> dict[str, Any]:
    sizes = [
        {
            "outputs": size["outputs"],
            "heads": SIDES if size["outputs"] == len(SIDES) else [f"Position {n + 1}" for n in range(size["outputs"])],
            "rows": sorted(size["systems"].items()),
        }
        for size in figures["sizes"]
    ]
    test = {name: figures.get(name) for name in ("chi2", "df", "p")}
    is_uneven = test["p"] is not None and test["p"] < UNLIKELY
    verdict = "Positions are less even than chance allows." if is_uneven else "Positions are as even as they should be."
    return {"key": key, "title": TITLES[key], "sizes": sizes, "verdict": verdict, **test}
