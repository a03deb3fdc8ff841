"""All tables of recruiting."""

from recruiting.stopping.stopping_models import ExtraPlace, PairCheck, StopContinuation, StopLook, StopPlan

__all__ = ["ExtraPlace", "PairCheck", "StopContinuation", "StopLook", "StopPlan"]
