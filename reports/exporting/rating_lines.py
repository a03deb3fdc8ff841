"""The lines of ratings and scores: as objects, and as the texts that JSONL has.

Ratings are the largest table. JSON comes from the database as the canonical text that it is stored as, and is only
parsed for formats other than JSONL and for blinded studies.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import groupby
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from django.db.models import ExpressionWrapper, F, QuerySet, TextField

from annotation.blinding import Names, names_of, systems_of
from annotation.models import Rater, Rating, Study
from annotation.pools import no_checks
from annotation.protocols import Protocol, Unit, protocols
from config.text_validation import given, time_text

CHUNK = 2000
HUMAN = Rater.Kind.HUMAN.value
Line = dict[str, Any]


class RawRating(NamedTuple):
    """A rating as the database has it; the last ones are JSON, and the time is a text or a datetime."""

    item_id: int
    item: str
    output_position: int | None
    output: str | None
    other_position: int | None
    other: str | None
    question_position: int
    question: str
    rater: str
    kind: str
    explanation: str | None
    seconds: float | None
    guidelines_version: int | None
    run: str
    replicate: int | None
    missing: float | None
    outcome: str
    prompt_digest: str
    ordinal: int
    variant: str
    level: str
    value: str
    shown: str | None
    submitted_at: Any
    distribution: str | None
    metadata: str | None


FIELDS = (
    "item_id", "item__key", "output__position", "output__key", "other_output__position", "other_output__key",
    "question__position", "question__key", "rater__name", "rater__kind", "explanation", "seconds",
    "guidelines_version", "run", "replicate", "missing", "outcome", "prompt_digest", "ordinal", "variant", "level",
)  # fmt: skip
RAW = ("value", "shown", "submitted_at", "distribution", "metadata")
"""Fields that are read as the database has them."""
Order = Callable[[RawRating], tuple[Any, ...]]


def rating_lines(study: Study) -> Iterator[Line]:
    """The current answers of people."""
    return _lines(study, raw_ratings(study))


def score_lines(study: Study) -> Iterator[Line]:
    """The current answers of models and metrics."""
    return _lines(study, raw_scores(study))


def rating_texts(study: Study) -> Iterator[str]:
    """The current answers of people as lines of JSONL, of a study that is not blinded."""
    return _texts(study, raw_ratings(study))


def score_texts(study: Study) -> Iterator[str]:
    """The current answers of models and metrics as lines of JSONL, of a study that is not blinded."""
    return _texts(study, raw_scores(study))


def raw_ratings(study: Study) -> Iterator[list[RawRating]]:
    """The current answers of people to each item, in their order."""
    return _sorted(study, Rating.objects.filter(rater__kind=HUMAN), _rating_order)


def raw_scores(study: Study) -> Iterator[list[RawRating]]:
    """The current answers of models and metrics to each item, in their order."""
    return _sorted(study, Rating.objects.exclude(rater__kind=HUMAN), _score_order)


def _sorted(study: Study, rows: QuerySet[Rating], order: Order) -> Iterator[list[RawRating]]:
    """Yield the ratings of each item in their order."""
    names = names_of(study)
    raw = {f"raw_{name}": ExpressionWrapper(F(name), output_field=TextField()) for name in RAW}
    rows = rows.filter(no_checks(study), study=study, is_current=True).order_by("item_id")
    found = rows.values_list(*FIELDS, *raw.values()).iterator(chunk_size=CHUNK)
    key = partial(_shown_order, names, order) if names.are_codes else order
    for _, group in groupby(map(RawRating._make, found), key=lambda row: row.item_id):
        yield sorted(group, key=key)


def _shown_order(names: Names, order: Order, row: RawRating) -> tuple[Any, ...]:
    """The order of a rating by codes: the order of import would tell systems apart."""
    return names.shown(row.output) or "", names.shown(row.other) or "", order(row)[1:]


def _rating_order(row: RawRating) -> tuple[Any, ...]:
    places = row.output_position, row.other_position
    return (
        tuple(-1 if place is None else place for place in places), row.variant, row.question_position, row.rater,
        moment(row.submitted_at) or "", row.ordinal, row.value,
    )  # fmt: skip


def _score_order(row: RawRating) -> tuple[Any, ...]:
    """The order of machines' answers: as people's, with all that identifies one before its time."""
    unit, variant, question, rater, *rest = _rating_order(row)
    replicate = -1 if row.replicate is None else row.replicate
    return unit, variant, question, rater, row.run, replicate, row.shown or "null", *rest


@lru_cache(maxsize=4096)
def moment(at: datetime | str | None) -> str | None:
    """Return a time as files have it, from a datetime or from the text that SQLite stores in UTC."""
    if isinstance(at, str):
        at = datetime.fromisoformat(at)
        return time_text(at.replace(tzinfo=UTC) if at.tzinfo is None else at)
    return time_text(at)


def _lines(study: Study, groups: Iterator[list[RawRating]]) -> Iterator[Line]:
    protocol, names, systems = protocols()[study.protocol], names_of(study), systems_of(study)
    return (_line(row, protocol, names, systems) for group in groups for row in group)


def parsed(text: str) -> Any:
    """Return the value of JSON that the database has."""
    return json.loads(text) if text[:1] in ("{", "[") else _parsed_scalar(text)


@lru_cache(maxsize=4096)
def _parsed_scalar(text: str) -> Any:
    return json.loads(text)


def _line(row: RawRating, protocol: Protocol, names: Names, systems: frozenset[str]) -> Line:
    unit = names.shown(row.output), names.shown(row.other)
    return given(
        {
            "item": row.item if protocol.files.ratings_name_items else None,
            **protocol.unit_line(Unit(*unit, names.within(row.variant, systems))),
            "rater": row.rater,
            "rater_kind": None if row.kind == HUMAN else row.kind,
            "question": row.question,
            "value": names.within(parsed(row.value), systems),
            "explanation": row.explanation,
            "shown": None if row.shown is None else names.within(parsed(row.shown)),
            "seconds": row.seconds,
            "submitted_at": moment(row.submitted_at),
            "guidelines_version": row.guidelines_version,
            "run": row.run or None,
            "replicate": row.replicate,
            "distribution": None if row.distribution is None else parsed(row.distribution),
            "missing": row.missing,
            "outcome": row.outcome or None,
            "prompt_digest": row.prompt_digest or None,
            "metadata": None if row.metadata is None else names.within(parsed(row.metadata), systems),
        }
    )


def _texts(study: Study, groups: Iterator[list[RawRating]]) -> Iterator[str]:
    protocol = protocols()[study.protocol]

    @lru_cache(maxsize=4096)
    def unit_text(output: str | None, other: str | None, variant: str) -> str:
        return _members(given(protocol.unit_line(Unit(output, other, variant))))

    @lru_cache(maxsize=4096)
    def rater_text(rater: str, kind: str, question: str) -> str:
        of_machine = {} if kind == HUMAN else {"rater_kind": kind}
        return _members({"rater": rater, **of_machine, "question": question})

    names_items = protocol.files.ratings_name_items
    for group in groups:
        item = f',"item":{encode_basestring(group[0].item)}' if names_items else ""
        for row in group:
            head = item + unit_text(row.output, row.other, row.variant) + rater_text(row.rater, row.kind, row.question)
            yield f'{{{head[1:]},"value":{row.value}{_circumstances(row)}}}\n'


def _members(body: Mapping[str, Any]) -> str:
    """Return an object's members as JSON, each after a comma."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f",{text[1:-1]}" if body else ""


def _circumstances(row: RawRating) -> str:
    """Return what a rating's line says after its value."""
    at = moment(row.submitted_at)
    return "".join(
        f',"{name}":{text}'
        for name, text in (
            ("explanation", None if row.explanation is None else encode_basestring(row.explanation)),
            ("shown", row.shown),
            ("seconds", None if row.seconds is None else repr(row.seconds)),
            ("submitted_at", at and f'"{at}"'),
            ("guidelines_version", row.guidelines_version),
            ("run", encode_basestring(row.run) if row.run else None),
            ("replicate", row.replicate),
            ("distribution", row.distribution),
            ("missing", None if row.missing is None else repr(row.missing)),
            ("outcome", f'"{row.outcome}"' if row.outcome else None),
            ("prompt_digest", encode_basestring(row.prompt_digest) if row.prompt_digest else None),
            ("metadata", row.metadata),
        )
        if text is not None
    )
