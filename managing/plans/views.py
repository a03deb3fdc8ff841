"""The page of a study's assignment plan: its fields, and the table of what it makes before it applies."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from annotation.members.membership import rater_for
from annotation.models import Membership, Study
from annotation.studies.assignment_plan import NO_PLAN, plan_of, read_plan
from annotation.studies.lifecycle import StudyRefusedError
from annotation.studies.plan_changes import change_plan
from annotation.studies.plan_table import PlanTable, groups_in, plan_figures, plan_table
from managing.plans.forms import PlanForm, PlannedPerson, planned_groups, planned_people


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def plan(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the plan; a post shows its table, and with `apply` it applies."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    figures, kept = plan_figures(study)
    posted = request.POST if request.method == "POST" else None
    groups = planned_groups({} if figures is None else groups_in(figures))
    form = PlanForm(posted, study=study, people=planned_people(study), groups=groups)
    context = {"study": study, "form": form, "kept": kept, "counted": figures is not None}
    if posted is None:
        shown = plan_of(study) or NO_PLAN
    elif not form.is_valid():
        return render(request, "managing/plan.html", context, status=422)
    else:
        named = form.plan_by(lambda one: _rater_name(study, one))
        if "apply" in posted:
            try:
                changed = change_plan(study, named or None, person)
                messages.success(request, _said(study) if changed else "Nothing was changed.")
            except StudyRefusedError as problem:
                messages.error(request, str(problem))
            return redirect("managing:plan", slug=slug)
        shown = read_plan(named)
    table: PlanTable | None = None if figures is None else plan_table(study, shown, figures)
    return render(request, "managing/plan.html", {**context, "table": table, "is_preview": posted is not None})


def _rater_name(study: Study, one: PlannedPerson) -> str:
    """The name in files of an annotator, who gets one now if they have not begun."""
    return one.rater or rater_for(study, Membership.objects.select_related("person").get(pk=one.member).person).name


def _said(study: Study) -> str:
    if study.status == Study.Status.DRAFT:
        return "The plan is saved. The items are prepared with it when the study goes live."
    return "The plan is saved. It applies from the next task that anybody is given."
