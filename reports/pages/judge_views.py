"""Judges against people: the leaderboard, tables, and reports frozen under a permanent address."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import NOTHING
from annotation.models import JudgeRun, Rater, Study
from config.htmx_request import HtmxRequest
from reports.access import reported_study
from reports.comparison_tables import comparison_questions, comparison_tables
from reports.figures.rows import ChoiceInvalidError
from reports.figures.rows.rater_shares import kinds_in, machines_in
from reports.kept.freezing import NothingToFreezeError, freeze
from reports.kept.kept_reports import Kept, kept_report
from reports.models import KeptReport
from reports.pages.display.kept_status import SHOWN, KeptStatus, shown_before
from reports.pages.display.leaderboard import leaderboard
from reports.pages.display.leaderboard_texts import leaderboard_texts
from reports.pages.display.page_files import file_links, file_response
from reports.pages.display.plot_page import one_plot, plot_file, plot_page
from reports.pages.display.shown_tables import shown_tables
from reports.pages.display.table_drawings import drawings_of
from reports.pages.forms import LeaderboardForm, choices_in
from reports.pages.seen_results import ResultPage, note_seen
from reports.report_kinds.agreement import SORTED
from reports.report_kinds.meta_evaluation import EPSILON, MACHINE_KINDS, comparison_choices

UNCHANGED = 204
KIND = "meta_evaluation"
SEEN = {"leaderboard": ResultPage.JUDGES, "tables": ResultPage.TABLES}
EPSILONS = (("0.1", "crowd workers"), ("0.15", "skilled people"), ("0.2", "experts"))
"""Epsilon of the alternative-annotator test, by whom a judge would replace."""
Runs = dict[str, list[tuple[int, str]]]


@require_safe
@signed_in
def judges(request: HtmxRequest, slug: str) -> HttpResponse:
    """The leaderboard of the judges that the address chooses."""
    return _page(request, slug, "leaderboard")


@require_safe
@signed_in
def tables(request: HtmxRequest, slug: str) -> HttpResponse:
    """The tables that parts make of the comparison."""
    return _page(request, slug, "tables")


def _page(request: HtmxRequest, slug: str, name: str) -> HttpResponse:
    """A page of the kept meta-evaluation. While that is computed, the page asks again with what it has shown."""
    study = reported_study(person_of(request), slug)
    kept, chosen = _kept(request, study)
    status = KeptStatus.of([kept], request.GET)
    before = shown_before(request.GET) if request.htmx else None
    if before is None and status.refused:
        raise Http404(NOTHING)
    if before == status.mark:
        return HttpResponse(status=UNCHANGED)
    context: dict[str, Any] = {"study": study, "status": status, "page": name, **_choices(study, chosen)}
    context["has_tables"] = bool(comparison_tables())
    if kept.is_there:
        note_seen(study, person_of(request), SEEN[name])
        context |= _shown(kept.figures, name, chosen["sort"], _runs(study))
        context["unsorted"] = _unsorted(request)
        context |= file_links(reverse(f"reports:{name}", args=[slug]), status)
    return render(request, f"reports/{name}.html" if before is None else f"reports/_{name}.html", context)


def _kept(request: HtmxRequest, study: Study) -> tuple[Kept, dict[str, Any]]:
    """The report that the address chooses; Http404 for an address that is wrong."""
    try:
        chosen = choices_in(LeaderboardForm(request.GET))
    except ChoiceInvalidError as problem:
        raise Http404(NOTHING) from problem
    compared = {name: value for name, value in chosen.items() if name != "sort"}
    return kept_report(study, KIND, comparison_choices(**compared), person_of(request)), chosen


def _choices(study: Study, chosen: dict[str, Any]) -> dict[str, Any]:
    present = kinds_in(study)
    kinds = [kind for kind in Rater.Kind if kind in present and kind.value in MACHINE_KINDS]
    return {
        "kinds": [(kind.value, kind.label, kind.value in chosen["kinds"]) for kind in kinds],
        "machines": [(name, name in chosen["raters"], name in chosen["panel"]) for name in machines_in(study)],
        "epsilons": [(text, label, float(text) == (chosen["epsilon"] or EPSILON)) for text, label in EPSILONS],
        "versions": versions if len(versions := list(study.guidelines.values_list("number", flat=True))) > 1 else [],
        "questions": list(study.questions.order_by("position").values_list("key", flat=True)),
        "asked_for": [(one, chosen[one.name]) for one in comparison_questions()],
        "pairs_by_name": chosen["pair_coding"] == SORTED,
        "chosen": chosen,
    }


def _runs(study: Study) -> dict[str, list[tuple[int, str]]]:
    """The keys and names of each judge's runs, the newest first, without those that were replaced."""
    found: dict[str, list[tuple[int, str]]] = {}
    runs = JudgeRun.objects.filter(rater__study=study, replaced_by__isnull=True).order_by("-pk")
    for rater, pk, name in runs.values_list("rater__name", "pk", "name"):
        found.setdefault(rater, []).append((pk, name))
    return found


