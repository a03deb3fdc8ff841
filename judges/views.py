"""Pages about a study's judges: its runs, a new run, one run, and one judgment."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from accounts.models import Person
from annotation.access import RESEARCHERS, study_for
from annotation.blinding import names_of
from annotation.models import JudgeRun, Study
from config.background.workers import worker_status
from config.htmx_request import HtmxRequest
from judges import run_page_data, run_states
from judges.access import judgment_for, run_for
from judges.asking_again import ask_again
from judges.configuration import ConfigurationRefusedError
from judges.disagreements import find_disagreement
from judges.form_choices import judging_models
from judges.forms import ReplaceForm
from judges.judge_choices import judge_groups
from judges.judgment_list import JudgmentFilters, held_words, judgment_page, place_in
from judges.judgment_page import content_of, neighbours, pilot_judgments
from judges.metric_requests import waiting_runs
from judges.models import RunWork
from judges.new_run import new_run as new_run_of
from judges.probing import ProbeResult
from judges.rereading import reread_run

RUNS_PER_PAGE = 25


@require_safe
@signed_in
def runs(request: HtmxRequest, slug: str) -> HttpResponse:
    """List the study's runs; to htmx the table alone."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    page = Paginator(run_page_data.runs_of(study), RUNS_PER_PAGE).get_page(request.GET.get("page"))
    rows = run_page_data.run_rows(study, list(page))
    waiting = waiting_runs(study)
    moving = any(row.look == "live" for row in rows) or not all(one.reason for one in waiting)
    context = {"study": study, "page": page, "rows": rows, "waiting": waiting, "moving": moving}
    if request.htmx:
        return render(request, "judges/_runs.html", context)
    return render(request, "judges/runs.html", {**context, "models": judging_models(), "workers": worker_status()})


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def new_run(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the form of a judge, estimate what is posted, and start what was estimated; to htmx the form alone."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    posted = request.POST if request.method == "POST" else None
    page = new_run_of(study, person, request.GET, posted)
    if page.run is not None:
        messages.success(request, "The run has started.")
        return redirect("judges:run", slug=slug, pk=page.run.pk)
    if page.request is not None:
        messages.success(request, "A worker reads the metric's weights; then the run starts.")
        return redirect("judges:runs", slug=slug)
    context = {"study": study, "groups": judge_groups(), "page": page, "form": page.form, "posted": posted is not None}
    status = 422 if posted is not None and (page.form is None or page.form.errors) else 200
    template = "judges/_run_form.html" if request.htmx else "judges/new_run.html"
    return render(request, template, context, status=status)


def _run_page(
    request: HtmxRequest, study: Study, run: JudgeRun, status: int = 200, form: ReplaceForm | None = None
) -> HttpResponse:
    """Render the page of a run; `form` is that of a replacement, with errors."""
    work: RunWork | None = RunWork.objects.filter(run=run).first()
    facts, filters = run_page_data.RunFacts.of(run), JudgmentFilters.of(request.GET)
    state = run_page_data.run_state(study, run, work)
    context = {
        "study": study,
        "run": run,
        "work": work,
        "facts": facts,
        "state": state,
        "name": run_page_data.charge_name(run),
        "lines": run_page_data.configuration_lines(facts, work, names_of(study)),
        "filters": filters,
        "outcomes": run_page_data.OUTCOMES,
        "judgments": judgment_page(study, run, filters, work.held_from if work is not None else None),
        "held": held_words(work) if facts.has_judgments else "",
        "pilot": pilot_judgments(study, run) if work is not None and work.pilot and state.done else [],
        "replace_form": form or ReplaceForm(runs=run_page_data.replacements(study, run), auto_id="replace-%s"),
        "probe": ProbeResult.of(work.probe) if work is not None and work.probe else None,
        "may_reread": facts.has_judgments and not state.is_running and not facts.configuration.get("reread_of"),
        "workers": worker_status(),
    }
    return render(request, "judges/run.html", context, status=status)


@require_safe
@signed_in
def run(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """Show a run with its judgments; to htmx how far it is."""
    study, found = run_for(person_of(request), slug, pk)
    if not request.htmx:
        return _run_page(request, study, found)
    work = RunWork.objects.filter(run=found).first()
    state = run_page_data.run_state(study, found, work)
    return render(request, "judges/_run_state.html", {"study": study, "run": found, "work": work, "state": state})


@require_POST
@signed_in
def stop(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    found = run_for(person, slug, pk)[1]
    try:
        if run_states.stop_run(found, person):
            messages.success(request, "The run is stopped. Calls that are being made end within seconds.")
        else:
            messages.info(request, "The run had already ended.")
    except ConfigurationRefusedError as problem:
        messages.error(request, problem.reason)
    return redirect("judges:run", slug=slug, pk=pk)


@require_POST
@signed_in
def resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    found = run_for(person, slug, pk)[1]
    try:
        if run_states.resume_run(found, person):
            messages.success(request, "The run continues.")
        else:
            messages.info(request, "The run is running or finished.")
    except ConfigurationRefusedError as problem:
        messages.error(request, problem.reason)
    return redirect("judges:run", slug=slug, pk=pk)


@require_POST
@signed_in
def reread(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Read the kept replies of a run again, as a new run."""
    return _made_again(request, slug, pk, reread_run, "The replies are read again. Nothing is sent.")


@require_POST
@signed_in
def again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask again for what a run has no valid reading of, and show the new run."""
    return _made_again(request, slug, pk, ask_again, "The judgments without a valid reading are asked again.")


def _made_again(
    request: HttpRequest, slug: str, pk: int, make: Callable[[JudgeRun, Person], JudgeRun], said: str
) -> HttpResponse:
    """Make a new run of another one and show it, or the other one with the reason if that is refused."""
    person = person_of(request)
    try:
        made = make(run_for(person, slug, pk)[1], person)
    except ConfigurationRefusedError as problem:
        messages.error(request, problem.reason)
        return redirect("judges:run", slug=slug, pk=pk)
    messages.success(request, said)
    return redirect("judges:run", slug=slug, pk=made.pk)


@require_POST
@signed_in
def replace(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """Let another finished run of the study take the place of this one in reports."""
    person = person_of(request)
    study, found = run_for(person, slug, pk)
    form = ReplaceForm(request.POST, runs=run_page_data.replacements(study, found), auto_id="replace-%s")
    if form.is_valid():
        by = run_for(person, slug, int(form.cleaned_data["by"]))[1]
        try:
            run_states.replace_run(found, by, person)
        except ConfigurationRefusedError as problem:
            form.add_error("by", problem.reason)
        else:
            messages.success(request, "Reports now leave this run out.")
            return redirect("judges:run", slug=slug, pk=pk)
    return _run_page(request, study, found, 422, form)


@require_safe
@signed_in
def judgment(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show everything about a judgment, beside people's answers to the same question."""
    study, found = judgment_for(person_of(request), slug, pk)
    context: dict[str, Any] = {
        "study": study,
        "run": found.run,
        "facts": run_page_data.RunFacts.of(found.run),
        "shown": content_of(study, found),
        "beside": neighbours(found),
        "searched": request.GET.get("searched") if request.GET.get("searched") in ("next", "previous") else "",
        "at": place_in(request.GET.get("at")),
    }
    return render(request, "judges/judgment.html", context)


@require_safe
@signed_in
def disagreement(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Lead to the next judgment of the run that disagrees with people, or (`to=previous`) to the one before."""
    study, found = judgment_for(person_of(request), slug, pk)
    to = "previous" if request.GET.get("to") == "previous" else "next"
    start = place_in(request.GET.get("at"))
    search = find_disagreement(study, found.run, found.place if start is None else start, backwards=to == "previous")
    if search.found is not None:
        return redirect("judges:judgment", slug=slug, pk=search.found)
    said = urlencode([("searched", to), *([] if search.over else [("at", search.at)])])
    return redirect(f"{reverse('judges:judgment', args=[slug, pk])}?{said}")
