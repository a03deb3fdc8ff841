"""The tables of recruiting; each part keeps its own in a module of its folder."""

from recruiting.checks.check_tables import (
    CheckItem,
    CheckLook,
    ExclusionReply,
    FiledCheck,
    RaterExclusion,
    RaterNotice,
)
from recruiting.way_in.way_in_tables import Consent, ConsentVersion, PersonalReply, PracticeAnswer, StepPassage

__all__ = [
    "CheckItem",
    "CheckLook",
    "Consent",
    "ConsentVersion",
    "ExclusionReply",
    "FiledCheck",
    "PersonalReply",
    "PracticeAnswer",
    "RaterExclusion",
    "RaterNotice",
    "StepPassage",
]
