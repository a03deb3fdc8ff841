"""The turns of revision sessions as examples for the training of models that revise answers."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.blinding import names_of
from annotation.models import Study
from annotation.pools import in_main_pool
from config.text_validation import given
from files.writing.table_list import Line
from reports.figures.rows.turn_rows import turn_ratings
from sessions.models import RevisionSession
from sessions.question_content import question_of
from sessions.transcript import TurnRecord, turns_of
from sessions.turn_variants import turn_variant
from sessions.workflow import DONE, GOOD

USER, ASSISTANT = "user", "assistant"


def turn_lines(study: Study) -> Iterator[Line]:
    """Yield a line per turn with an answer, by item in the order of import, session and turn."""
    sessions = RevisionSession.objects.filter(in_main_pool(study), study=study).select_related("study", "item", "rater")
    ratings, names = turn_ratings(study), names_of(study)
    for session in sorted(sessions, key=lambda one: (one.item_id, one.key)):
        turns = [record for record in turns_of(session) if record.turn.status == DONE]
        for place, record in enumerate(turns[1:], 1):
            turn = record.turn
            variant = turn_variant(session.key, turn.number)
            yield given(
                {
                    "session": session.key,
                    "turn": turn.number,
                    "item": session.item.key,
                    "model": names.shown(session.model),
                    "conversation": conversation(session, turns[:place]),
                    "instruction": turn.instruction,
                    "kind": turn.kind,
                    "passages": turn.passages,
                    "previous_answer": turn.previous_answer,
                    "answer": turn.answer,
                    **_target(record),
                    "rating": record.rating,
                    "comment": record.comment,
                    "other_ratings": [value for _, value in ratings.others(variant, session.rater_id)] or None,
                }
            )


def _target(record: TurnRecord) -> dict[str, Any]:
    """The answer to learn: the user's edit, or the model's answer if the user rated it good."""
    if record.turn.edited_answer is not None:
        return {"target": record.turn.edited_answer, "edited": True}
    return {"target": record.turn.answer, "edited": False} if record.rating == GOOD else {}


def conversation(session: RevisionSession, turns: Sequence[TurnRecord]) -> list[dict[str, str]]:
    """What was said up to the last of these turns, of which the first is the first answer: as it was then.

    The model's answers are as it wrote them. Which one counted when the next instruction was given is the next turn's
    `previous_answer`.
    """
    said = []
    for record in turns:
        asked = record.turn.instruction if record.turn.number else question_of(session.item)
        said += [{"role": USER, "content": asked}, {"role": ASSISTANT, "content": record.turn.answer or ""}]
    return said
