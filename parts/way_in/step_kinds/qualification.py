"""A qualification: tasks whose answers must agree with gold, by a rule per question, in a number of attempts."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext_noop

from annotation.questions import is_number
from files.import_problems import FieldInvalidError, quoted, unknown
from parts.way_in.entry_step import DeclaredIn, EntryStep, Halt, Passages
from parts.way_in.gold_checks import marks_spans
from parts.way_in.models import StepPassage
from parts.way_in.passing import FAILED, PASSED, end
from parts.way_in.practice_kind import PracticeKind, is_whole
from parts.way_in.practice_tasks import QUALIFICATION
from parts.way_in.rule_results import rule_results
from parts.way_in.step_fields import INTRO, ITEMS, SAMPLE, StepField

RULE_KEYS = ("question", "least", "within", "found", "alpha")
MOST_ATTEMPTS, MOST_HOURS, MOST_RIGHT = 20, 24 * 365, 1000


class QualificationStep(PracticeKind):
    key = "qualification"
    label = gettext_noop("Qualification")
    about = "People rate items with known answers, which they do not see, and pass by rules per question."
    pool = QUALIFICATION
    spec_keys = frozenset({"intro", "items", "sample", "rules", "attempts", "cooldown_hours", "since_guidelines"})
    fields = (
        INTRO, ITEMS, SAMPLE,
        StepField(
            "rules", "Rules", "YAML, one block per question: question, then least (right answers), within (distance "
            "from the right answer), found (share of the right spans), alpha (least agreement with the right answers). "
            "All rules must be met.", kind="yaml", required=True,
        ),
        StepField("attempts", "Attempts", "Empty: one.", kind="whole"),
        StepField("cooldown_hours", "Hours between attempts", "Empty: none.", kind="whole"),
        StepField("since_guidelines", "Counts since guidelines version", "Attempts under earlier versions do not "
                  "count. Set it when a version changes what answers mean.", kind="whole"),
    )  # fmt: skip

    def problems(self, body: Mapping[str, Any], place: str, within: DeclaredIn) -> Iterator[FieldInvalidError]:
        yield from super().problems(body, place, within)
        for name, least, most in (
            ("attempts", 1, MOST_ATTEMPTS), ("cooldown_hours", 0, MOST_HOURS), ("since_guidelines", 1, 10**6),
        ):  # fmt: skip
            if name in body and not is_whole(body[name], least, most):
                yield FieldInvalidError(place, f"{name} must be a whole number from {least} to {most}")
        rules = body.get("rules")
        if not isinstance(rules, list) or not rules:
            yield FieldInvalidError(place, "rules must be a list with at least one rule")
            return
        for number, rule in enumerate(rules):
            yield from _rule_problems(rule, f"{place}: rules.{number}", within)

    def is_passed(self, step: EntryStep, passages: Passages) -> bool:
        return passages.has_passed(step, step.option("since_guidelines", None))

    def halt(self, step: EntryStep, passages: Passages, now: datetime) -> Halt | None:
        """Attempts under guidelines before `since_guidelines` are not counted."""
        since = step.option("since_guidelines", 0)
        counted = [one for one in passages.of(step) if (one.guidelines_version or 0) >= since]
        failed = [one for one in counted if one.outcome == FAILED]
        if any(one.outcome == StepPassage.Outcome.OPEN for one in counted) or not failed:
            return None
        if len(failed) >= step.option("attempts", 1):
            return Halt(over=True)
        ended = failed[-1].ended_at
        until = ended + timedelta(hours=step.option("cooldown_hours", 0)) if ended else now
        return Halt(until=until) if until > now else None

    def finish(self, step: EntryStep, passage: StepPassage, now: datetime) -> None:
        results = rule_results(step.body["rules"], passage)
        outcome = PASSED if all(one["met"] for one in results) else FAILED
        end(passage, outcome, now, actor=passage.rater.person, result={"rules": results})


def _rule_problems(rule: Any, place: str, within: DeclaredIn) -> Iterator[FieldInvalidError]:
    if not isinstance(rule, dict):
        yield FieldInvalidError(place, "must be a mapping of keys to values")
        return
    for key in rule:
        if key not in RULE_KEYS:
            yield FieldInvalidError(place, unknown("key", key, RULE_KEYS))
    asked = next((one for one in within.questions if one.key == rule.get("question")), None)
    if asked is None:
        yield FieldInvalidError(place, f"question {quoted(rule.get('question'))} is not a question of the study")
        return
    if rule.get("least") is not None and not is_whole(rule["least"], 1, MOST_RIGHT):
        yield FieldInvalidError(place, f"least must be a whole number from 1 to {MOST_RIGHT}")
    if rule.get("within") is not None and not (is_number(rule["within"]) and rule["within"] >= 0):
        yield FieldInvalidError(place, "within must be a number, 0 or more")
    for name, low in (("found", 0), ("alpha", -1)):
        if rule.get(name) is not None and not (is_number(rule[name]) and low < rule[name] <= 1):
            yield FieldInvalidError(place, f"{name} must be a number above {low}, at most 1")
    if rule.get("found") is not None and not marks_spans(asked):
        yield FieldInvalidError(place, "found is only for questions with marked spans")


ENTRY_STEP = QualificationStep()
