"""The steps that people pass before their first task: what they agreed to, said and answered, and how it went."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Item, Rater, Study
from config.model_fields import ExactJSONField


class ConsentVersion(models.Model):
    """A text that people agreed to, with the privacy notice, the retention and the rule for withdrawal beside it.

    A version is stored when somebody first agrees to it; `digest` is of everything that the page shows.
    """

    class OnWithdrawal(models.TextChoices):
        KEEP = "keep", "Kept without a name"
        ERASE = "erase", "Erased"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="consent_versions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    text = models.TextField()
    privacy = models.TextField(blank=True)
    retention = models.TextField()
    on_withdrawal = models.CharField(max_length=5, choices=OnWithdrawal)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="consent_version_number_once"),
            models.UniqueConstraint(fields=["study", "digest"], name="consent_version_digest_once"),
            models.CheckConstraint(condition=Q(on_withdrawal__in=["keep", "erase"]), name="consent_rule_known"),
        ]

    def __str__(self) -> str:
        return f"consent {self.number} of {self.study}"


class Consent(models.Model):
    """A rater's agreement to a version, with its time."""

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="consents")
    version = models.ForeignKey(ConsentVersion, on_delete=models.PROTECT, related_name="consents")
    agreed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rater", "version"], name="consent_once")]

    def __str__(self) -> str:
        return f"{self.rater} agreed to {self.version}"


class StepPassage(models.Model):
    """A rater's attempt at a step: when it began and ended, and its outcome.

    `tasks` are the practice tasks of the attempt as [item, variant, order of outputs]. `result` says how each rule
    came out; while practice tasks are under way, it holds the draft of the one that is next, and in a pilot of the
    study's own tasks, how many there are. `waiting` is for attempts that a researcher decides.
    """

    place_fields = ("tasks",)

    class Outcome(models.TextChoices):
        OPEN = "open", "Under way"
        WAITING = "waiting", "Waits for a decision"
        PASSED = "passed", "Passed"
        FAILED = "failed", "Not passed"

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="step_passages")
    step = models.CharField(max_length=100, help_text="the step's key in the study file")
    attempt = models.PositiveSmallIntegerField(help_text="from 1")
    outcome = models.CharField(max_length=7, choices=Outcome, default=Outcome.OPEN)
    guidelines_version = models.PositiveIntegerField(null=True, blank=True, help_text="the newest when it began")
    opened_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    tasks = ExactJSONField(default=list, blank=True)
    result = ExactJSONField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rater", "step", "attempt"], name="step_attempt_once"),
            models.UniqueConstraint(
                fields=["rater", "step"], condition=Q(outcome__in=["open", "waiting"]), name="step_attempt_open_once"
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=["open", "waiting"], ended_at__isnull=True)
                | Q(outcome__in=["passed", "failed"], ended_at__isnull=False),
                name="step_outcome_fits_end",
            ),
            models.CheckConstraint(condition=Q(attempt__gte=1), name="step_attempt_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.step} of {self.rater}, attempt {self.attempt}"


class PracticeAnswer(models.Model):
    """An answer to a practice task, which counts in no figure and is in no export of ratings.

    `checks` is {question: whether it is right}, or {} for tasks without right answers.
    """

    order_fields = ("shown",)
    answer_fields = ("answers",)

    passage = models.ForeignKey(StepPassage, on_delete=models.PROTECT, related_name="answers")
    number = models.PositiveIntegerField(help_text="the task's place in the attempt, from 0")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    variant = models.CharField(max_length=200, blank=True)
    shown = ExactJSONField(help_text="the outputs' keys in the order shown")
    answers = ExactJSONField()
    checks = ExactJSONField(default=dict, blank=True)
    submitted_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True, help_text="when the right answer was read, in training")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["passage", "number"], name="practice_answer_once")]

    def __str__(self) -> str:
        return f"task {self.number + 1} of {self.passage}"


class PersonalReply(models.Model):
    """What a person said about themselves in a screen or a questionnaire. It goes with the person, whatever stays."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="personal_replies")
    step = models.CharField(max_length=100)
    question = models.CharField(max_length=100)
    value = ExactJSONField()
    given_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "personal replies"
        constraints = [
            models.UniqueConstraint(fields=["study", "person", "step", "question"], name="personal_reply_once")
        ]

    def __str__(self) -> str:
        return f"reply to {self.question} in {self.study}"
