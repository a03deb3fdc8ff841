"""The preview of an edited answer in a study whose answers are Markdown."""

import uuid

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.views.decorators.http import require_POST

from accounts.access import person_of, signed_in
from annotation.access import NOTHING
from retrieval.papers import papers_of
from sessions.access import session_for
from sessions.forms import EditForm
from sessions.pages.answer_rendering import render_answer


@require_POST
@signed_in
def preview(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Render the posted text as the page would show it as an answer; nothing is saved."""
    _, session = session_for(person_of(request), key)
    if not session.study.options.get("markdown", False):
        raise Http404(NOTHING)
    form = EditForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest(form.problems()["edit"], content_type="text/plain; charset=utf-8")
    answer = render_answer(form.cleaned_data["edit"], len(papers_of(session.item)), markdown=True)
    return render(request, "sessions/_text.html", {"study": session.study, "answer": answer})
