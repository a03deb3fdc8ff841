"""Makes the judgments of a run from its configuration, and reserves what they may cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import connection, transaction

from annotation.models import JudgeRun
from config.background.claiming import Claim
from config.background.rows import Status
from config.bulk_insert import insert_rows
from config.database_clock import database_now
from config.model_fields import canonical_json
from config.write_pauses import WritePauses
from judges.configuration import RunConfiguration
from judges.injections import drawn_injection
from judges.models import Judgment, RunWork
from judges.run_context import RunContext, run_context
from judges.unit import PlannedUnit
from judges.units import in_both_orders, planned_units

AT_ONCE = 1000
HELD = "It waits until the run is planned, or until somebody has looked at the pilot."


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
            replicate=self.replicate, injection=self.injection, injected=self.injected, due_at=database_now(),
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
    """Make all judgments of a claimed run and queue them, or of a pilot the first ones.

    They are held until the last one exists, so that a killed worker's successor can begin again: items that are added
    meanwhile would otherwise move the units, and one would be judged twice and another never.
    """
    work: RunWork = claim.row
    if work.is_planned:
        return
    context, pauses, made = run_context(work.run_id), WritePauses(), 0
    with transaction.atomic():
        claim.update(planned=0, held_from=0)
        rows = Judgment.objects.filter(run=work.run_id).order_by()
        rows._raw_delete(rows.db)
    planned = planned_judgments(context)
    while batch := list(islice(planned, AT_ONCE)):
        with transaction.atomic():
            claim.update(planned=made + len(batch))
            _insert(batch, context.run)
        made += len(batch)
        pauses.take()
    first = work.pilot * judgments_per_unit(context.configuration) if work.pilot else made
    with transaction.atomic():
        claim.update(is_planned=True, held_from=first if first < made else None)
        held = Judgment.objects.filter(run=work.run_id, place__lt=first)
        held.update(status=Status.QUEUED, reason="", ended_at=None, due_at=database_now())


def judgments_per_unit(configuration: RunConfiguration) -> int:
    """Return how often each unit is judged in a rerun: for each question, in each order, and twice in a probe."""
    orders = 2 if in_both_orders(configuration) else 1
    return max(len(configuration.questions), 1) * orders * (2 if configuration.probe else 1)


def _insert(planned: list[PlannedJudgment], run: JudgeRun) -> None:
    """Insert judgments that are held."""
    blank = planned[0].row(run)
    blank.status, blank.reason, blank.ended_at = Status.STOPPED, HELD, database_now()
    fields = [field for field in Judgment._meta.concrete_fields if not field.primary_key]
    common = {str(field.column): field.get_db_prep_save(field.pre_save(blank, True), connection) for field in fields}
    insert_rows(Judgment, list(common), ([*(common | one.stored()).values()] for one in planned))


def planned_judgments(context: RunContext, units: Sequence[PlannedUnit] | None = None) -> Iterator[PlannedJudgment]:
    """Yield the judgments of a run in their order: by rerun, unit and question; a probe's in pairs.

    With `units` only theirs.
    """
    configuration, place = context.configuration, 0
    by_key = {question.key: pk for pk, question in context.questions.items()}
    asked: list[int | None] = [by_key[key] for key in configuration.questions] or [None]
    for replicate in range(1, configuration.replicates + 1):
        for unit in planned_units(context.study, configuration) if units is None else units:
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
    return [(None, None), drawn_injection(configuration.seed, replicate, unit.name, len(unit.order))]
