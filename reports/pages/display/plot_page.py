"""The page that saves one plot, and its files: data at once, drawings as soon as a worker has made them."""

import base64
from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from accounts.access import person_of
from annotation.access import NOTHING
from annotation.models import Study
from config.htmx_request import HtmxRequest
from reports.kept.kept_reports import kept_report
from reports.pages.display.kept_status import KeptStatus, shown_before
from reports.pages.display.plot_data import PlotData
from reports.pages.seen_results import ResultPage, note_seen

KIND = "plot"
UNCHANGED = 204
DRAWN = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
DATA = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def plot_page(request: HtmxRequest, study: Study, plot: PlotData, page: str) -> HttpResponse:
    """The links to a plot's files. While they are drawn, it asks for itself again; `page` names where the plot is."""
    kept = kept_report(study, KIND, plot.as_choices(), person_of(request))
    status = KeptStatus.of([kept], request.GET)
    if request.htmx and shown_before(request.GET) == status.mark:
        return HttpResponse(status=UNCHANGED)
    note_seen(study, person_of(request), ResultPage.PLOT)
    back = reverse(page, args=[study.slug])
    context: dict[str, Any] = {
        "study": study, "plot": plot, "status": status, "back": back, "files_at": f"{back}plots/{plot.key}",
        "choices": status.address, "drawn": DRAWN, "data": DATA,
    }  # fmt: skip
    return render(request, "reports/_plot.html" if request.htmx else "reports/plot.html", context)


def plot_file(request: HtmxRequest, study: Study, plot: PlotData, ending: str, page: str) -> HttpResponse:
    """A plot in one format; a drawing that no worker has made yet leads to the page that waits for it."""
    if ending in DATA:
        note_seen(study, person_of(request), ResultPage.PLOT)
        text = plot.as_csv() if ending == "csv" else plot.as_json()
        return _attachment(text.encode(), DATA[ending], study, plot, ending)
    if ending not in DRAWN:
        raise Http404(NOTHING)
    kept = kept_report(study, KIND, plot.as_choices(), person_of(request))
    if not kept.is_there:
        query = request.GET.urlencode()
        return HttpResponseRedirect(
            f"{reverse(page, args=[study.slug])}plots/{plot.key}/{f'?{query}' if query else ''}"
        )
    note_seen(study, person_of(request), ResultPage.PLOT)
    drawn = kept.figures[ending]
    body = drawn.encode() if ending == "svg" else base64.b64decode(drawn)
    return _attachment(body, DRAWN[ending], study, plot, ending)


def one_plot(plots: Mapping[str, PlotData], key: str) -> PlotData:
    """The plot with a key, or Http404."""
    if key not in plots:
        raise Http404(NOTHING)
    return plots[key]


def _attachment(body: bytes, kind: str, study: Study, plot: PlotData, ending: str) -> HttpResponse:
    response = HttpResponse(body, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{plot.key}.{ending}"'
    return response
