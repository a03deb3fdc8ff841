"""Which question, and which model, a person is given next.

Questions on the person's preferred topics come first; otherwise the study's order applies. The model is one that the
person has met least often so far. Ties are broken by a draw from the person's name and the site's secret key, so the
order of models is random for each person, balanced at every point, and nothing that anybody can compute. Second ratings
of turns come after sessions.
"""

from collections import Counter
from typing import Any

from django.db.models import QuerySet

from annotation.models import Rater, Slot
from annotation.studies.secret_seeds import secretly_seeded
from sessions.models import RevisionSession
from sessions.turn_variants import PREFIX


def ranking(slots: QuerySet[Slot], rater: Rater) -> list[int]:
    """Return the primary keys of open slots in the order in which this rater gets them."""
    study, topics = rater.study, set(rater.topics or ())
    met = Counter(RevisionSession.objects.filter(rater=rater).values_list("model", flat=True))

    def rank(row: tuple[Any, ...]) -> tuple[Any, ...]:
        _, number, place, variant, item, categories = row
        is_other = not topics.intersection(_listed(categories))
        draw = secretly_seeded(study, "session", rater.name, item, variant)
        if variant.startswith(PREFIX):
            return True, is_other, draw, 0, 0, number
        return False, is_other, place, met[variant], draw, number

    rows = slots.order_by().values_list(
        "pk", "number", "place", "task__variant", "item__key", "item__categories"
    )  # fmt: skip
    return [row[0] for row in sorted(rows, key=rank)]


def _listed(categories: Any) -> list[str]:
    return [categories] if isinstance(categories, str) else list(categories or [])
