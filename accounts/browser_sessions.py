"""Where browsers' sessions are kept: Django's store in the database, with the person who is signed in.

Nearly every request needs the session and its person, so one hand-written statement reads both. A change of the
password, a session without a person, and everything else that is rare goes Django's way.

A session also ends after `SESSION_IDLE` without a request. `seen_at` remembers the last one, roughly: it is written
after a request that finds it older than `SEEN_EVERY`, so that most requests write nothing.
"""

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db import DatabaseError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from accounts.models import BrowserSession, Person
from config.database_clock import database_now
from config.prepared_sql import Columns, fetch_one, stored

logger = logging.getLogger(__name__)
CLEARED_AT_ONCE = 200
SEEN_EVERY = min(timedelta(hours=1), settings.SESSION_IDLE / 4)
"""How old `seen_at` may become before a request writes it again."""
PERSON = Columns(Person, "p")
READ = f"""
SELECT s.session_data, s.seen_at < %s, {PERSON.sql}
FROM accounts_browsersession s LEFT JOIN accounts_person p ON p.id = s.person_id
WHERE s.session_key = %s AND s.expire_date > %s AND s.seen_at > %s
"""  # noqa: S608 - names of our own table and columns


class SessionStore(DatabaseStore):
    """A session; `person` is whom it was read with, which is not yet checked: see `signed_in_person`.

    With `is_due`, its request is to be remembered.
    """

    person: Person | None = None
    is_due = False

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def create_model_instance(self, data: Mapping[str, Any]) -> BrowserSession:
        row: BrowserSession = super().create_model_instance(data)  # type: ignore[assignment, arg-type]
        row.person_id = data.get(SESSION_KEY)
        return row

    def load(self) -> dict[str, Any]:
        """Read the session, and its person with it."""
        now = database_now()
        due, end, idle = (
            stored(BrowserSession, "expire_date", at) for at in (now - SEEN_EVERY, now, now - settings.SESSION_IDLE)
        )
        found = fetch_one(READ, [due, self.session_key, end, idle])
        self.person, self.is_due = None, False
        if found is None:
            self._session_key = None
            return {}
        values = iter(found)
        data, self.is_due = next(values), bool(next(values))
        self.person = PERSON.take(values)
        return dict(self.decode(data))


def has_ended() -> Q:
    """The condition for sessions that have expired, or have been idle for too long."""
    now = database_now()
    return Q(expire_date__lte=now) | Q(seen_at__lte=now - settings.SESSION_IDLE)


def clear_ended_sessions() -> int:
    """Delete some of the sessions that have ended, and return how many; also called at each sign-in."""
    ended = list(BrowserSession.objects.filter(has_ended()).values_list("pk", flat=True)[:CLEARED_AT_ONCE])
    BrowserSession.objects.filter(pk__in=ended).delete()
    return len(ended)


def note_seen(session: SessionStore) -> None:
    """Remember that a request of the session came. Failing to is no reason to fail the request."""
    try:
        BrowserSession.objects.filter(pk=session.session_key).update(seen_at=database_now())
    except DatabaseError:
        logger.warning("A request could not be noted in its session.", exc_info=True)


class PersonMiddleware(AuthenticationMiddleware):
    """Set `request.user` from what was read with the session."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: signed_in_person(request))  # type: ignore[assignment]

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        session = getattr(request, "session", None)
        if isinstance(session, SessionStore) and session.is_due and session.session_key and response.status_code < 500:
            note_seen(session)
        return response


def signed_in_person(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    """Whom the request's session belongs to. Only what is valid at first sight is decided here, the rest by Django."""
    session = request.session
    signed_in_as, proof = session.get(SESSION_KEY), session.get(HASH_SESSION_KEY)
    person = session.person if isinstance(session, SessionStore) else None
    if (
        person is not None
        and person.is_active
        and str(person.pk) == signed_in_as
        and session.get(BACKEND_SESSION_KEY) in settings.AUTHENTICATION_BACKENDS
        and proof
        and constant_time_compare(proof, person.get_session_auth_hash())
    ):
        return person
    return get_user(request)
