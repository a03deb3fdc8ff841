"""The turns of sessions that a run judges."""

from collections.abc import Iterator

from annotation.models import Study
from judges.answered_turns import answered_turns
from judges.configuration import ConfigurationRefusedError, RunConfiguration
from judges.turn_examples import training_turns
from judges.turn_split import TEST, TurnSplit
from judges.unit import PlannedUnit
from sessions.models import TurnLabel
from sessions.transcript import TurnRecord
from sessions.turn_variants import turn_variant
from sessions.workflow import EDITABLE

ERRORS = TurnLabel.Kind.ERROR_CATEGORY.value
NO_TURNS = "No turn of this study can be judged so: {}."
TOO_FEW_EXAMPLES = (
    "The training part has {:,} rated turns, fewer than the {:,} examples. Choose fewer examples or another split."
)


def turn_units(study: Study, configuration: RunConfiguration) -> Iterator[PlannedUnit]:
    """Yield the turns with an instruction and an answer that the protocol can judge, in the order of their making.

    With a split these are the turns of its test part. Errors are looked for only in turns that their user rated
    neutral or bad with a comment. Raises ConfigurationRefusedError if there are none, or too few training turns.
    """
    protocol, found = configuration.judge_protocol, False
    choice = protocol.examples(configuration.options)
    split = None if choice is None else choice.split
    if choice is not None and split is not None:
        _check_training(study, split, choice.count)
    for one in answered_turns(study):
        if (protocol.label_kind != ERRORS or _has_error(one)) and (split is None or _is_tested(one, split)):
            found = True
            session, number = one.turn.session, one.turn.number
            variant = turn_variant(session.key, number)
            yield PlannedUnit(session.item_id, variant, variant=variant)
    if not found:
        reason = "none is answered" if protocol.label_kind != ERRORS else "none is rated neutral or bad with a comment"
        raise ConfigurationRefusedError(NO_TURNS.format("the split's test part is empty" if split else reason))


def _check_training(study: Study, split: TurnSplit, count: int) -> None:
    have = sum(1 for _ in training_turns(study, split)) if count else 0
    if have < count:
        raise ConfigurationRefusedError(TOO_FEW_EXAMPLES.format(have, count), "option-examples")


def _has_error(one: TurnRecord) -> bool:
    return one.rating in EDITABLE and bool((one.comment or "").strip())


def _is_tested(one: TurnRecord, split: TurnSplit) -> bool:
    session = one.turn.session
    return split.part(session.item.key, session.key, one.turn.number) == TEST
