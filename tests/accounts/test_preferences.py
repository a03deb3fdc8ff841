"""A person's own options: read and changed by themselves alone, and recorded without their words."""

import pytest

from accounts.models import AuditEntry, Person
from accounts.preferences import LONGEST_PHRASE, MOST_PHRASES, Preferences, preferences_of, save_preferences

PAGE, KEYS = "/my-settings/", "/my-settings/keys/"


@pytest.fixture
def signed_in(client, rater):
    client.force_login(rater)
    return client


def options_of(person):
    return preferences_of(Person.objects.get(pk=person.pk))


def test_options_are_saved_for_the_person_and_recorded_without_the_phrases(signed_in, rater, owner):
    form = {"submits_itself": "on", "phrases": "  It is wrong.\r\n\r\nToo long\r\nToo long\r\n"}
    assert signed_in.post(PAGE, form).status_code == 302
    assert options_of(rater) == Preferences(True, True, ["It is wrong.", "Too long"])
    assert options_of(owner) == Preferences()
    page = signed_in.get(PAGE).content.decode()
    assert "It is wrong.\nToo long" in page
    entry = AuditEntry.objects.get(action="preferences changed")
    assert entry.new == {"keys_off": True, "submits_itself": True, "phrases": 2}
    assert entry.actor.person == rater


def test_what_is_as_before_is_not_recorded(signed_in, rater):
    assert signed_in.post(PAGE, {"keys_on": "on"}).status_code == 302
    assert not AuditEntry.objects.filter(action="preferences changed").exists()


@pytest.mark.parametrize(
    "phrases",
    ["\n".join(map(str, range(MOST_PHRASES + 1))), "x" * (LONGEST_PHRASE + 1), "a\x00b", "x\n" * 10_000],
)
def test_phrases_that_cannot_be_kept_are_refused(signed_in, rater, phrases):
    assert signed_in.post(PAGE, {"phrases": phrases}).status_code == 422
    assert options_of(rater) == Preferences()


def test_keys_are_switched_alone(signed_in, rater):
    save_preferences(rater, phrases=["So."])
    assert signed_in.post(KEYS, {"on": "no"}).status_code == 204
    assert options_of(rater) == Preferences(keys_off=True, phrases=["So."])
    assert signed_in.post(KEYS, {"on": "yes"}).status_code == 204
    assert options_of(rater) == Preferences(phrases=["So."])
    assert signed_in.post(KEYS, {"on": "perhaps"}).status_code == 400
