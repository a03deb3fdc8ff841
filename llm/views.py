"""Pages about a study's models: queue and budgets, the ledger of calls, trials, and the study's own prompts."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from accounts.models import Person
from annotation.access import OWNERS, RESEARCHERS, may, study_for
from annotation.blinding import is_blind, refuse_blinded
from annotation.models import Study
from annotation.protocols import protocols
from config.background.claiming import ask_to_stop
from config.background.kinds import works
from config.background.workers import worker_status
from config.database_clock import database_now
from config.htmx_request import HtmxRequest
from config.model_fields import canonical_json
from llm import page_data, stop_marks
from llm.access import call_for, completion_for, prompt_named
from llm.budgets import set_cap
from llm.completions import WORK_KEY
from llm.endpoints import is_scripted
from llm.forms import LimitForm, PromptForm, TrialForm
from llm.model_trials import STEP
from llm.model_trials import try_model as ask_model
from llm.models import Completion, Stop
from llm.page_data import versions_of
from llm.prompt_versions import publish_prompt

CALLS_PER_PAGE = 50
LATEST = 5


def takes_papers(study: Study) -> bool:
    """Return whether the items of the study have papers."""
    return "documents" in protocols()[study.protocol].files.item_keys


def _overview(study: Study) -> dict[str, Any]:
    budgets, more = page_data.budget_rows(study)
    return {
        "study": study,
        "is_blind": is_blind(study),
        "now": database_now(),
        "queue": page_data.queue_rows(study),
        "endpoints": page_data.endpoint_rows(),
        "budgets": budgets,
        "more_budgets": more,
    }


def _page(request: HttpRequest, study: Study, status: int = 200, **forms: Any) -> HttpResponse:
    """Render the page of models; `forms` are those with errors."""
    asked = Completion.objects.filter(study=study, step=STEP).order_by("-pk")
    trials = list(asked.defer("request", "text").annotate(was_scripted=F("call__scripted"))[:LATEST])
    context = {
        **_overview(study),
        "workers": worker_status(),
        "takes_papers": takes_papers(study),
        "stop": Stop.objects.filter(study=study, run="", lifted_at=None).select_related("stopped_by").first(),
        "owns": may(person_of(request), study, OWNERS),
        "trials": [(one, one.was_scripted or is_scripted(one.model)) for one in trials],
        "trial_form": forms.get("trial_form") or TrialForm(models=page_data.model_choices(), auto_id="trial-%s"),
        "limit_form": forms.get("limit_form") or LimitForm(scopes=page_data.limit_scopes(study), auto_id="limit-%s"),
    }
    return render(request, "llm/models.html", context, status=status)


@require_safe
@signed_in
def models(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show queue, endpoints and budgets with their forms; to htmx without the forms."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if request.htmx:
        return render(request, "llm/_overview.html", _overview(study))
    return _page(request, study)


@require_POST
@signed_in
def stop(request: HttpRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    stop_marks.stop(study_for(person, slug, RESEARCHERS), person)
    messages.success(request, "Calls of this study are stopped. Running calls end within seconds.")
    return redirect("llm:models", slug=slug)


@require_POST
@signed_in
def resume(request: HttpRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    stop_marks.resume(study_for(person, slug, RESEARCHERS), person)
    messages.success(request, "Calls of this study are allowed again.")
    return redirect("llm:models", slug=slug)


@require_POST
@signed_in
def set_limit(request: HttpRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, slug, OWNERS)
    form = LimitForm(request.POST, scopes=page_data.limit_scopes(study), auto_id="limit-%s")
    if not form.is_valid():
        return _page(request, study, 422, limit_form=form)
    person_pk = form.person()
    limited = None if person_pk is None else Person.objects.get(pk=person_pk)
    set_cap(study, form.cap(), person, run=form.cleaned_data["run"], person=limited)
    messages.success(request, "Limit removed." if form.cap() is None else "Limit saved.")
    return redirect("llm:models", slug=slug)


@require_POST
@signed_in
def try_model(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue a question to a model; its reply gets a page of its own."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    refuse_blinded(study)
    form = TrialForm(request.POST, models=page_data.model_choices(), auto_id="trial-%s")
    if not form.is_valid():
        return _page(request, study, 422, trial_form=form)
    given = form.cleaned_data
    completion = ask_model(
        study, person, model=given["model"], question=given["question"], paragraphs=form.paragraphs(),
        longest=given["longest"],
    )  # fmt: skip
    return redirect("llm:trial", slug=slug, pk=completion.pk)


@require_safe
@signed_in
def trial(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """Show a question and its reply so far; to htmx the fragment that polls itself."""
    completion = completion_for(person_of(request), slug, pk)
    context = {
        "study": completion.study,
        "completion": completion,
        "scripted": is_scripted(completion.model) or (completion.call is not None and completion.call.scripted),
        "messages_sent": completion.request.get("messages", []),
    }
    if request.htmx:
        return render(request, "llm/_trial.html", context)
    context |= {"workers": worker_status(), "takes_papers": takes_papers(study_of(completion))}
    return render(request, "llm/trial.html", context)


def study_of(completion: Completion) -> Study:
    """Return the study of a completion from `completion_for`, which always has one."""
    if completion.study is None:
        raise TypeError("This call has no study.")
    return completion.study


@require_POST
@signed_in
def stop_trial(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    completion = completion_for(person_of(request), slug, pk)
    if not ask_to_stop(works()[WORK_KEY], completion):
        messages.info(request, "It had already ended.")
    return redirect("llm:trial", slug=slug, pk=pk)


@require_safe
@signed_in
def calls(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the study's ledger page by page, with the filters in the address."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    refuse_blinded(study)
    filters = page_data.LedgerFilters.of(request.GET)
    page = Paginator(filters.calls(study), CALLS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "takes_papers": takes_papers(study),
        "filters": filters,
        "choices": page_data.filter_choices(study),
        "page": page,
        "lines": [page_data.call_row(call) for call in page],
        "newer": f"?{urlencode([*filters.query().items(), ('page', page.number - 1)])}",
        "older": f"?{urlencode([*filters.query().items(), ('page', page.number + 1)])}",
    }
    return render(request, "llm/calls.html", context)


@require_safe
@signed_in
def call(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show everything that the ledger has about a call."""
    found = call_for(person_of(request), slug, pk)
    study = study_for(person_of(request), slug, RESEARCHERS)
    shown = page_data.call_row(found)
    context = {
        "study": study,
        "takes_papers": takes_papers(study),
        "call": found,
        "price": shown.price,
        "seconds": shown.seconds,
        "caused_by": page_data.caused_by(found),
        "parameters": [(name.replace("_", " "), canonical_json(value)) for name, value in found.parameters.items()],
        "logprobs": canonical_json(found.logprobs) if found.logprobs else "",
    }
    return render(request, "llm/call.html", context)


