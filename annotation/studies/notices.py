"""Notices of other apps on a study's overview: what needs somebody's attention there."""

from dataclasses import dataclass

from annotation.models import Study
from config.parts import parts


@dataclass(frozen=True)
class StudyNotice:
    """A sentence, and the route of the page of the study where something can be done about it."""

    text: str
    route: str


def study_notices(study: Study) -> list[StudyNotice]:
    """Return the notices of all apps."""
    return [notice for part in parts() for notice in part.notices(study)]
