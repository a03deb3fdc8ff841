"""Sessions end when they are idle, and by their person's press; a request writes at most about once per hour."""

import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.browser_sessions import SEEN_EVERY, clear_ended_sessions
from accounts.models import AuditEntry, BrowserSession
from accounts.own_sessions import browser_family
from accounts.preferences import save_preferences

PAGE = "/my-settings/sessions/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.1 Mobile/15E148 Safari/604.1"
)


def signed_in(name="owner", agent=FIREFOX):
    client = Client(headers={"user-agent": agent})
    answer = client.post("/sign-in/", {"username": name, "password": f"{name} has a long password"})
    assert answer.status_code == 302
    return client


def age(seconds):
    BrowserSession.objects.update(seen_at=timezone.now() - timedelta(seconds=seconds))


def test_a_session_without_a_request_for_so_long_is_refused_and_then_deleted(owner):
    client = signed_in()
    age(settings.SESSION_IDLE.total_seconds() - 60)
    assert client.get(PAGE).status_code == 200
    age(settings.SESSION_IDLE.total_seconds() + 60)
    assert client.get(PAGE).status_code == 302
    assert clear_ended_sessions() == 1
    assert not BrowserSession.objects.exists()


def test_nobody_without_a_password_is_told_to_change_it(owner):
    client = signed_in()
    page = client.get(PAGE).content.decode()
    assert ('href="/password/"' in page, "has no password" in page) == (True, False)
    owner.set_unusable_password()
    owner.save()
    client.force_login(owner)
    page = client.get(PAGE).content.decode()
    assert ('href="/password/"' in page, "has no password" in page) == (False, True)


def test_a_request_extends_its_session_and_the_next_one_writes_nothing(owner):
    client = signed_in()
    age(SEEN_EVERY.total_seconds() + 60)
    client.get(PAGE)
    seen = BrowserSession.objects.get().seen_at
    assert timezone.now() - seen < timedelta(minutes=1)
    with CaptureQueriesContext(
        connection,
    ) as captured:
        client.get(PAGE)
    assert [query["sql"] for query in captured if query["sql"].startswith("UPDATE")] == []
    assert BrowserSession.objects.get().seen_at == seen


def test_the_page_has_ones_own_browsers_and_marks_this_one(owner, rater):
    phone, desk = signed_in(agent=SAFARI), signed_in()
    signed_in("rater", agent="Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0")
    text = desk.get(PAGE).content.decode()
    assert "Firefox on Linux" in text
    assert "Safari on iOS" in text
    assert "Edge" not in text
    assert text.count("This browser") == 1
    for client in (phone, desk):
        assert client.session.session_key not in text


def test_the_page_is_in_the_language_and_the_time_zone_of_its_person(rater):
    signed_in("rater", agent="something (Windows NT)")
    BrowserSession.objects.update(seen_at=(timezone.now() - timedelta(days=2)).replace(hour=20, minute=34))
    client = signed_in("rater")
    page = client.get(PAGE).content.decode()
    assert "Times are in UTC; " in page
    assert ", 20:34</td>" in page
    save_preferences(rater, language="de", time_zone="Asia/Tokyo")
    page = client.get(PAGE).content.decode()
    assert "Zeiten sind in Asia/Tokyo; " in page
    assert ", 05:34</td>" in page
    assert "Firefox unter Linux" in page
    assert "Die Sitzung in Unbekannter Browser unter Windows beenden" in page
    assert "1 Sitzung beendet." in client.post(PAGE, {"others": "yes"}, follow=True).content.decode()


def test_ending_one_session_refuses_its_very_next_request(owner):
    phone, desk = signed_in(agent=SAFARI), signed_in()
    [name] = re.findall(r'name="session" value="([^"]+)"', desk.get(PAGE).content.decode())
    assert phone.get(PAGE).status_code == 200
    assert desk.post(PAGE, {"session": name}).status_code == 302
    assert phone.get(PAGE).status_code == 302
    assert desk.get(PAGE).status_code == 200
    entry = AuditEntry.objects.get(action="session ended")
    assert (entry.actor.person, entry.old) == (owner, {"browser": "Safari on iOS"})
    desk.post(PAGE, {"session": name})
    assert AuditEntry.objects.filter(action="session ended").count() == 1


def test_nobody_ends_anothers_session(owner, rater):
    phone, desk = signed_in(agent=SAFARI), signed_in()
    [name] = re.findall(r'name="session" value="([^"]+)"', desk.get(PAGE).content.decode())
    signed_in("rater").post(PAGE, {"session": name})
    signed_in("rater").post(PAGE, {"others": "yes"})
    assert phone.get(PAGE).status_code == desk.get(PAGE).status_code == 200


def test_all_other_sessions_end_at_once(owner):
    others, desk = [signed_in(), signed_in(agent=SAFARI)], signed_in()
    desk.post(PAGE, {"others": "yes"})
    assert [client.get(PAGE).status_code for client in (*others, desk)] == [302, 302, 200]
    assert AuditEntry.objects.get(action="sessions ended").old == {"sessions": 2}


@pytest.mark.parametrize(
    ("described", "family"),
    [
        ("", "Unknown browser"),
        ("curl/8", "Unknown browser"),
        (FIREFOX, "Firefox on Linux"),
        (SAFARI, "Safari on iOS"),
        ("Something (Windows NT)", "Unknown browser on Windows"),
    ],
)
def test_a_browser_is_named_by_its_family_alone(described, family):
    assert browser_family(described) == family
