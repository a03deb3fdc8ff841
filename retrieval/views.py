"""Pages about a study's papers: questions, the index, trial searches, and a form that adds a question."""

import re
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from annotation.models import Item, Study
from annotation.protocols import protocols
from config.background.claiming import ask_to_stop
from config.background.kinds import works
from config.background.rows import Status
from config.background.waking import enqueue_again
from config.background.workers import worker_status
from config.htmx_request import HtmxRequest
from config.middleware import stated_length
from retrieval.access import build_for, paper_upload_for, trial_for
from retrieval.forms import PapersForm, SearchForm
from retrieval.index_builds import WORK_KEY, ensure_index
from retrieval.models import PaperUpload, TrialSearch
from retrieval.paper_uploads import WORK_KEY as PAPERS_KEY
from retrieval.paper_uploads import UploadsFullError, receive_papers
from retrieval.papers_page import index_state, item_keys, question_rows
from retrieval.search_errors import SearchError
from retrieval.trial_searches import try_search

QUESTIONS_PER_PAGE = 20
LATEST = 5
LIKE_A_KEY = re.compile(r"[0-9]{1,18}")
QUESTION_KEYS = frozenset({"question", "documents"})
NO_PAPERS = "Items of this study's protocol have no papers."


def _page(request: HttpRequest, study: Study, status: int = 200, **forms: Any) -> HttpResponse:
    """Render the page of papers; `forms` are those with errors."""
    keys = item_keys(study)
    context = {
        **_stored(request, study),
        "takes_papers": True,
        "workers": worker_status(),
        "trials": TrialSearch.objects.filter(study=study).order_by("-pk").select_related("item").defer("hits")[:LATEST],
        "search_form": forms.get("search_form") or SearchForm(keys=keys, auto_id="search-%s"),
        "papers_form": forms.get("papers_form") or PapersForm(initial=_again(request, study), auto_id="add-%s"),
    }
    return render(request, "retrieval/papers.html", context, status=status)


def _stored(request: HttpRequest, study: Study) -> dict[str, Any]:
    """The index, a page of questions, and the latest uploads."""
    items = Item.objects.filter(study=study, content__isnull=False).order_by("pk")
    page = Paginator(items, QUESTIONS_PER_PAGE).get_page(request.GET.get("page"))
    latest = list(PaperUpload.objects.filter(study=study).order_by("-pk")[:LATEST])
    return {
        "study": study,
        "index": index_state(study),
        "page": page,
        "questions": question_rows(page),
        "can_add": _has_papers(study),
        "uploads": latest,
        "waiting": sum(one.is_waiting for one in latest),
    }


def _again(request: HttpRequest, study: Study) -> dict[str, str]:
    """What was typed for a question that was not added, for another try."""
    given = request.GET.get("again", "")
    tried = PaperUpload.objects.filter(study=study, pk=given).first() if LIKE_A_KEY.fullmatch(given) else None
    return {"key": tried.item_key, "question": tried.question} if tried else {}


def _has_papers(study: Study) -> bool:
    return protocols()[study.protocol].files.item_keys >= QUESTION_KEYS


@require_safe
@signed_in
def papers(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the papers and their index; to htmx the index alone."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if request.htmx:
        return render(request, "retrieval/_index.html", {"study": study, "index": index_state(study)})
    return _page(request, study)


@require_POST
@signed_in
def build(request: HttpRequest, slug: str) -> HttpResponse:
    """Build the index, or retry a failed build, unless it is up to date."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    try:
        row = ensure_index(study)
    except SearchError as problem:
        messages.error(request, str(problem))
        return redirect("retrieval:papers", slug=slug)
    if row is None:
        messages.info(request, "This study has no papers to index.")
    elif row.status == Status.DONE:
        messages.info(request, "The index is up to date.")
    else:
        enqueue_again(works()[WORK_KEY], row)
        messages.success(request, "The index is being built. Searches use the previous one meanwhile.")
    return redirect("retrieval:papers", slug=slug)


@require_POST
@signed_in
def stop_build(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    if not ask_to_stop(works()[WORK_KEY], build_for(person_of(request), slug, pk)):
        messages.info(request, "It had already ended.")
    return redirect("retrieval:papers", slug=slug)


@require_POST
@signed_in
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a question with its papers, which a worker reads and adds, completely or not at all."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = PapersForm(request.POST, request.FILES, length=stated_length(request), auto_id="add-%s")
    if not _has_papers(study):
        form.add_error(None, NO_PAPERS)
    elif form.is_valid():
        given = form.cleaned_data
        try:
            receive_papers(study, person, given["key"], given["question"], given["papers"])
        except UploadsFullError as problem:
            form.add_error("papers", str(problem))
        else:
            return redirect("retrieval:papers", slug=slug)
    return _page(request, study, 422, papers_form=form)


@require_safe
@signed_in
def uploads(request: HtmxRequest, slug: str) -> HttpResponse:
    """For htmx: how reading goes and, if the number of waiting uploads has changed, the index and the questions."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if not request.htmx:
        return redirect("retrieval:papers", slug=slug)
    stored = _stored(request, study)
    has_changed = request.GET.get("waiting") != str(stored["waiting"])
    return render(request, "retrieval/_reading.html", {**stored, "has_changed": has_changed})


@require_POST
@signed_in
def stop_upload(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    if not ask_to_stop(works()[PAPERS_KEY], paper_upload_for(person_of(request), slug, pk)):
        messages.info(request, "It had already ended.")
    return redirect("retrieval:papers", slug=slug)


@require_POST
@signed_in
def search(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue a search in one question's papers; its results get a page of their own."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = SearchForm(request.POST, keys=item_keys(study), auto_id="search-%s")
    if not form.is_valid():
        return _page(request, study, 422, search_form=form)
    item = Item.objects.select_related("study").get(study=study, key=form.cleaned_data["item"])
    trial = try_search(item, form.cleaned_data["query"], person, form.cleaned_data["k"])
    return redirect("retrieval:trial", slug=slug, pk=trial.pk)


@require_safe
@signed_in
def trial(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """Show a trial search and its results; to htmx the fragment that polls itself."""
    found = trial_for(person_of(request), slug, pk)
    context: dict[str, Any] = {"study": found.study, "trial": found}
    if request.htmx:
        return render(request, "retrieval/_trial.html", context)
    context |= {"workers": worker_status(), "takes_papers": True}
    return render(request, "retrieval/trial.html", context)
