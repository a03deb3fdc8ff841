"""The rows of revision sessions that go with a study, an answer or a rater."""

from annotation.erasing import Erasing, erase_ratings, erase_tasks
from annotation.models import Rater, Rating, Study, Task
from config.erasure import ErasedRows
from llm.erasing import erase_texts
from sessions.background.answer_writing import work_of
from sessions.models import LabelSample, RevisionSession, Turn, TurnLabel
from sessions.turn_variants import turn_variant

AT_ONCE = 500


class SessionErasing(Erasing):
    """A rater's sessions are their answers. Other people's and machines' ratings and labels of a turn go with it:
    without the turn they mean nothing.
    """

    study_rows = (
        (TurnLabel, "turn__session__study"), (LabelSample, "study"), (Turn, "session__study"),
        (RevisionSession, "study"),
    )  # fmt: skip

    def has_answers(self, study: Study) -> bool:
        return RevisionSession.objects.filter(study=study).exists()

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        turns = Turn.objects.filter(session__rater=rater)
        erase_texts(rater.study, [work_of(turn) for turn in turns.values_list("pk", flat=True)], erased)
        erase_tasks(Task.objects.filter(turns__in=turns), erased)
        variants = variants_of(rater)
        for start in range(0, len(variants), AT_ONCE):
            named = Rating.objects.filter(study=rater.study, variant__in=variants[start : start + AT_ONCE])
            erase_ratings(named, erased)
        erased.delete(TurnLabel.objects.filter(turn__in=turns))
        erased.delete(TurnLabel.objects.filter(rater=rater))
        erased.delete(turns)
        erased.delete(RevisionSession.objects.filter(rater=rater))


def variants_of(rater: Rater) -> list[str]:
    """Return the variants that ratings and judgments of the turns of a rater's sessions have."""
    turns = Turn.objects.filter(session__rater=rater, discarded=False).order_by("pk")
    return [turn_variant(session, number) for session, number in turns.values_list("session__key", "number")]


ERASING = SessionErasing()
