"""The turn of a session that a judgment is about."""

from annotation.models import Item
from judges.models import Judgment
from judges.protocol import CaseTurn
from sessions.models import Turn
from sessions.question_content import question_of
from sessions.transcript import with_ratings
from sessions.turn_variants import named_turn


def turn_of(judgment: Judgment, item: Item) -> CaseTurn | None:
    """Return the turn that a judgment's variant names, or None. `item` is the judgment's."""
    turn = judged_turn(judgment)
    if turn is None:
        return None
    [record] = with_ratings(turn.session, [turn])
    return case_turn(turn, question_of(item), record.comment or "")


def judged_turn(judgment: Judgment) -> Turn | None:
    """Return the row of the turn that a judgment's variant names, or None."""
    named = named_turn(judgment.variant)
    if named is None:
        return None
    turns = Turn.objects.select_related("session", "annotation").filter(discarded=False)
    return turns.get(session__item=judgment.item_id, session__key=named[0], number=named[1])


def case_turn(turn: Turn, question: str, comment: str = "") -> CaseTurn:
    """Return a turn as judges get it.

    The new answer is the model's, which is what its user rated, even if the user edited it afterwards. The answer
    before is the one that the model revised, with its user's edits.
    """
    return CaseTurn(question, turn.previous_answer, turn.instruction, turn.answer or "", comment)
