"""What is erased of judges that were trained on a study's turns: their files, because weights may repeat texts."""

import shutil
from functools import partial

from django.db import transaction

from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from parts.trained_judge.trained_configuration import trained_judges
from sessions.models import RevisionSession


class TrainedJudgeErasing(Erasing):
    """Files go with their study, and with the sessions of a rater. What the judges said is kept."""

    def remove_files(self, study: Study) -> None:
        """Without its files, a trained judge cannot judge more turns. It can be trained again."""
        shutil.rmtree(trained_judges(study), ignore_errors=True)

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        if RevisionSession.objects.filter(rater=rater).exists():
            transaction.on_commit(partial(self.remove_files, rater.study))  # not if it is only shown what would go


ERASING = TrainedJudgeErasing()
