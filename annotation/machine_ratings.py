"""The only writer of machines' ratings, for imported scores and for runs of judges alike.

A machine's rating is identified by its question, rater and unit (a pair in either order), the order in which outputs
were shown, the run and the replicate; nothing is ever dropped. A rating that a run writes again is recognised, so a
resumed run doubles nothing. Ratings without a run may be equal in all of this: they are told apart by their order.
"""

import hashlib
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q

from accounts.auditing import record
from annotation.machine_shapes import MachineAnswer, in_words, unit_kind
from annotation.models import Rating, Study
from annotation.studies.locking import lock_study
from annotation.studies.secret_seeds import mixed_ratings
from config.bulk_insert import Tables, packed_time
from config.model_fields import canonical_json
from config.write_pauses import WritePauses

LOOKUP = 500
STEP = 2000
"""Ratings that `write_machine_ratings` writes in one transaction."""
NOTHING = -(2**63)
_PACK = struct.Struct("<5q").pack
CONTENT = (
    "value", "explanation", "seconds", "submitted_at", "guidelines_version", "distribution", "missing", "outcome",
    "prompt_digest", "metadata",
)  # fmt: skip
"""What a rating says, beside what identifies it."""
FLOATS = frozenset({"seconds", "missing"})
COLUMNS = (
    "id", "study_id", "question_id", "rater_id", "item_id", "output_id", "other_output_id", "variant", "revision",
    "is_current", "level", "number", "value", "off_scale", "guidelines_version", "run", "replicate", "machine_key",
    "ordinal", "explanation", "shown", "seconds", "submitted_at", "distribution", "missing", "outcome",
    "prompt_digest", "metadata",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MachineRating:
    """A checked answer by a machine about known rows: primary keys of the rater, the item and the unit's outputs."""

    answer: MachineAnswer
    rater: int
    item: int
    output: int | None = None
    other: int | None = None
    run: str = ""
    replicate: int | None = None
    shown: list[str] | None = None
    explanation: str | None = None
    seconds: float | None = None
    submitted_at: datetime | None = None
    guidelines_version: int | None = None
    distribution: Any = None
    missing: float | None = None
    outcome: str = ""
    prompt_digest: str = ""
    metadata: dict[str, Any] | None = None

    @property
    def key(self) -> str:
        unit, order = self.answer.unit, self.shown
        if order is None and unit.output is not None and unit.other is not None:
            order = [unit.output, unit.other]
        outputs = (self.output, self.other)
        return machine_key(
            self.answer.question.pk, self.rater, self.item, outputs, unit.variant, order, self.run, self.replicate
        )

    def content(self) -> bytes:
        answer = self.answer
        return content([answer.value, *(getattr(self, name) for name in CONTENT[1:])])


def machine_key(
    question: int,
    rater: int,
    item: int,
    outputs: tuple[int | None, int | None],
    variant: str,
    order: list[str] | None,
    run: str = "",
    replicate: int | None = None,
) -> str:
    """Return what identifies a machine's rating, apart from its place among equal ones; `order` is the one shown."""
    pair = sorted(NOTHING if output is None else output for output in outputs)
    rest = canonical_json([variant, order, run, replicate]).encode()
    return hashlib.blake2b(_PACK(question, rater, item, *pair) + rest, digest_size=16).hexdigest()


def content(said: Sequence[Any]) -> bytes:
    """Return a digest of the values of CONTENT; those that are stored as floats are compared as floats."""
    values = [
        value.astimezone(UTC).isoformat()
        if isinstance(value, datetime)
        else float(value)
        if name in FLOATS and value is not None
        else value
        for name, value in zip(CONTENT, said, strict=True)
    ]
    return hashlib.blake2b(canonical_json(values).encode(), digest_size=16).digest()


@dataclass(slots=True)
class _Known:
    """The ratings under one key: their number and contents; `stored` loses those that a line without a run repeats."""

    total: int = 0
    stored: Counter[bytes] = field(default_factory=Counter)
    past: set[bytes] = field(default_factory=set)
    added: set[bytes] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A rating beside what is stored: its `ordinal` if it is new, and the reason if it cannot be stored."""

    rating: MachineRating
    key: str
    ordinal: int | None = None
    refusal: str = ""


class MachineRatingWriter:
    """Compares machines' ratings with those of the study and adds new ones to `tables`: the database or a staging."""

    def __init__(self, study: Study, tables: Tables | None = None) -> None:
        self.study, self.tables = study, tables or Tables()
        self._known: dict[str, _Known] = {}
        self._shapes: dict[tuple[int, int], tuple[str, str]] = {}
        self._raters: set[int] = set()

    def compare(self, ratings: Sequence[MachineRating]) -> list[Comparison]:
        """Compare ratings, in order, with what is stored and with all that were compared before."""
        keys = [rating.key for rating in ratings]
        self._look_up(keys)
        self._read_shapes({rating.rater for rating in ratings})
        return [self._compare(rating, key) for rating, key in zip(ratings, keys, strict=True)]

    def insert(self, compared: Iterable[Comparison]) -> int:
        """Add the new ones of compared ratings; return their number."""
        new = [self._row(one) for one in compared if one.ordinal is not None]
        ids = mixed_ratings(self.study, self.tables.next_ids(Rating, len(new)) if new else [], new)
        rows = [(pk, *row) for pk, row in zip(ids, new, strict=True)]
        self.tables.insert(Rating, COLUMNS, rows)
        return len(rows)

    def next_ordinals(self, keys: Sequence[str]) -> list[int]:
        """Return the ordinals of new ratings with these keys that come from elsewhere, such as annotations."""
        self._look_up(keys)
        found = []
        for key in keys:
            found.append(self._known[key].total)
            self._known[key].total += 1
        return found

    def forget_ratings(self) -> None:
        """Forget which ratings there are: others may have added some since. Shapes never change."""
        self._known.clear()

    def _look_up(self, keys: Sequence[str]) -> None:
        missing = list(dict.fromkeys(key for key in keys if key not in self._known))
        self._known.update((key, _Known()) for key in missing)
        for start in range(0, len(missing), LOOKUP):
            rows = Rating.objects.filter(machine_key__in=missing[start : start + LOOKUP])
            for key, is_current, *said in self.tables.read(rows, "machine_key", "is_current", *CONTENT):
                known, digest = self._known[key], content(said)
                known.total += 1
                if is_current:
                    known.stored[digest] += 1
                else:
                    known.past.add(digest)

    def _read_shapes(self, raters: set[int]) -> None:
        """Note the shapes in which raters that are met for the first time answer each question."""
        new = raters - self._raters
        if not new:
            return
        self._raters |= new
        rows = Rating.objects.filter(study=self.study, rater__in=sorted(new)).order_by()
        rows = rows.annotate(has_output=_given("output"), has_other=_given("other_output")).distinct()
        columns = ("rater", "question", "level", "has_output", "has_other")
        for rater, question, level, has_output, has_other in self.tables.read(rows, *columns):
            self._shapes.setdefault((rater, question), (level, unit_kind(bool(has_output), bool(has_other))))

    def _compare(self, rating: MachineRating, key: str) -> Comparison:
        shape = self._shapes.setdefault((rating.rater, rating.answer.question.pk), rating.answer.shape)
        if shape != rating.answer.shape:
            shapes = f"{in_words(shape)}, not {in_words(rating.answer.shape)}"
            reason = f"has another shape: this rater answers this question with {shapes}"
            return Comparison(rating, key, refusal=reason)
        known, digest = self._known[key], rating.content()
        if known.stored[digest] or digest in known.past or (rating.run and digest in known.added):
            if not rating.run and known.stored[digest]:
                known.stored[digest] -= 1
            return Comparison(rating, key)
        if known.stored.total() or (rating.run and known.added):
            reason = "differs from this rater's answer to this question about this unit in the same order"
            return Comparison(rating, key, refusal=f"{reason}: another answer needs another run or replicate")
        known.added.add(digest)
        known.total += 1
        return Comparison(rating, key, ordinal=known.total - 1)

    def _row(self, one: Comparison) -> tuple[Any, ...]:
        rating, answer = one.rating, one.rating.answer
        return (
            self.study.pk, answer.question.pk, rating.rater, rating.item, rating.output, rating.other,
            answer.unit.variant, 1, True, answer.level, answer.number, canonical_json(answer.value), answer.off_scale,
            rating.guidelines_version, rating.run, rating.replicate, one.key, one.ordinal, rating.explanation,
            _json(rating.shown), rating.seconds, packed_time(rating.submitted_at), _json(rating.distribution),
            rating.missing, rating.outcome, rating.prompt_digest, _json(rating.metadata),
        )  # fmt: skip


class MachineRatingRefusedError(ValueError):
    """A rating contradicts a stored one or has another shape; nothing of its step was stored."""


def write_machine_ratings(study: Study, ratings: Sequence[MachineRating]) -> int:
    """Write the ratings of runs, in steps of one transaction each, and return how many were new.

    Every rating names its run. Ratings that the run has written before are skipped. Raises ValueError without a run,
    MachineRatingRefusedError, or ImportPendingError while an import into the study is being completed.
    """
    if not all(rating.run for rating in ratings):
        raise ValueError("a rating names no run")
    added, pauses, writer = 0, WritePauses(), MachineRatingWriter(study)
    for start in range(0, len(ratings), STEP):
        with transaction.atomic():
            lock_study(study.pk)
            writer.forget_ratings()
            compared = writer.compare(ratings[start : start + STEP])
            refused = next((one.refusal for one in compared if one.refusal), "")
            if refused:
                raise MachineRatingRefusedError(f"An answer {refused}.")
            new = writer.insert(compared)
            if new:
                one = ratings[start]
                subject = f"rater {one.rater} run {one.run}"
                record("machine ratings recorded", subject, actor=None, study=study.slug, new={"ratings": new})
            added += new
        pauses.take()
    return added


def _given(name: str) -> ExpressionWrapper:
    return ExpressionWrapper(Q(**{f"{name}__isnull": False}), output_field=BooleanField())


def _json(value: Any) -> str | None:
    return None if value is None else canonical_json(value)
