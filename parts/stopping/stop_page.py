"""The context of the page about a study's stop rules: rows alone, no figures are computed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Slot, Study
from config.background.rows import WAITING, Status
from parts.stopping.fixing import ending_look
from parts.stopping.looking import count_answers
from parts.stopping.models import StopContinuation, StopLook, StopPlan
from parts.stopping.peeking import peek_facts, peeks_in_words
from parts.stopping.plan_spec import OF_SYSTEMS, SEPARATED, read_stopping, stopping_of
from parts.stopping.plan_words import FIGURE_WORDS, plan_in_words


@dataclass(frozen=True)
class LookRow:
    """A line of the table of looks: one figure of one rule at one look."""

    look: StopLook
    first: bool
    figure: str
    value: float | None
    interval: list[float] | None
    boundary: float | None
    needed: str
    met: bool


def stop_context(study: Study) -> dict[str, Any]:
    """The values of the page: plan, looks, and what can be done."""
    plan, declared = StopPlan.objects.filter(study=study).first(), stopping_of(study)
    spec = read_stopping(plan.spec) if plan else declared
    looks = list(StopLook.objects.filter(plan=plan).order_by("number")) if plan else []
    ended = ending_look(plan) if plan else None
    gone_on = StopContinuation.objects.filter(look=ended).select_related("by").first() if ended else None
    answers = count_answers(study) if spec else 0
    taken = max((look.answers or 0 for look in looks), default=0)
    return {
        "study": study,
        "spec": spec,
        "plan": plan,
        "sentences": plan_in_words(spec) if spec else [],
        "rows": [row for look in looks if look.status == Status.DONE for row in _rows(look)],
        "waiting": next((look for look in looks if look.status in WAITING), None),
        "failed": next((look for look in looks if look.status not in (*WAITING, Status.DONE)), None),
        "looks_taken": sum(look.status == Status.DONE for look in looks),
        "ended": ended,
        "peeks": peeks_in_words(peek_facts(plan)) if plan else "",
        "continuation": gone_on,
        "answers": answers,
        "next_look": next((one for one in spec.looks if one > taken), None) if spec and not ended else None,
        "third": Slot.objects.filter(study=study, third_rater=True).count() if spec and spec.third_rater else None,
    }


def _rows(look: StopLook) -> list[LookRow]:
    """The lines of a finished look; one without figures if they have been erased."""
    made: list[LookRow] = []
    for rule in look.figures.get("rules", []):
        needed = "excludes even" if rule["until"] == SEPARATED else f"at most {rule['width']:g} wide"
        for target in rule["targets"] or [None]:
            name = f"{FIGURE_WORDS[rule['figure']]} of {rule['question']}{_of(rule, target)}"
            found = target or {"value": None, "interval": None, "met": False}
            made.append(
                LookRow(look, not made, name[0].upper() + name[1:], found["value"], found["interval"],
                        rule["boundary"], needed, found["met"])
            )  # fmt: skip
    return made or [LookRow(look, True, "removed with the answers", None, None, None, "", False)]


def _of(rule: Mapping[str, Any], target: Mapping[str, Any] | None) -> str:
    """The systems that a figure is about, if it is about any."""
    names = target["name"] if target and rule["figure"] in OF_SYSTEMS else []
    return f": {' and '.join(names)}" if names else ""
