"""The tables of recruiting; each part keeps its own in a module of its folder."""

from recruiting.crowds.crowd_tables import CrowdBrowser, CrowdId, CrowdStay, LeftParticipant
from recruiting.way_in.way_in_tables import Consent, ConsentVersion, PersonalReply, PracticeAnswer, StepPassage

__all__ = [
    "Consent",
    "ConsentVersion",
    "CrowdBrowser",
    "CrowdId",
    "CrowdStay",
    "LeftParticipant",
    "PersonalReply",
    "PracticeAnswer",
    "StepPassage",
]
