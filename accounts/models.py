"""People, how they sign in, counts of wrong passwords, and the audit."""

from typing import ClassVar

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.contrib.sessions.base_session import AbstractBaseSession
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from accounts.reserved_names import refuse_reserved
from accounts.secret_tokens import token_hash
from config.database_clock import database_now
from config.folded_text import folded, folded_column
from config.model_fields import ExactJSONField

LONGEST_USER_NAME = 150
TAKEN = gettext_lazy("This user name is taken. Choose another one.")


class NamedPeople(UserManager["Person"]):
    """Finds people by their user names, in which A to Z and a to z are the same."""

    use_in_migrations = False

    def named(self, name: str | None) -> "Person | None":
        """The person with this user name, if there is one."""
        return self.filter(username_folded=folded(name)).first() if name else None

    def get_by_natural_key(self, username: str | None) -> "Person":
        """The person with this user name, for Django's own sign-in and commands. Raises Person.DoesNotExist."""
        return self.get(username_folded=folded(username or ""))


class Person(AbstractUser):
    """Somebody who signs in. Their rights come from memberships in studies, not from groups."""

    username = models.CharField(
        max_length=LONGEST_USER_NAME,
        unique=True,
        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
        validators=[UnicodeUsernameValidator(), refuse_reserved],
        error_messages={"unique": "A user with that username already exists."},
    )
    username_folded = folded_column("username", LONGEST_USER_NAME)
    email_folded = folded_column("email", 254)
    full_name = models.CharField(max_length=200, blank=True)
    preferences = ExactJSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="options that differ from the defaults",
    )
    guest_of = models.CharField(
        max_length=100,
        blank=True,
        editable=False,
        help_text="slug of the study whose link has made the account; nothing else is open to it",
    )
    is_synthetic = models.BooleanField(
        default=False, editable=False, help_text="stands for nobody, such as a rater of a dry run, and never signs in"
    )

    objects: ClassVar[NamedPeople] = NamedPeople()

    REQUIRED_FIELDS: ClassVar[list[str]] = []
    """What `createsuperuser` asks for beside name and password: nothing. We send no e-mail."""

    class Meta:
        verbose_name = "person"
        verbose_name_plural = "people"
        indexes = [models.Index(fields=["email_folded"], name="person_email_folded")]
        constraints = [
            models.UniqueConstraint(fields=["username_folded"], name="person_name_once"),
            models.CheckConstraint(
                condition=Q(is_synthetic=False)
                | Q(is_staff=False, is_superuser=False, password__startswith=UNUSABLE_PASSWORD_PREFIX),
                name="synthetic_person_has_no_rights",
            ),
        ]

    def __str__(self) -> str:
        return self.full_name or self.username

    def clean(self) -> None:
        """Refuse a user name that differs from another one in case alone: one name finds one person."""
        super().clean()
        other = Person.objects.named(self.username)
        if other is not None and other.pk != self.pk:
            raise ValidationError({"username": TAKEN})

    def may_be_in(self, study: str) -> bool:
        """Whether the account may be a member of the study of this slug: a guest's is open to one study alone."""
        return self.guest_of in ("", study)

    @property
    def is_guest(self) -> bool:
        """Whether a link made the account, and it is open to that link alone: without a password and without rights."""
        has_rights = self.is_staff or self.is_superuser or self.has_usable_password()
        return bool(self.guest_of) and self.is_active and not has_rights

    @property
    def may_sign_in(self) -> bool:
        """Whether the account is active and somebody's."""
        return self.is_active and not self.is_synthetic


class BrowserSession(AbstractBaseSession):
    """A browser's session, with the person who is signed in there; see `accounts.browser_sessions`."""

    person = models.ForeignKey(
        Person, null=True, blank=True, on_delete=models.CASCADE, related_name="browser_sessions", editable=False
    )
    seen_at = models.DateTimeField(
        default=database_now, editable=False, help_text="a request of the last hour or so; ends idle sessions"
    )


