"""The desk of a second rater of a turn. It reveals nothing about the first rating, its rater or the model."""

from typing import Any

from annotation.models import Assignment
from retrieval.papers import papers_of
from sessions.comparing.answer_comparison import compare_answers
from sessions.models import Turn
from sessions.pages.answer_rendering import render_answer
from sessions.pages.papers_panel import paper_entries
from sessions.question_content import question_of
from sessions.transcript import TurnRecord


def second_rating_page(assignment: Assignment) -> dict[str, Any]:
    """Return the turn's texts as its own user read them, the changes, and the papers with the passages read of each.

    Empty if the task belongs to no turn.
    """
    turn = Turn.objects.filter(task=assignment.task_id, discarded=False).select_related("session__item").first()
    if turn is None:
        return {}
    item, markdown = turn.session.item, bool(assignment.rater.study.options.get("markdown", False))
    papers = papers_of(item)
    upto = turn.session.turns.filter(discarded=False, number__lte=turn.number).order_by("number")
    return {
        "question": question_of(item),
        "kind": turn.kind,
        "instruction": turn.instruction,
        "answer": render_answer(turn.answer or "", len(papers), markdown),
        "previous": render_answer(turn.previous_answer, len(papers), markdown),
        "found": compare_answers(turn.previous_answer, turn.answer or ""),
        "papers": paper_entries(papers, [TurnRecord(one, {}) for one in upto], turn.number),
    }
