"""The only writer of a person's preferred topics, which `sessions.assignment_order` uses."""

from collections.abc import Sequence

from django.db import transaction

from accounts.auditing import record
from annotation.models import Rater
from annotation.studies.locking import lock_rater


def choose_topics(rater: Rater, topics: Sequence[str]) -> None:
    """Save the topics that come first. An empty list is a valid choice."""
    with transaction.atomic():
        fresh = lock_rater(rater.pk, "study", "person")
        if fresh.topics == list(topics):
            return
        old, fresh.topics = fresh.topics, list(topics)
        fresh.save(update_fields=["topics"])
        new = {"topics": list(topics)}
        record("topics chosen", fresh.name, actor=fresh.person, study=fresh.study.slug, old={"topics": old}, new=new)