class SignInLink(models.Model):
    """A link that signs one person in once, or lets them set a new password once.

    It stops working when it expires or is revoked, or the password changes. Only hashes are stored: of the link's
    secret, and of the person's stored password when the link was made. One that an owner of a study made also stops
    working when the owner may not make it any more.
    """

    class Purpose(models.TextChoices):
        SIGN_IN = "sign-in", "Sign in"
        PASSWORD = "password", "New password"

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="sign_in_links")
    token_hash = models.CharField(max_length=64, unique=True)
    password_hash = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    purpose = models.CharField(max_length=8, choices=Purpose, default=Purpose.SIGN_IN)
    study = models.CharField(max_length=100, blank=True, help_text="slug of the study whose owner made it")
    made_by = models.ForeignKey(
        Person, null=True, blank=True, on_delete=models.CASCADE, related_name="+", help_text="empty: by an operator"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(study="", made_by__isnull=True)
                | (~Q(study="") & Q(made_by__isnull=False, purpose="sign-in")),
                name="sign_in_link_of_study_made_by",
            )
        ]

    def __str__(self) -> str:
        return f"sign-in link of {self.person}"

    @property
    def fits_person(self) -> bool:
        """Whether the person may sign in, and their password has not changed since the link was made."""
        return self.person.may_sign_in and self.password_hash == token_hash(self.person.password)


class SecondFactor(models.Model):
    """A person's authenticator app, whose codes sign-in asks for after the password; see `accounts.second_factor`."""

    person = models.OneToOneField(Person, on_delete=models.CASCADE, related_name="second_factor")
    sealed_key = models.TextField(editable=False, help_text="the app's key, encrypted with SECRET_KEY")
    since = models.DateTimeField(auto_now_add=True)
    used_step = models.BigIntegerField(
        editable=False, help_text="the newest step of 30 seconds of which a code was used; earlier ones are refused"
    )
    recovery_hashes = ExactJSONField(default=list, editable=False, help_text="hashes of the unused recovery codes")

    def __str__(self) -> str:
        return f"second factor of {self.person}"


class WrongTryCount(models.Model):
    """Wrong passwords for an account from an address or for all from an address, or wrong codes, until `ends_at`."""

    key = models.CharField(max_length=64, unique=True, help_text="keyed hash of the user name and the address")
    count = models.PositiveIntegerField(default=0)
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} wrong passwords until {self.ends_at}"


class KnownAddress(models.Model):
    """An address from which one person has signed in. Until `until`, the limit per address does not apply to them."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="known_addresses")
    key = models.CharField(max_length=64, unique=True, help_text="keyed hash of the user name and the address")
    until = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "known addresses"

    def __str__(self) -> str:
        return f"known address until {self.until}"


class Identity(models.Model):
    """A person in the audit of one study, or in the audit outside of studies.

    Audit entries point to an identity, never to a person. Erasing a person from a study empties `person` in one row, so
    that no entry of that study names them any more.
    """

    person = models.ForeignKey(
        Person, on_delete=models.PROTECT, null=True, blank=True, related_name="identities",
        help_text="empty: erased",
    )  # fmt: skip
    study = models.CharField(max_length=100, blank=True, help_text="slug of the study; empty: outside of studies")

    class Meta:
        verbose_name_plural = "identities"
        constraints = [
            models.UniqueConstraint(
                fields=["person", "study"], condition=Q(person__isnull=False), name="identity_once_per_study"
            )
        ]

    def __str__(self) -> str:
        return str(self.person) if self.person_id else f"erased person {self.pk}"


class AuditEntry(models.Model):
    """Who changed what and when, with the old and new values. The database refuses to change entries.

    `accounts.auditing` adds entries. `actor` made the change; `about` is the person it was made to, or whose work it
    concerns. No text names a person. Studies are named by their slug, so an entry outlives its study.
    """

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(
        Identity, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="empty for commands"
    )
    about = models.ForeignKey(
        Identity, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="the person it was done to, or whose work it concerns",
    )  # fmt: skip
    action = models.CharField(max_length=60)
    study = models.CharField(max_length=100, blank=True, help_text="slug of the study, if it happened in one")
    subject = models.CharField(max_length=300, blank=True)
    old = ExactJSONField(null=True, blank=True)
    new = ExactJSONField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["study", "at"], name="audit_study_at")]
        constraints = [models.CheckConstraint(condition=~Q(action=""), name="audit_action_named")]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}".strip()
