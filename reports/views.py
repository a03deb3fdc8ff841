"""The report of a study, and what its figures mean."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from agreement.catalogue import FIGURES
from annotation.access import NOTHING
from annotation.models import Item, Rater, Study
from annotation.queries import Progress, pace_of, progress_by_study
from reports.access import reported_study
from reports.agreement_report import ChoiceInvalidError, agreement_report
from reports.definitions import definitions
from reports.own_figures import own_figures
from reports.presenting import dimensions, glances, question_reports
from reports.raters import kinds_in, rater_shares
from reports.rows import PEOPLE


@require_safe
@signed_in
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything, about the kinds of raters and the version of the guidelines that the address chooses."""
    study = reported_study(person_of(request), slug)
    kinds = chosen_kinds(request.GET)
    by_category = request.GET.get("by") == "category"
    figures = _figures(study, kinds, request.GET.get("guidelines", ""), categories=by_category)
    context = {
        "study": study,
        "kinds": [(kind.value, kind.label, kind.value in kinds) for kind in Rater.Kind if kind in kinds_in(study)],
        "surplus": figures["surplus"],
        "versions": figures["guidelines"] | {"shown": str(figures["guidelines"]["version"])},
        "progress": progress_by_study(Study.objects.filter(pk=study.pk)).get(study.pk, Progress()),
        "pace": pace_of(study),
        "has_categories": Item.objects.filter(study=study, categories__isnull=False).exists(),
        "by_category": by_category,
        "questions": question_reports(study, figures),
        "dimensions": dimensions(study, figures),
        **_own(study),
        "histogram_figure": FIGURES["local_alpha.histogram"],
        "raters": rater_shares(study, kinds),
        "now": timezone.now(),
    }
    return render(request, "reports/report.html", context)


def chosen_kinds(query: QueryDict) -> frozenset[str]:
    """The kinds of raters asked for, people where none is; unknown ones are left out."""
    return frozenset(kind for kind in query.getlist("kinds") if kind in Rater.Kind.values) or PEOPLE


def _figures(study: Study, kinds: frozenset[str], version: str, **more: Any) -> dict[str, Any]:
    """The agreement report of the guidelines' version called so: a number, `all`, or the latest where empty."""
    number = int(version) if version.isascii() and version.isdigit() and len(version) < 10 else None
    guidelines = number if number is not None else (version or None)
    try:
        return agreement_report(study, kinds, guidelines=guidelines, **more)
    except ChoiceInvalidError as problem:
        raise Http404(NOTHING) from problem


def _own(study: Study) -> dict[str, Any]:
    """What the study's protocol adds to the page, and the template that prints it."""
    figures = own_figures(study)
    if figures is None:
        return {}
    return {"own": figures.shown(figures.report(study, waiting=True)), "own_template": figures.template}


@require_safe
@signed_in
def glance(request: HttpRequest, slug: str) -> HttpResponse:
    """The one figure of agreement that says most, for each question: a fragment of the study's overview."""
    study = reported_study(person_of(request), slug)
    figures = _figures(study, PEOPLE, "", replicates=0)
    return render(request, "reports/_glance.html", {"study": study, "glances": glances(study, figures)})


@require_safe
@signed_in
def statistics(request: HttpRequest) -> HttpResponse:
    return render(request, "reports/statistics.html", {"html": definitions()})
