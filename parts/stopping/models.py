"""Plans of stop rules, looks, decisions to continue, and places of third raters."""

import json
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Slot, Study, Task
from config.background.rows import Row
from config.model_fields import ExactJSONField


class StopPlan(models.Model):
    """The stop rules of a study as they were when it first went live. The database refuses every change."""

    study = models.OneToOneField(Study, on_delete=models.PROTECT, related_name="stop_plan")
    body = models.TextField(help_text="the section stopping of the study, as canonical JSON")
    sha256 = models.CharField(max_length=64, help_text="of the body")
    fixed_at = models.DateTimeField()
    in_time = models.BooleanField(help_text="whether nobody had answered by then; otherwise no looks are taken")

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(body=""), name="stop_plan_body_given")]

    def __str__(self) -> str:
        return f"stop rules of {self.study}"

    @property
    def spec(self) -> Any:
        """The section as plain values."""
        return json.loads(self.body)


class StopLook(Row):
    """A look at the figures of a plan; the row is also the background work that takes it. Frozen once it is done."""

    class Decision(models.TextChoices):
        CONTINUE = "continue", "Continue"
        STOP = "stop", "Stop: the rules are met"
        END = "end", "Stop: this was the last look"

    plan = models.ForeignKey(StopPlan, on_delete=models.PROTECT, related_name="looks", db_index=False)
    number = models.PositiveIntegerField(help_text="1 for the first look")
    planned = models.PositiveIntegerField(help_text="answers after which the look was due")
    answers = models.PositiveIntegerField(null=True, blank=True, help_text="answers when it was taken")
    taken_at = models.DateTimeField(null=True, blank=True)
    figures = ExactJSONField(default=dict, help_text="what each rule found: estimates, intervals, boundaries")
    decision = models.CharField(max_length=8, choices=Decision, blank=True)

    class Meta(Row.Meta):
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(fields=["plan", "number"], name="stop_look_numbered"),
            models.UniqueConstraint(
                fields=["plan"], condition=Q(status__in=["queued", "running"]), name="stop_look_one_waiting"
            ),
            models.CheckConstraint(
                condition=~Q(status="done")
                | (Q(answers__isnull=False, taken_at__isnull=False) & ~Q(decision="")),
                name="stop_look_done_is_complete",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"look {self.number} of plan {self.plan_id}, {self.status}"


class FiledLook(models.Model):
    """A look that came from a file: a line of `looks.jsonl`."""

    model_fields = ("line",)

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="filed_looks")
    digest = models.CharField(max_length=64, help_text="of the line")
    line = ExactJSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "digest"], name="filed_look_once")]

    def __str__(self) -> str:
        return f"look of {self.study} from a file"


class ResultPeek(models.Model):
    """That somebody saw results of one kind on one day while a plan was running, outside of its looks."""

    plan = models.ForeignKey(StopPlan, on_delete=models.PROTECT, related_name="peeks", db_index=False)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="empty: somebody who was erased",
    )  # fmt: skip
    role = models.CharField(max_length=20, help_text="in the study at that time; operator for one who is no member")
    kind = models.CharField(max_length=16, help_text="the page: peeking.PAGES")
    day = models.DateField(help_text="UTC")
    at = models.DateTimeField(help_text="the first time on that day")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["plan", "by", "kind", "day"], name="result_peek_once_a_day")]

    def __str__(self) -> str:
        return f"{self.kind} seen on {self.day}"


class StopContinuation(models.Model):
    """A researcher's decision to go on after the rules had stopped the study."""

    look = models.OneToOneField(StopLook, on_delete=models.PROTECT, related_name="continuation")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="empty: a command, or somebody who was erased",
    )  # fmt: skip
    at = models.DateTimeField()
    reason = models.TextField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="stop_continuation_reason_given")]

    def __str__(self) -> str:
        return f"continued after {self.look}"


class ExtraPlace(models.Model):
    """A place for a third rater, made because the planned raters of its task disagreed. It goes with its slot."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="extra_places")
    slot = models.OneToOneField(Slot, on_delete=models.CASCADE, related_name="extra_place")
    disagreed = ExactJSONField(default=list, help_text="keys of the questions")
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"third rater for {self.slot}"


class PairCheck(Row):
    """An answer after which a worker compares the raters of its task; made in the answer's own transaction."""

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="+")

    class Meta(Row.Meta):
        pass

    def __str__(self) -> str:
        return f"comparison of task {self.task_id}, {self.status}"
