"""The only reader that turns rating rows into the arrays which `agreement` computes with.

It takes current answers of whichever kinds of raters the caller asks for, and never asks who wrote a row beyond
that. Rows are read as a stream into flat arrays: three million take less than 200 MB.
"""

import json
from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, F, Q, QuerySet, TextField
from django.db.models.functions import Cast
from numpy.typing import NDArray

from agreement.data import NO_SYSTEM, Ratings
from annotation.models import Output, Question, Rater, Rating, Study
from annotation.questions import question_types

CHUNK = 20_000
NOTHING = -1
HUMAN = Rater.Kind.HUMAN.value
PEOPLE: frozenset[str] = frozenset({HUMAN})

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Choice:
    """Whose ratings are read, and of people's those made under which version of the guidelines.

    `version` None stands for ratings that name no version, as imported ones may; `pooled` takes all versions.
    Machines read no guidelines: their ratings are taken whatever they name.
    """

    kinds: frozenset[str] = PEOPLE
    version: int | None = None
    pooled: bool = False

    def rows(self, study: Study) -> QuerySet[Rating]:
        """The current ratings of the study that are chosen."""
        rows = Rating.objects.filter(study=study, is_current=True, rater__kind__in=self.kinds)
        return rows if self.pooled else rows.filter(~Q(rater__kind=HUMAN) | Q(guidelines_version=self.version))


def versions(study: Study, kinds: Collection[str]) -> dict[int | None, int]:
    """How many current ratings by people were made under each version of the guidelines; the oldest first."""
    rows = Rating.objects.filter(study=study, is_current=True, rater__kind__in=set(kinds) & {HUMAN})
    counts = dict(rows.values_list("guidelines_version").annotate(Count("pk")).order_by())
    return dict(sorted(counts.items(), key=lambda pair: pair[0] or 0))


def count(study: Study, question: Question, choice: Choice) -> dict[str, int]:
    """How many ratings of a question there are, and of how many raters: for answers that are no measurements."""
    return (
        choice.rows(study)
        .filter(question=question)
        .aggregate(ratings=Count("pk"), raters=Count("rater", distinct=True))
    )


def ratings(study: Study, question: Question, choice: Choice) -> Ratings:
    """The chosen ratings of one question, in the order of submission, those without a time before all others.

    A question with a scale gives numbers; any other gives codes into its categories: the texts that were chosen,
    or the JSON of what was, sorted.
    """
    numeric = question_types()[question.type].scale(question.spec) is not None
    item, output, rater = array("q"), array("q"), array("q")
    number = array("d")
    codes: dict[str, int] = {}
    for item_pk, output_pk, rater_pk, value in _stream(choice.rows(study).filter(question=question), numeric):
        item.append(item_pk)
        output.append(NOTHING if output_pk is None else output_pk)
        rater.append(rater_pk)
        number.append(value if numeric else codes.setdefault(value, len(codes)))
    values = np.frombuffer(number, dtype=np.float64) if number else np.empty(0)
    if not numeric:
        values, categories = _sorted_categories(values, codes)
    return _ratings(study, _ints(item), _ints(output), _ints(rater), values, () if numeric else categories)


def _stream(rows: QuerySet[Rating], numeric: bool) -> Iterator[tuple[Any, ...]]:
    rows = rows.order_by(F("submitted_at").asc(nulls_first=True), "ordinal", "pk")
    if numeric:
        return rows.values_list("item_id", "output_id", "rater_id", "number").iterator(chunk_size=CHUNK)
    # The JSON as it is stored is all that a category needs to be told from others.
    rows = rows.annotate(raw=Cast("value", TextField()))
    return rows.values_list("item_id", "output_id", "rater_id", "raw").iterator(chunk_size=CHUNK)


def _ints(codes: "array[int]") -> Ints:
    return np.frombuffer(codes, dtype=np.int64) if codes else np.empty(0, dtype=np.int64)


def _sorted_categories(values: NDArray[np.float64], codes: dict[str, int]) -> tuple[Any, tuple[str, ...]]:
    """The values as codes into the categories' sorted names, whatever the order in which they were met."""
    names = [value if isinstance(value := json.loads(text), str) else text for text in codes]
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names))
    place[order] = np.arange(len(names))
    return place[values.astype(np.int64)], tuple(names[code] for code in order)


def _ratings(
    study: Study, item: Ints, output: Ints, rater: Ints, values: NDArray[np.float64], categories: tuple[str, ...]
) -> Ratings:
    """Codes for primary keys: items and units in the order of import, raters and systems by name."""
    named = dict(Rater.objects.filter(study=study).values_list("pk", "name"))
    rater_pks, rater_code = np.unique(rater, return_inverse=True)
    raters, rater_place = _by_name([named[pk] for pk in rater_pks.tolist()])
    _, item_code = np.unique(item, return_inverse=True)
    # A task that is rated as a whole is a unit by its item; below every primary key of an output.
    unit_key = np.where(output == NOTHING, -1 - item, output)
    unit_pks, first, unit = np.unique(unit_key, return_index=True, return_inverse=True)
    system = np.full(unit_pks.size, NO_SYSTEM, dtype=np.int64)
    systems: tuple[str, ...] = ()
    of_outputs = unit_pks >= 0
    if of_outputs.any():
        keys = dict(Output.objects.filter(item__study=study).values_list("pk", "key").iterator(chunk_size=CHUNK))
        systems, system_place = _by_name([keys[pk] for pk in unit_pks[of_outputs].tolist()])
        system[of_outputs] = system_place
    return Ratings(
        unit=unit.astype(np.int64),
        rater=rater_place[rater_code] if rater.size else rater,
        value=values,
        item=item_code.astype(np.int64)[first],
        system=system,
        raters=raters,
        systems=systems,
        categories=categories,
    )


def _by_name(names: list[str]) -> tuple[tuple[str, ...], Ints]:
    """The different names, sorted, and the place of each of `names` among them."""
    ordered = tuple(sorted(set(names)))
    place = {name: code for code, name in enumerate(ordered)}
    return ordered, np.array([place[name] for name in names], dtype=np.int64)
