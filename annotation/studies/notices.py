"""Notices of other apps on a study's overview: what needs somebody's attention there."""

from dataclasses import dataclass

from annotation.models import Study
from config.registry import bound


@dataclass(frozen=True)
class StudyNotice:
    """A sentence, and the route of the page of the study where something can be done about it."""

    text: str
    route: str


def study_notices(study: Study) -> list[StudyNotice]:
    """The notices of all apps. An app has a module `overview_notices.py` that binds NOTICES, a function like this."""
    return [notice for notices in bound("overview_notices", "NOTICES") for notice in notices(study)]
