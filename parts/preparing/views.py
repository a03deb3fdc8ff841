"""Pages of a study's preparation: how far it is, steps and trials, suggestions to decide on, outputs to edit."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.models import Study
from config.background.workers import worker_status
from config.htmx_request import HtmxRequest
from config.middleware import stated_length
from judges.form_choices import judging_models
from parts.preparing import step_states, trials
from parts.preparing.access import kind_for, output_for, step_for, study_to_prepare, suggestion_for, trial_for
from parts.preparing.deciding import decide, offered_kinds, write_suggestion
from parts.preparing.document_drawing import draw_documents
from parts.preparing.document_sampling import DocumentsRefusedError
from parts.preparing.editing import save_hybrid
from parts.preparing.forms import LONGEST_ANSWER, DecisionForm, DrawForm, HybridForm, WritingForm
from parts.preparing.models import DocumentSample, PreparedText, SourceDocument, Suggestion
from parts.preparing.new_step import new_step, new_trial
from parts.preparing.placing import place_items
from parts.preparing.prepare_page import decision_counts, prepare_page, question_counts, reasons_of, spent_on, step_row
from parts.preparing.step_configuration import PreparationRefusedError
from parts.preparing.suggestion_list import STATES, suggestion_card, suggestion_page
from sessions.comparing.answer_comparison import compare_answers

OUTPUTS_PER_PAGE = 20
MOST_DOCUMENTS = 500


@require_safe
@signed_in
def prepare(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show how far the preparation is; to htmx the part that changes while models write."""
    study = study_to_prepare(person_of(request), slug)
    if request.htmx:
        return render(request, "preparing/_state.html", {"study": study, "page": prepare_page(study)})
    return _page(request, study)


def _page(request: HttpRequest, study: Study, form: DrawForm | None = None, status: int = 200) -> HttpResponse:
    context = {
        "study": study,
        "page": prepare_page(study),
        "draw_form": form or DrawForm(auto_id="draw-%s"),
        "models": judging_models(),
        "workers": worker_status(),
    }
    return render(request, "preparing/prepare.html", context, status=status)


@require_POST
@signed_in
def draw(request: HttpRequest, slug: str) -> HttpResponse:
    """Draw documents from an uploaded file."""
    person = person_of(request)
    study = study_to_prepare(person, slug)
    form = DrawForm(request.POST, request.FILES, length=stated_length(request), auto_id="draw-%s")
    if not form.is_valid():
        return _page(request, study, form, 422)
    data, uploaded = form.cleaned_data, form.cleaned_data["file"]
    try:
        with TemporaryDirectory(prefix="interrater-documents-") as folder:
            sample: DocumentSample = draw_documents(
                study, _stored(uploaded, Path(folder)), person, per_source=data["per_source"], words=form.words(),
                seed=data["seed"], name=uploaded.name or "",
            )  # fmt: skip
    except (DocumentsRefusedError, PreparationRefusedError) as problem:
        form.add_error("file", str(problem))
        return _page(request, study, form, 422)
    messages.success(request, f"{sample.documents.count():,} documents drawn.")
    return redirect("preparing:prepare", slug=slug)


def _stored(uploaded: UploadedFile, folder: Path) -> Path:
    """Write an uploaded file to disk and return its path."""
    path = folder / "documents.jsonl"
    with path.open("wb") as file:
        for chunk in uploaded.chunks():
            file.write(chunk)
    return path


@require_POST
@signed_in
def place(request: HttpRequest, slug: str) -> HttpResponse:
    """Put what is ready into the study."""
    person = person_of(request)
    study = study_to_prepare(person, slug)
    try:
        added = place_items(study, person).added
    except PreparationRefusedError as problem:
        messages.error(request, problem.reason)
    else:
        outputs = f" and {added['outputs']:,} outputs" if added.get("outputs") else ""
        messages.success(request, f"{added['items']:,} items{outputs} added to the study.")
    return redirect("preparing:prepare", slug=slug)


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
