"""The tables of people from recruiters and by a public link: their stays, and apart from them who they are.

A participant's id names a person to the recruiter, so it is in a table of its own that goes with the person;
what stays is a keyed hash by which the same id is refused.
"""

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.crypto import salted_hmac

from annotation.models import Rater, Study


class CrowdStay(models.Model):
    """A rater's stay in a study, from entry to its outcome, and the completion code that was handed out."""

    class Source(models.TextChoices):
        RECRUITER = "recruiter", "Recruiter"
        PUBLIC = "public", "Public link"

    class Outcome(models.TextChoices):
        COMPLETE = "complete", "Complete"
        SCREENED_OUT = "screened_out", "Not a fit"
        FAILED = "failed", "Did not pass"
        WITHDRAWN = "withdrawn", "Withdrawn"
        TIMED_OUT = "timed_out", "Timed out"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="crowd_stays")
    rater = models.OneToOneField(Rater, on_delete=models.PROTECT, related_name="crowd_stay")
    source = models.CharField(max_length=9, choices=Source)
    entered_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, blank=True, help_text="when the stay ends by itself; empty: never")
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=12, choices=Outcome, blank=True)
    code = models.CharField(max_length=60, blank=True, help_text="the completion code that the person was given")
    is_own_code = models.BooleanField(default=False, help_text="whether nobody else in the study has this code")

    class Meta:
        indexes = [models.Index(fields=["due_at"], condition=Q(ended_at__isnull=True), name="crowd_stay_due")]
        constraints = [
            models.UniqueConstraint(fields=["study", "code"], condition=Q(is_own_code=True), name="crowd_code_once"),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, outcome="", code="")
                | (
                    Q(ended_at__isnull=False)
                    & Q(outcome__in=["complete", "screened_out", "failed", "withdrawn", "timed_out"])
                ),
                name="crowd_outcome_fits_end",
            ),
            models.CheckConstraint(condition=Q(source__in=["recruiter", "public"]), name="crowd_source_known"),
        ]

    def __str__(self) -> str:
        return f"stay of {self.rater}"


OUTCOMES: Mapping[str, str] = dict(CrowdStay.Outcome.choices)
"""Each way in which a stay ends, in words for researchers."""


class CrowdId(models.Model):
    """Who a person is to the recruiter. Personal data: in no export, and erased with the person."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="crowd_ids")
    participant = models.CharField(max_length=100)
    recruiter_study = models.CharField(max_length=100, blank=True)
    session = models.CharField(max_length=100, blank=True)
    repeats = models.PositiveIntegerField(
        default=0, help_text="how often somebody came with this participant id and another submission"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "participant"], name="crowd_participant_once"),
            models.UniqueConstraint(fields=["study", "person"], name="crowd_person_once"),
            models.CheckConstraint(condition=~Q(participant=""), name="crowd_participant_given"),
        ]

    def __str__(self) -> str:
        return f"id of a participant in {self.study}"


class CrowdBrowser(models.Model):
    """A browser from which a person came, as the keyed hash of a random cookie. It goes with the person."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="crowd_browsers")
    key = models.CharField(max_length=64, help_text="keyed hash of the cookie")
    is_public = models.BooleanField(help_text="whether the person came by the public link, which takes a browser once")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "person", "key"], name="crowd_browser_once"),
            models.UniqueConstraint(
                fields=["study", "key"], condition=Q(is_public=True), name="crowd_public_browser_once"
            ),
        ]
        indexes = [models.Index(fields=["study", "key"], name="crowd_browser_key")]

    def __str__(self) -> str:
        return f"browser in {self.study}"


class LeftParticipant(models.Model):
    """Somebody who has left the study, so that nobody joins twice: the keyed hash of their id, or of their browser.

    The former is of a recruiter's participants, the latter of people of the public link. Nothing leads from it to a
    person, and nobody reads the id from it. It goes with the study.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64, help_text="keyed hash of the participant id, or of the browser")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "digest"], name="crowd_left_participant_once")]

    def __str__(self) -> str:
        return f"participant who left {self.study}"


def participant_digest(study: int, participant: str) -> str:
    """Return what is kept of a participant id after its person has left the study (a primary key)."""
    return salted_hmac("crowds.participant", f"{study} {participant}", algorithm="sha256").hexdigest()


def browser_digest(study: int, key: str) -> str:
    """Return what is kept of a browser's key after its person has left the study (a primary key)."""
    return salted_hmac("crowds.left_browser", f"{study} {key}", algorithm="sha256").hexdigest()
