"""The ledger of calls, and the state of endpoints that all workers share."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Study
from config.model_fields import ExactJSONField
from config.request_ids import LENGTH, current_request_id


class Call(models.Model):
    """A call to a language model: the request, who it was for, the reply and the price.

    A call is *running* until `lease_until`. Every other status is final, and the database refuses to change the row.
    A call that was refused before it was sent (budget, stop, limits) has no row. Prices are whole millionths of the
    currency of the endpoints' prices.
    """

    class Status(models.TextChoices):
        RUNNING = "running", "Running"
        ANSWERED = "answered", "Answered"
        REFUSED = "refused", "Refused by the model"
        FILTERED = "filtered", "Blocked by a filter"
        TRUNCATED = "truncated", "Cut off at the token limit"
        INVALID = "invalid", "Unusable reply"
        FAILED = "failed", "Failed"
        STOPPED = "stopped", "Stopped"
        LOST = "lost", "Lost with its worker"
        CACHED = "cached", "Taken from an earlier call"

    study = models.ForeignKey(
        Study, on_delete=models.PROTECT, null=True, blank=True, related_name="calls", db_index=False,
        help_text="empty for calls outside studies",
    )  # fmt: skip
    run = models.CharField(max_length=200, blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="calls",
        help_text="who caused it",
    )  # fmt: skip
    work = models.CharField(max_length=200, blank=True, help_text="what the call is for, such as turn:12")
    step = models.CharField(max_length=50, blank=True)
    endpoint = models.CharField(max_length=100)
    model = models.CharField(max_length=200, help_text="its name on this site")
    scripted = models.BooleanField(default=False, help_text="the endpoint followed a script; not a language model")
    model_asked = models.CharField(max_length=200, help_text="the name sent to the endpoint")
    model_returned = models.CharField(max_length=200, blank=True, help_text="the name in the reply")
    parameters = ExactJSONField(default=dict)
    prompt_key = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=50, blank=True)
    prompt_digest = models.CharField(max_length=64, blank=True)
    messages = ExactJSONField(help_text="as sent")
    messages_digest = models.CharField(max_length=64)
    request_digest = models.CharField(max_length=64, help_text="of model, messages and parameters")
    status = models.CharField(max_length=10, choices=Status, default=Status.RUNNING)
    kind = models.CharField(max_length=20, blank=True, help_text="kind of failure")
    reason = models.TextField(blank=True)
    detail = models.TextField(blank=True, help_text="what the endpoint said, and what to do; for researchers alone")
    raw = models.TextField(blank=True, help_text="the reply as received")
    text = models.TextField(blank=True)
    thinking = models.TextField(blank=True, help_text="what it thought before it answered; for researchers alone")
    finish_reason = models.CharField(max_length=50, blank=True)
    refusal = models.TextField(blank=True)
    logprobs = ExactJSONField(null=True, blank=True)
    tokens_in = models.PositiveIntegerField(null=True, blank=True, help_text="as the endpoint counted")
    tokens_out = models.PositiveIntegerField(null=True, blank=True, help_text="as the endpoint counted")
    attempts = ExactJSONField(default=list)
    requests = models.PositiveSmallIntegerField(default=1, help_text="how often the call was sent")
    other_model = models.BooleanField(default=False, help_text="the reply names another model than requested")
    usage_missing = models.BooleanField(
        default=False, help_text="no usable token count, so the maximum price is charged"
    )
    price_unknown = models.BooleanField(default=False, help_text="the model has no price, so UNKNOWN_PRICE was used")
    price_reserved = models.BigIntegerField(default=0, help_text="the maximum cost of all requests together")
    price_per_request = models.BigIntegerField(default=0, help_text="the maximum cost of one request")
    price_charged = models.BigIntegerField(null=True, blank=True)
    reservation = models.ForeignKey(
        "Reservation", on_delete=models.PROTECT, null=True, blank=True, related_name="calls", db_index=False
    )
    original = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="copies", db_index=False,
        help_text="the call whose answer was used",
    )  # fmt: skip
    request_id = models.CharField(
        max_length=LENGTH, blank=True, default=current_request_id, db_default="", editable=False,
        help_text="the request of this site that led to it; its log lines carry it",
    )  # fmt: skip
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["study", "run", "id"], name="call_of_study"),
            models.Index(fields=["endpoint", "started_at"], name="call_of_endpoint"),
            models.Index(fields=["endpoint", "lease_until"], condition=Q(status="running"), name="call_running"),
            models.Index(fields=["work"], condition=~Q(work=""), name="call_of_work"),
            models.Index(fields=["request_digest"], condition=Q(status="answered"), name="call_answered"),
            models.Index(fields=["original"], condition=Q(original__isnull=False), name="call_copied"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    status="running", ended_at__isnull=True, price_charged__isnull=True, lease_until__isnull=False
                )
                | (~Q(status="running") & Q(ended_at__isnull=False, price_charged__isnull=False)),
                name="call_over_when_charged",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        "running", "answered", "refused", "filtered", "truncated", "invalid", "failed", "stopped",
                        "lost", "cached",
                    ]
                ),
                name="call_status_known",
            ),
            models.CheckConstraint(
                condition=Q(price_reserved__gte=0) & (Q(price_charged__isnull=True) | Q(price_charged__gte=0)),
                name="call_price_positive",
            ),
            models.CheckConstraint(
                condition=Q(status="cached", original__isnull=False)
                | (~Q(status="cached") & Q(original__isnull=True)),
                name="call_cached_from_a_call",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"call {self.pk} of {self.endpoint}/{self.model}"


class EndpointState(models.Model):
    """The health of an endpoint in a lane, shared by all workers. Calls to it start under the lock of its row.

    People who wait at a page and runs are in lanes of their own, so that what fails in one never pauses the other.
    """

    class Lane(models.TextChoices):
        PEOPLE = "people", "People at a page"
        RUNS = "runs", "Runs"

    name = models.CharField(max_length=100)
    lane = models.CharField(max_length=6, choices=Lane, default=Lane.PEOPLE)
    failures = models.PositiveIntegerField(default=0, help_text="failed calls in a row")
    pauses = models.PositiveIntegerField(default=0, help_text="in a row")
    open_until = models.DateTimeField(null=True, blank=True, help_text="no call starts before")
    message = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "lane"], name="endpoint_state_once"),
            models.CheckConstraint(condition=Q(lane__in=["people", "runs"]), name="endpoint_lane_known"),
        ]

    def __str__(self) -> str:
        return f"{self.name}, {self.get_lane_display()}"


class ModelState(models.Model):
    """What the latest reply of a model, as the file configures it, has shown of the way in which it thinks."""

    digest = models.CharField(max_length=64, unique=True, help_text="of the model's name and settings")
    unopened = models.BooleanField(help_text="its thinking had an end but no mark of the beginning")

    def __str__(self) -> str:
        return self.digest
