"""All tables of recruiting."""

from recruiting.dry_runs.dry_run_models import DryRun
from recruiting.stopping.stopping_models import ExtraPlace, PairCheck, StopContinuation, StopLook, StopPlan

__all__ = ["DryRun", "ExtraPlace", "PairCheck", "StopContinuation", "StopLook", "StopPlan"]
