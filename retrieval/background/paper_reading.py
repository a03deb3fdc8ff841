"""Reads the papers of a new question from their files, and adds the question with all of them or not at all."""

import time
from datetime import timedelta

from annotation.studies.locking import ImportPendingError, refuse_import_since
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from files.reading import ImportRefusedError
from files.reading.import_lock import ImportUnderWayError
from retrieval.models import PaperUpload
from retrieval.new_questions import add_question
from retrieval.paper_formats import read_paper
from retrieval.paper_uploads import WORK_KEY, place_of, remove_papers
from retrieval.papers import Paper
from retrieval.search_errors import PaperError

READING_SECONDS = 300
"""How long all files of a question may take together."""
GONE = "The files are not on this site any more. Upload them again."
REFUSED = "The question was not added."
WAITS = "An import into this study is being completed."
WAIT = 3.0


def read_and_add(claim: Claim) -> None:
    """Read the files of a claimed row, one after the other, and add the question."""
    upload: PaperUpload = claim.row
    if not place_of(upload).is_dir():
        raise GiveUpError(GONE)
    try:
        refuse_import_since(upload.study)  # reading may take minutes, and would have to be done again
        papers = _papers(claim)
        with claim.kept_alive():
            is_new = add_question(upload.study, upload.asked_by, upload.item_key, upload.question, papers)
    except (ImportPendingError, ImportUnderWayError):
        raise TryLaterError(WAITS, WAIT, counts=False) from None
    except ImportRefusedError as refused:
        raise GiveUpError(REFUSED, problems=_sentences(refused)) from None
    with claim.finish(is_new=is_new):
        pass
    remove_papers(upload)


def _papers(claim: Claim) -> list[Paper]:
    """All papers of an upload. Raises GiveUpError with what is wrong with each file."""
    upload: PaperUpload = claim.row
    found: dict[str, Paper] = {}
    problems: list[str] = []
    latest = time.monotonic() + READING_SECONDS
    for number, (name, _) in enumerate(upload.files):
        claim.update(done=number)
        if time.monotonic() > latest:
            problems.append(f"The files before {name[:80]} took too long to read. Choose fewer files.")
            break
        try:
            with claim.kept_alive():
                paper = read_paper(name, (place_of(upload) / str(number)).read_bytes())
        except PaperError as problem:
            problems.append(str(problem))
            continue
        if paper.id in found:
            problems.append(f"{name[:80]} has the same id as another file, {paper.id[:80]}. Rename one of them.")
        found[paper.id] = paper
    if problems:
        raise GiveUpError(REFUSED, problems=problems)
    claim.update(done=len(upload.files))
    return [*found.values()]


def _sentences(refused: ImportRefusedError) -> list[str]:
    """What an import found wrong, in sentences about the fields of the page."""
    said = [f"{problem.field} {problem.reason}".lstrip() for problem in refused.problems]
    return [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in said]


WORK = Work(
    key=WORK_KEY, model=PaperUpload, run=read_and_add, queue="jobs", lease=timedelta(minutes=2), ended=remove_papers
)
