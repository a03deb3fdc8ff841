"""The page before a person's first session: how sessions work, and the choice of topics."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from annotation.access import ANNOTATORS, membership_for
from annotation.desk.next_page import next_page
from annotation.members.membership import rater_for
from annotation.models import Item, Study
from sessions.study_options import EXTRACTIVE, options_of
from sessions.topic_preferences import choose_topics

MOST_TOPICS = 200


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def welcome(request: HttpRequest, slug: str) -> HttpResponse:
    """Explain sessions and save the chosen topics, then open the first task."""
    membership = membership_for(person_of(request), slug, roles=ANNOTATORS)
    study, rater = membership.study, rater_for(membership.study, membership.person)
    topics = topics_of(study)
    if request.method == "POST":
        choose_topics(rater, [topic for topic in topics if topic in request.POST.getlist("topic")])
        return next_page(request, study)
    context: dict[str, Any] = {
        "study": study, "topics": topics if len(topics) > 1 else [], "chosen": rater.topics or [],
        "by_rules": EXTRACTIVE in options_of(study).models, "max_turns": options_of(study).max_turns,
    }  # fmt: skip
    return render(request, "sessions/welcome.html", context)


def topics_of(study: Study) -> list[str]:
    """Return the categories of the study's items in alphabetical order."""
    given = Item.objects.filter(study=study).exclude(categories=None).values_list("categories", flat=True)
    listed = (value if isinstance(value, list) else [value] for value in given)
    return sorted({str(topic) for topics in listed for topic in topics})[:MOST_TOPICS]
