"""Entering a study by a link: the account is made with the first entry, and the same link leads back to it.

Entries into one study come one after the other, because each locks the study. Constraints refuse a second account for
one participant, or for one browser of the public link.
"""

import secrets
import string
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_noop

from accounts.auditing import record
from accounts.models import Person
from annotation.dry_run_option import DRY_RUN
from annotation.members.membership import add_member, rater_for
from annotation.models import Membership, Study
from annotation.models.people import Role
from annotation.studies.locking import lock_study
from parts.crowds.browser_mark import mark_key
from parts.crowds.link_settings import public_link_of
from parts.crowds.models import (
    CrowdBrowser,
    CrowdId,
    CrowdStay,
    LeftParticipant,
    browser_digest,
    participant_digest,
)
from parts.crowds.recruiter_settings import recruiter_of

NAME_LETTERS = 12
FULL = gettext_noop("All places are taken. Thank you for your interest.")
CLOSED = gettext_noop("This study is not open now. Nothing was saved. Try again later.")
TWICE = gettext_noop("You have already come to this study in another submission. Each person can join once.")
OUT = gettext_noop("You cannot join this study any more.")


class EntryRefusedError(Exception):
    """Nobody comes in by this link now; the message is a sentence for the person."""


def takes_entries(study: Study) -> bool:
    """Whether links lead into the study now. A dry run is a copy, into which nobody is sent."""
    return study.is_live and DRY_RUN not in study.options


def enter_by_recruiter(study: Study, ids: Mapping[str, str], mark: str, now: datetime) -> Person:
    """Return the account of this participant in the study, made if they are new. Raises EntryRefusedError."""
    participant, session = ids["participant"], ids.get("session", "")
    with transaction.atomic():
        study = _open_study(study)
        recruiter = recruiter_of(study)
        if recruiter is None:
            raise EntryRefusedError(CLOSED)
        known = CrowdId.objects.filter(study=study, participant=participant).select_related("person").first()
        is_other = known is not None and (known.session, known.recruiter_study) != (session, ids.get("study", ""))
        if known is not None and is_other:
            CrowdId.objects.filter(pk=known.pk).update(repeats=F("repeats") + 1)
        elif known is not None:
            _note_browser(study, known.person, mark, is_public=False)
            return _allowed(study, known.person)
        else:
            _refuse_who_left(study, participant)
            person = _new_person(study, CrowdStay.Source.RECRUITER, recruiter.body.get("minutes"), now)
            CrowdId.objects.create(
                study=study, person=person, participant=participant, session=session,
                recruiter_study=ids.get("study", ""),
            )  # fmt: skip
            _note_browser(study, person, mark, is_public=False)
            return person
    raise EntryRefusedError(TWICE)


def _refuse_who_left(study: Study, participant: str) -> None:
    """Raise EntryRefusedError for somebody who has left the locked study, whose screens and tasks they have seen."""
    if LeftParticipant.objects.filter(study=study, digest=participant_digest(study.pk, participant)).exists():
        raise EntryRefusedError(OUT)


def enter_by_public_link(study: Study, mark: str, now: datetime) -> Person:
    """Return the account of this browser in the study, made if there is a place. Raises EntryRefusedError."""
    with transaction.atomic():
        study = _open_study(study)
        link = public_link_of(study)
        if link is None:
            raise EntryRefusedError(CLOSED)
        known = _of_browser(study, mark)
        if known is not None:
            return _allowed(study, known)
        if has_left(study, mark):
            raise EntryRefusedError(OUT)
        if not link.is_open:
            raise EntryRefusedError(CLOSED)
        if places_taken(study) >= link.people:
            raise EntryRefusedError(FULL)
        person = _new_person(study, CrowdStay.Source.PUBLIC, link.body.get("minutes"), now)
        _note_browser(study, person, mark, is_public=True)
        return person


def returns(study: Study, mark: str) -> bool:
    """Whether the browser has an account in the study by the public link."""
    return bool(mark) and _of_browser(study, mark) is not None


def has_left(study: Study, mark: str) -> bool:
    """Whether somebody came from this browser by the public link and has left the study."""
    return LeftParticipant.objects.filter(study=study, digest=browser_digest(study.pk, mark_key(mark))).exists()


def places_taken(study: Study) -> int:
    """How many people of the public link are in the study or have completed it. Others leave their places free."""
    stays = CrowdStay.objects.filter(study=study, source=CrowdStay.Source.PUBLIC)
    return stays.filter(outcome__in=("", CrowdStay.Outcome.COMPLETE)).count()


def _of_browser(study: Study, mark: str) -> Person | None:
    found = CrowdBrowser.objects.filter(study=study, key=mark_key(mark), is_public=True).select_related("person")
    browser = found.first()
    return browser.person if browser else None


def _open_study(study: Study) -> Study:
    locked = lock_study(study.pk)
    if not takes_entries(locked):
        raise EntryRefusedError(CLOSED)
    return locked


def _allowed(study: Study, person: Person) -> Person:
    """Return the account if a link may still open it."""
    mine = Membership.objects.filter(study=study, person=person, active=True, role=Role.ANNOTATOR)
    elsewhere = Membership.objects.filter(person=person).exclude(study=study)
    is_guest = person.is_guest and person.may_be_in(study.slug)
    if not is_guest or not mine.exists() or elsewhere.exists():
        raise EntryRefusedError(OUT)
    return person


def _new_person(study: Study, source: str, minutes: int | None, now: datetime) -> Person:
    """Make an account without a password, an annotator of this study only, and begin its stay."""
    name = "guest-" + "".join(secrets.choice(string.ascii_lowercase) for _ in range(NAME_LETTERS))
    person = Person(username=name, guest_of=study.slug)
    person.set_unusable_password()
    person.save()
    record("person joined", actor=person, study=study.slug, new={"by": str(source)})
    add_member(study, person, Role.ANNOTATOR, person)
    due = now + timedelta(minutes=minutes) if minutes else None
    CrowdStay.objects.create(study=study, rater=rater_for(study, person), source=source, entered_at=now, due_at=due)
    return person


def _note_browser(study: Study, person: Person, mark: str, *, is_public: bool) -> None:
    key = mark_key(mark)
    if not CrowdBrowser.objects.filter(study=study, person=person, key=key).exists():
        CrowdBrowser.objects.create(study=study, person=person, key=key, is_public=is_public)
