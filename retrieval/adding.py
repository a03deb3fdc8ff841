"""A question with its papers, given on a page: it goes the way of every import, all of it or nothing."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from accounts.models import Person
from annotation.importing import add_to_study
from annotation.models import Study
from annotation.running import prepare
from config.fields import canonical_json
from retrieval.errors import SearchError
from retrieval.indexing import ensure_index
from retrieval.papers import Paper

PREPARING_SECONDS = 1.0
NAME = "papers.jsonl"


def add_question(study: Study, person: Person, key: str, question: str, papers: Sequence[Paper]) -> bool:
    """Add the item and have its papers indexed; False where it was there already, just so.

    Raises ImportRefusedError, with nothing stored, where anything is wrong.
    """
    line = {"id": key, "question": question, "documents": [paper.line() for paper in papers]}
    with TemporaryDirectory(prefix="interrater-papers-") as folder:
        path = Path(folder) / NAME
        path.write_text(canonical_json(line) + "\n", encoding="utf-8")
        done = add_to_study(study, {"items": path}, person, "page of papers")
    if done.study.is_live:
        prepare(done.study, PREPARING_SECONDS)
    index(study)
    return bool(done.added["items"])


def index(study: Study) -> None:
    """Have the papers indexed; where the study's options name no searcher the page says so."""
    try:
        ensure_index(study)
    except SearchError:
        return
