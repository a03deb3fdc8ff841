"""What researchers, and later models, call a turn: types of instructions, categories of errors, what retrieval gave.

The lists are those of KIWI, tables 11 and 12; a label is revised by adding one.
"""

from collections.abc import Mapping
from types import MappingProxyType

from django.db import transaction
from django.utils import timezone

from accounts.auditing import record
from annotation.models import Rater
from sessions.history import told
from sessions.models import Turn, TurnLabel
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
    """A label that does not fit its turn; the message is a sentence."""


def check_label(turn: Turn, rating: str | None, kind: str, value: str) -> None:
    """Raise LabelRefusedError where the turn, which its user gave this rating, cannot be called so."""
    if kind not in VALUES:
        raise LabelRefusedError(f"{kind} is no kind of label: there are {', '.join(VALUES)}.")
    if value not in VALUES[kind]:
        raise LabelRefusedError(f"The label must be one of: {', '.join(VALUES[kind])}.")
    if turn.status != DONE or turn.discarded:
        raise LabelRefusedError("Only a turn with an answer can be labelled.")
    if kind != Kind.RETRIEVAL and turn.number == 0:
        raise LabelRefusedError("The first answer follows no instruction.")
    if kind == Kind.ERROR_CATEGORY and rating not in EDITABLE:
        raise LabelRefusedError("Only turns rated neutral or bad have an error category.")
    if kind == Kind.RETRIEVAL and not turn.passages:
        raise LabelRefusedError("Nothing was retrieved for this turn.")


def label(turn: Turn, kind: str, value: str, rater: Rater) -> TurnLabel:
    """Keep what a rater calls a turn as their next revision; saying the same again changes nothing.

    Raises LabelRefusedError.
    """
    check_label(turn, told(turn.session, [turn])[0].rating, kind, value)
    with transaction.atomic():
        Rater.objects.select_for_update().get(pk=rater.pk)
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
