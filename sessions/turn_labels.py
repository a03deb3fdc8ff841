"""Labels of turns by researchers and models: types of instructions, categories of errors, use of passages.

The values are those of KIWI, tables 11 and 12. A researcher's changed label is a new revision; a model's label belongs
to a run and a rerun, and does not change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from django.db import transaction

from accounts.auditing import record
from annotation.models import Rater, Study
from annotation.studies.locking import lock_rater, lock_study
from config.database_clock import database_now
from sessions.models import Turn, TurnLabel
from sessions.transcript import with_ratings, with_ratings_of_all
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


def labeller_name(label: TurnLabel) -> str:
    """Return the name under which figures and pages count a label: its rater's, with run and rerun if it has a run."""
    if not label.run:
        return label.rater.name
    rerun = f", rerun {label.replicate}" if label.replicate > 1 else ""
    return f"{label.rater.name}, run {label.run}{rerun}"


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
        current = turn.labels.filter(kind=kind, rater=rater, run="", is_current=True).first()
        if current is not None and current.value == value:
            return current
        if current is not None:
            turn.labels.filter(pk=current.pk).update(is_current=False)
        made = TurnLabel.objects.create(
            turn=turn, kind=kind, value=value, rater=rater, at=database_now(),
            revision=current.revision + 1 if current else 1,
        )  # fmt: skip
        subject = f"{turn.session.key} turn {turn.number}"
        old = {"value": current.value} if current else None
        new = {"kind": kind, "value": value, "rater": rater.name}
        record("turn labelled", subject, actor=rater.person, study=turn.session.study.slug, old=old, new=new)
    return made


@dataclass(frozen=True)
class MachineLabel:
    """A machine's label of a turn, from a named run; `turn` is the turn's primary key."""

    turn: int
    kind: str
    value: str
    run: str
    replicate: int = 1
    prompt_digest: str = ""
    reply: str = ""
    at: datetime | None = None


def write_machine_labels(study: Study, rater: Rater, labels: Sequence[MachineLabel]) -> dict[int, str]:
    """Write a machine's labels of turns of a study in one transaction; return why some were refused, by their places.

    Labels that the run has written before are recognised. Raises ValueError if a label names no run, and
    ImportPendingError while an import into the study is being completed.
    """
    if not all(one.run for one in labels):
        raise ValueError("a label names no run")
    refused: dict[int, str] = {}
    with transaction.atomic():
        lock_study(study.pk)
        turns = _rated_turns(study, {one.turn for one in labels})
        mine = TurnLabel.objects.filter(rater=rater, turn__in=list(turns), run__in={one.run for one in labels})
        known = {row[:4]: row[4] for row in mine.values_list("turn", "kind", "run", "replicate", "value")}
        new = []
        for place, one in enumerate(labels):
            try:
                check_label(*turns[one.turn], one.kind, one.value)
                _compare(known, one)
            except LabelRefusedError as problem:
                refused[place] = str(problem)
                continue
            name = (one.turn, one.kind, one.run, one.replicate)
            if name not in known:
                known[name] = one.value
                new.append(TurnLabel(
                    turn_id=one.turn, kind=one.kind, value=one.value, rater=rater, run=one.run, at=one.at,
                    replicate=one.replicate, prompt_digest=one.prompt_digest, reply=one.reply,
                ))  # fmt: skip
        TurnLabel.objects.bulk_create(new)
        if new:
            subject = f"rater {rater.pk} run {new[0].run}"
            record("machine labels recorded", subject, actor=None, study=study.slug, new={"labels": len(new)})
    return refused


def _compare(known: Mapping[tuple[int, str, str, int], str], one: MachineLabel) -> None:
    """Raise LabelRefusedError if the same run has called the turn something else."""
    if known.get((one.turn, one.kind, one.run, one.replicate), one.value) != one.value:
        raise LabelRefusedError("This run has another label of the turn already.")


def _rated_turns(study: Study, keys: set[int]) -> dict[int, tuple[Turn, str | None]]:
    """Return turns with their users' ratings, by primary key."""
    turns = Turn.objects.filter(session__study=study, pk__in=keys).select_related("session", "annotation")
    told = with_ratings_of_all([(turn.session, [turn]) for turn in turns])
    return {one.turn.pk: (one.turn, one.rating) for (one,) in told}
