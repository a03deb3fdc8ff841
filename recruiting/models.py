"""All tables of recruiting."""

from recruiting.dry_runs.dry_run_models import StudyDryRun
from recruiting.stopping.stopping_models import ExtraPlace, PairCheck, StopContinuation, StopLook, StopPlan

__all__ = ["ExtraPlace", "PairCheck", "StopContinuation", "StopLook", "StopPlan", "StudyDryRun"]
