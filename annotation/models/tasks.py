"""Tasks, their slots for raters, and raters' assignments and drafts."""

import uuid

from django.db import models
from django.db.models import Q

from annotation.models.items import Item, Output
from annotation.models.people import Rater
from annotation.models.study import Study
from config.model_fields import ExactJSONField


class Task(models.Model):
    """The unit of work: an item with some of its outputs, or with a `variant` that the protocol defines.

    `key` is unique in the item: the outputs' keys and the variant, as `annotation.studies.planning` writes them.
    """

    variant_fields = ("variant",)
    digest_fields = ("key",)

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="tasks", db_index=False)
    key = models.CharField(max_length=64)
    variant = models.CharField(max_length=240, blank=True)
    outputs: "models.ManyToManyField[Output, TaskOutput]" = models.ManyToManyField(
        Output, through="TaskOutput", related_name="tasks"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "key"], name="task_once")]

    def __str__(self) -> str:
        return f"task {self.pk} on {self.item}"


class TaskOutput(models.Model):
    """An output's position in a task, before any shuffling for raters."""

    place_fields = ("position",)

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="task_outputs", db_index=False)
    output = models.ForeignKey(Output, on_delete=models.PROTECT, related_name="task_outputs")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["task", "position"]
        constraints = [
            models.UniqueConstraint(fields=["task", "position"], name="task_output_position_once"),
            models.UniqueConstraint(fields=["task", "output"], name="task_output_once"),
        ]

    def __str__(self) -> str:
        return f"{self.output} in task {self.task_id}"


class Slot(models.Model):
    """One of a task's k places for raters, with the order in which the outputs are shown there.

    A slot of a task that a part mixes in belongs to no `study`, so that nothing that counts a study's places counts it.
    *Open*: free. *Held*: leased to a rater until `lease_until`. *Filled*: answered. The order stays with the slot, so
    that balance survives expired leases.
    """

    place_fields = ("order",)

    class State(models.TextChoices):
        OPEN = "open", "Open"
        HELD = "held", "Held"
        FILLED = "filled", "Filled"

    study = models.ForeignKey(
        Study, on_delete=models.PROTECT, null=True, blank=True, related_name="slots", db_index=False,
        help_text="empty: a task that a part mixes in, which fills no place of the study",
    )  # fmt: skip
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="slots")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="slots", db_index=False)
    number = models.PositiveSmallIntegerField(help_text="0 to k - 1")
    place = models.BigIntegerField(help_text="the item's place in the study's seeded order")
    order = ExactJSONField(help_text="positions of the task's outputs in the order shown")
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    holder = models.ForeignKey(
        Rater, on_delete=models.PROTECT, null=True, blank=True, related_name="slots", db_index=False
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    kept_for = models.CharField(
        max_length=200, blank=True, help_text="the name of the only rater who may take it, if the study's plan says so"
    )
    lane = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="for whom it is, if the study tells raters apart; otherwise 0"
    )
    third_rater = models.BooleanField(
        default=False, db_default=False, help_text="whether it was made because the planned raters disagreed"
    )

    class Meta:
        indexes = [
            models.Index(
                fields=["study", "place", "number", "id"], condition=Q(state="open"), name="slot_open_in_order"
            ),
            models.Index(
                fields=["study", "kept_for", "place", "number", "id"],
                condition=~Q(kept_for="") & Q(state="open"),
                name="slot_kept_for",
            ),
            models.Index(
                fields=["study", "lane", "place", "number", "id"],
                condition=~Q(lane=0) & Q(state="open"),
                name="slot_open_in_lane",
            ),
            models.Index(fields=["study", "lease_until"], condition=Q(state="held"), name="slot_lease"),
            models.Index(fields=["holder", "state"], condition=Q(holder__isnull=False), name="slot_of_holder"),
            models.Index(fields=["study", "state"], condition=Q(third_rater=True), name="slot_of_third_rater"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="slot_once"),
            models.UniqueConstraint(
                fields=["task", "holder"], condition=Q(holder__isnull=False), name="slot_rater_once_a_task"
            ),
            models.CheckConstraint(
                condition=Q(state="open", holder__isnull=True, lease_until__isnull=True)
                | Q(state="held", holder__isnull=False, lease_until__isnull=False)
                | Q(state="filled", holder__isnull=False, lease_until__isnull=True),
                name="slot_state_fits_holder",
            ),
        ]

    def __str__(self) -> str:
        return f"slot {self.number} of task {self.task_id}"


class Assignment(models.Model):
    """A rater's work on a task since they first opened it: the draft, the times, the flag.

    Addresses contain `key`, which reveals nothing about the task.
    """

    place_fields = ("order",)

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="assignments")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="assignments", db_index=False)
    order = ExactJSONField(help_text="the order shown, copied from the slot when it was opened")
    opened_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="when work on the next revision began, by the server's clock; empty before that",
    )
    created_at = models.DateTimeField(help_text="when the task was first given to the rater")
    seen_at = models.DateTimeField(null=True, blank=True, help_text="last heartbeat from the page")
    draft = ExactJSONField(null=True, blank=True)
    draft_version = models.PositiveIntegerField(default=0)
    visible_seconds = models.FloatField(default=0, help_text="since opened_at, as the page counted: untrusted")
    active_seconds = models.FloatField(default=0, help_text="since opened_at, as the page counted: untrusted")
    tool_use = ExactJSONField(default=dict, help_text="how often each reading aid was used since opened_at")
    flag = models.TextField(blank=True, help_text="what the rater says is wrong with the task")

    class Meta:
        indexes = [
            models.Index(fields=["rater", "id"], name="assignment_of_rater"),
            models.Index(fields=["rater", "id"], condition=~Q(flag=""), name="assignment_flagged"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["rater", "task"], name="assignment_once"),
            models.CheckConstraint(
                condition=Q(visible_seconds__gte=0, active_seconds__gte=0), name="assignment_seconds_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rater} on task {self.task_id}"


class SeenItem(models.Model):
    """An item to which a rater was shown the answers of others, so they get none of its tasks, whatever came of it."""

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="seen_items", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="seen_by")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rater", "item"], name="seen_item_once")]

    def __str__(self) -> str:
        return f"{self.item} as seen by {self.rater}"


class DraftConflict(models.Model):
    """A form that an outdated page sent, kept so that both versions exist. See `annotation.desk.conflicting_drafts`."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="draft_conflicts")
    base_version = models.PositiveIntegerField()
    body = ExactJSONField()
    saved_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"draft kept aside of {self.assignment}"
