"""Adds a question with its papers, as an import: completely or not at all."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from accounts.models import Person
from annotation.models import Study
from annotation.studies.lifecycle import prepare
from annotation.studies.preparing_tasks import request_preparation
from config.model_fields import canonical_json
from files.reading import add_to_study
from retrieval.index_builds import ensure_index
from retrieval.papers import Paper
from retrieval.search_errors import SearchError

PREPARING_SECONDS = 1.0
FILE_NAME = "papers.jsonl"


def add_question(study: Study, person: Person, key: str, question: str, papers: Sequence[Paper]) -> bool:
    """Add the item and index its papers; return False if exactly this item exists already.

    Raises ImportRefusedError, with nothing stored, if anything is invalid.
    """
    line = {"id": key, "question": question, "documents": [paper.line() for paper in papers]}
    with TemporaryDirectory(prefix="interrater-papers-") as folder:
        path = Path(folder) / FILE_NAME
        path.write_text(canonical_json(line) + "\n", encoding="utf-8")
        done = add_to_study(study, {"items": path}, person, "page of papers")
    if done.study.is_live and not prepare(done.study, PREPARING_SECONDS):
        request_preparation(done.study, person, goes_live=False)
    _index(study)
    return bool(done.added["items"])


def _index(study: Study) -> None:
    """Queue the index; if the study's options name no searcher, the page says so."""
    try:
        ensure_index(study)
    except SearchError:
        return
