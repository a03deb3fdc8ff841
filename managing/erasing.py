"""What is erased of uploads and of summaries of items."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from managing.models import ItemLocalAlpha, ItemSummary, ItemUpload, UploadStep
from managing.uploads.receiving import place_of


class ManagingErasing(Erasing):
    """Uploads go with their study, and with them their files; summaries are counted again without erased answers."""

    study_rows = (
        (UploadStep, "upload__study"), (ItemUpload, "study"), (ItemSummary, "study"), (ItemLocalAlpha, "study"),
    )  # fmt: skip

    noted = ((ItemUpload, "study", ("name", "files", "choices")), (UploadStep, "upload__study", ("findings",)))

    def remove_files(self, study: Study) -> None:
        """A study that is kept after all has lost the file of an upload that was not imported."""
        for upload in ItemUpload.objects.filter(study=study, has_file=True):
            place_of(upload).unlink(missing_ok=True)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(ItemUpload.objects.filter(study=study, person=person), person=None)

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        erased.delete(ItemSummary.objects.filter(study=rater.study))
        erased.delete(ItemLocalAlpha.objects.filter(study=rater.study))


ERASING = ManagingErasing()
