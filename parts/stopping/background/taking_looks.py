"""Takes the looks of stop rules: computes the figures, keeps them, and pauses a study whose rules are met."""

from datetime import timedelta

from django.utils.module_loading import import_string

from annotation.studies.locking import ImportPendingError
from config.background.claiming import Claim
from config.background.kinds import Sweep, TryLaterError, Work
from parts.stopping.looking import WORK_KEY, finish_look, queue_due_looks, taken_before
from parts.stopping.models import StopLook
from parts.stopping.plan_spec import read_stopping

FIGURES = "parts.stopping.look_figures.look_figures"
"""By name: web processes load this module, and must not load what computes figures."""
IMPORTING = "An import into this study is being completed."
WAIT = 3.0


def take_look(claim: Claim) -> None:
    """Take the look of a claimed row."""
    look: StopLook = claim.row
    spec = read_stopping(look.plan.spec)
    try:
        with claim.kept_alive():
            answers, figures = import_string(FIGURES)(look.plan.study, spec, taken_before(look))
    except ImportPendingError:
        raise TryLaterError(IMPORTING, WAIT, counts=False) from None
    met = all(rule["met"] for rule in figures["rules"])
    last = answers >= spec.looks[-1]
    decision = StopLook.Decision.STOP if met else StopLook.Decision.END if last else StopLook.Decision.CONTINUE
    finish_look(claim, answers, figures, decision)


WORK = Work(WORK_KEY, StopLook, take_look, "jobs", lease=timedelta(minutes=2), study="plan__study")
SWEEP = Sweep("stop_looks", queue_due_looks, every=5)
"""Queues the looks whose number of answers is reached."""
