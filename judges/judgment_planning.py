"""Makes the judgments of a run from its configuration, and reserves what they may cost."""

from collections.abc import Iterator
from itertools import islice

from django.db import transaction
from django.utils import timezone

from annotation.models import JudgeRun
from config.background.claiming import Claim
from config.write_pauses import WritePauses
from judges.models import Judgment, RunWork
from judges.run_context import RunContext, run_context
from judges.unit import PlannedUnit
from judges.units import planned_units

AT_ONCE = 1000


def plan_judgments(claim: Claim) -> None:
    """Make the judgments of a claimed run that do not exist yet, in steps; a killed worker's successor continues.

    A pilot that nobody has looked at yet gets its first units only.
    """
    work: RunWork = claim.row
    context, pauses = run_context(work.run_id), WritePauses()
    made = Judgment.objects.filter(run=work.run_id).count()
    most = work.pilot * max(len(context.configuration.questions), 1) if work.pilot else None
    rows = islice(judgments_of(context), made, most)
    while batch := list(islice(rows, AT_ONCE)):
        with transaction.atomic():
            claim.update(planned=made + len(batch))
            Judgment.objects.bulk_create(batch)
        made += len(batch)
        pauses.take()


def judgments_of(context: RunContext) -> Iterator[Judgment]:
    """Yield the judgments of a run, unsaved, in their order: by rerun, unit and question."""
    configuration, place = context.configuration, 0
    by_key = {question.key: pk for pk, question in context.questions.items()}
    asked: list[int | None] = [by_key[key] for key in configuration.questions] or [None]
    for replicate in range(1, configuration.replicates + 1):
        for unit in planned_units(context.study, configuration):
            for question in asked:
                yield _judgment(context.run, place, question, unit, replicate)
                place += 1


def _judgment(run: JudgeRun, place: int, question: int | None, unit: PlannedUnit, replicate: int) -> Judgment:
    return Judgment(
        run=run, place=place, question_id=question, item_id=unit.item, output_id=unit.output,
        other_output_id=unit.other, variant=unit.variant, order=list(unit.order) or None, replicate=replicate,
        due_at=timezone.now(),
    )  # fmt: skip
