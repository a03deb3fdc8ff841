"""Pages of routing: an annotator's own topics, and for researchers how topics and groups fill up."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from annotation.desk.next_page import next_page
from annotation.desk.part_tasks import page_before_task
from annotation.members.own_rater import own_rater
from parts.routing.fill_table import fill_table
from parts.routing.plan import REQUIREMENT, routing_of
from parts.routing.raters import TopicsInvalidError, choose_topics, is_full_for


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def own_topics(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for topics, or say that the study has enough people of the group; POST saves topics and opens a task."""
    study, rater = own_rater(person_of(request), slug)
    routing, error = routing_of(study), ""
    before = page_before_task(study, rater)
    if before is not None:
        return redirect(before)
    is_full = is_full_for(study, rater)
    if routing is None or not (is_full or routing.topics.choose):
        return redirect("annotation:home")
    chosen = [name for name in routing.topics.names if name in request.POST.getlist("topic")]
    if request.method == "POST" and not is_full:
        try:
            choose_topics(rater, chosen)
            return next_page(request, study)
        except TopicsInvalidError as problem:
            said = str(problem)
            error = gettext(said)
    context = {
        "study": study, "topics": routing.topics.names, "chosen": chosen if error else rater.topics or [],
        "required": routing.topics.mode == REQUIREMENT, "is_full": is_full, "error": error,
    }  # fmt: skip
    return render(request, "routing/own_topics.html", context, status=422 if error else 200)


@require_safe
@signed_in
def routing(request: HttpRequest, slug: str) -> HttpResponse:
    """How topics, seats and groups fill up."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    return render(request, "routing/routing.html", {"study": study, "table": fill_table(study)})
