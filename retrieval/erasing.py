"""What is erased of indexes and searches."""

import shutil

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Study
from config.erasure import ErasedRows
from retrieval.models import IndexBuild, PaperUpload, TrialSearch
from retrieval.paper_uploads import remove_papers


class RetrievalErasing(Erasing):
    study_rows = ((IndexBuild, "study"), (TrialSearch, "study"), (PaperUpload, "study"))
    item_rows = ((TrialSearch, "study"),)

    def remove_files(self, study: Study) -> None:
        """Indexes and uploads hold the papers' texts. A study that is kept gets a new index when it asks for one."""
        for build in IndexBuild.objects.filter(study=study).exclude(folder=""):
            shutil.rmtree(build.place, ignore_errors=True)
        for upload in PaperUpload.objects.filter(study=study):
            remove_papers(upload)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.delete(TrialSearch.objects.filter(study=study, asked_by=person))
        theirs = PaperUpload.objects.filter(study=study, asked_by=person)
        for upload in theirs:
            remove_papers(upload)
        erased.delete(theirs)


ERASING = RetrievalErasing()
