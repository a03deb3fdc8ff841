"""Whether background work is being done, said in words by the pages that wait for it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import signed_in
from config.background.workers import situation


@require_safe
@signed_in
def workers(request: HttpRequest) -> HttpResponse:
    """What `_workers.html` asks for again and again; nothing to say anew where `seen` is still so.

    `to` is whom the words are for: `researcher`, or an annotator, who is spared what does not concern them.
    """
    now = situation()
    if request.GET.get("seen") == now.code:
        return HttpResponse(status=204)
    reader = "researcher" if request.GET.get("to") == "researcher" else "annotator"
    return render(request, "_workers_said.html", {"workers": now, "reader": reader})
