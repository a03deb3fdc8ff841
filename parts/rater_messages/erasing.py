"""What is erased of messages."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from parts.rater_messages.models import MessageThread, RaterMessage


class MessageErasing(Erasing):
    """Messages go with the rater in any case; of a researcher who goes, the name."""

    study_rows = ((RaterMessage, "thread__rater__study"), (MessageThread, "rater__study"))
    noted = ((RaterMessage, "thread__rater__study", ("text",)),)

    def has_answers(self, study: Study) -> bool:
        """Messages about tasks keep the study's items."""
        return MessageThread.objects.filter(rater__study=study, task__isnull=False).exists()

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        erased.delete(RaterMessage.objects.filter(thread__rater=rater))
        erased.delete(MessageThread.objects.filter(rater=rater))

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(RaterMessage.objects.filter(thread__rater__study=study, by=person), by=None)
        own = Rater.objects.filter(study=study, person=person)
        erased.delete(RaterMessage.objects.filter(thread__rater__in=own))
        erased.delete(MessageThread.objects.filter(rater__in=own))


ERASING = MessageErasing()