def _unsorted(request: HtmxRequest) -> str:
    """The query string without the order of the table."""
    query = request.GET.copy()
    for name in ("sort", SHOWN):
        query.pop(name, None)
    return query.urlencode()


def _shown(figures: dict[str, Any], name: str, sort: str = "", runs: Runs | None = None) -> dict[str, Any]:
    """What the templates of a page print of a report's figures."""
    about: dict[str, Any] = {"guidelines": figures["guidelines"]}
    if name == "tables":
        return about | {"tables": shown_tables(figures)}
    return about | {"sections": leaderboard(figures, sort, runs)}


@require_safe
@signed_in
def table_file(request: HtmxRequest, slug: str, key: str, ending: str) -> HttpResponse:
    """One table as a file, in the figures that the tables' page shows."""
    study = reported_study(person_of(request), slug)
    kept, _ = _kept(request, study)
    table = kept.figures["tables"].get(key) if kept.is_there else None
    if table is None:
        raise Http404(NOTHING)
    return file_response(request, study, key, ending, {key: table})


@require_safe
@signed_in
def leaderboard_file(request: HtmxRequest, slug: str, key: str, ending: str) -> HttpResponse:
    """One table of the leaderboard as a file, in the figures and the order that the page shows."""
    study = reported_study(person_of(request), slug)
    kept, chosen = _kept(request, study)
    sections = leaderboard(kept.figures, chosen["sort"]) if kept.is_there else []
    return file_response(request, study, key, ending, leaderboard_texts(sections))


@require_safe
@signed_in
def leaderboard_plot(request: HtmxRequest, slug: str, key: str, ending: str = "") -> HttpResponse:
    """A plot of the leaderboard: the page with its files, or one of them."""
    study = reported_study(person_of(request), slug)
    kept, chosen = _kept(request, study)
    sections = leaderboard(kept.figures, chosen["sort"]) if kept.is_there else []
    plot = one_plot({plot.key: plot for section in sections for plot in section.every_plot}, key)
    if ending:
        return plot_file(request, study, plot, ending, "reports:leaderboard")
    return plot_page(request, study, plot, "reports:leaderboard")


@require_safe
@signed_in
def table_plot(request: HtmxRequest, slug: str, key: str, ending: str = "") -> HttpResponse:
    """A drawing of a table: the page with its files, or one of them."""
    study = reported_study(person_of(request), slug)
    kept, _ = _kept(request, study)
    tables = kept.figures["tables"] if kept.is_there else {}
    plot = one_plot({one.data.key: one.data for name in tables for one in drawings_of(name, tables[name])}, key)
    if ending:
        return plot_file(request, study, plot, ending, "reports:tables")
    return plot_page(request, study, plot, "reports:tables")


@require_POST
@signed_in
def freeze_report(request: HtmxRequest, slug: str) -> HttpResponse:
    """Keep the figures that the leaderboard shows under an address of their own."""
    person = person_of(request)
    study = reported_study(person, slug)
    kept, _ = _kept(request, study)
    try:
        row = freeze(kept, person)
    except NothingToFreezeError as problem:
        raise Http404(NOTHING) from problem
    return redirect("reports:frozen", slug, row.frozen_as)


@require_safe
@signed_in
def frozen(request: HtmxRequest, slug: str, key: str) -> HttpResponse:
    """A frozen report: leaderboard and tables as they were."""
    study = reported_study(person_of(request), slug)
    row = get_object_or_404(KeptReport, study=study, kind=KIND, frozen_as=key)
    figures = row.parsed_figures()
    context: dict[str, Any] = {"study": study, "row": row, "frozen": True}
    if figures:
        note_seen(study, person_of(request), ResultPage.JUDGES)
        context |= {**_shown(figures, "leaderboard"), **_shown(figures, "tables"), "figures": figures}
    return render(request, "reports/frozen.html", context)
