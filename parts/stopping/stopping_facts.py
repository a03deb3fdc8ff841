"""What a study planned about its end, what its looks found, and when and why it stopped, as plain values."""

from typing import Any

from django.db.models import Count, Q

from annotation.models import Rating, Slot, Study
from config.background.rows import Status
from config.text_validation import time_text
from parts.stopping.models import StopContinuation, StopLook, StopPlan
from parts.stopping.peeking import peek_facts, peeks_in_words
from parts.stopping.plan_spec import StoppingSpec, read_stopping, stopping_of
from parts.stopping.plan_words import plan_in_words

THIRD_WHY = (
    "Agreement is that of the planned raters. Third raters were asked only where those disagreed, so their answers "
    "would make agreement look lower than it is; they count in final answers and exported labels."
)


def stopping_facts(study: Study) -> dict[str, Any] | None:
    """The facts of a study with stop rules or third raters, else None: plan, looks, its end, and third raters."""
    spec, plan, third = stopping_of(study), StopPlan.objects.filter(study=study).first(), _third_raters(study)
    if spec is None and plan is None and third is None:
        return None
    fixed: StoppingSpec | None = read_stopping(plan.spec) if plan else spec
    looks = list(StopLook.objects.filter(plan=plan, status=Status.DONE).order_by("number")) if plan else []
    return {
        "planned": plan_in_words(fixed) if fixed else [],
        "sha256": plan.sha256 if plan else None,
        "fixed_at": time_text(plan.fixed_at) if plan else None,
        "in_time": plan.in_time if plan else None,
        "looks": [look_facts(look) for look in looks],
        "ended": _ended(looks),
        "peeks": peek_facts(plan),
        "third_raters": third,
    }


def shown_stopping(study: Study, kept: dict[str, Any] | None) -> dict[str, Any] | None:
    """The facts of a kept report as pages show them: with the peeks until now, which make no report out of date."""
    if kept is None:
        return None
    plan = StopPlan.objects.filter(study=study).first()
    return {**kept, "peeks_told": peeks_in_words(peek_facts(plan)) if plan else ""}


def look_facts(look: StopLook) -> dict[str, Any]:
    """A finished look as plain values."""
    return {
        "number": look.number, "planned": look.planned, "answers": look.answers, "taken_at": time_text(look.taken_at),
        "decision": look.decision, "rules": look.figures.get("rules", []),
    }  # fmt: skip


def _ended(looks: list[StopLook]) -> dict[str, Any] | None:
    last = next((look for look in looks if look.decision in (StopLook.Decision.STOP, StopLook.Decision.END)), None)
    if last is None:
        return None
    gone_on = StopContinuation.objects.filter(look=last).first()
    return {
        "look": last.number, "answers": last.answers, "at": time_text(last.taken_at), "decision": last.decision,
        "continued_at": time_text(gone_on.at) if gone_on else None, "reason": gone_on.reason if gone_on else None,
    }  # fmt: skip


def _third_raters(study: Study) -> dict[str, Any] | None:
    places = Slot.objects.filter(study=study, third_rater=True).aggregate(
        made=Count("pk"), filled=Count("pk", filter=Q(state=Slot.State.FILLED))
    )
    answers = Rating.objects.filter(study=study, third_rater=True, is_current=True).count()
    if not places["made"] and not answers:
        return None
    late = Rating.objects.filter(study=study, annotation__surplus=True, third_rater=False, is_current=True).count()
    return {**places, "ratings_left_out": answers + late, "why": THIRD_WHY}
