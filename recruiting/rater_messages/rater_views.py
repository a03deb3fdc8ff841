"""A rater's pages of messages: their threads in a study, and one thread."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from annotation.members.own_rater import own_rater
from annotation.models import Assignment, Rater
from recruiting.rater_messages.blind_words import mark_of_text, named_by_rater
from recruiting.rater_messages.message_access import own_task
from recruiting.rater_messages.message_forms import MessageForm
from recruiting.rater_messages.sending_messages import TooManyMessagesError, mark_seen, thread_of, write_to_researchers
from recruiting.rater_messages.thread_lists import own_threads, task_title
from recruiting.rater_messages.thread_page import entries_of


@require_safe
@signed_in
def my_messages(request: HttpRequest, slug: str) -> HttpResponse:
    """The person's threads in a study."""
    study, rater = own_rater(person_of(request), slug)
    page, lines = own_threads(rater, request.GET.get("page"))
    general = entries_of(rater, None, thread_of(rater, None))
    unread = sum(not one.from_rater and one.seen_at is None for one in general)
    context = {"study": study, "page": page, "lines": lines, "general": len(general), "general_unread": unread}
    return render(request, "recruiting/messages/own_threads.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def general_thread(request: HttpRequest, slug: str) -> HttpResponse:
    """What the person and the researchers write about the study; POST sends a message."""
    _, rater = own_rater(person_of(request), slug)
    return _thread_page(request, rater, None)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def task_thread(request: HttpRequest, slug: str, key: uuid.UUID) -> HttpResponse:
    """What the person and the researchers write about a task; POST sends a message."""
    assignment = own_task(person_of(request), slug, key)
    return _thread_page(request, assignment.rater, assignment)


def _thread_page(request: HttpRequest, rater: Rater, assignment: Assignment | None) -> HttpResponse:
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
    return render(request, "recruiting/messages/own_thread.html", context, status=422 if form.is_bound else 200)
