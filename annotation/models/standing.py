"""Whether a rater gets tasks and counts: exclusions with the rater's replies, and pauses, each with its reason."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.people import Rater
from config.database_clock import database_now


class RaterExclusion(models.Model):
    """A researcher's decision that figures can leave a rater's answers out; it ends if a researcher takes it back."""

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="exclusions")
    reason = models.TextField(help_text="the rater reads it, too")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(default=database_now)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    ended_reason = models.TextField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rater"], condition=Q(ended_at__isnull=True), name="rater_excluded_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="rater_excluded_with_reason"),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, ended_reason__isnull=True)
                | (Q(ended_at__isnull=False, ended_reason__isnull=False) & ~Q(ended_reason="")),
                name="rater_exclusion_ended_with_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"exclusion of {self.rater}"


class ExclusionReply(models.Model):
    """What an excluded rater says about it. Researchers see it beside the exclusion."""

    exclusion = models.ForeignKey(RaterExclusion, on_delete=models.PROTECT, related_name="replies")
    text = models.TextField()
    at = models.DateTimeField(default=database_now)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="exclusion_reply_given")]

    def __str__(self) -> str:
        return f"reply to {self.exclusion}"


class RaterPause(models.Model):
    """A researcher's decision that a rater gets no new work; it ends if a researcher takes it back."""

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="pauses")
    reason = models.TextField(help_text="the rater reads it, too")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(default=database_now)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rater"], condition=Q(ended_at__isnull=True), name="rater_paused_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="rater_paused_with_reason"),
        ]

    def __str__(self) -> str:
        return f"pause of {self.rater}"
