"""Periodic upkeep that deletes finished comparisons of raters: what they found is in the audit."""

from datetime import timedelta

from config.background.kinds import Sweep
from config.background.rows import WAITING
from config.database_clock import database_now
from recruiting.stopping.stopping_models import PairCheck

KEPT = timedelta(days=1)
AT_ONCE = 1000


def forget_checks() -> int:
    """Delete some old comparisons and return how many."""
    over = PairCheck.objects.filter(created_at__lt=database_now() - KEPT).exclude(status__in=WAITING)
    old = list(over.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    if old:
        PairCheck.objects.filter(pk__in=old).delete()
    return len(old)


SWEEP = Sweep("pair_checks", forget_checks, every=600)
