"""Pages about steps and trials: a new one, how far one is, and its actions."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from config.htmx_request import HtmxRequest
from judges.form_choices import judging_models
from preparing import step_states, trials
from preparing.access import kind_for, step_for, study_to_prepare, trial_for
from preparing.new_step import new_step, new_trial
from preparing.prepare_page import question_counts, reasons_of, spent_on, step_row
from preparing.step_configuration import PreparationRefusedError


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def ask(request: HtmxRequest, slug: str, kind: str) -> HttpResponse:
    """Show the form of a step, estimate what is posted, and start what was estimated; to htmx the form alone."""
    person = person_of(request)
    study = study_to_prepare(person, slug)
    found = kind_for(study, kind)
    posted = request.POST if request.method == "POST" else None
    page = new_step(study, found, person, request.GET, posted)
    if page.step is not None:
        messages.success(request, "Started.")
        return redirect("preparing:prepare", slug=slug)
    context = {"study": study, "kind": found, "page": page, "form": page.form, "models": judging_models()}
    template = "preparing/_ask_form.html" if request.htmx else "preparing/ask.html"
    return render(request, template, context, status=422 if page.form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def trial(request: HtmxRequest, slug: str) -> HttpResponse:
    """The same for a trial of several models."""
    person = person_of(request)
    study = study_to_prepare(person, slug)
    kind_for(study, "instructions")
    page = new_trial(study, person, request.POST if request.method == "POST" else None)
    if page.trial is not None:
        messages.success(request, "Started.")
        return redirect("preparing:prepare", slug=slug)
    context = {"study": study, "kind": None, "page": page, "form": page.form, "models": judging_models()}
    template = "preparing/_ask_form.html" if request.htmx else "preparing/ask.html"
    return render(request, template, context, status=422 if page.form.errors else 200)


@require_POST
@signed_in
def rate(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Make the study in which the sets of a trial are rated."""
    person = person_of(request)
    found = trial_for(person, slug, number)
    try:
        made = trials.rate_trial(found, person)
    except PreparationRefusedError as problem:
        messages.error(request, problem.reason)
        return redirect("preparing:prepare", slug=slug)
    messages.success(request, "The sets can be rated now. Invite the evaluators.")
    return redirect("annotation:invitations", slug=made.slug)


@require_POST
@signed_in
def choose(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Choose the winner of a trial."""
    person = person_of(request)
    try:
        trials.choose_winner(trial_for(person, slug, number), request.POST.get("model", ""), person)
    except PreparationRefusedError as problem:
        messages.error(request, problem.reason)
    else:
        messages.success(request, "Its sets are accepted. Let it write the rest.")
    return redirect("preparing:prepare", slug=slug)


@require_safe
@signed_in
def step(request: HtmxRequest, slug: str, number: int) -> HttpResponse:
    """Show a step; to htmx how far it is."""
    study, found = step_for(person_of(request), slug, number)
    context = {
        "study": study,
        "row": step_row(found),
        "spent": spent_on(found),
        "reasons": reasons_of(found),
        "counts": question_counts(found),
    }
    return render(request, "preparing/_step_state.html" if request.htmx else "preparing/step.html", context)


@require_POST
@signed_in
def stop(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    person = person_of(request)
    if step_states.stop_step(step_for(person, slug, number)[1], person):
        messages.success(request, "The step is stopped. Calls that are being made end within seconds.")
    else:
        messages.info(request, "The step had already ended.")
    return redirect("preparing:step", slug=slug, number=number)


@require_POST
@signed_in
def resume(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    person = person_of(request)
    try:
        if step_states.resume_step(step_for(person, slug, number)[1], person):
            messages.success(request, "The step continues.")
        else:
            messages.info(request, "The step is running or finished.")
    except PreparationRefusedError as problem:
        messages.error(request, problem.reason)
    return redirect("preparing:step", slug=slug, number=number)
