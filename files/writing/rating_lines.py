"""The lines of ratings and scores as objects, for all formats but JSONL and for blinded studies.

Ratings are the largest table. JSON comes from the database as the canonical text that it is stored as.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from annotation.blinding import Names, names_of, systems_of
from annotation.models import Rater, Study
from annotation.protocols import Protocol, Unit, protocol_of
from config.text_validation import given
from files.writing.table_statements import OF_MACHINES, OF_PEOPLE, RATINGS, by_whole_items, streamed

HUMAN = Rater.Kind.HUMAN.value
Line = dict[str, Any]


class RawRating(NamedTuple):
    """A rating as `table_statements.RATINGS` reads it. In the order of its first columns, up to the primary key.

    The time is a text, and empty without one; `value`, `shown`, `distribution` and `metadata` are JSON.
    """

    item_id: int
    output_position: int
    other_position: int
    variant: str
    question_position: int
    rater: str
    run_order: str
    replicate_order: int
    shown_order: str
    submitted_at: str
    ordinal: int
    value: str
    pk: int
    item: str
    output: str | None
    other: str | None
    question: str
    kind: str
    level: str
    explanation: str | None
    shown: str | None
    seconds: float | None
    guidelines_version: int | None
    run: str
    replicate: int | None
    distribution: str | None
    missing: float | None
    outcome: str
    prompt_digest: str
    metadata: str | None
    third_rater: bool


AFTER_UNIT = slice(RawRating._fields.index("variant"), RawRating._fields.index("pk") + 1)


def rating_lines(study: Study) -> Iterator[Line]:
    """The current answers of people."""
    return _lines(study, raw_ratings(study))


def score_lines(study: Study) -> Iterator[Line]:
    """The current answers of models and metrics."""
    return _lines(study, raw_scores(study))


def raw_ratings(study: Study) -> Iterator[list[RawRating]]:
    """The current answers of people to each item, in their order."""
    return _sorted(study, RATINGS.format_map(OF_PEOPLE))


def raw_scores(study: Study) -> Iterator[list[RawRating]]:
    """The current answers of models and metrics to each item, in their order."""
    return _sorted(study, RATINGS.format_map(OF_MACHINES))


def _sorted(study: Study, statement: str) -> Iterator[list[RawRating]]:
    """Yield the ratings of each item in their order."""
    names = names_of(study)
    for rows in by_whole_items(streamed(statement, study.pk)):
        rows.sort()
        for _, group in groupby(map(RawRating._make, rows), key=itemgetter(0)):
            found = list(group)
            yield sorted(found, key=lambda row: _shown_order(names, row)) if names.are_codes else found


def _shown_order(names: Names, row: RawRating) -> tuple[Any, ...]:
    """The order of a rating by codes: the order of import would tell systems apart."""
    return names.shown(row.output) or "", names.shown(row.other) or "", tuple(row)[AFTER_UNIT]


def _lines(study: Study, groups: Iterator[list[RawRating]]) -> Iterator[Line]:
    protocol, names, systems = protocol_of(study), names_of(study), systems_of(study)
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
            **protocol.unit_line(Unit(*unit, names.known(row.variant, systems))),
            "rater": row.rater,
            "rater_kind": None if row.kind == HUMAN else row.kind,
            "question": row.question,
            "value": names.value(row.level, parsed(row.value)),
            "explanation": row.explanation,
            "shown": None if row.shown is None else names.listed(parsed(row.shown)),
            "seconds": row.seconds,
            "submitted_at": row.submitted_at or None,
            "guidelines_version": row.guidelines_version,
            "run": row.run or None,
            "replicate": row.replicate,
            "distribution": None if row.distribution is None else names.shares(row.level, parsed(row.distribution)),
            "missing": row.missing,
            "outcome": row.outcome or None,
            "prompt_digest": row.prompt_digest or None,
            "metadata": None if row.metadata is None or names.are_codes else parsed(row.metadata),
            "third_rater": bool(row.third_rater) or None,
        }
    )
