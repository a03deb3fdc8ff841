"""Makes the judgments of a run from its configuration, and reserves what they may cost."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from annotation.models import JudgeRun
from config.background.claiming import Claim
from config.bulk_insert import insert_rows
from config.model_fields import canonical_json
from config.write_pauses import WritePauses
from judges.configuration import RunConfiguration
from judges.injections import INJECTIONS
from judges.models import Judgment, RunWork
from judges.run_context import RunContext, run_context
from judges.unit import PlannedUnit
from judges.units import planned_units

AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class PlannedJudgment:
    """A judgment that a run will have. `injection` and `injected` are None except in a probe."""

    place: int
    question: int | None
    unit: PlannedUnit
    replicate: int
    injection: int | None = None
    injected: int | None = None

    def row(self, run: JudgeRun) -> Judgment:
        """Return it as a row that is not saved."""
        unit = self.unit
        return Judgment(
            run=run, place=self.place, question_id=self.question, item_id=unit.item, output_id=unit.output,
            other_output_id=unit.other, variant=unit.variant, order=list(unit.order) or None,
            replicate=self.replicate, injection=self.injection, injected=self.injected, due_at=timezone.now(),
        )  # fmt: skip

    def stored(self) -> dict[str, Any]:
        """Return the columns in which it differs from other judgments of its run, as the database stores them."""
        unit = self.unit
        return {
            "place": self.place, "question_id": self.question, "item_id": unit.item, "output_id": unit.output,
            "other_output_id": unit.other, "variant": unit.variant,
            "order": canonical_json(list(unit.order)) if unit.order else None, "replicate": self.replicate,
            "injection": self.injection, "injected": self.injected,
        }  # fmt: skip


def plan_judgments(claim: Claim) -> None:
    """Make the judgments of a claimed run that do not exist yet, in steps; a killed worker's successor continues.

    A pilot that nobody has looked at yet gets its first units only.
    """
    work: RunWork = claim.row
    context, pauses = run_context(work.run_id), WritePauses()
    made = Judgment.objects.filter(run=work.run_id).count()
    each = max(len(context.configuration.questions), 1) * (2 if context.configuration.probe else 1)
    most = work.pilot * each if work.pilot else None
    rows = islice(planned_judgments(context), made, most)
    while batch := list(islice(rows, AT_ONCE)):
        with transaction.atomic():
            claim.update(planned=made + len(batch))
            _insert(batch, context.run)
        made += len(batch)
        pauses.take()


def _insert(planned: list[PlannedJudgment], run: JudgeRun) -> None:
    blank = planned[0].row(run)
    fields = [field for field in Judgment._meta.concrete_fields if not field.primary_key]
    common = {str(field.column): field.get_db_prep_save(field.pre_save(blank, True), connection) for field in fields}
    insert_rows(Judgment, list(common), ([*(common | one.stored()).values()] for one in planned))


def planned_judgments(context: RunContext) -> Iterator[PlannedJudgment]:
    """Yield the judgments of a run in their order: by rerun, unit and question; a probe's in pairs."""
    configuration, place = context.configuration, 0
    by_key = {question.key: pk for pk, question in context.questions.items()}
    asked: list[int | None] = [by_key[key] for key in configuration.questions] or [None]
    for replicate in range(1, configuration.replicates + 1):
        for unit in planned_units(context.study, configuration):
            for question in asked:
                for number, injected in _injections(configuration, unit, replicate):
                    yield PlannedJudgment(place, question, unit, replicate, number, injected)
                    place += 1


def _injections(
    configuration: RunConfiguration, unit: PlannedUnit, replicate: int
) -> list[tuple[int, int] | tuple[None, None]]:
    """Return which injections a unit is judged with: none, or in a probe none and one, drawn by the seed.

    One is its number and the place of the output to which it is added.
    """
    if not configuration.probe:
        return [(None, None)]
    drawn = Random(f"probe\0{configuration.seed}\0{replicate}\0{unit.name}")  # noqa: S311 - no secret
    return [(None, None), (drawn.randrange(len(INJECTIONS)), drawn.randrange(max(len(unit.order), 1)))]
