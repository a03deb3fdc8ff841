"""The tables of recruiting; each part keeps its own in a module of its folder."""

from recruiting.way_in.way_in_tables import Consent, ConsentVersion, PersonalReply, PracticeAnswer, StepPassage

__all__ = [
    "Consent",
    "ConsentVersion",
    "PersonalReply",
    "PracticeAnswer",
    "StepPassage",
]
