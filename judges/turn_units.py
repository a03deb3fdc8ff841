"""The turns of sessions that a run judges."""

from collections.abc import Iterator

from annotation.models import Study
from judges.configuration import RunConfiguration
from judges.unit import PlannedUnit
from sessions.models import Turn
from sessions.turn_variants import turn_variant
from sessions.workflow import DONE


def turn_units(study: Study, configuration: RunConfiguration) -> Iterator[PlannedUnit]:
    """Yield every answered turn with an instruction, by session and number."""
    turns = Turn.objects.filter(session__study=study, status=DONE, discarded=False, number__gte=1)
    rows = turns.order_by("session", "number").values_list("session__item", "session__key", "number")
    for item, session, number in rows.iterator():
        variant = turn_variant(session, number)
        yield PlannedUnit(item, variant, variant=variant)
