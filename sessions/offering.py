"""Which question, and which model, a person is given next.

Questions on the topics that the person prefers come first, then in the study's own order. Of a question's models
it is one that the person has met least often so far, and among those a seeded draw of the person's own: the order
of models is random for each person, and in balance at every point. Turns to be re-rated come after sessions.
"""

from collections import Counter
from typing import Any

from django.db.models import QuerySet

from annotation.models import Rater, Slot
from annotation.planning import seeded
from sessions.models import RevisionSession
from sessions.variants import PREFIX


def ranking(slots: QuerySet[Slot], rater: Rater) -> list[int]:
    """The primary keys of open slots, what this rater is given first before the others."""
    study, topics = rater.study, set(rater.topics or ())
    met = Counter(RevisionSession.objects.filter(rater=rater).values_list("model", flat=True))

    def rank(row: tuple[Any, ...]) -> tuple[Any, ...]:
        _, number, place, variant, item, categories = row
        is_other = not topics.intersection(_listed(categories))
        draw = seeded(study, "session", rater.name, item, variant)
        if variant.startswith(PREFIX):
            return True, is_other, draw, 0, 0, number
        return False, is_other, place, met[variant], draw, number

    rows = slots.order_by().values_list(
        "pk", "number", "place", "task__variant", "item__key", "item__categories"
    )  # fmt: skip
    return [row[0] for row in sorted(rows, key=rank)]


def _listed(categories: Any) -> list[str]:
    return [categories] if isinstance(categories, str) else list(categories or [])
