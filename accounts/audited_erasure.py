"""Erasure on request: its one entry in the audit, and what this app itself stores about a person."""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.auditing import record
from accounts.models import (
    AuditEntry,
    BrowserSession,
    Identity,
    KnownAddress,
    Person,
    SecondFactor,
    SignInLink,
)
from config.absent_parts import why_not_erased
from config.database_clock import database_now
from config.erasure import ErasedRows, open_erasure

STUDY_ERASED, RATER_ERASED = "study erased", "rater erased"
"""Actions of the entries that erasures leave. What stays of a study is kept if a later one has the same slug."""

LOGGED = 200
"""Characters of an object's name that Django's log keeps."""


class ErasureRefusedError(Exception):
    """The erasure is not possible now; the message says why and what to do first."""


@contextmanager
def audited_erasure(
    action: str,
    scope: str,
    *,
    actor: Person | None,
    study: str = "",
    person: Person | None = None,
    new: dict[str, Any] | None = None,
) -> Iterator[ErasedRows]:
    """Open an erasure of `scope` (ids, no names) and leave one entry in the audit, which names nobody who was erased.

    It is within `study`, a slug, and it may be of a `person`.

    The entry is written first, so that the erasure also reaches an actor who erases themselves. All of it is one
    transaction: an error leaves everything as it was. Raises ErasureRefusedError as `check_absent_parts` does.
    """
    check_absent_parts(study, person)
    with transaction.atomic(), open_erasure(scope) as erased:
        record(action, scope, actor=actor, study=study, new={"erasure": erased.erasure.pk, **(new or {})})
        yield erased


@contextmanager
def continued_erasure(action: str, scope: str, *, study: str) -> Iterator[ErasedRows]:
    """Open one more erasure of `scope`, for what `audited_erasure` has decided and entered in the audit.

    Raises LookupError if the audit has no such entry, and ErasureRefusedError as `check_absent_parts` does.
    """
    check_absent_parts(study)
    with transaction.atomic():
        if not AuditEntry.objects.filter(study=study, action=action, subject=scope).order_by("-at")[:1]:
            raise LookupError(f"The audit has no entry of the erasure of {scope}.")
        with open_erasure(scope) as erased:
            yield erased


def check_absent_parts(study: str, person: Person | None = None) -> None:
    """Raise ErasureRefusedError if a part that is not installed has rows of the study with this slug, or of `person`.

    Files go before rows and nothing brings them back, so this comes before both.
    """
    if refused := why_not_erased(study, person.pk if person is not None else None):
        raise ErasureRefusedError(refused)


def forget_in_audit(person: Person, study: str, erased: ErasedRows, *, words: bool) -> None:
    """Remove `person` from the audit of a study; with `words`, also empty what its entries about them quote."""
    identity = Identity.objects.filter(person=person, study=study)
    if words:
        entries = AuditEntry.objects.filter(Q(actor__in=identity) | Q(about__in=identity), study=study)
        erased.empty(entries.exclude(action__in=(STUDY_ERASED, RATER_ERASED)), old=None, new=None)
    erased.empty(identity, person=None)


def erase_audit(study: str, erased: ErasedRows) -> None:
    """Delete the audit entries of a study, but not what stayed of earlier studies with the same slug."""
    for rows in erased_audit(study):
        erased.delete(rows)


def erased_audit(study: str) -> tuple[QuerySet[Any], ...]:
    """The rows that `erase_audit` deletes: entries, and then the identities that they name."""
    kept = AuditEntry.objects.filter(study=study, action=STUDY_ERASED)
    entries = AuditEntry.objects.filter(study=study).exclude(action=STUDY_ERASED)
    return entries, Identity.objects.filter(study=study).exclude(pk__in=kept.exclude(actor=None).values("actor"))


def erase_account(person: Person, erased: ErasedRows) -> None:
    """Empty the account of `person`, so that nobody can sign in with it. The row stays, since others refer to it."""
    erased.delete(SignInLink.objects.filter(Q(person=person) | Q(made_by=person)))
    erased.delete(KnownAddress.objects.filter(person=person))
    erased.delete(BrowserSession.objects.filter(person=person))
    erased.delete(SecondFactor.objects.filter(person=person))
    erased.delete(_admin_log_about(person))
    erased.empty(Identity.objects.filter(person=person), person=None)
    nobody = Person(username=f"erased-{secrets.token_hex(8)}", is_active=False, date_joined=database_now())
    nobody.set_unusable_password()
    fields = [field.name for field in Person._meta.concrete_fields if not field.primary_key and not field.generated]
    erased.empty(Person.objects.filter(pk=person.pk), **{name: getattr(nobody, name) for name in fields})


def _admin_log_about(person: Person) -> QuerySet[LogEntry]:
    """Return the rows of Django's own log that quote `person`; our admin no longer writes any, but earlier ones did."""
    names = [name for name in (person.username, person.full_name, person.email) if name]
    of_account = Q(content_type=ContentType.objects.get_for_model(Person), object_id=str(person.pk))
    quoting = [row.pk for row in LogEntry.objects.iterator() if any(_quotes(text, names) for text in _texts_of(row))]
    return LogEntry.objects.filter(of_account | Q(pk__in=quoting))


def _texts_of(row: LogEntry) -> list[str]:
    """What a row of Django's log calls its object, and the objects that its message names."""
    try:
        changes = json.loads(row.change_message)
        return [row.object_repr, *(str(done.get("object", "")) for change in changes for done in change.values())]
    except (ValueError, AttributeError, TypeError):  # a message in free text
        return [row.object_repr, row.change_message]


def _quotes(text: str, names: list[str]) -> bool:
    """Whether `text` is what the admin calls an account, its sign-in link or its membership."""
    return any(
        text in (name, f"sign-in link of {name}"[:LOGGED]) or text.startswith(f"{name} in "[:LOGGED]) for name in names
    )
