"""A person's own sessions: in which browsers they are signed in, since when, and how they end them.

A session is described by its browser's family alone. No address is kept. Pages name a session by a keyed hash of its
key, because the key itself is the secret that signs in.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.auth import HASH_SESSION_KEY
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext, gettext_noop

from accounts.access import person_of
from accounts.auditing import record
from accounts.browser_sessions import SessionStore, has_ended
from accounts.models import BrowserSession, Person
from config.database_clock import database_now

BROWSER, SINCE = "browser", "signed_in_at"
"""Keys of a session's data."""
UNKNOWN = gettext_noop("Unknown browser")
ON = " on "
FAMILIES = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
)  # fmt: skip
"""The first that the browser's description of itself contains: most also name others, to be served as these are."""
SYSTEMS = (
    (r"iPhone|iPad", "iOS"), (r"Android", "Android"), (r"CrOS", "ChromeOS"), (r"Windows", "Windows"),
    (r"Mac OS X|Macintosh", "macOS"), (r"Linux", "Linux"),
)  # fmt: skip
MOST_SHOWN = 50


@dataclass(frozen=True)
class OwnSession:
    """A session as its person sees it. `key` is its secret, and `name` what stands for it on the page."""

    key: str
    name: str
    browser: str
    since: datetime | None
    seen_at: datetime
    is_this: bool

    @property
    def browser_shown(self) -> str:
        """The browser and its system in the reader's language. `browser` is kept in English."""
        family, _, system = self.browser.partition(ON)
        family = gettext(UNKNOWN) if family == UNKNOWN else family
        return gettext("%(browser)s on %(system)s") % {"browser": family, "system": system} if system else family


def browser_family(described: str) -> str:
    """The family of a browser and its system, such as "Firefox on Linux", from its `User-Agent`."""
    family = next((name for part, name in FAMILIES if part in described), "")
    system = next((name for pattern, name in SYSTEMS if re.search(pattern, described)), "")
    return ON.join(part for part in (family or (UNKNOWN if system else ""), system) if part) or UNKNOWN


def describe_session(request: HttpRequest) -> None:
    """Keep in a new session which browser it belongs to, and when it began."""
    request.session[BROWSER] = browser_family(request.headers.get("User-Agent", ""))
    request.session[SINCE] = round(database_now().timestamp())


def sessions_of(person: Person, this: str | None) -> list[OwnSession]:
    """The sessions in which `person` is signed in now, this one first, then those that were seen last."""
    found = sorted(_working(person, this), key=lambda one: (one.is_this, one.seen_at), reverse=True)
    return found[:MOST_SHOWN]


def _working(person: Person, this: str | None) -> Iterator[OwnSession]:
    proof = person.get_session_auth_hash()
    for row in BrowserSession.objects.filter(person=person).exclude(has_ended()):
        data = SessionStore().decode(row.session_data)
        if not constant_time_compare(data.get(HASH_SESSION_KEY, ""), proof):
            continue  # the password has changed since
        since = data.get(SINCE)
        yield OwnSession(
            row.session_key, session_name(row.session_key), data.get(BROWSER, UNKNOWN),
            datetime.fromtimestamp(since, UTC) if since else None, row.seen_at, row.session_key == this,
        )  # fmt: skip


def session_name(key: str) -> str:
    """What pages call the session with this key."""
    return salted_hmac("accounts.own_sessions", key, algorithm="sha256").hexdigest()[:32]


def end_session(request: HttpRequest, name: str) -> bool:
    """End one of the person's other sessions; False if there is none of this name. Its next request is refused."""
    person, this = person_of(request), request.session.session_key
    one = next((one for one in _working(person, this) if constant_time_compare(one.name, name)), None)
    if one is None or one.is_this:
        return False
    with transaction.atomic():
        gone, _ = BrowserSession.objects.filter(person=person, pk=one.key).delete()
        if gone:
            record("session ended", actor=person, old={"browser": one.browser})
    return bool(gone)


def end_other_sessions(request: HttpRequest) -> int:
    """End all the person's sessions but this one; return how many there were."""
    return end_sessions(person_of(request), person_of(request), but=request.session.session_key)


def end_sessions(person: Person, actor: Person | None, *, but: str | None = None) -> int:
    """End the sessions of `person`, except the one with the key `but`; return how many there were."""
    with transaction.atomic():
        gone, _ = BrowserSession.objects.filter(person=person).exclude(pk=but or "").delete()
        if gone:
            record("sessions ended", actor=actor, about=None if actor == person else person, old={"sessions": gone})
    return gone
