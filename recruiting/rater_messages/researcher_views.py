"""Researchers' pages of messages: the inbox of a study, and a thread."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import NUMBER, RESEARCHERS, study_for
from annotation.models import Rater, Task
from recruiting.rater_messages.blind_words import mark_of_text, named_by_researcher
from recruiting.rater_messages.message_access import thread_in
from recruiting.rater_messages.message_forms import MessageForm
from recruiting.rater_messages.sending_messages import (
    TooManyMessagesError,
    mark_done,
    mark_seen,
    thread_of,
    write_to_rater,
)
from recruiting.rater_messages.thread_lists import SHOWN, inbox, inbox_page
from recruiting.rater_messages.thread_page import entries_of

LONGEST_FILTER = 200


@require_safe
@signed_in
def message_inbox(request: HttpRequest, slug: str) -> HttpResponse:
    """The threads of a study; `?show=`, `?rater=` and `?item=` filter them."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    shown = request.GET.get("show", "")
    shown = shown if shown in SHOWN else ""
    rater, item = (request.GET.get(name, "").replace("\0", "").strip()[:LONGEST_FILTER] for name in ("rater", "item"))
    page = inbox_page(inbox(study, shown, rater, item), request.GET.get("page"))
    query = urlencode({"show": shown, "rater": rater, "item": item})
    context = {"study": study, "page": page, "shown": shown, "filters": SHOWN.items(), "rater": rater, "item": item,
               "filter_query": f"{query}&"}  # fmt: skip
    return render(request, "recruiting/messages/inbox.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def rater_thread(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A rater's thread about the study; POST sends a message."""
    rater, _ = thread_in(person_of(request), slug, pk, None)
    return _thread_page(request, rater, None)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def rater_task_thread(request: HttpRequest, slug: str, pk: int, number: int) -> HttpResponse:
    """A rater's thread about the task `number`; POST sends a message."""
    rater, task = thread_in(person_of(request), slug, pk, number)
    return _thread_page(request, rater, task)


def _thread_page(request: HttpRequest, rater: Rater, task: Task | None) -> HttpResponse:
    form = MessageForm(request.POST if request.method == "POST" else None)
    text = form.cleaned_data["text"] if form.is_valid() else ""
    named = named_by_researcher(rater.study, rater, text) if request.POST.get("asked") != mark_of_text(text) else []
    if text and not named:
        try:
            write_to_rater(rater, task, text, person_of(request))
            messages.success(request, f"Sent to {rater.name}.")
            return redirect(request.path)
        except TooManyMessagesError as problem:
            form.add_error("text", str(problem))
    thread = thread_of(rater, task)
    entries = entries_of(rater, task, thread)
    if request.method == "GET":
        mark_seen(thread, by_rater=False)
    context = {"study": rater.study, "rater": rater, "task": task, "thread": thread, "entries": entries, "form": form,
               "named": named, "mark": mark_of_text(text)}  # fmt: skip
    return render(request, "recruiting/messages/thread.html", context, status=422 if form.is_bound else 200)


@require_POST
@signed_in
def messages_done(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Mark a rater's thread as done: it waits for no reply. The field `task` names its task, if it has one."""
    person = person_of(request)
    named = request.POST.get("task", "")
    rater, task = thread_in(person, slug, pk, int(named) if NUMBER.fullmatch(named) else None)
    thread = thread_of(rater, task)
    if thread is None:
        return redirect("recruiting:message_inbox", slug=slug)
    thread.rater = rater
    if mark_done(thread, person):
        messages.success(request, "Done. It comes back to the inbox if the rater writes again.")
    return redirect("recruiting:message_inbox", slug=slug)
