"""The tables of hidden checks: what each check is, for which claims it is due, and what rules have found."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Item, Rater, Study, Task
from config.database_clock import database_now
from config.model_fields import ExactJSONField

FIGURE_TITLES = {
    "gold": "Gold", "twins": "Twins", "repeats": "Repeats", "agrees": "Agreement", "time": "Time",
    "in_a_row": "Same in a row", "same_forms": "Same forms",
}  # fmt: skip
"""The figures of a rater that pages show and rules ask about."""


class CheckKind(models.TextChoices):
    GOLD = "gold", "Gold"
    TWIN = "twins", "Twin"
    REPEAT = "repeats", "Repeat"


ATTENTION = "attention"
"""The pool of items whose copies are checks."""


class CheckItem(models.Model):
    """An item that the program has made for checks: a copy of `source`, of which a twin has one output damaged."""

    system_fields = ("damaged",)
    answer_fields = ("expected",)

    item = models.OneToOneField(Item, on_delete=models.PROTECT, related_name="check_item")
    kind = models.CharField(max_length=7, choices=CheckKind)
    source = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="check_copies", db_index=False)
    damage = models.CharField(max_length=10, blank=True, help_text="how the output of a twin is damaged")
    damaged = models.CharField(max_length=200, blank=True, help_text="the key of that output")
    expected = ExactJSONField(null=True, blank=True, help_text="{question: right answer} of gold")
    created_at = models.DateTimeField(default=database_now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "kind", "damaged"], name="check_item_once"),
            models.CheckConstraint(condition=Q(kind__in=["gold", "twins", "repeats"]), name="check_item_kind_known"),
            models.CheckConstraint(
                condition=(Q(kind="twins") & ~Q(damage="") & ~Q(damaged=""))
                | (~Q(kind="twins") & Q(damage="", damaged="")),
                name="check_item_twin_is_damaged",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.source}"


class DueCheck(models.Model):
    """A hidden check that a rater gets instead of the task of their claim `number`, counted from 0.

    Tasks of one item that the protocol gives out together have the same number.
    """

    place_fields = ("order",)

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="due_checks", db_index=False)
    number = models.PositiveIntegerField(help_text="which of the rater's claims, from 0")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="due_checks", db_index=False)
    slot_number = models.PositiveSmallIntegerField(help_text="the number of the slot that it makes on its task")
    order = ExactJSONField(help_text="positions of the task's outputs in the order shown")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rater", "number", "task"], name="due_check_once"),
            models.UniqueConstraint(fields=["task", "slot_number"], name="due_check_slot_once"),
        ]

    def __str__(self) -> str:
        return f"check {self.number} of {self.rater}"


class CheckLook(models.Model):
    """How far workers have looked after a rater: checks prepared, and rules asked about the answers to them."""

    rater = models.OneToOneField(Rater, on_delete=models.PROTECT, related_name="check_look")
    given = models.PositiveIntegerField(null=True, blank=True, help_text="the rater's claims when checks were prepared")
    judged_through = models.BigIntegerField(default=0, help_text="the last answer to a check that rules know")
    conduct_through = models.BigIntegerField(default=0, help_text="the last answer to a task that rules know")

    def __str__(self) -> str:
        return f"look after {self.rater}"


class RaterNotice(models.Model):
    """A rule that a rater has met: for a researcher to answer; `paused` if the rule has paused the rater."""

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="check_notices")
    rule = ExactJSONField(help_text="the rule as the study had it then")
    share = models.FloatField(help_text="what the figure was")
    number = models.PositiveIntegerField(help_text="of how many checks or answers")
    paused = models.BooleanField(default=False)
    at = models.DateTimeField(default=database_now)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    outcome = models.TextField(blank=True, help_text="what the researcher did about it, and why")

    class Meta:
        indexes = [models.Index(fields=["rater"], condition=Q(answered_at__isnull=True), name="rater_notice_open")]
        constraints = [
            models.CheckConstraint(condition=Q(share__gte=0), name="rater_notice_share_positive"),
            models.CheckConstraint(
                condition=Q(answered_at__isnull=True, outcome="") | (Q(answered_at__isnull=False) & ~Q(outcome="")),
                name="rater_notice_answered_with_words",
            ),
        ]

    def __str__(self) -> str:
        return f"notice about {self.rater}"

    @property
    def figure_title(self) -> str:
        """The figure's name on pages."""
        return FIGURE_TITLES[self.rule["figure"]]


class FiledCheck(models.Model):
    """An answer to a check that came from a file: a line of `checks.jsonl`."""

    model_fields = ("line",)

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="filed_checks")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="filed_checks")
    digest = models.CharField(max_length=64, help_text="of the line")
    line = ExactJSONField(help_text="the line, without the rater")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "digest"], name="filed_check_once")]

    def __str__(self) -> str:
        return f"check of {self.rater} from a file"
