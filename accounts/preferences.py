"""Options of a person, the same on every computer: keys, phrases for comments, language, time zone.

They are stored with the person, so that a page that knows who is signed in needs no further query; only what differs
from the defaults is stored.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person

MOST_PHRASES, LONGEST_PHRASE = 20, 300


@dataclass(frozen=True)
class Preferences:
    """A person's options; the defaults are those of a new person."""

    keys_off: bool = False
    submits_itself: bool = False
    """Whether a task is submitted once all that is required is answered."""
    phrases: Sequence[str] = ()
    """Texts to insert into comments."""
    language: str = ""
    """A language of the annotators' pages; empty: as the browser asks."""
    time_zone: str = ""
    """The name of a time zone; empty: UTC, until the browser says its own."""


def preferences_of(person: Person) -> Preferences:
    """Return the person's options."""
    return Preferences(**person.preferences)


def save_preferences(person: Person, **options: Any) -> bool:
    """Change the named options; returns whether any was different. The audit has the switches, not the phrases."""
    with transaction.atomic():
        present = Person.objects.select_for_update(no_key=True).get(pk=person.pk)
        old = preferences_of(present)
        new = replace(old, **options)
        stored = {name: value for name, value in asdict(new).items() if value}
        if stored == present.preferences:
            return False
        Person.objects.filter(pk=person.pk).update(preferences=stored)
        record("preferences changed", actor=person, old=_for_audit(old), new=_for_audit(new))
    person.preferences = stored
    return True


def _for_audit(preferences: Preferences) -> dict[str, Any]:
    told = {**asdict(preferences), "phrases": len(preferences.phrases)}
    return {name: value for name, value in told.items() if value or name not in ("language", "time_zone")}
