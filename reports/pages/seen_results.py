"""Tells what adds to a study that somebody has seen results of it: call it for everything that shows some."""

from enum import StrEnum

from accounts.models import Person
from annotation.models import Study
from config.parts import parts_of


class ResultPage(StrEnum):
    """Where the core shows results. Parts have texts of their own for their pages."""

    REPORT = "report"
    OVERVIEW = "overview"
    JUDGES = "judges"
    TABLES = "tables"
    DISAGREEMENT = "disagreement"
    CHECKS = "rater_checks"
    PLOT = "plot"
    TABLE = "file"
    EXPORT = "export"
    API = "api_report"
    LISTED = "answer_list"


def note_seen(study: Study, person: Person, page: str) -> None:
    """Let the parts that the study uses know that `person` sees results of it."""
    for part in parts_of(study):
        part.results_seen(study, person, str(page))
