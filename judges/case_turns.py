"""The turn of a session that a judgment is about."""

from judges.models import Judgment
from judges.protocol import CaseTurn
from sessions.models import Turn
from sessions.question_content import question_of
from sessions.turn_variants import named_turn


def turn_of(judgment: Judgment) -> CaseTurn | None:
    """Return the turn that a judgment's variant names, or None."""
    named = named_turn(judgment.variant)
    if named is None:
        return None
    turns = Turn.objects.select_related("session__item").filter(discarded=False)
    turn = turns.get(session__item=judgment.item_id, session__key=named[0], number=named[1])
    return CaseTurn(question_of(turn.session.item), turn.previous_answer, turn.instruction, turn.answer or "")
