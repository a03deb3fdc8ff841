"""The only writer of the topics that a person prefers; the order of questions goes by them (`sessions.offering`)."""

from collections.abc import Sequence

from django.db import transaction

from accounts.auditing import record
from annotation.models import Rater


def choose_topics(rater: Rater, topics: Sequence[str]) -> None:
    """Keep which topics come first; none is an answer too."""
    with transaction.atomic():
        fresh = Rater.objects.select_for_update(of=("self",)).select_related("study", "person").get(pk=rater.pk)
        if fresh.topics == list(topics):
            return
        old, fresh.topics = fresh.topics, list(topics)
        fresh.save(update_fields=["topics"])
        new = {"topics": list(topics)}
        record("topics chosen", fresh.name, actor=fresh.person, study=fresh.study.slug, old={"topics": old}, new=new)
