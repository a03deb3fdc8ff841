"""Pages of the second stage: an annotator's next item, and the researchers' page of who gives final answers."""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from annotation.access import NOTHING, RESEARCHERS, study_for
from annotation.answers import Form
from annotation.forms import LONGEST_REASON
from annotation.members.own_rater import own_rater
from annotation.members.standing_forms import Words
from annotation.models import Rater, Study
from annotation.studies.corrections import StudyRefusedError
from parts.second_stage.case_answers import CHANGED, AnswersMissingError, CaseLostError, CaseSheet, decide
from parts.second_stage.case_claims import claim_case
from parts.second_stage.disputed_units import disputed_items
from parts.second_stage.models import SecondStageCase
from parts.second_stage.settings import has_stage, may_adjudicate, named_adjudicators, set_stage

NEITHER = "Choose at least one rater, or all annotators."


class FinalReasonForm(forms.Form):
    """Why the final answers are these."""

    reason = Words(label=gettext_lazy("Reason"), max_length=LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3}))


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def second_stage(request: HttpRequest, slug: str) -> HttpResponse:
    """The next item for which this annotator gives final answers; POST saves them."""
    study, rater = own_rater(person_of(request), slug)
    if not has_stage(study) or not may_adjudicate(study, rater):
        raise Http404(NOTHING)
    case = claim_case(study, rater) if request.method != "HEAD" else None
    if case is None:
        if request.method == "POST":
            messages.error(request, gettext("There is nothing to decide now."))
        return render(request, "second_stage/nothing.html", {"study": study})
    case.item.study = study
    sheet = CaseSheet.of(case.item, rater)
    if request.method != "POST":
        return _case_page(request, sheet, {}, {}, FinalReasonForm())
    return _posted(request, case, sheet)


def _posted(request: HttpRequest, case: SecondStageCase, sheet: CaseSheet) -> HttpResponse:
    form = FinalReasonForm(request.POST)
    typed = {name: request.POST.getlist(name) for name in request.POST}
    if request.POST.get("seen") != sheet.seen:
        messages.error(request, gettext(CHANGED))
        return _case_page(request, sheet, {}, {}, form, 409)
    try:
        values = sheet.read(typed)
    except AnswersMissingError as problem:
        return _case_page(request, sheet, typed, problem.errors, form, 422)
    if not form.is_valid():
        return _case_page(request, sheet, typed, {}, form, 422)
    try:
        decide(case, person_of(request), sheet, values, form.cleaned_data["reason"])
        messages.success(request, gettext("Saved."))
    except (CaseLostError, StudyRefusedError) as lost:
        said = str(lost)
        messages.error(request, gettext(said))
    return redirect("second_stage:second_stage", slug=sheet.item.study.slug)


def _case_page(
    request: HttpRequest, sheet: CaseSheet, typed: Form, errors: dict[int, str], form: FinalReasonForm,
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    study = sheet.item.study
    context = {
        "study": study, "item": sheet.item, "outputs": sheet.sheet.outputs, "fields": sheet.fields(typed, errors),
        "seen": sheet.seen, "form": form,
    }  # fmt: skip
    return render(request, "second_stage/case.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def stage_setting(request: HttpRequest, slug: str) -> HttpResponse:
    """Who gives final answers, and how many items wait; POST changes who."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    raters = list(
        Rater.objects.filter(study=study, person__isnull=False).order_by("name").values_list("name", flat=True)
    )
    if request.method == "POST":
        who, chosen = request.POST.get("who", ""), request.POST.getlist("rater")
        named = [*dict.fromkeys(name for name in chosen if name in set(raters))]
        try:
            if who == "some" and not named:
                messages.error(request, NEITHER)
            else:
                reason = request.POST.get("reason", "")[:LONGEST_REASON]
                changed = set_stage(study, named if who == "some" else None, person, on=who != "none", reason=reason)
                messages.success(request, "Saved." if changed else "Nothing was changed.")
        except StudyRefusedError as problem:
            messages.error(request, str(problem))
        return redirect("second_stage:stage_setting", slug=slug)
    return render(request, "second_stage/setting.html", _setting(study, raters))


def _setting(study: Study, raters: list[str]) -> dict[str, object]:
    named = named_adjudicators(study)
    cases = SecondStageCase.objects.filter(item__study=study)
    return {
        "study": study, "on": has_stage(study), "named": named, "names": [*dict.fromkeys([*(named or ()), *raters])],
        "waiting": disputed_items(study).count(), "held": cases.filter(done_at=None).count(),
        "done": cases.exclude(done_at=None).count(),
    }  # fmt: skip
