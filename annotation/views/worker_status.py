"""The state of the background workers, for pages that wait for them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import signed_in
from config.background.workers import worker_status


@require_safe
@signed_in
def workers(request: HttpRequest) -> HttpResponse:
    """The warning that `_workers.html` asks for every few seconds; 204 if it is still as `seen`.

    `to` names the reader: `researcher`, or an annotator, who is spared what does not concern them.
    """
    now = worker_status()
    if request.GET.get("seen") == now.code:
        return HttpResponse(status=204)
    reader = "researcher" if request.GET.get("to") == "researcher" else "annotator"
    return render(request, "_workers_status.html", {"workers": now, "reader": reader})
