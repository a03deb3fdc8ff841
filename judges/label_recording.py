"""Makes turn labels of readings, for protocols that label turns instead of answering a question."""

from collections.abc import Sequence

from judges.models import Judgment
from judges.run_context import RunContext
from sessions.models import Turn
from sessions.turn_labels import MachineLabel, write_machine_labels
from sessions.turn_variants import named_turn, turn_variant

NO_TURN = "The turn does not exist any more."


def write_labels(context: RunContext, judgments: Sequence[Judgment], digest: str) -> list[tuple[Judgment, str]]:
    """Write the labels of these judgments of a run; return those whose reading fits no turn, each with the reason.

    `digest` is that of the run's prompt.
    """
    turns = _turns(context, judgments)
    there = [one for one in judgments if one.variant in turns]
    labels = [_label(context, one, turns[one.variant], digest) for one in there]
    refused = write_machine_labels(context.study, context.rater, labels)
    gone = [(one, NO_TURN) for one in judgments if one.variant not in turns]
    return gone + [(there[place], reason) for place, reason in refused.items()]


def _turns(context: RunContext, judgments: Sequence[Judgment]) -> dict[str, int]:
    """Return the primary keys of the turns that judgments are about, by variant."""
    named = [found for one in judgments if (found := named_turn(one.variant))]
    keys = {session for session, _ in named}
    rows = Turn.objects.filter(session__study=context.study, session__key__in=keys, discarded=False)
    columns = rows.values_list("session__key", "number", "pk")
    return {turn_variant(session, number): pk for session, number, pk in columns}


def _label(context: RunContext, judgment: Judgment, turn: int, digest: str) -> MachineLabel:
    reading = judgment.reading or {}
    return MachineLabel(
        turn, context.protocol.label_kind, reading["value"], context.run.name, judgment.replicate, digest,
        reading["details"].get("reply", ""), judgment.ended_at,
    )  # fmt: skip
