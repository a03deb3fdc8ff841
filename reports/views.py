"""The report of a study, and the definitions of its figures."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from agreement.catalogue import FIGURES
from annotation.access import NOTHING
from annotation.models import Item, Rater, Study
from annotation.studies.queries import StudyProgress, pace_of, progress_by_study
from reports.access import reported_study
from reports.agreement_report import agreement_report
from reports.display.question_sections import dimensions, glances, question_sections
from reports.forms import ReportPageForm, choices_in
from reports.protocol_figures import protocol_figures
from reports.rows import ChoiceInvalidError
from reports.rows.rater_shares import kinds_in, machines_in, rater_shares
from reports.statistics_document import statistics_document


@require_safe
@signed_in
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """All figures, for the kinds of raters, the guidelines version and the labeller chosen in the address."""
    study = reported_study(person_of(request), slug)
    try:
        chosen = choices_in(ReportPageForm(request.GET))
        kinds, by_category = frozenset(chosen["kinds"]), chosen["by"] == "category"
        names, version = chosen["raters"], chosen["guidelines"]
        figures = agreement_report(study, kinds, names=names, guidelines=version, categories=by_category)
        section = _protocol_section(study, chosen["labeller"])
    except ChoiceInvalidError as problem:
        raise Http404(NOTHING) from problem
    context = {
        "study": study,
        "kinds": [(kind.value, kind.label, kind.value in kinds) for kind in Rater.Kind if kind in kinds_in(study)],
        **_machines(study, names, figures),
        "surplus": figures["surplus"],
        "versions": figures["guidelines"] | {"shown": str(figures["guidelines"]["version"])},
        "progress": progress_by_study(Study.objects.filter(pk=study.pk)).get(study.pk, StudyProgress()),
        "pace": pace_of(study),
        "has_categories": Item.objects.filter(study=study, categories__isnull=False).exists(),
        "by_category": by_category,
        "questions": question_sections(study, figures),
        "dimensions": dimensions(study, figures),
        **section,
        "histogram_figure": FIGURES["local_alpha.histogram"],
        "raters": rater_shares(study, kinds, names),
    }
    return render(request, "reports/report.html", context)


def _machines(study: Study, names: frozenset[str], figures: dict[str, Any]) -> dict[str, Any]:
    """The models and metrics that can be chosen by name, and how many of their answers are left out, by the reason."""
    questions = figures["questions"].values()
    left_out = {name: sum(one.get(name, 0) for one in questions) for name in ("other_shapes", "other_reruns")}
    return {"names": names, "machines": [(name, name in names) for name in machines_in(study)], **left_out}


def _protocol_section(study: Study, labeller: str | None) -> dict[str, Any]:
    """The section that the study's protocol adds to the page, with its template."""
    figures = protocol_figures(study)
    if figures is None:
        return {}
    shown = figures.section(figures.report(study, labeller=labeller, waiting=True))
    return {"section": shown, "section_template": figures.template}


@require_safe
@signed_in
def glance(request: HttpRequest, slug: str) -> HttpResponse:
    """The most telling alpha of each question, as a fragment of the study's overview."""
    study = reported_study(person_of(request), slug)
    figures = agreement_report(study, replicates=0)
    return render(request, "reports/_glance.html", {"study": study, "glances": glances(study, figures)})


@require_safe
@signed_in
def statistics(request: HttpRequest) -> HttpResponse:
    """The definitions of all figures."""
    return render(request, "reports/statistics.html", {"html": statistics_document()})
