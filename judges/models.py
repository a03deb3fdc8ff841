"""Judgments: the background work of a run, one row for each unit, question and rerun."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.expressions import RawSQL
from django.db.models.functions import Left

from annotation.models import Item, JudgeRun, Output, Question, Study
from config.background.rows import Row
from config.model_fields import ExactJSONField
from llm.models import Reservation
from llm.reply_outcomes import ReplyOutcome

REASON_LENGTH = 200
REASON_START = Left("reason", REASON_LENGTH)
"""What reasons are counted by: an index on both databases holds that much of a long one."""
HAS_REASON = Q(status__in=["done", "failed"]) & ~Q(outcome="valid") & ~Q(reason="")
"""The judgments that have ended without a value, which say why."""


IS_FAILED = RawSQL("status = 'failed'", [], models.BooleanField())
"""The condition of the index of failed judgments, as SQLite wants it to use the index: without parameters."""


class RunWork(Row):
    """The work around a run of a judge or metric: makes its judgments and reserves its budget, or computes its scores.

    It is done when all judgments exist, or all scores; the run goes on until they are judged. `units` counts what there
    is to judge, without reruns and questions.
    """

    run = models.OneToOneField(JudgeRun, on_delete=models.PROTECT, related_name="work")
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="run_works")
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="empty: a command",
    )  # fmt: skip
    reservation = models.ForeignKey(Reservation, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    estimate = ExactJSONField(null=True, blank=True, help_text="see judges.estimates")
    planned = models.PositiveIntegerField(default=0, help_text="judgments made, or scores computed, so far")
    pilot = models.PositiveSmallIntegerField(
        default=0, help_text="units to judge first; the others wait until somebody has looked and resumes the run"
    )
    is_planned = models.BooleanField(default=False, help_text="all judgments exist")
    held_from = models.PositiveIntegerField(
        null=True, blank=True, help_text="judgments from this place on wait until the plan is complete or resumed"
    )
    partly = models.BooleanField(default=False, help_text="judge as far as the budget goes, with nothing reserved")
    probe = ExactJSONField(null=True, blank=True, help_text="what a probe found, once it has ended: judges.probing")
    client_key = models.UUIDField(
        null=True, blank=True, unique=True, help_text="makes a repeated request for the run harmless"
    )
    settled = models.BooleanField(
        default=False, help_text="the run has ended, its readings are recorded and its counts are final"
    )
    message = models.TextField(blank=True, help_text="why the run is not going on")

    def __str__(self) -> str:
        return f"work of {self.run}"


class MetricRequest(Row):
    """A run of a metric with a model that a page has asked for: a worker names the weights, then starts the run.

    The weights decide which rater the run has, and to read them takes longer than a page may.
    """

    naming_fields = ("given",)

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="metric_requests")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    given = ExactJSONField(help_text="what judges.metric_configuration.checked_metric takes")
    client_key = models.UUIDField(unique=True, help_text="makes a repeated request harmless; the run has it, too")
    run = models.OneToOneField(JudgeRun, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    def __str__(self) -> str:
        return f"request {self.pk} of {self.study}"


class Judgment(Row):
    """One judgment of a run: a unit, a question and a rerun, and what came of it.

    `outcome` is empty until the model has answered. `reading` is what was read: value, explanation, distribution and
    more; `recorded` says whether it is a rating (or a turn label) by now. The calls of a judgment have its name as
    their work in the ledger.
    """

    order_fields = ("order",)
    variant_fields = ("variant",)
    model_fields = ("reading",)

    Outcome = ReplyOutcome

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="judgments", db_index=False)
    place = models.PositiveIntegerField(help_text="its place in the run, from 0")
    question = models.ForeignKey(
        Question, on_delete=models.PROTECT, null=True, blank=True, related_name="judgments", db_index=False
    )
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judgments")
    output = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    other_output = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    variant = models.CharField(max_length=240, blank=True)
    order = ExactJSONField(null=True, blank=True, help_text="keys of the outputs in the order shown")
    replicate = models.PositiveIntegerField(default=1)
    original = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="rereadings", db_index=False,
        help_text="the judgment whose replies this one reads again",
    )  # fmt: skip
    injection = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="of a probe: the number of the text that was added to an output"
    )
    injected = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="of a probe: the place, from 0, of the output to which it was added"
    )
    outcome = models.CharField(max_length=9, choices=Outcome, blank=True)
    reading = ExactJSONField(null=True, blank=True)
    recorded = models.BooleanField(default=False)

    class Meta(Row.Meta):
        indexes = [
            *Row.Meta.indexes,
            models.Index(fields=["run", "status", "outcome", "place"], name="judgment_of_run"),
            models.Index(
                "run", "status", "outcome", REASON_START, "place", condition=HAS_REASON, name="judgment_without_value"
            ),
            models.Index(fields=["run", "ended_at"], condition=Q(status="failed"), name="judgment_failed"),
            models.Index(fields=["run", "id"], condition=Q(recorded=False, status="done"), name="judgment_unrecorded"),
        ]
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(fields=["run", "place"], name="judgment_place_once"),
            models.CheckConstraint(
                condition=Q(outcome__in=["", "valid", "invalid", "refused", "filtered", "truncated"]),
                name="judgment_outcome_known",
            ),
            models.CheckConstraint(condition=~Q(status="done") | ~Q(outcome=""), name="judgment_done_has_outcome"),
            models.CheckConstraint(
                condition=~Q(outcome="valid") | Q(reading__isnull=False), name="judgment_valid_has_reading"
            ),
        ]

    def __str__(self) -> str:
        return f"judgment {self.pk} of {self.run_id}"

    @property
    def work_name(self) -> str:
        """The name under which the ledger has its calls."""
        return f"judgment:{self.pk}"
