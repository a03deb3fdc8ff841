"""Pages of messages: a rater's threads in a study, the inbox of its researchers, and one thread for either side."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import NUMBER, RESEARCHERS, study_for
from annotation.members.own_rater import own_rater
from annotation.models import Assignment, Rater, Task
from parts.rater_messages.access import own_task, thread_in
from parts.rater_messages.blind_words import mark_of_text, named_by_rater, named_by_researcher
from parts.rater_messages.forms import MessageForm
from parts.rater_messages.sending_messages import (
    TooManyMessagesError,
    mark_done,
    mark_seen,
    thread_of,
    write_to_rater,
    write_to_researchers,
)
from parts.rater_messages.threads import SHOWN, entries_of, inbox, inbox_page, own_threads, task_title

LONGEST_FILTER = 200


@require_safe
@signed_in
def my_messages(request: HttpRequest, slug: str) -> HttpResponse:
    """The person's threads in a study."""
    study, rater = own_rater(person_of(request), slug)
    page, lines = own_threads(rater, request.GET.get("page"))
    general = entries_of(rater, None, thread_of(rater, None))
    unread = sum(not one.from_rater and one.seen_at is None for one in general)
    context = {"study": study, "page": page, "lines": lines, "general": len(general), "general_unread": unread}
    return render(request, "rater_messages/own_threads.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def general_thread(request: HttpRequest, slug: str) -> HttpResponse:
    """What the person and the researchers write about the study; POST sends a message."""
    _, rater = own_rater(person_of(request), slug)
    return _own_thread_page(request, rater, None)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def task_thread(request: HttpRequest, slug: str, key: uuid.UUID) -> HttpResponse:
    """What the person and the researchers write about a task; POST sends a message."""
    assignment = own_task(person_of(request), slug, key)
    return _own_thread_page(request, assignment.rater, assignment)


def _own_thread_page(request: HttpRequest, rater: Rater, assignment: Assignment | None) -> HttpResponse:
    task = assignment.task if assignment else None
    form = MessageForm(request.POST if request.method == "POST" else None)
    text = form.cleaned_data["text"] if form.is_valid() else ""
    named = named_by_rater(rater, text) if request.POST.get("asked") != mark_of_text(text) else []
    if text and not named:
        try:
            write_to_researchers(rater, task, text)
            messages.success(request, gettext("Sent to the researchers."))
            return redirect(request.path)
        except TooManyMessagesError as problem:
            form.add_error("text", str(problem))
    thread = thread_of(rater, task)
    entries = entries_of(rater, task, thread)
    if request.method == "GET":
        mark_seen(thread, by_rater=True)
    context = {
        "study": rater.study, "assignment": assignment, "title": task_title(rater, assignment) if assignment else "",
        "entries": entries, "unread_notes": [one.note for one in entries if one.is_unread_note], "form": form,
        "named": named, "mark": mark_of_text(text),
    }  # fmt: skip
    return render(request, "rater_messages/own_thread.html", context, status=422 if form.is_bound else 200)


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
    return render(request, "rater_messages/inbox.html", context)


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
    return render(request, "rater_messages/thread.html", context, status=422 if form.is_bound else 200)


@require_POST
@signed_in
def messages_done(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Mark a rater's thread as done: it waits for no reply. The field `task` names its task, if it has one."""
    person = person_of(request)
    named = request.POST.get("task", "")
    rater, task = thread_in(person, slug, pk, int(named) if NUMBER.fullmatch(named) else None)
    thread = thread_of(rater, task)
    if thread is None:
        return redirect("rater_messages:message_inbox", slug=slug)
    thread.rater = rater
    if mark_done(thread, person):
        messages.success(request, "Done. It comes back to the inbox if the rater writes again.")
    return redirect("rater_messages:message_inbox", slug=slug)
