"""The tables of recruiting; each part keeps its own in a module of its folder."""

from recruiting.checks.check_tables import (
    CheckItem,
    CheckLook,
    ExclusionReply,
    FiledCheck,
    RaterExclusion,
    RaterNotice,
)
from recruiting.dry_runs.dry_run_models import StudyDryRun
from recruiting.stopping.stopping_models import ExtraPlace, FiledLook, PairCheck, StopContinuation, StopLook, StopPlan
from recruiting.way_in.way_in_tables import Consent, ConsentVersion, PersonalReply, PracticeAnswer, StepPassage

__all__ = [
    "CheckItem",
    "CheckLook",
    "Consent",
    "ConsentVersion",
    "ExclusionReply",
    "ExtraPlace",
    "FiledCheck",
    "FiledLook",
    "PairCheck",
    "PersonalReply",
    "PracticeAnswer",
    "RaterExclusion",
    "RaterNotice",
    "StepPassage",
    "StopContinuation",
    "StopLook",
    "StopPlan",
    "StudyDryRun",
]
