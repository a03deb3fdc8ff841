"""Makes ratings of readings, many at a time: judging stays fast, and a rating is written by the one writer of them."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from annotation.answers import Unit
from annotation.machine_ratings import MachineRating, MachineRatingRefusedError, write_machine_ratings
from annotation.machine_shapes import checked_answer
from annotation.models import JudgeRun, Output, Question
from annotation.protocols import UnitInvalidError, protocols
from annotation.questions import ValueInvalidError
from config.background.rows import Status
from judges.label_recording import write_labels
from judges.models import Judgment
from judges.run_context import RunContext, run_context

AT_ONCE = 2000
UNSTORABLE = "The reading does not fit the question: {}."


def record_readings(run: JudgeRun) -> int:
    """Write the ratings of a run's readings that have none yet, at most AT_ONCE of them; return how many it read.

    Writing them twice is harmless: the writer recognises what a run has written.
    """
    waiting = Judgment.objects.filter(run=run, status=Status.DONE, recorded=False).order_by("pk")
    judgments = list(waiting[:AT_ONCE])
    if not judgments:
        return 0
    context = run_context(run.pk)
    valid = [one for one in judgments if one.outcome == Judgment.Outcome.VALID]
    if context.configuration.probe:  # what a judge says of changed outputs is no answer about the study's own
        valid = []
    if context.protocol.label_kind:
        for judgment, reason in write_labels(context, valid, prompt_digest(context)):
            _withdraw(judgment, reason)
    else:
        _write(context, valid)
    Judgment.objects.filter(pk__in=[one.pk for one in judgments]).update(recorded=True)
    return len(judgments)


def _write(context: RunContext, judgments: Sequence[Judgment]) -> None:
    questions = Question.objects.in_bulk({one.question_id for one in judgments})
    pks = {pk for one in judgments for pk in (one.output_id, one.other_output_id) if pk is not None}
    keys = dict(Output.objects.filter(pk__in=pks).values_list("pk", "key"))
    found: list[tuple[Judgment, MachineRating]] = []
    for judgment in judgments:
        try:
            found.append((judgment, _rating(context, judgment, questions[judgment.question_id], keys)))
        except (UnitInvalidError, ValueInvalidError) as problem:
            _withdraw(judgment, UNSTORABLE.format(problem))
    try:
        write_machine_ratings(context.study, [rating for _, rating in found])
    except MachineRatingRefusedError:
        for judgment, rating in found:  # find the one that is refused; the others are kept
            try:
                write_machine_ratings(context.study, [rating])
            except MachineRatingRefusedError as problem:
                _withdraw(judgment, str(problem))


def _withdraw(judgment: Judgment, reason: str) -> None:
    """Call a judgment invalid whose reading cannot be a rating."""
    with transaction.atomic():
        Judgment.objects.filter(pk=judgment.pk).update(outcome=Judgment.Outcome.INVALID, reason=reason)


def _rating(context: RunContext, judgment: Judgment, question: Question, keys: dict[int, str]) -> MachineRating:
    reading: dict[str, Any] = judgment.reading or {}
    output = None if judgment.output_id is None else keys[judgment.output_id]
    other = None if judgment.other_output_id is None else keys[judgment.other_output_id]
    unit = Unit(output, other, judgment.variant)
    answer = checked_answer(question, protocols()[context.study.protocol], unit, reading["value"])
    return MachineRating(
        answer, context.rater.pk, judgment.item_id, judgment.output_id, judgment.other_output_id, context.run.name,
        judgment.replicate, judgment.order if len(judgment.order or ()) > 1 else None,
        reading["explanation"] or None, None, judgment.ended_at, context.configuration.guidelines_version,
        reading["distribution"], reading["missing"], reading["outcome"], prompt_digest(context),
        dict(reading["details"]) or None,
    )  # fmt: skip


def prompt_digest(context: RunContext) -> str:
    """Return the digest of a run's prompt, or nothing for a protocol with several, which the configuration names."""
    digests = [said["digest"] for said in context.configuration.prompts.values()]
    return digests[0] if len(digests) == 1 else ""
