"""The texts of turns, as a judge is trained on them and reads them."""

from collections.abc import Iterator, Sequence

from annotation.models import Item
from judges.case_turns import case_turn
from judges.turn_ratings import rating_among
from parts.trained_judge.training_turns import TrainingTurn
from sessions.models import Turn
from sessions.question_content import question_of
from sessions.transcript import TurnRecord
from sessions.turn_variants import turn_variant

AT_ONCE = 500
ITEMS_AT_ONCE = 20
"""Items hold the texts of papers."""
COLUMNS = ("previous_answer", "instruction", "answer")


class TurnTexts:
    """Reads the texts of turns in few queries and keeps the questions that it has read.

    Ratings become one of `labels`. Turns that do not exist any more are left out.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = labels
        self._questions: dict[int, str] = {}

    def read(self, records: Sequence[TurnRecord]) -> Iterator[tuple[TurnRecord, TrainingTurn]]:
        """Yield each turn with its texts, and its user's rating if it has one."""
        for start in range(0, len(records), AT_ONCE):
            some = records[start : start + AT_ONCE]
            rows = Turn.objects.only(*COLUMNS).in_bulk([one.turn.pk for one in some])
            self._read_questions({one.turn.session.item_id for one in some})
            for one in some:
                if one.turn.pk in rows:
                    yield one, self._texts(one, rows[one.turn.pk])

    def _texts(self, one: TurnRecord, row: Turn) -> TrainingTurn:
        session = one.turn.session
        case = case_turn(row, self._questions[session.item_id])
        rating = "" if one.rating is None else rating_among(one.rating, self.labels)
        key = turn_variant(session.key, one.turn.number)
        return TrainingTurn(case.question, case.previous_answer, case.instruction, case.answer, rating, key)

    def _read_questions(self, items: set[int]) -> None:
        missing = Item.objects.filter(pk__in=items - self._questions.keys()).only("content")
        self._questions.update((one.pk, question_of(one)) for one in missing.iterator(chunk_size=ITEMS_AT_ONCE))
