"""The decisions of people about what files of another tool leave open."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from accounts.access import person_of, signed_in
from managing.access import upload_for
from managing.uploads import receiving
from managing.uploads.receiving import UploadRefusedError
from managing.uploads.upload_page import state_context, upload_page
from parts.other_tools.forms import ToolChoicesForm


@require_POST
@signed_in
def decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take what a person decides of ambiguous files, or takes back, and run the dry run again."""
    person = person_of(request)
    found = upload_for(person, slug, pk)
    again = "again" in request.POST
    form = ToolChoicesForm(request.POST, asked=() if again else upload_page(found, person).asked)
    if not form.is_valid():
        return render(request, "managing/uploaded.html", state_context(found, person), status=422)
    try:
        receiving.decide(found, {} if again else form.choices(found.choices), person)
    except UploadRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("managing:uploaded", slug=slug, pk=pk)
