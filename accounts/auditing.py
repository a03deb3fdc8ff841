"""The only writer of audit entries."""

from collections.abc import Sequence
from typing import Any

from accounts.models import AuditEntry, Identity, Person
from config.prepared_sql import insertion, run_as_one


def record(
    action: str, subject: str = "", *, actor: Person | None, about: Person | None = None, study: str = "",
    old: Any = None, new: Any = None,
) -> AuditEntry:  # fmt: skip
    """Record that `actor` (None: a command) did `action` to `subject`. Call it in the transaction of the change.

    `about` is the person it was done to, or whose work it concerns. `subject`, `old` and `new` contain ids and
    pseudonyms, never names or addresses of people. Do not repeat values that are frozen elsewhere: name the revision
    instead of its answers.
    """
    return AuditEntry.objects.create(
        action=action, subject=subject[:300], actor=identity_of(actor, study), about=identity_of(about, study),
        study=study, old=old, new=new,
    )  # fmt: skip


def entry(
    action: str, subject: str, *, actor: Identity | int | None, study: str, old: Any = None, new: Any = None
) -> AuditEntry:
    """An entry as `record` makes it, for `record_all`; `actor` is an identity of this study or its primary key."""
    pk = actor.pk if isinstance(actor, Identity) else actor
    return AuditEntry(action=action, subject=subject[:300], actor_id=pk, study=study, old=old, new=new)


def record_all(entries: Sequence[AuditEntry]) -> None:
    """Write entries in one statement. Call it in the transaction of the changes."""
    run_as_one(insertion(entries))


def identity_of(person: Person | None, study: str) -> Identity | None:
    """Return the identity of `person` in the audit of the study with this slug; make it at their first entry."""
    if person is None:
        return None
    known = Identity.objects.filter(person=person, study=study).first()
    if known is None:
        # Another process may make it at the same time; the unique constraint keeps one.
        Identity.objects.bulk_create([Identity(person=person, study=study)], ignore_conflicts=True)
        known = Identity.objects.get(person=person, study=study)
    return known
