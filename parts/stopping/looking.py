"""When looks are due, and what a finished look does to its study. Looks are queued here and taken by workers."""

from django.db import IntegrityError, transaction

from accounts.auditing import record
from annotation.models import Slot, Study
from annotation.studies.batches import FIRST
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.lifecycle import pause
from config.background.claiming import Claim
from config.background.kinds import works
from config.background.rows import WAITING, Status
from config.background.waking import enqueue
from config.database_clock import database_now
from parts.stopping.fixing import ENDING
from parts.stopping.models import StopLook, StopPlan
from parts.stopping.plan_spec import read_stopping

WORK_KEY = "stop_look"
REASONS = {
    StopLook.Decision.STOP: "Stop rule met at look {} ({} answers).",
    StopLook.Decision.END: "The plan's last look, number {} ({} answers), was taken.",
}


def count_answers(study: Study) -> int:
    """The filled places of the study, except those of third raters, which no plan counts."""
    filled = Slot.objects.filter(study=study, state=Slot.State.FILLED)
    return filled.filter(place__gte=FIRST).count() - filled.filter(third_rater=True, place__gte=FIRST).count()


def due_look(plan: StopPlan, answers: int) -> int | None:
    """The planned number of answers of the look that is due, or None. Numbers passed together are one look."""
    rows = list(StopLook.objects.filter(plan=plan).values_list("status", "answers", "decision"))
    if not plan.in_time or any(status in WAITING or decision in ENDING for status, _, decision in rows):
        return None
    last = max((taken or 0 for status, taken, _ in rows if status == Status.DONE), default=0)
    passed = [one for one in read_stopping(plan.spec).looks if last < one <= answers]
    return passed[-1] if passed else None


def queue_due_looks() -> int:
    """Queue the looks of live studies that are due; return how many. Safe in several workers."""
    queued = 0
    plans = StopPlan.objects.filter(in_time=True, study__status=Study.Status.LIVE).exclude(
        looks__decision__in=ENDING
    )  # fmt: skip
    for plan in plans.select_related("study").order_by("pk"):
        planned = due_look(plan, count_answers(plan.study))
        if planned is not None:
            queued += _queue(plan, planned)
    return queued


def _queue(plan: StopPlan, planned: int) -> int:
    failed = StopLook.objects.filter(plan=plan).exclude(status__in=[*WAITING, Status.DONE]).first()
    if failed is not None:
        return 0  # a researcher sees why, and tries again
    try:
        with transaction.atomic():
            number = StopLook.objects.filter(plan=plan).count() + 1
            look = StopLook.objects.create(plan=plan, number=number, planned=planned)
            enqueue(works()[WORK_KEY], look)
    except IntegrityError:  # another worker has queued it
        return 0
    return 1


def taken_before(look: StopLook) -> list[int]:
    """The answers at each look before this one, in their order."""
    before = StopLook.objects.filter(plan=look.plan_id, number__lt=look.number, status=Status.DONE)
    return [answers or 0 for answers in before.order_by("number").values_list("answers", flat=True)]


def finish_look(claim: Claim, answers: int, figures: dict[str, object], decision: StopLook.Decision) -> None:
    """Keep what a look found and, if it ends the plan, pause the study with it. Raises ClaimLostError."""
    look: StopLook = claim.row
    study = look.plan.study
    with claim.finish(answers=answers, taken_at=database_now(), figures=figures, decision=decision.value):
        new = {"look": look.number, "answers": answers, "decision": decision.value}
        record("look taken", f"look {look.number}", actor=None, study=study.slug, new=new)
        if decision in REASONS:
            try:
                pause(study, None, REASONS[decision].format(look.number, answers))
            except StudyRefusedError:
                return  # paused or closed meanwhile: it gives out nothing already
