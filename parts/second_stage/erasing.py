"""What is erased of the second stage."""

from annotation.erasing import Erasing
from annotation.models import Adjudication, Rater, Reviewer, Study
from config.erasure import ErasedRows
from parts.second_stage.models import SecondStageCase
from parts.second_stage.settings import without_adjudicator


class SecondStageErasing(Erasing):
    """Final answers go with the other answers of the rater who gave them."""

    study_rows = ((SecondStageCase, "item__study"),)
    item_rows = ((SecondStageCase, "item__study"),)

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        """Delete the final answers that the rater gave; a researcher's earlier answer counts again."""
        erased.delete(SecondStageCase.objects.filter(rater=rater))
        given = Adjudication.objects.filter(item__study=rater.study, by__name=rater.name)
        places = list(given.filter(is_current=True).values_list("question", "item", "unit"))
        erased.delete(given)
        erased.delete(Reviewer.objects.filter(study=rater.study, name=rater.name, person=None))
        for question, item, unit in places:
            left = Adjudication.objects.filter(question=question, item=item, unit=unit).order_by("-number").first()
            if left is not None:
                Adjudication.objects.filter(pk=left.pk).update(is_current=True)

    def stop_giving_work(self, rater: Rater, erased: ErasedRows) -> None:
        """Without the last rater who is named, researchers give the final answers again."""
        study = Study.objects.get(pk=rater.study_id)
        options = without_adjudicator(study.options, rater.name)
        if options != study.options:
            erased.empty(Study.objects.filter(pk=study.pk), options=options)


ERASING = SecondStageErasing()
