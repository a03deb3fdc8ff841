"""What is erased of calls to language models."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Sum

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from llm.completions import WORK_KEY
from llm.models import Budget, Call, Completion, Reservation, Stop, StudyPrompt


class LlmErasing(Erasing):
    """The ledger goes with its study, since prompts and replies hold the study's texts; the audit keeps the sums.

    Calls made for a rater who withdraws stay without the person, since budgets count them; `erase_texts` empties their
    texts.
    """

    study_rows = (
        (Completion, "study"), (Call, "study"), (Reservation, "study"), (Budget, "study"), (Stop, "study"),
        (StudyPrompt, "study"),
    )  # fmt: skip

    def summary(self, study: Study) -> Mapping[str, Any]:
        return Call.objects.filter(study=study).aggregate(
            calls=Count("pk"), tokens_in=Sum("tokens_in"), tokens_out=Sum("tokens_out"), charged=Sum("price_charged")
        )

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        """Erase what the person asked a model on a page."""
        if rater.person is not None:
            asked = Completion.objects.filter(study=rater.study, person=rater.person)
            erase_texts(rater.study, [f"{WORK_KEY}:{pk}" for pk in asked.values_list("pk", flat=True)], erased)
            erased.delete(asked)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        for model in (Call, Completion, Reservation):
            erased.empty(model._default_manager.filter(study=study, person=person), person=None)
        erased.empty(Stop.objects.filter(study=study, stopped_by=person), stopped_by=None)
        erased.empty(StudyPrompt.objects.filter(study=study, created_by=person), created_by=None)
        erased.delete(Budget.objects.filter(study=study, person=person))


ERASING = LlmErasing()


def erase_texts(study: Study, works: list[str], erased: ErasedRows) -> None:
    """Empty the texts of the calls made for `works`, and the digests by which an answer would be reused.

    What they cost, and when, stays in the ledger.
    """
    erased.empty(
        Call.objects.filter(study=study, work__in=works), messages=[], messages_digest="", request_digest="",
        parameters={}, raw="", text="", thinking="", reason="The texts were erased.", detail="", refusal="",
        logprobs=None, attempts=[],
    )  # fmt: skip
