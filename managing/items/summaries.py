"""Counts every item of a study and writes what has changed. Only workers call it; pages read the rows."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Count, Q
from django.db.models.functions import Substr

from agreement.arrays.rating_arrays import Floats
from agreement.disagreement.item_disagreement import item_disagreement, mean_disagreement, ranks_as_ratings
from annotation.models import Annotation, Assignment, Item, Question, Rater, Rating, Slot, Study
from annotation.pools import COPIES
from annotation.protocols import protocols
from annotation.questions import question_types
from annotation.studies.snapshots import study_snapshot
from config.bulk_insert import insert_rows, refresh_statistics
from config.model_fields import canonical_json
from managing.items.filters import OPENING
from managing.items.item_alphas import local_alphas, write_local_alphas
from managing.models import ItemSummary
from reports.figures.rows import Choice
from reports.figures.rows.pair_rows import choices as read_choices
from reports.figures.rows.pair_rows import rank_columns, rankings
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.value_rows import ratings as read_ratings

CHUNK = 1000
MOST_CATEGORIES = 200
DIGITS = 6
COLUMNS = (
    "item_id", "study_id", "key", "text", "categories", "set", "pool", "state", "withdrawn", "raters", "answers",
    "machine_answers", "flags", "skips", "disagreement", "by_question",
)  # fmt: skip
Row = tuple[Any, ...]
State = ItemSummary.State


def summarise(study: Study, _: Mapping[str, Any]) -> dict[str, Any]:
    """Bring the summaries up to date; return {items, withdrawn, categories, more_categories}."""
    with study_snapshot(study):
        rows, alphas = list(_rows(study)), local_alphas(study)
    _write(study, rows)
    write_local_alphas(study, alphas)
    names = Counter(name for row in rows for name in row[4].split("\n") if name)
    return {
        "items": len(rows),
        "withdrawn": sum(row[8] for row in rows),
        "categories": sorted(name for name, _ in names.most_common(MOST_CATEGORIES)),
        "more_categories": len(names) > MOST_CATEGORIES,
    }


def _rows(study: Study) -> Iterator[Row]:
    """The summary of each item, in the order of COLUMNS."""
    places, people, machines = _places(study), _answers(study, human=True), _answers(study, human=False)
    flags = _counted(Assignment.objects.filter(rater__study=study).exclude(flag=""), "task__item")
    skips = _counted(
        Annotation.objects.filter(rater__study=study, is_current=True, status="skipped"), "task__item"
    )  # fmt: skip
    disagreements = _disagreements(study)
    for batch in _items(study):
        titles = protocols()[study.protocol].flow.titles([one["pk"] for one in batch])
        for one in batch:
            pk = one["pk"]
            mean, by_question = disagreements.get(pk, (None, {}))
            raters, answers = people.get(pk, (0, 0))
            text = "\n".join(part for part in (one["key"], titles.get(pk, ""), one["asked"], one["about"]) if part)
            yield (
                pk, study.pk, one["key"], text.lower(), _listed(one["categories"]), one["set"], one["pool"],
                _state(places.get(pk, {})), one["withdrawn_at"] is not None, raters, answers,
                machines.get(pk, (0, 0))[1], flags.get(pk, 0), skips.get(pk, 0), mean, canonical_json(by_question),
            )  # fmt: skip


def _items(study: Study) -> Iterator[list[dict[str, Any]]]:
    found = Item.objects.filter(study=study).exclude(pool=COPIES).order_by("pk").annotate(
        asked=Substr("instruction", 1, OPENING), about=Substr("document", 1, OPENING)
    )  # fmt: skip
    names = ("pk", "key", "categories", "set", "pool", "withdrawn_at", "asked", "about")
    batch: list[dict[str, Any]] = []
    for row in found.values(*names).iterator(chunk_size=CHUNK):
        batch.append(row)
        if len(batch) == CHUNK:
            yield batch
            batch = []
    if batch:
        yield batch


def _listed(categories: Any) -> str:
    names = [categories] if isinstance(categories, str) else list(categories or [])
    return "\n" + "\n".join(name.replace("\n", " ") for name in names) + "\n" if names else ""


def _state(places: Mapping[str, int]) -> str:
    if not places:
        return State.NONE.value
    if places.keys() == {Slot.State.FILLED.value}:
        return State.COMPLETE.value
    return State.OPEN.value if places.keys() == {Slot.State.OPEN.value} else State.WORK.value


def _places(study: Study) -> dict[int, dict[str, int]]:
    """The number of each item's slots by state."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    counted = Slot.objects.filter(study=study).values_list("item", "state").annotate(Count("pk")).order_by()
    for item, state, count in counted.iterator():
        found[item][state] = count
    return found


def _answers(study: Study, *, human: bool) -> dict[int, tuple[int, int]]:
    """How many people, or machines, have current ratings of each item, and how many ratings."""
    kind = Q(rater__kind=Rater.Kind.HUMAN)
    rows = Rating.objects.filter(kind if human else ~kind, study=study, is_current=True).order_by()
    counted = rows.values_list("item").annotate(Count("rater", distinct=True), Count("pk"))
    return {item: (raters, answers) for item, raters, answers in counted.iterator()}


def _counted(rows: Any, way: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(way).annotate(Count("pk")))


def _disagreements(study: Study) -> dict[int, tuple[float | None, dict[str, float]]]:
    """The disagreement of each item that has one: the mean, and by question."""
    rated = RatedItems(study)
    items = rated.items.size
    found = {
        question.key: values
        for question in study.questions.order_by("position")
        if (values := _of_question(rated, question, items)) is not None
    }
    means = mean_disagreement(list(found.values()), items)
    return {
        pk: (
            round(float(mean), DIGITS),
            {key: round(float(values[code]), DIGITS) for key, values in found.items() if not np.isnan(values[code])},
        )
        for code, (pk, mean) in enumerate(zip(rated.items.tolist(), means, strict=True))
        if not np.isnan(mean)
    }


def _of_question(rated: RatedItems, question: Question, items: int) -> Floats | None:
    """The disagreement of each item about one question; None for levels without distances."""
    level, choice = question_types()[question.type].level, Choice(pooled=True)
    if level == "rank":
        ranks = ranks_as_ratings(rankings(rated, rank_columns(rated, question, choice)))
        return item_disagreement(ranks, items, "ordinal")
    if level == "choice":
        return item_disagreement(read_choices(rated, question, choice).ratings().latest(), items, "nominal")
    if level == "nominal":
        return item_disagreement(read_ratings(rated, question, choice).latest(), items, "nominal")
    if level == "interval":
        return item_disagreement(read_ratings(rated, question, choice).latest(), items, "interval")
    return None


def _write(study: Study, rows: Sequence[Row]) -> None:
    """Write the rows that differ, in short transactions, so that others can write in between."""
    kept = {row[0]: row for row in ItemSummary.objects.filter(study=study).values_list(*COLUMNS).iterator()}
    changed = [row for row in rows if not _same(row, kept.get(row[0]))]
    for first in range(0, len(changed), CHUNK):
        part = changed[first : first + CHUNK]
        with transaction.atomic():
            ItemSummary.objects.filter(item__in=[row[0] for row in part if row[0] in kept]).delete()
            insert_rows(ItemSummary, COLUMNS, part)
    if len(changed) >= CHUNK:
        refresh_statistics(ItemSummary)


def _same(row: Row, kept: Row | None) -> bool:
    """Whether a kept row says the same; its last column is read as an object."""
    return kept is not None and row[:-1] == kept[:-1] and json.loads(row[-1]) == kept[-1]
