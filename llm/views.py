"""Pages about a study's models: what waits and is spent, the ledger of calls, tries, and the study's own prompts."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from accounts.models import Person
from annotation.access import OWNERS, RESEARCHERS, may, study_for
from annotation.models import Study
from annotation.protocols import protocols
from config.background.claiming import ask_to_stop
from config.background.work import works
from config.background.workers import situation
from config.fields import canonical_json
from llm import presenting, stopping
from llm.access import call_for, completion_for, prompt_named
from llm.budgets import set_cap
from llm.endpoint_file import EndpointsInvalidError
from llm.endpoints import model_names
from llm.forms import LimitForm, PromptForm, TryForm
from llm.models import Completion, Stop
from llm.presenting import versions_of
from llm.publishing import publish_prompt
from llm.queueing import WORK_KEY
from llm.trying import STEP
from llm.trying import try_model as ask_model

A_PAGE = 50
LATEST = 5


def takes_papers(study: Study) -> bool:
    """Whether items of the study's kind have papers."""
    return "documents" in protocols()[study.protocol].item_keys


def _now(study: Study) -> dict[str, Any]:
    budgets, more = presenting.budgets_of(study)
    return {
        "study": study,
        "now": timezone.now(),
        "queue": presenting.queue_of(study),
        "endpoints": presenting.endpoints_now(),
        "budgets": budgets,
        "more_budgets": more,
    }


def _names() -> list[str]:
    try:
        return list(model_names())
    except EndpointsInvalidError:
        return []


def _page(request: HttpRequest, study: Study, status: int = 200, **forms: Any) -> HttpResponse:
    """The page of models; `forms` are those with errors."""
    tries = Completion.objects.filter(study=study, step=STEP).order_by("-pk")
    context = {
        **_now(study),
        "workers": situation(),
        "takes_papers": takes_papers(study),
        "stop": Stop.objects.filter(study=study, run="", lifted_at=None).select_related("stopped_by").first(),
        "owns": may(person_of(request), study, OWNERS),
        "tries": tries.defer("request", "text")[:LATEST],
        "try_form": forms.get("try_form") or TryForm(names=_names(), auto_id="try-%s"),
        "limit_form": forms.get("limit_form") or LimitForm(scopes=presenting.scopes_of(study), auto_id="limit-%s"),
    }
    return render(request, "llm/models.html", context, status=status)


@require_safe
@signed_in
def models(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything at a glance; to htmx only what changes by itself."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if request.headers.get("HX-Request") == "true":
        return render(request, "llm/_now.html", _now(study))
    return _page(request, study)


@require_POST
@signed_in
def stop(request: HttpRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    stopping.stop(study_for(person, slug, RESEARCHERS), person)
    messages.success(request, "No call of this study is begun any more; those under way end within seconds.")
    return redirect("llm:models", slug=slug)


@require_POST
@signed_in
def resume(request: HttpRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    stopping.resume(study_for(person, slug, RESEARCHERS), person)
    messages.success(request, "Calls of this study can be made again.")
    return redirect("llm:models", slug=slug)


@require_POST
@signed_in
def set_limit(request: HttpRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, slug, OWNERS)
    form = LimitForm(request.POST, scopes=presenting.scopes_of(study), auto_id="limit-%s")
    if not form.is_valid():
        return _page(request, study, 422, limit_form=form)
    whose = form.person()
    limited = None if whose is None else Person.objects.get(pk=whose)
    set_cap(study, form.cap(), person, run=form.cleaned_data["run"], person=limited)
    messages.success(request, "The limit is lifted." if form.cap() is None else "The limit is set.")
    return redirect("llm:models", slug=slug)


@require_POST
@signed_in
def try_model(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue a question to a model by its name; its reply stands on a page of its own."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = TryForm(request.POST, names=_names(), auto_id="try-%s")
    if not form.is_valid():
        return _page(request, study, 422, try_form=form)
    given = form.cleaned_data
    completion = ask_model(
        study, person, model=given["model"], question=given["question"], paragraphs=form.paragraphs(),
        longest=given["longest"],
    )  # fmt: skip
    return redirect("llm:try", slug=slug, pk=completion.pk)


@require_safe
@signed_in
def tried(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A question and its reply, as far as it has come; to htmx the fragment that asks for itself again."""
    completion = completion_for(person_of(request), slug, pk)
    context = {
        "study": completion.study,
        "completion": completion,
        "messages_sent": completion.request.get("messages", []),
    }
    if request.headers.get("HX-Request") == "true":
        return render(request, "llm/_try.html", context)
    context |= {"workers": situation(), "takes_papers": takes_papers(study_of(completion))}
    return render(request, "llm/try.html", context)


def study_of(completion: Completion) -> Study:
    """The study of a completion that `completion_for` gave: it has one."""
    if completion.study is None:
        raise TypeError("This call belongs to no study.")
    return completion.study


@require_POST
@signed_in
def stop_try(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    completion = completion_for(person_of(request), slug, pk)
    if not ask_to_stop(works()[WORK_KEY], completion):
        messages.info(request, "It was over already.")
    return redirect("llm:try", slug=slug, pk=pk)


@require_safe
@signed_in
def calls(request: HttpRequest, slug: str) -> HttpResponse:
    """The study's ledger, a page at a time, filtered by what the address says."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    filters = presenting.LedgerFilters.of(request.GET)
    page = Paginator(filters.calls(study), A_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "takes_papers": takes_papers(study),
        "filters": filters,
        "choices": presenting.choices_in(study),
        "page": page,
        "lines": [presenting.shown_call(call) for call in page],
        "newer": f"?{urlencode([*filters.query().items(), ('page', page.number - 1)])}",
        "older": f"?{urlencode([*filters.query().items(), ('page', page.number + 1)])}",
    }
    return render(request, "llm/calls.html", context)


@require_safe
@signed_in
def call(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One call of the ledger with all that is kept of it."""
    found = call_for(person_of(request), slug, pk)
    study = study_for(person_of(request), slug, RESEARCHERS)
    shown = presenting.shown_call(found)
    context = {
        "study": study,
        "takes_papers": takes_papers(study),
        "call": found,
        "price": shown.price,
        "seconds": shown.seconds,
        "caused_by": presenting.who_caused(found),
        "parameters": [(name.replace("_", " "), canonical_json(value)) for name, value in found.parameters.items()],
        "logprobs": canonical_json(found.logprobs) if found.logprobs else "",
    }
    return render(request, "llm/call.html", context)


@require_safe
@signed_in
def prompts(request: HttpRequest, slug: str) -> HttpResponse:
    """The prompts that models are asked with, and which of them the study brought itself."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    context = {"study": study, "takes_papers": takes_papers(study), "prompts": presenting.prompts_of(study)}
    return render(request, "llm/prompts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def prompt(request: HttpRequest, slug: str, app: str, name: str) -> HttpResponse:
    """A prompt beside the study's own version of it, which can be written anew."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    default, versions = prompt_named(app, name), versions_of(study, app, name)
    shown = versions[0] if versions else default
    posted = request.POST if request.method == "POST" else None
    form = PromptForm(posted, initial={"system": shown.system, "user": shown.user}, app=app, name=name)
    if posted is not None and form.is_valid():
        made = publish_prompt(study, app, name, form.cleaned_data["system"], form.cleaned_data["user"], person)
        new = not versions or made.pk != versions[0].pk
        messages.success(request, f"Version {made.number} is in force." if new else "Nothing was changed.")
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
