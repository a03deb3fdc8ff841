"""Makes the judgments of a run from its configuration, and reserves what they may cost."""

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

from django.db import transaction
from django.utils import timezone

from annotation.models import JudgeRun
from config.background.claiming import Claim
from config.write_pauses import WritePauses
from judges.configuration import RunConfiguration
from judges.injections import INJECTIONS
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
    each = max(len(context.configuration.questions), 1) * (2 if context.configuration.probe else 1)
    most = work.pilot * each if work.pilot else None
    rows = islice(judgments_of(context), made, most)
    while batch := list(islice(rows, AT_ONCE)):
        with transaction.atomic():
            claim.update(planned=made + len(batch))
            Judgment.objects.bulk_create(batch)
        made += len(batch)
        pauses.take()


def judgments_of(context: RunContext, units: Sequence[PlannedUnit] | None = None) -> Iterator[Judgment]:
    """Yield the judgments of a run, unsaved, in their order: by rerun, unit and question; a probe's in pairs.

    With `units` only theirs.
    """
    configuration, place = context.configuration, 0
    by_key = {question.key: pk for pk, question in context.questions.items()}
    asked: list[int | None] = [by_key[key] for key in configuration.questions] or [None]
    for replicate in range(1, configuration.replicates + 1):
        for unit in planned_units(context.study, configuration) if units is None else units:
            for question in asked:
                for injection in _injections(configuration, unit, replicate):
                    yield _judgment(context.run, place, question, unit, replicate, injection)
                    place += 1


def _injections(configuration: RunConfiguration, unit: PlannedUnit, replicate: int) -> list[tuple[int, int] | None]:
    """Return which injections a unit is judged with: none, or in a probe none and one, drawn by the seed.

    One is its number and the place of the output to which it is added.
    """
    if not configuration.probe:
        return [None]
    drawn = Random(f"probe\0{configuration.seed}\0{replicate}\0{unit.name}")  # noqa: S311 - no secret
    return [None, (drawn.randrange(len(INJECTIONS)), drawn.randrange(max(len(unit.order), 1)))]


def _judgment(
    run: JudgeRun,
    place: int,
    question: int | None,
    unit: PlannedUnit,
    replicate: int,
    injection: tuple[int, int] | None,
) -> Judgment:
    number, injected = injection or (None, None)
    return Judgment(
        run=run, place=place, question_id=question, item_id=unit.item, output_id=unit.output,
        other_output_id=unit.other, variant=unit.variant, order=list(unit.order) or None, replicate=replicate,
        injection=number, injected=injected, due_at=timezone.now(),
    )  # fmt: skip
