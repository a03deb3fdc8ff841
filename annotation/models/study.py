"""A study, its guidelines by version, and its questions."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.dry_run_option import DRY_RUN
from annotation.models.imports import PendingImport
from annotation.protocols import protocol_choices, protocols
from annotation.questions import question_type_choices
from config.model_fields import ExactJSONField


def random_secret() -> str:
    """A new secret of a study."""
    return secrets.token_hex(32)


class Project(models.Model):
    """A name under which a group of owners keeps several studies together."""

    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(name=""), name="project_name_given")]

    def __str__(self) -> str:
        return self.name


class Study(models.Model):
    """A set of items with questions about them and a protocol. `slug` names it in files, commands and addresses."""

    class Status(models.TextChoices):
        DRAFT = "draft", "Draft"
        LIVE = "live", "Live"
        PAUSED = "paused", "Paused"
        CLOSED = "closed", "Closed"

    slug = models.SlugField(max_length=100, unique=True)
    title = models.TextField(blank=True)
    description = models.TextField(blank=True)
    contact = models.TextField(blank=True)
    license = models.CharField(max_length=100, blank=True, help_text="of the data that the study publishes")
    citation = models.TextField(blank=True, help_text="how to cite the data")
    language = models.CharField(max_length=35, default="en", help_text="BCP 47")
    protocol = models.CharField(max_length=30, choices=protocol_choices)
    redundancy = models.PositiveSmallIntegerField(help_text="how many different raters each task gets")
    options = ExactJSONField(default=dict)
    systems = ExactJSONField(
        default=dict, blank=True, help_text="{system: {family, model, baseline, generic}}; hidden from annotators"
    )
    judges = ExactJSONField(default=dict, blank=True, help_text="{rater: {family}}; hidden from annotators")
    recruiting = ExactJSONField(
        default=dict, db_default={}, blank=True, help_text="how people come in, are checked and leave"
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    planned_through = models.BigIntegerField(
        default=0, help_text="tasks and slots exist for the items up to this primary key"
    )
    core_from = models.PositiveIntegerField(
        null=True, blank=True, editable=False,
        help_text="how many items there were when the plan's core was chosen among them; later items are not in it",
    )  # fmt: skip
    outdated_through = models.BigIntegerField(
        default=0, help_text="items up to this primary key may have tasks of earlier settings, which go first"
    )
    pending_import = models.OneToOneField(
        PendingImport, on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="study",
        help_text="an incomplete import; until it is complete, the study as a whole cannot be read or changed",
    )  # fmt: skip
    being_erased = models.BooleanField(
        default=False, editable=False, help_text="its deletion is decided, and its rows are going"
    )
    locked_at = models.DateTimeField(
        null=True, blank=True, help_text="since when a closed study is corrected only with a reason"
    )
    archived_at = models.DateTimeField(null=True, blank=True, help_text="since when it is only read")
    project = models.ForeignKey(Project, on_delete=models.PROTECT, null=True, blank=True, related_name="studies")
    code_secret = models.CharField(
        max_length=64, default=random_secret, editable=False, help_text="what the codes of systems are made with"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(condition=Q(redundancy__gte=1), name="study_redundancy_positive"),
            models.CheckConstraint(
                condition=Q(status__in=["draft", "live", "paused", "closed"]), name="study_status_known"
            ),
            models.CheckConstraint(condition=Q(slug__regex=r"^[a-z0-9-]+$"), name="study_slug_plain"),
            models.CheckConstraint(
                condition=Q(status="closed") | Q(locked_at__isnull=True, archived_at__isnull=True),
                name="study_closed_if_locked",
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.slug

    @property
    def is_live(self) -> bool:
        return self.status == self.Status.LIVE

    @property
    def is_dry_run(self) -> bool:
        """Whether it is a copy that synthetic raters fill: what it shows is about nobody."""
        return DRY_RUN in self.options

    @property
    def own_pages(self) -> tuple[tuple[str, str], ...]:
        """Pages that the study's protocol adds for researchers: titles and route names."""
        return protocols()[self.protocol].flow.study_pages

    @property
    def has_steps(self) -> bool:
        """Whether people pass steps before their first task."""
        return bool(self.recruiting.get("steps"))


class Unblinding(models.Model):
    """The end of a study's blinding: its researchers see the systems' names from then on."""

    study = models.OneToOneField(Study, on_delete=models.PROTECT, related_name="unblinding")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField()
    reason = models.TextField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="unblinding_reason_given")]

    def __str__(self) -> str:
        return f"unblinding of {self.study}"


class Guideline(models.Model):
    """One version of a study's guidelines (Markdown). Versions are added, never changed."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="guidelines")
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="guideline_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="guideline_number_positive"),
        ]

    def __str__(self) -> str:
        return f"guidelines {self.number} of {self.study}"


class Question(models.Model):
    """A question of a study. `spec` holds what only its type knows (scale, labels, choices, conditions)."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="questions")
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=100)
    type = models.CharField(max_length=30, choices=question_type_choices)
    text = models.TextField(blank=True)
    help = models.TextField(blank=True)
    required = models.BooleanField(default=True)
    spec = ExactJSONField(default=dict)

    class Meta:
        ordering = ["study", "position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="question_key_once"),
            models.UniqueConstraint(fields=["study", "position"], name="question_position_once"),
            models.CheckConstraint(condition=~Q(key=""), name="question_key_given"),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.study}"
