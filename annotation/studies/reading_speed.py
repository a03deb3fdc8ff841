"""Answers that came faster than anybody reads the texts of their tasks.

The check is absolute: it needs no other rater, so it finds a study in which all are too fast. `docs/statistics.md`
(*Faster than reading*) gives the sources of the threshold.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Count, F, Func, IntegerField, QuerySet, Sum

from agreement.text_lengths import count_words
from annotation.models import Annotation, Item, Rater, Study, TaskOutput
from annotation.pools import no_copies
from annotation.protocols import protocol_of

FASTEST = 1000.0
"""Words per minute that no reader reaches who understands the text."""
FEWEST_BYTES = 2
"""A word takes at least a letter and a space, or a character of three bytes."""
CHUNK = 2000


class Octets(Func):
    """The length of a text in bytes of UTF-8."""

    function = "OCTET_LENGTH"
    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))", **context)


@dataclass(frozen=True)
class HastyAnswers:
    """How many of a rater's timed answers were faster than reading, with the words and seconds of the fastest."""

    answers: int = 0
    timed: int = 0
    words: int = 0
    seconds: float = 0.0

    @property
    def per_minute(self) -> float | None:
        """The words per minute of the fastest; None of an answer that took no time at all."""
        return 60 * self.words / self.seconds if self.seconds else None


NO_HASTY_ANSWERS = HastyAnswers()


class _Timed(NamedTuple):
    task: int
    item: int
    rater: int
    seconds: float
    with_document: bool


def count_hasty(study: Study) -> dict[str, dict[str, Any]]:
    """The HastyAnswers of each rater with any, by primary key, as plain JSON values.

    The document and the instruction of an item are read once by each rater, with their first task of the item; the
    outputs of a task, or what its protocol shows in their place, are read every time. An answer that was changed took
    the time of all its revisions.
    """
    timed = _timed_answers(study)
    if not timed:
        return {}
    most = _most_words(study)
    suspects = [one for one in timed if _is_faster(most(one), one.seconds)]
    words = _words(study, suspects)
    found: dict[int, HastyAnswers] = {}
    for one in suspects:
        count = words[one]
        if _is_faster(count, one.seconds):
            found[one.rater] = _with(found.get(one.rater, HastyAnswers()), count, one.seconds)
    totals: dict[int, int] = defaultdict(int)
    for one in timed:
        totals[one.rater] += 1
    return {str(pk): asdict(hasty) | {"timed": totals[pk]} for pk, hasty in found.items()}


def _is_faster(words: int, seconds: float) -> bool:
    return 60 * words > FASTEST * seconds


def _with(hasty: HastyAnswers, words: int, seconds: float) -> HastyAnswers:
    is_fastest = words * hasty.seconds >= hasty.words * seconds if hasty.answers else True
    fastest = (words, seconds) if is_fastest else (hasty.words, hasty.seconds)
    return HastyAnswers(hasty.answers + 1, 0, *fastest)


def _timed_answers(study: Study) -> list[_Timed]:
    """People's submitted answers whose time is known, each with the time of its earlier revisions."""
    rows = Annotation.objects.filter(
        no_copies(study, "task__item"),
        rater__study=study,
        rater__kind=Rater.Kind.HUMAN,
        status="submitted",
        seconds__isnull=False,
    ).order_by("pk")
    seconds: dict[tuple[int, int], float] = defaultdict(float)
    items: dict[tuple[int, int], int] = {}
    current: set[tuple[int, int]] = set()
    columns = ("task", "task__item", "rater", "seconds", "is_current")
    for task, item, rater, took, is_current in rows.values_list(*columns).iterator(chunk_size=CHUNK):
        items.setdefault((task, rater), item)
        seconds[task, rater] += took
        if is_current:
            current.add((task, rater))
    for place, ahead in protocol_of(study).flow.read_ahead(study).items():
        if place in seconds:
            seconds[place] += ahead
    read: set[tuple[int, int]] = set()
    found = []
    for (task, rater), item in items.items():  # in the order in which they were first answered
        if (task, rater) in current:
            found.append(_Timed(task, item, rater, seconds[task, rater], (item, rater) not in read))
        read.add((item, rater))
    return found


def _texts(study: Study) -> QuerySet[Any]:
    """The texts to judge, without an order: `read_task` and `read_text`."""
    own = protocol_of(study).flow.read_texts(study)
    if own is None:
        own = TaskOutput.objects.filter(task__item__study=study).annotate(
            read_task=F("task"), read_text=F("output__text")
        )
    return own.order_by()


def _most_words(study: Study) -> Any:
    """A function that gives the most words that an answer's texts can have, by their bytes: no text is read for it."""
    documents = {
        pk: size // FEWEST_BYTES + 2
        for pk, size in Item.objects.filter(study=study)
        .order_by()
        .values_list("pk", Octets("document") + Octets("instruction"))
        .iterator(chunk_size=CHUNK)
    }
    shown = _texts(study).values("read_task")
    outputs = {
        task: size // FEWEST_BYTES + number
        for task, size, number in shown.annotate(size=Sum(Octets("read_text")), number=Count("pk"))
        .values_list("read_task", "size", "number")
        .iterator(chunk_size=CHUNK)
    }

    def most(one: _Timed) -> int:
        return outputs.get(one.task, 0) + (documents[one.item] if one.with_document else 0)

    return most


def _words(study: Study, answers: Collection[_Timed]) -> Mapping[_Timed, int]:
    """The words that each of these answers had to read; holds one text at a time."""
    items = {one.item for one in answers if one.with_document}
    documents = {
        pk: count_words(document) + count_words(instruction)
        for some in _chunks(items)
        for pk, document, instruction in Item.objects.filter(pk__in=some)
        .order_by()
        .values_list("pk", "document", "instruction")
        .iterator(chunk_size=CHUNK)
    }
    outputs: dict[int, int] = defaultdict(int)
    for some in _chunks({one.task for one in answers}):
        rows = _texts(study).filter(read_task__in=some).values_list("read_task", "read_text")
        for task, text in rows.iterator(chunk_size=CHUNK):
            outputs[task] += count_words(text)
    return {one: outputs[one.task] + (documents[one.item] if one.with_document else 0) for one in answers}


def _chunks(keys: Iterable[int]) -> Iterator[list[int]]:
    left = iter(sorted(keys))
    while some := list(islice(left, CHUNK)):
        yield some


def hasty_of(figures: Mapping[str, Any], rater: int) -> HastyAnswers:
    """A rater's part of what `count_hasty` returned."""
    return HastyAnswers(**figures.get(str(rater), {}))
