"""What is erased of dry runs."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Study
from config.erasure import ErasedRows
from parts.dry_runs.models import StudyDryRun


class DryRunErasing(Erasing):
    """A dry run goes with its copy; of the person who asked for it, the name."""

    study_rows = ((StudyDryRun, "study"),)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(StudyDryRun.objects.filter(study=study, asked_by=person), asked_by=None)
        erased.empty(StudyDryRun.objects.filter(source_pk=study.pk, asked_by=person), asked_by=None)


ERASING = DryRunErasing()
