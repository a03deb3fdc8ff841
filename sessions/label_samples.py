"""Seeded samples of turns that several people label independently, and each person's queue (KIWI, A.3 and A.4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Rater, Study
from annotation.pools import in_main_pool
from annotation.studies.locking import lock_study
from annotation.studies.snapshots import study_snapshot
from config.database_clock import database_now
from sessions.models import LabelSample, Turn, TurnLabel
from sessions.transcript import TurnRecord, with_ratings_of_all
from sessions.turn_labels import VALUES as LABELS
from sessions.turn_labels import LabelRefusedError, check_label
from sessions.workflow import DONE, EDITABLE

AT_ONCE = 500
FAILED = (LabelSample.Source.FAILED, LabelSample.Source.FAILED_PASSAGES)
WITH_PASSAGES = (LabelSample.Source.PASSAGES, LabelSample.Source.FAILED_PASSAGES)
NOTHING_FITS = "No turn fits: nothing of this kind can be labelled yet."
TurnKey = tuple[str, int]
"""A session's key and the number of one of its turns."""


class NothingToLabelError(Exception):
    """A sample would be empty; the message is a sentence."""


@dataclass(frozen=True)
class QueuedTurn:
    """A turn in a person's queue: its primary key, and the label that the person gave it, or ""."""

    pk: int
    own: str


def draw_labels(
    study: Study, *, kind: str, source: str, size: int, per_model: bool, seed: int, actor: Person | None = None
) -> LabelSample:
    """Keep a sample of the turns that can have a label of this kind, or return the one with these choices.

    The sample is the beginning of a seeded order, of all turns or of each model's, so a larger sample contains a
    smaller one; models come one after the other. Raises NothingToLabelError.
    """
    with study_snapshot(study):
        fitting = list(_fitting(study, kind, source))
    ordered = sorted(fitting, key=lambda one: (_place(seed, one), one.turn.session.key, one.turn.number))
    models = sorted({one.turn.session.model for one in ordered}) if per_model else [None]
    drawn = [_of_model(ordered, model)[:size] for model in models]
    turns = [[one.turn.session.key, one.turn.number] for own in drawn for one in own]
    if not turns:
        raise NothingToLabelError(NOTHING_FITS)
    with transaction.atomic():
        study = lock_study(study.pk)
        choices = {"kind": kind, "source": source, "size": size, "per_model": per_model, "seed": seed}
        known = LabelSample.objects.filter(study=study, **choices).first()
        if known is not None:
            return known
        made = LabelSample.objects.create(study=study, turns=turns, made_at=database_now(), **choices)
        record(
            "turns sampled for labels", study.slug, actor=actor, study=study.slug, new={**choices, "turns": len(turns)}
        )
    return made


def queue_of(sample: LabelSample, rater: Rater | None) -> list[QueuedTurn]:
    """Return the sample's turns in order with the person's own labels; turns that are gone are left out."""
    keys = [(session, number) for session, number in sample.turns]
    places: dict[TurnKey, int] = {}
    sessions = list(dict.fromkeys(session for session, _ in keys))
    for start in range(0, len(sessions), AT_ONCE):
        rows = Turn.objects.filter(
            session__study=sample.study, session__key__in=sessions[start : start + AT_ONCE], discarded=False
        )
        places |= {(key, number): pk for pk, key, number in rows.values_list("pk", "session__key", "number")}
    mine = TurnLabel.objects.filter(
        turn__session__study=sample.study, kind=sample.kind, rater=rater, run="", is_current=True
    )
    labels = dict(mine.values_list("turn", "value")) if rater is not None else {}
    return [QueuedTurn(places[key], labels.get(places[key], "")) for key in keys if key in places]


def next_of(queue: Sequence[QueuedTurn], after: int | None = None) -> QueuedTurn | None:
    """Return the first turn without an own label behind the turn `after`, or else before it; None if there is none."""
    place = next((number for number, one in enumerate(queue, 1) if one.pk == after), 0)
    return next((one for one in [*queue[place:], *queue[:place]] if not one.own), None)


def withheld_kinds(turns: Sequence[Turn], rater: Rater | None) -> set[tuple[int, str]]:
    """Return the turns of one study, and kinds, of which this person sees no label before their own.

    Such turns are in a sample of that kind, and the person has not labelled them.
    """
    if not turns:
        return set()
    study = turns[0].session.study_id
    samples = LabelSample.objects.filter(study=study).values_list("kind", "turns")
    sampled = {(session, number, kind) for kind, keys in samples for session, number in keys}
    own = TurnLabel.objects.filter(turn__in=turns, rater=rater, run="", is_current=True) if rater else ()
    labelled = {(one.turn_id, one.kind) for one in own}
    return {
        (turn.pk, kind)
        for turn in turns for kind in LABELS
        if (turn.session.key, turn.number, kind) in sampled and (turn.pk, kind) not in labelled
    }  # fmt: skip


def _fitting(study: Study, kind: str, source: str) -> Iterator[TurnRecord]:
    """Yield the answered turns with an instruction that can have such a label and are of the chosen source."""
    rows = Turn.objects.filter(in_main_pool(study, "session__item"), session__study=study, status=DONE, discarded=False)
    pks = list(rows.filter(number__gte=1).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(pks), AT_ONCE):
        turns = Turn.objects.filter(pk__in=pks[start : start + AT_ONCE]).select_related("session", "annotation")
        for (one,) in with_ratings_of_all([(turn.session, [turn]) for turn in turns]):
            if (source in FAILED and one.rating not in EDITABLE) or (source in WITH_PASSAGES and not one.turn.passages):
                continue
            try:
                check_label(one.turn, one.rating, kind, LABELS[kind][0])
            except LabelRefusedError:
                continue
            yield one


def _place(seed: int, one: TurnRecord) -> bytes:
    """The place of a turn in the order of a seed."""
    return sha256(f"{seed} {one.turn.number} {one.turn.session.key}".encode()).digest()


def _of_model(ordered: Sequence[TurnRecord], model: str | None) -> list[TurnRecord]:
    return [one for one in ordered if model in (None, one.turn.session.model)]
