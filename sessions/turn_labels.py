"""Labels of turns by researchers, and later by models: types of instructions, categories of errors, use of passages.

The values are those of KIWI, tables 11 and 12. A changed label is a new revision.
"""

from collections.abc import Mapping
from types import MappingProxyType

from django.db import transaction
from django.utils import timezone

from accounts.auditing import record
from annotation.models import Rater
from annotation.studies.locking import lock_rater
from sessions.models import Turn, TurnLabel
from sessions.transcript import with_ratings
from sessions.workflow import DONE, EDITABLE

Kind = TurnLabel.Kind
VALUES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    Kind.INSTRUCTION_TYPE.value: (
        "asking for more information", "expand answer coverage", "asking for clarification", "categorization",
        "condense", "remove", "reorganize", "direct verbatim edit", "others",
    ),
    Kind.ERROR_CATEGORY.value: (
        "added information but made answer less coherent/correct", "instruction is ignored",
        "introduced unrequested changes", "failed to follow hard constraint", "others",
    ),
    Kind.RETRIEVAL.value: ("sufficient", "partial", "missing"),
})  # fmt: skip


class LabelRefusedError(Exception):
    """The label does not fit the turn; the message is a sentence."""


def check_label(turn: Turn, rating: str | None, kind: str, value: str) -> None:
    """Raise LabelRefusedError if this label does not fit the turn; `rating` is its user's."""
    if kind not in VALUES:
        raise LabelRefusedError(f"Unknown kind of label: {kind}. The kinds are {', '.join(VALUES)}.")
    if value not in VALUES[kind]:
        raise LabelRefusedError(f"The label must be one of: {', '.join(VALUES[kind])}.")
    if turn.status != DONE or turn.discarded:
        raise LabelRefusedError("Only a turn with an answer can be labelled.")
    if kind != Kind.RETRIEVAL and turn.number == 0:
        raise LabelRefusedError("The first answer has no instruction, so only its passages can be labelled.")
    if kind == Kind.ERROR_CATEGORY and rating not in EDITABLE:
        raise LabelRefusedError("Only turns rated neutral or bad can have an error category.")
    if kind == Kind.RETRIEVAL and not turn.passages:
        raise LabelRefusedError("No passages were retrieved for this turn.")


def label(turn: Turn, kind: str, value: str, rater: Rater) -> TurnLabel:
    """Save a rater's label of a turn as their next revision. Repeating the current label changes nothing.

    Raises LabelRefusedError.
    """
    check_label(turn, with_ratings(turn.session, [turn])[0].rating, kind, value)
    with transaction.atomic():
        lock_rater(rater.pk)
        current = turn.labels.filter(kind=kind, rater=rater, is_current=True).first()
        if current is not None and current.value == value:
            return current
        if current is not None:
            turn.labels.filter(pk=current.pk).update(is_current=False)
        made = TurnLabel.objects.create(
            turn=turn, kind=kind, value=value, rater=rater, at=timezone.now(),
            revision=current.revision + 1 if current else 1,
        )  # fmt: skip
        subject = f"{turn.session.key} turn {turn.number}"
        old = {"value": current.value} if current else None
        new = {"kind": kind, "value": value, "rater": rater.name}
        record("turn labelled", subject, actor=rater.person, study=turn.session.study.slug, old=old, new=new)
    return made
