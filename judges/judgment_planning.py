"""Makes the judgments of a run from its configuration, and reserves what they may cost."""

from collections.abc import Iterator
from itertools import islice

from django.db import transaction
from django.utils import timezone

from annotation.models import JudgeRun, Question
from config.background.claiming import Claim
from config.write_pauses import WritePauses
from judges.models import Judgment, RunWork
from judges.run_context import run_context
from judges.unit import PlannedUnit
from judges.units import planned_units

AT_ONCE = 1000


def plan_judgments(claim: Claim) -> None:
    """Make the judgments of a claimed run that do not exist yet, in steps; a killed worker's successor continues."""
    work: RunWork = claim.row
    context, pauses = run_context(work.run_id), WritePauses()
    made = Judgment.objects.filter(run=work.run_id).count()
    rows = islice(
        _judgments(context.run, context.configuration.questions, context.configuration.replicates), made, None
    )
    while batch := list(islice(rows, AT_ONCE)):
        with transaction.atomic():
            claim.update(planned=made + len(batch))
            Judgment.objects.bulk_create(batch)
        made += len(batch)
        pauses.take()


def _judgments(run: JudgeRun, questions: tuple[str, ...], replicates: int) -> Iterator[Judgment]:
    """Yield the judgments of a run in their order: by rerun, question and unit."""
    context = run_context(run.pk)
    by_key = dict(Question.objects.filter(study=context.study, key__in=questions).values_list("key", "pk"))
    asked: list[int | None] = [by_key[key] for key in questions] or [None]
    place = 0
    for replicate in range(1, replicates + 1):
        for question in asked:
            for unit in planned_units(context.study, context.configuration):
                yield _judgment(run, place, question, unit, replicate)
                place += 1


def _judgment(run: JudgeRun, place: int, question: int | None, unit: PlannedUnit, replicate: int) -> Judgment:
    return Judgment(
        run=run, place=place, question_id=question, item_id=unit.item, output_id=unit.output,
        other_output_id=unit.other, variant=unit.variant, order=list(unit.order) or None, replicate=replicate,
        due_at=timezone.now(),
    )  # fmt: skip