@require_safe
@signed_in
def prompts(request: HttpRequest, slug: str) -> HttpResponse:
    """List the prompts, with the study's own versions."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    context = {"study": study, "takes_papers": takes_papers(study), "prompts": page_data.prompt_rows(study)}
    return render(request, "llm/prompts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def prompt(request: HttpRequest, slug: str, app: str, name: str) -> HttpResponse:
    """Show a prompt beside the study's own version, and publish a new version."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    default, versions = prompt_named(app, name), versions_of(study, app, name)
    shown = versions[0] if versions else default
    posted = request.POST if request.method == "POST" else None
    form = PromptForm(posted, initial={"system": shown.system, "user": shown.user}, app=app, name=name)
    if posted is not None and form.is_valid():
        made = publish_prompt(study, app, name, form.cleaned_data["system"], form.cleaned_data["user"], person)
        new = not versions or made.pk != versions[0].pk
        messages.success(request, f"Version {made.number} is now used." if new else "Nothing has changed.")
        return redirect("llm:prompt", slug=slug, app=app, name=name)
    context = {
        "study": study,
        "takes_papers": takes_papers(study),
        "default": default,
        "versions": versions,
        "names": [(one, one in default.required) for one in sorted(default.names)],
        "form": form,
    }
    return render(request, "llm/prompt.html", context, status=422 if form.is_bound else 200)
