"""The page that shows how often each system is shown at each position, from the kept balance report."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from agreement.catalogue.report_catalogue import Figure, count_of
from agreement.catalogue.table_catalogue import TABLES
from annotation.access import RESEARCHERS, study_for
from config.htmx_request import HtmxRequest
from reports.kept.kept_reports import kept_report
from reports.pages.display.kept_status import KeptStatus, shown_before
from reports.pages.display.page_files import file_links, file_response, texts_of
from reports.pages.display.printed_figures import plain
from reports.pages.display.row_order import NAME, Sorting
from reports.pages.display.tables import Table

TITLES = {"planned": "Planned slots", "answered": "Answers"}
UNLIKELY = 0.01
SIDES = ("Left", "Right")
UNCHANGED = 204


@require_safe
@signed_in
def balance(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the counts and the test of planned slots and of answers."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    kept = kept_report(study, "balance", {}, person_of(request))
    status = KeptStatus.of([kept], request.GET)
    before = shown_before(request.GET) if request.htmx else None
    if before == status.mark:
        return HttpResponse(status=UNCHANGED)
    parts = (
        [] if status.placeholder else [_part(key, one, Sorting.of(request.GET)) for key, one in kept.figures.items()]
    )
    template = "managing/balance.html" if before is None else "managing/_balance.html"
    links = file_links(reverse("managing:balance", args=[slug]), status)
    return render(
        request, template, {"study": study, "status": status, "parts": parts, "figure": TABLES["balance"], **links}
    )


@require_safe
@signed_in
def balance_file(request: HtmxRequest, slug: str, key: str, ending: str) -> HttpResponse:
    """One table of the page as a file."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    kept, sorting = kept_report(study, "balance", {}, person_of(request)), Sorting.of(request.GET)
    parts = kept.figures if kept.is_there else {}
    tables = [_table(part, size, sorting) for part, one in parts.items() for size in one["sizes"]]
    return file_response(request, study, key, ending, texts_of(tables), has_results=False)


def _table(part: str, size: Mapping[str, Any], sorting: Sorting) -> Table:
    """How often each system was at each position, in the order of names."""
    outputs = size["outputs"]
    titles = SIDES if outputs == len(SIDES) else [f"Position {number + 1}" for number in range(outputs)]
    heads = [count_of(title, "", "") for title in titles]
    title = f"{TITLES[part]}, {outputs} outputs"
    rows = [
        (name, [plain(head, str(count), value=count) for head, count in zip(heads, counts, strict=True)])
        for name, counts in size["systems"].items()
    ]
    return Table(Figure(title, "", "table", "neither", "", "System"), heads, rows, first=NAME, sorting=sorting)


def _part(key: str, figures: Mapping[str, Any], sorting: Sorting) -> dict[str, Any]:
    sizes = [_table(key, size, sorting) for size in figures["sizes"]]
    test = {name: figures.get(name) for name in ("chi2", "df", "p")}
    is_uneven = test["p"] is not None and test["p"] < UNLIKELY
    verdict = "Positions are less even than chance allows." if is_uneven else "Positions are as even as they should be."
    return {"key": key, "title": TITLES[key], "sizes": sizes, "verdict": verdict, **test}
