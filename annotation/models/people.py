"""Members of a study, invitations to it, and the raters who judge."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotation.models.study import Study
from config.model_fields import ExactJSONField


class Role(models.TextChoices):
    OWNER = "owner", gettext_lazy("Owner")
    RESEARCHER = "researcher", gettext_lazy("Researcher")
    ANNOTATOR = "annotator", gettext_lazy("Annotator")


class Membership(models.Model):
    """A person's role in a study; they have only one. Removing them deactivates the row and keeps it."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="memberships")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "person"], name="membership_once"),
            models.CheckConstraint(
                condition=Q(role__in=["owner", "researcher", "annotator"]), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person} in {self.study} as {self.role}"


class Invitation(models.Model):
    """A link that gives one person a role in a study. Only the hash of its token is stored."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role, default=Role.ANNOTATOR)
    note = models.CharField(max_length=200, blank=True, help_text="who it is for; visible to the study's researchers")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="invitations_made"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="invitations_taken"
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True, help_text="when its page was first shown")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(accepted_by__isnull=True, accepted_at__isnull=True)
                | Q(accepted_by__isnull=False, accepted_at__isnull=False),
                name="invitation_taken_by_somebody",
            ),
            models.CheckConstraint(condition=Q(role__in=["researcher", "annotator"]), name="invitation_role_known"),
        ]

    def __str__(self) -> str:
        return f"invitation to {self.study} as {self.role}"


class Rater(models.Model):
    """A person or machine that judges. Files show its `name`, which is a random pseudonym for people of this site."""

    class Kind(models.TextChoices):
        HUMAN = "human", "Human"
        MODEL = "model", "Model"
        METRIC = "metric", "Metric"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="raters")
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.HUMAN)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="raters"
    )
    place = models.BigIntegerField(
        null=True, blank=True, help_text="the last place in the study's order at which this rater got work"
    )
    given = models.PositiveIntegerField(
        default=0, db_default=0, editable=False,
        help_text="how often this rater got new work; counted in studies with mixed tasks",
    )  # fmt: skip
    paused_at = models.DateTimeField(null=True, blank=True, help_text="since when this rater gets no new work")
    topics = ExactJSONField(null=True, blank=True, help_text="the categories of items that this rater prefers")
    guidelines_read = models.PositiveIntegerField(
        null=True, blank=True, help_text="the newest version of the guidelines that this rater confirmed having read"
    )
    metadata = ExactJSONField(null=True, blank=True)
    import_pending = models.BooleanField(
        default=False, editable=False, help_text="answers of this rater are being imported, so their own work waits"
    )
    admitted = models.BooleanField(
        default=True, db_default=True, editable=False,
        help_text="whether this rater may be given tasks: false until they have passed the study's steps",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="rater_name_once"),
            models.UniqueConstraint(
                fields=["study", "person"], condition=Q(person__isnull=False), name="rater_person_once"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="rater_name_given"),
            models.CheckConstraint(condition=Q(person__isnull=True) | Q(kind="human"), name="rater_person_is_human"),
        ]

    def __str__(self) -> str:
        return self.name
