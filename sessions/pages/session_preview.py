"""The page of a session as its user would see it when a turn is to be rated; made from an item, and never saved."""

import uuid
from collections.abc import Sequence
from typing import Any

from annotation.answers import Sheet
from annotation.models import Assignment, Item, Question, Rater, Study, Task
from annotation.protocols import protocols
from retrieval.papers import Paper, papers_of
from sessions.models import RevisionSession, Turn
from sessions.pages.due_step import DueStep
from sessions.pages.session_page import SessionPage
from sessions.study_options import models_in
from sessions.transcript import TurnRecord
from sessions.workflow import DONE, FIRST, INFORMATION

NO_TASK = uuid.UUID(int=0)
TEMPLATE = "sessions/session.html"
INSTRUCTION = "Say more about the details."
LONGEST_SHARE = 400
"""Characters of a paper that a previewed answer repeats."""


class PreviewedStep(DueStep):
    """The rating of a previewed turn, with questions that are not saved yet."""

    questions: Sequence[Question] = ()

    @property
    def fields(self) -> list[dict[str, Any]]:
        found = protocols()[self.session.study.protocol].fields({}, self.questions, Sheet(), {})
        return [self.with_faces(one) for one in found]


def session_preview(study: Study, item: Item, questions: Sequence[Question]) -> dict[str, Any]:
    """Return the context of the page, with a first answer and a turn that quote the item's papers."""
    rater = Rater(study=study)
    assignment = Assignment(key=NO_TASK, rater=rater, task=Task(item=item), order=[])
    session = RevisionSession(study=study, item=item, rater=rater, model=models_in(study.options)[0])
    turns = _turns(session, papers_of(item))
    step = PreviewedStep(assignment, session, turns)
    step.questions = questions
    page = SessionPage(assignment, session, turns=turns, step=step)
    return {"page": page, "step": step, "study": study, "assignment": assignment}


def _turns(session: RevisionSession, papers: Sequence[Paper]) -> list[TurnRecord]:
    first = _quotation(papers, 0)
    more = f"{first}\n\n{_quotation(papers, len(papers) - 1)}"
    turns = [
        Turn(session=session, number=0, kind=FIRST, status=DONE, answer=first, passages=_passages(papers)),
        Turn(
            session=session, number=1, kind=INFORMATION, status=DONE, instruction=INSTRUCTION,
            previous_answer=first, answer=more, passages=_passages(papers[-1:]),
        ),
    ]  # fmt: skip
    return [TurnRecord(turn, {}) for turn in turns]


def _quotation(papers: Sequence[Paper], number: int) -> str:
    """The beginning of a paper, cited as answers cite."""
    text = next(text for text in reversed(papers[number].paragraphs) if text.strip())
    return f"{text[:LONGEST_SHARE].strip()} [{number}]"


def _passages(papers: Sequence[Paper]) -> list[dict[str, Any]]:
    texts = ((paper.id, place, text) for paper in papers for place, text in enumerate(paper.paragraphs) if text.strip())
    found = [{"document": key, "paragraph": place, "text": text} for key, place, text in texts][:5]
    return [{**one, "rank": rank, "score": 1.0} for rank, one in enumerate(found, 1)]
