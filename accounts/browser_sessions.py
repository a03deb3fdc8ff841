"""Where browsers' sessions are kept: Django's store in the database, with the person who is signed in.

Nearly every request needs the session and its person, so one hand-written statement reads both. A change of the
password, a session without a person, and everything else that is rare goes Django's way.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from accounts.models import BrowserSession, Person
from config.prepared_sql import Columns, fetch_one, stored

CLEARED_AT_ONCE = 200
PERSON = Columns(Person, "p")
READ = f"""
SELECT s.session_data, {PERSON.sql}
FROM accounts_browsersession s LEFT JOIN accounts_person p ON p.id = s.person_id
WHERE s.session_key = %s AND s.expire_date > %s
"""  # noqa: S608 - names of our own table and columns


class SessionStore(DatabaseStore):
    """A session; `person` is whom it was read with, which is not yet checked: see `signed_in_person`."""

    person: Person | None = None

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def create_model_instance(self, data: Mapping[str, Any]) -> BrowserSession:
        row: BrowserSession = super().create_model_instance(data)  # type: ignore[assignment, arg-type]
        row.person_id = data.get(SESSION_KEY)
        return row

    def load(self) -> dict[str, Any]:
        """Read the session, and its person with it."""
        now = stored(BrowserSession, "expire_date", timezone.now())
        found = fetch_one(READ, [self.session_key, now])
        self.person = None
        if found is None:
            self._session_key = None
            return {}
        values = iter(found)
        data = next(values)
        self.person = PERSON.take(values)
        return dict(self.decode(data))


def clear_ended_sessions() -> None:
    """Delete some of the sessions that have expired; called at each sign-in, so that they cannot pile up."""
    ended = BrowserSession.objects.filter(expire_date__lt=timezone.now()).values("pk")[:CLEARED_AT_ONCE]
    BrowserSession.objects.filter(pk__in=list(ended.values_list("pk", flat=True))).delete()


class PersonMiddleware(AuthenticationMiddleware):
    """Set `request.user` from what was read with the session."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: signed_in_person(request))  # type: ignore[assignment]


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
