"""Rated turns of the training part as examples: those whose instructions are most similar to the judged turn's.

KIWI, section 5: BM25 over the instructions of the training turns. The words are stemmed as in a search of passages.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING

from annotation.models import Item, Study
from judges.answered_turns import turns_of_part
from judges.case_turns import case_turn, judged_turn
from judges.example_sources import ExampleSource
from judges.models import Judgment
from judges.protocol import Example
from judges.turn_split import TRAINING, TurnSplit, drawn
from sessions.models import Turn
from sessions.question_content import question_of
from sessions.transcript import TurnRecord

if TYPE_CHECKING:
    from retrieval.bm25_index import OpenBM25


@dataclass(frozen=True)
class _TrainingTurns:
    """The turns that may be examples: primary keys of turns and of their sessions, ratings, and the index."""

    turns: tuple[int, ...]
    sessions: tuple[int, ...]
    ratings: tuple[str, ...]
    index: "OpenBM25"


class TurnExamples(ExampleSource):
    """The `count` training turns most similar to the judged one, the most similar last.

    Turns of the judged turn's own session are never examples, whatever the split. If fewer than `count` share a word
    with the instruction, others follow in an order drawn by the split's seed. Turns that were made or rated after the
    run's start are left out, so that equal prompts are made whenever a run is resumed.
    """

    def __init__(self, study: Study, count: int, split: TurnSplit) -> None:
        self.study, self.count, self.split = study, count, split
        self._found: _TrainingTurns | None = None
        self._questions: dict[int, str] = {}
        self._lock = threading.Lock()

    def examples(self, item: Item, judgment: Judgment, seed: int) -> tuple[Example, ...]:
        with self._lock:
            if self._found is None:
                self._found = self._training(judgment.run.started_at)
        found, judged = self._found, judged_turn(judgment)
        if judged is None:
            return ()
        rows = [place for place, session in enumerate(found.sessions) if session != judged.session_id]
        places = found.index.most_similar(judged.instruction, rows, self.count)
        places += [place for place in rows if place not in places][: self.count - len(places)]
        return self._shown([(found.turns[place], found.ratings[place]) for place in reversed(places)])

    def _training(self, before: datetime | None) -> _TrainingTurns:
        records = [
            one
            for one in training_turns(self.study, self.split)
            if before is None or (one.turn.created_at <= before and (one.submitted_at or before) <= before)
        ]
        records.sort(key=lambda one: drawn(self.split.seed, one.turn.session.key, str(one.turn.number)))
        bm25 = import_module("retrieval.bm25_index")  # loads numpy and scipy: with the first examples
        return _TrainingTurns(
            tuple(one.turn.pk for one in records), tuple(one.turn.session_id for one in records),
            tuple(str(one.rating) for one in records),
            bm25.index_of_texts([one.turn.instruction for one in records], self.study.language),
        )  # fmt: skip

    def _shown(self, chosen: list[tuple[int, str]]) -> tuple[Example, ...]:
        rows = Turn.objects.select_related("session").in_bulk([pk for pk, _ in chosen])
        missing = {rows[pk].session.item_id for pk, _ in chosen if pk in rows} - self._questions.keys()
        if missing:
            self._questions.update({one.pk: question_of(one) for one in Item.objects.filter(pk__in=missing)})
        return tuple(
            Example(rating, turn=case_turn(rows[pk], self._questions[rows[pk].session.item_id]))
            for pk, rating in chosen
            if pk in rows
        )


def training_turns(study: Study, split: TurnSplit) -> Iterator[TurnRecord]:
    """Yield the rated turns of the training part, in the order in which they were made."""
    return (one for one in turns_of_part(study, split, TRAINING) if one.rating is not None)
