"""Pages about a study's papers: questions with their papers, the index, tried searches, and adding a question."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from annotation.importing import ImportRefusedError
from annotation.models import Item, Study
from annotation.protocols import protocols
from config.background.claiming import ask_to_stop
from config.background.rows import Status
from config.background.waking import enqueue_again
from config.background.work import works
from config.background.workers import situation
from retrieval.access import build_for, trial_for
from retrieval.adding import add_question
from retrieval.errors import SearchError
from retrieval.forms import PapersForm, SearchForm
from retrieval.indexing import WORK_KEY, ensure_index
from retrieval.models import TrialSearch
from retrieval.presenting import index_state, keys_in, shown_questions
from retrieval.trying import try_search

A_PAGE = 20
LATEST = 5
TAKEN = frozenset({"question", "documents"})
NO_PAPERS_HERE = "The items of this study have no papers: its way of asking takes none."


def _page(request: HttpRequest, study: Study, status: int = 200, **forms: Any) -> HttpResponse:
    """The page of papers; `forms` are those with errors."""
    keys = keys_in(study)
    items = Item.objects.filter(study=study, content__isnull=False).order_by("pk")
    page = Paginator(items, A_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "takes_papers": True,
        "workers": situation(),
        "index": index_state(study),
        "page": page,
        "questions": shown_questions(page),
        "can_add": _takes(study),
        "trials": TrialSearch.objects.filter(study=study).order_by("-pk").select_related("item").defer("hits")[:LATEST],
        "search_form": forms.get("search_form") or SearchForm(keys=keys, auto_id="search-%s"),
        "papers_form": forms.get("papers_form") or PapersForm(auto_id="add-%s"),
    }
    return render(request, "retrieval/papers.html", context, status=status)


def _takes(study: Study) -> bool:
    return protocols()[study.protocol].item_keys >= TAKEN


@require_safe
@signed_in
def papers(request: HttpRequest, slug: str) -> HttpResponse:
    """The papers and their index; to htmx the index alone."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if request.headers.get("HX-Request") == "true":
        return render(request, "retrieval/_index.html", {"study": study, "index": index_state(study)})
    return _page(request, study)


@require_POST
@signed_in
def build(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the index built, or built anew where that failed; what is up to date stays."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    try:
        row = ensure_index(study)
    except SearchError as problem:
        messages.error(request, str(problem))
        return redirect("retrieval:papers", slug=slug)
    if row is None:
        messages.info(request, "There are no papers to index.")
    elif row.status == Status.DONE:
        messages.info(request, "The index is up to date: its papers and settings are the same.")
    else:
        enqueue_again(works()[WORK_KEY], row)
        messages.success(request, "The index will be built. Searches use the last finished one meanwhile.")
    return redirect("retrieval:papers", slug=slug)


@require_POST
@signed_in
def stop_build(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    if not ask_to_stop(works()[WORK_KEY], build_for(person_of(request), slug, pk)):
        messages.info(request, "It was over already.")
    return redirect("retrieval:papers", slug=slug)


@require_POST
@signed_in
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """A new question with its papers, all of it or nothing."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    form = PapersForm(request.POST, request.FILES, length=length, auto_id="add-%s")
    if not _takes(study):
        form.add_error(None, NO_PAPERS_HERE)
    elif form.is_valid():
        given = form.cleaned_data
        try:
            new = add_question(study, person, given["key"], given["question"], given["papers"])
        except ImportRefusedError as problem:
            _place(form, problem)
        else:
            messages.success(request, "The question is added." if new else "This question was there already, just so.")
            return redirect("retrieval:papers", slug=slug)
    return _page(request, study, 422, papers_form=form)


def _place(form: PapersForm, refused: ImportRefusedError) -> None:
    """Say beside each field what the import says of it."""
    fields = {"id": "key", "question": "question"}
    for problem in refused.problems:
        field = (
            "key" if not problem.field and "is there with" in problem.reason else fields.get(problem.field, "papers")
        )
        said = problem.reason if field != "papers" or not problem.field else f"{problem.field} {problem.reason}"
        form.add_error(field, f"{said[:1].upper()}{said[1:]}.")


@require_POST
@signed_in
def search(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue a search in one question's papers; what it finds stands on a page of its own."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = SearchForm(request.POST, keys=keys_in(study), auto_id="search-%s")
    if not form.is_valid():
        return _page(request, study, 422, search_form=form)
    item = Item.objects.select_related("study").get(study=study, key=form.cleaned_data["item"])
    trial = try_search(item, form.cleaned_data["query"], person, form.cleaned_data["k"])
    return redirect("retrieval:trial", slug=slug, pk=trial.pk)


@require_safe
@signed_in
def trial(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A tried search and what it found; to htmx the fragment that asks for itself again."""
    found = trial_for(person_of(request), slug, pk)
    context: dict[str, Any] = {"study": found.study, "trial": found}
    if request.headers.get("HX-Request") == "true":
        return render(request, "retrieval/_trial.html", context)
    context |= {"workers": situation(), "takes_papers": True}
    return render(request, "retrieval/trial.html", context)
