"""Pages about texts: suggestions to decide on, and outputs to edit."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.models import Study
from config.htmx_request import HtmxRequest
from preparing.access import output_for, study_to_prepare, suggestion_for
from preparing.deciding import decide, offered_kinds, write_suggestion
from preparing.editing import save_hybrid
from preparing.forms import LONGEST_ANSWER, DecisionForm, HybridForm, WritingForm
from preparing.models import PreparedText, SourceDocument, Suggestion
from preparing.prepare_page import decision_counts
from preparing.step_configuration import PreparationRefusedError
from preparing.suggestion_list import STATES, suggestion_card, suggestion_page
from sessions.comparing.answer_comparison import compare_answers

OUTPUTS_PER_PAGE = 20
MOST_DOCUMENTS = 500


@require_safe
@signed_in
def suggestions(request: HttpRequest, slug: str) -> HttpResponse:
    """List suggestions by state, with their documents."""
    return _suggestions(request, study_to_prepare(person_of(request), slug))


def _suggestions(request: HttpRequest, study: Study, form: WritingForm | None = None) -> HttpResponse:
    offered = offered_kinds(study)
    context = {
        "study": study,
        "states": STATES,
        "title": f"{Suggestion.Kind(offered[0]).label}s",
        "shown": suggestion_page(study, request.GET),
        "counts": decision_counts(study),
        "documents": SourceDocument.objects.filter(study=study)
        .order_by("pk")
        .values_list("key", flat=True)[:MOST_DOCUMENTS],
        "writing": form or WritingForm(offered=offered, auto_id="write-%s", initial={"kind": offered[-1]}),
    }
    return render(request, "preparing/suggestions.html", context, status=200 if form is None else 422)


@require_POST
@signed_in
def write(request: HttpRequest, slug: str) -> HttpResponse:
    """Store a suggestion that a person wrote."""
    person = person_of(request)
    study = study_to_prepare(person, slug)
    form = WritingForm(request.POST, offered=offered_kinds(study), auto_id="write-%s")
    if not form.is_valid():
        return _suggestions(request, study, form)
    data = form.cleaned_data
    document = SourceDocument.objects.select_related("study").filter(study=study, key=data["document"]).first()
    if document is None:
        form.add_error("document", "No document has this id.")
        return _suggestions(request, study, form)
    try:
        write_suggestion(document, data["kind"], data["text"], data["kinds"], person)
    except PreparationRefusedError as problem:
        form.add_error(problem.field or None, problem.reason)
        return _suggestions(request, study, form)
    messages.success(request, "Saved and accepted.")
    return redirect(f"{reverse('preparing:suggestions', args=[slug])}?state=accepted")


@require_POST
@signed_in
def decision(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """Store what a person decides about a suggestion; to htmx its card alone."""
    person = person_of(request)
    found = suggestion_for(person, slug, pk)
    form, problem = DecisionForm(request.POST), ""
    if form.is_valid():
        data = form.cleaned_data
        try:
            decide(found, data["state"], person, text=data["text"], kinds=data["kinds"], reason=data["reason"])
        except PreparationRefusedError as refused:
            problem = refused.reason
    else:
        problem = "Write a text of at most 2,000 characters, and choose what becomes of it."
    if request.htmx or problem:
        kept = request.POST.get("text") if problem else None
        card = suggestion_card(suggestion_for(person, slug, pk), kept, request.POST.getlist("kinds"), problem)
        template = "preparing/_suggestion.html" if request.htmx else "preparing/suggestion.html"
        context = {"study": found.study, "card": card}
        return render(request, template, context, status=422 if problem else 200)
    return redirect(_back(request, reverse("preparing:suggestions", args=[slug])))


def _back(request: HttpRequest, otherwise: str) -> str:
    address = request.POST.get("back", "")
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else otherwise


@require_safe
@signed_in
def outputs(request: HttpRequest, slug: str) -> HttpResponse:
    """List the outputs and references that were written, an instruction at a time."""
    study = study_to_prepare(person_of(request), slug)
    written = PreparedText.objects.filter(study=study).values("suggestion")
    rows = Suggestion.objects.filter(study=study, pk__in=written).select_related("document", "item")
    page = Paginator(rows.order_by("document", "number"), OUTPUTS_PER_PAGE).get_page(request.GET.get("page"))
    texts = PreparedText.objects.filter(suggestion__in=[one.pk for one in page]).select_related("edited_from")
    found: dict[int, list[PreparedText]] = {one.pk: [] for one in page}
    for text in texts.order_by("role", "pk"):
        found[text.suggestion_id].append(text)
    cards = [(one, found[one.pk]) for one in page]
    return render(request, "preparing/outputs.html", {"study": study, "page": page, "cards": cards})


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def edit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Edit a model's output as little as needed, beside its document and instruction."""
    person = person_of(request)
    original = output_for(person, slug, pk)
    posted = request.POST if request.method == "POST" else None
    form = HybridForm(posted, initial={"text": original.text})
    if posted is not None and form.is_valid():
        try:
            save_hybrid(original, form.cleaned_data["text"], form.cleaned_data["key"], person)
        except PreparationRefusedError as problem:
            form.add_error(problem.field or None, problem.reason)
        else:
            messages.success(request, "Saved. Put it into the study with the others.")
            return redirect("preparing:outputs", slug=slug)
    text = str(form["text"].value() or "").replace("\r\n", "\n")
    context = {
        "study": original.study,
        "original": original,
        "form": form,
        **_changes(original.text, text),
    }
    return render(request, "preparing/edit.html", context, status=422 if form.errors else 200)


@require_POST
@signed_in
def difference(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show what an edit that is not saved yet changes; of a text that is too long, only that it is."""
    original = output_for(person_of(request), slug, pk)
    changes = _changes(original.text, request.POST.get("text", "").replace("\r\n", "\n"))
    return render(request, "preparing/_difference.html", changes, status=422 if "longest" in changes else 200)


def _changes(original: str, text: str) -> dict[str, Any]:
    """What `_difference.html` shows; texts that are too long are not compared."""
    return {"longest": LONGEST_ANSWER} if len(text) > LONGEST_ANSWER else {"found": compare_answers(original, text)}
