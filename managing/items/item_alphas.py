"""The local alpha of each item, which workers keep so that the bars of a report's histogram lead to their items."""

import numpy as np
from django.db import transaction

from agreement.reliability.local_alpha import LocalLevel, local_alpha
from annotation.models import Question, Study
from annotation.questions import question_types
from config.bulk_insert import insert_rows, refresh_statistics
from managing.models import ItemLocalAlpha
from reports.figures.agreement_report import choose
from reports.figures.rows import PEOPLE, Choice
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.value_rows import ratings

CHUNK = 1000
COLUMNS = ("study_id", "question_id", "item_id", "alpha")
LEVELS: dict[str, LocalLevel] = {"nominal": "nominal", "interval": "interval"}
Alphas = dict[int, float]


def local_alphas(study: Study) -> dict[int, Alphas]:
    """The defined local alphas of items, by question, from the ratings that a report without choices counts."""
    rated, (choice, _) = RatedItems(study), choose(study, PEOPLE, frozenset(), None)
    return {question.pk: _of_question(rated, question, choice) for question in study.questions.all()}


def _of_question(rated: RatedItems, question: Question, choice: Choice) -> Alphas:
    level = LEVELS.get(str(question_types()[question.type].level))
    if level is None:
        return {}
    alphas = local_alpha(ratings(rated, question, choice).latest(), rated.items.size, level).alpha
    return {int(rated.items[code]): float(alphas[code]) for code in np.flatnonzero(~np.isnan(alphas))}


def write_local_alphas(study: Study, found: dict[int, Alphas]) -> None:
    """Write the rows that differ, in short transactions."""
    for question, alphas in found.items():
        rows = ItemLocalAlpha.objects.filter(question=question)
        kept = dict(rows.values_list("item", "alpha").iterator())
        changed = sorted(item for item in kept.keys() | alphas.keys() if kept.get(item) != alphas.get(item))
        for first in range(0, len(changed), CHUNK):
            part = changed[first : first + CHUNK]
            new = [(study.pk, question, item, alphas[item]) for item in part if item in alphas]
            with transaction.atomic():
                rows.filter(item__in=[item for item in part if item in kept]).delete()
                insert_rows(ItemLocalAlpha, COLUMNS, new)
        if len(changed) >= CHUNK:
            refresh_statistics(ItemLocalAlpha)
