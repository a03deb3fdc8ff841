"""The rows of revision sessions that go with a study, an answer or a rater."""

from annotation.erasing import Erasing, erase_tasks
from annotation.models import Rater, Task
from config.erasure import ErasedRows
from llm.erasing import erase_texts
from sessions.background.answer_writing import work_of
from sessions.models import RevisionSession, Turn, TurnLabel


class SessionErasing(Erasing):
    """A rater's sessions are their answers. Second ratings of a turn go with it: without the turn they mean nothing."""

    study_rows = ((TurnLabel, "turn__session__study"), (Turn, "session__study"), (RevisionSession, "study"))

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        turns = Turn.objects.filter(session__rater=rater)
        erase_texts(rater.study, [work_of(turn) for turn in turns.values_list("pk", flat=True)], erased)
        erase_tasks(Task.objects.filter(turns__in=turns), erased)
        erased.delete(TurnLabel.objects.filter(turn__in=turns))
        erased.delete(TurnLabel.objects.filter(rater=rater))
        erased.delete(turns)
        erased.delete(RevisionSession.objects.filter(rater=rater))


ERASING = SessionErasing()
