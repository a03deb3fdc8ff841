"""About what the first annotators disagree: of which items, and on an item about which questions and units."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce, Greatest, Least

from annotation.models import Adjudication, Item, Output, Question, Rater, Rating, Slot, Study
from annotation.protocols import Unit
from annotation.questions import question_types
from annotation.review.adjudicating import ordered_unit
from annotation.studies.batches import FIRST
from annotation.studies.secret_seeds import own_secret_seed
from config.model_fields import canonical_json
from parts.second_stage.models import SecondStageCase

LEFT_OUT = (Rating.Level.TEXT, Rating.Level.SPAN)
"""Free texts always differ, and marked spans have verdicts instead of final answers."""


@dataclass(frozen=True)
class Disagreement:
    """A question about a unit to which annotators gave different answers.

    Each value comes with the place of who gave it among the item's annotators, in an order that names none.
    """

    question: Question
    unit: Unit
    values: tuple[tuple[int, Any], ...]


def disputed_items(study: Study) -> QuerySet[Item]:
    """The items whose places are all filled, about which people disagree, and which have no final answer yet."""
    places = Slot.objects.filter(item=OuterRef("pk"), study=study, place__gte=FIRST)
    final = Adjudication.objects.filter(item=OuterRef("pk"), is_current=True, value__isnull=False)
    done = SecondStageCase.objects.filter(item=OuterRef("pk"), done_at__isnull=False)
    filled = places.filter(state=Slot.State.FILLED)
    found = Item.objects.filter(Exists(filled), ~Exists(places.exclude(state=Slot.State.FILLED)), study=study)
    return found.filter(~Exists(final), ~Exists(done), pk__in=_differing(study)).order_by("pk")


def _differing(study: Study) -> QuerySet[Any]:
    """The items with several values for one question about one unit; a pair is one unit in whatever order."""
    other = Coalesce("other_output", "output")
    units = _answers(study).values(
        "item", "question", "variant", low=Least("output", other), high=Greatest("output", other)
    )
    return units.annotate(values=Count("value", distinct=True)).filter(values__gt=1).order_by().values("item")


def _answers(study: Study) -> QuerySet[Rating]:
    answers = Rating.objects.filter(study=study, is_current=True, rater__kind=Rater.Kind.HUMAN)
    return answers.exclude(level__in=LEFT_OUT).exclude(annotation__surplus=True)


def rated_by(rater: Rater) -> QuerySet[Rating]:
    """The rater's own answers to the item of the outer query."""
    return Rating.objects.filter(item=OuterRef("pk"), rater=rater)


def disagreements_on(item: Item) -> list[Disagreement]:
    """What people disagree about on an item, by question and output."""
    questions = {question.pk: question for question in Question.objects.filter(study=item.study_id)}
    outputs = dict(Output.objects.filter(item=item).order_by("position").values_list("pk", "key"))
    keys = list(outputs.values())
    found: dict[tuple[int, Unit], list[tuple[int, Any]]] = defaultdict(list)
    for rating in _answers(item.study).filter(item=item).order_by("pk"):
        unit = Unit(outputs.get(rating.output_id or 0), outputs.get(rating.other_output_id or 0), rating.variant)
        found[rating.question_id, ordered_unit(unit, keys)].append((rating.rater_id, rating.value))
    order = _order(item, {rater for given in found.values() for rater, _ in given})
    rows = [
        Disagreement(
            questions[question], unit, tuple(sorted(((order[rater], value) for rater, value in given), key=_place))
        )
        for (question, unit), given in found.items()
        if len({canonical_json(value) for _, value in given}) > 1
        and question_types()[questions[question].type].level not in ("text", "span")
    ]
    places = {key: place for place, key in enumerate(keys)}
    return sorted(
        rows, key=lambda row: (row.question.position, row.unit.variant, places.get(row.unit.output or "", -1),
                               places.get(row.unit.other or "", -1)),
    )  # fmt: skip


def _order(item: Item, raters: Collection[int]) -> dict[int, int]:
    """The place of each rater: the same on each page of an item, and with nothing said about who they are."""
    shuffled = sorted(raters, key=lambda rater: own_secret_seed(item.study, "second stage", item.key, rater))
    return {rater: place for place, rater in enumerate(shuffled)}


def _place(given: tuple[int, Any]) -> int:
    return given[0]
