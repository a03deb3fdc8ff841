"""Wrong passwords are limited, for one account from one address and from one address, and lock nobody out for ever."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, KnownAddress, Person, WrongTryCount
from accounts.sign_in_limits import (
    ACCOUNT_TRIES,
    ADDRESS_TRIES,
    KNOWN_FOR,
    WINDOW,
    TooManyTriesError,
    begin_try,
    give_back,
    note_wrong,
)
from accounts.sign_in_links import issue_link
from tests.conftest import make_person

SIGN_IN = "/sign-in/"
LAB, HOME = "192.0.2.1", "198.51.100.7"


def try_to_sign_in(name="owner", password="wrong", address=LAB, **headers):
    return Client().post(SIGN_IN, {"username": name, "password": password}, REMOTE_ADDR=address, headers=headers)


def right(name):
    return f"{name} has a long password"


def use_up(name="owner", address=LAB):
    """As many wrong passwords as are allowed for one account from one address."""
    return [try_to_sign_in(name, address=address).status_code for _ in range(ACCOUNT_TRIES)]


def test_a_name_in_other_letters_is_the_same_account_and_shares_its_limit(owner):
    assert try_to_sign_in("OWNER", right("owner")).status_code == 302
    for number in range(ACCOUNT_TRIES):
        assert try_to_sign_in("OwNeR" if number % 2 else "owneR").status_code == 422
    assert try_to_sign_in("owner", right("owner")).status_code == 429


@pytest.fixture
def hashed(monkeypatch):
    """The passwords that are hashed, as they come."""
    seen = []
    hasher = "django.contrib.auth.hashers.MD5PasswordHasher.encode"

    def encode(self, password, salt):
        seen.append(password)
        return f"md5${salt}${password}"

    monkeypatch.setattr(hasher, encode)
    return seen


def test_ten_wrong_passwords_limit_the_account_from_that_address(owner):
    assert use_up() == [422] * 10
    refused = try_to_sign_in(password=right("owner"))
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= WINDOW.total_seconds()
    page = refused.content.decode()
    assert "Too many wrong passwords for this user name" in page
    assert "try again from here in 15 minutes" in page
    assert 'value="owner"' in page
    assert right("owner") not in page


def test_the_same_person_gets_in_from_another_address(owner):
    use_up()
    assert try_to_sign_in(password=right("owner"), address=HOME).status_code == 302


def test_a_sign_in_link_works_and_ends_the_limit(owner):
    use_up()
    assert Client().post(issue_link(owner), REMOTE_ADDR=LAB).status_code == 302
    assert try_to_sign_in(password=right("owner")).status_code == 302


def test_the_limit_ends_by_itself(owner):
    use_up()
    WrongTryCount.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert try_to_sign_in().status_code == 422
    assert try_to_sign_in(password=right("owner")).status_code == 302


def test_the_right_password_starts_the_count_again(owner):
    for _ in range(3):
        for _ in range(ACCOUNT_TRIES - 1):
            assert try_to_sign_in().status_code == 422
        assert try_to_sign_in(password=right("owner")).status_code == 302


def test_nothing_is_hashed_or_written_once_the_limit_is_reached(owner, hashed):
    use_up()
    before = (len(hashed), list(WrongTryCount.objects.values()), AuditEntry.objects.count())
    assert before[0] == ACCOUNT_TRIES
    assert try_to_sign_in().status_code == try_to_sign_in(password=right("owner")).status_code == 429
    assert (len(hashed), list(WrongTryCount.objects.values()), AuditEntry.objects.count()) == before


def test_unknown_and_known_names_are_limited_and_answered_alike(owner):
    pages = []
    for name in ("owner", "nobody"):
        statuses = use_up(name)
        refused = try_to_sign_in(name, right("owner"))
        body = refused.content.decode().replace(f'value="{name}"', "")
        pages.append((statuses, refused.status_code, body.split("csrfmiddlewaretoken")[1].split('">', 1)[1]))
    assert pages[0] == pages[1]


@pytest.mark.parametrize("forged", ["203.0.113.{}", "203.0.113.{}, 192.0.2.1", "unknown, {}"])
def test_a_forged_address_changes_no_count(owner, forged):
    for number in range(ACCOUNT_TRIES):
        try_to_sign_in(**{"X-Forwarded-For": forged.format(number)})
    assert try_to_sign_in(**{"X-Forwarded-For": forged.format(99)}).status_code == 429


def test_behind_our_proxy_the_address_that_the_proxy_saw_counts(owner, settings):
    settings.PROXY_COUNT = 1
    for number in range(ACCOUNT_TRIES):
        try_to_sign_in(address="127.0.0.1", **{"X-Forwarded-For": f"203.0.113.{number}, {LAB}"})
    seen = {"address": "127.0.0.1", "password": right("owner")}
    assert try_to_sign_in(**seen, **{"X-Forwarded-For": f"203.0.113.99, {LAB}"}).status_code == 429
    assert try_to_sign_in(**seen, **{"X-Forwarded-For": HOME}).status_code == 302


def guess_at_others(address=LAB):
    """As many wrong passwords from one address as are allowed, for names that nobody has."""
    statuses = [try_to_sign_in(f"name-{number}", address=address).status_code for number in range(ADDRESS_TRIES)]
    assert statuses == [422] * ADDRESS_TRIES


def test_one_address_cannot_keep_guessing_with_other_names(db, hashed):
    guess_at_others()
    refused = try_to_sign_in("another-name")
    assert refused.status_code == 429
    assert "Too many wrong passwords from your network" in refused.content.decode()
    assert "another-name" not in hashed
    assert try_to_sign_in("another-name", address=HOME).status_code == 422


def test_people_known_at_an_address_get_in_while_others_there_guess(owner):
    assert try_to_sign_in(password=right("owner")).status_code == 302
    guess_at_others()
    assert try_to_sign_in("another-name").status_code == 429
    for _ in range(ACCOUNT_TRIES - 1):
        assert try_to_sign_in().status_code == 422
    assert try_to_sign_in(password=right("owner")).status_code == 302


@pytest.mark.thorough
def test_a_whole_lab_behind_one_address_gets_in_even_if_everybody_mistypes_first(db):
    people = [make_person(f"person-{number}").username for number in range(ADDRESS_TRIES)]
    for name in people:
        assert [try_to_sign_in(name).status_code for _ in range(2)] == [422, 422]
        assert try_to_sign_in(name, right(name)).status_code == 302
    assert try_to_sign_in("a-newcomer").status_code == 422


@pytest.mark.thorough
def test_an_address_is_no_longer_known_after_a_while(owner):
    try_to_sign_in(password=right("owner"))
    assert timezone.now() + KNOWN_FOR - KnownAddress.objects.get().until < timedelta(minutes=1)
    KnownAddress.objects.update(until=timezone.now())
    guess_at_others()
    assert try_to_sign_in(password=right("owner")).status_code == 429
    assert not KnownAddress.objects.exists()


def test_a_known_address_belongs_to_the_person_who_has_its_user_name_now(owner):
    try_to_sign_in(password=right("owner"))
    Person.objects.filter(pk=owner.pk).update(username="renamed")
    heir = make_person("owner")
    try_to_sign_in(password=right("owner"))
    assert KnownAddress.objects.get().person == heir


@pytest.mark.thorough
def test_one_audit_row_says_that_a_limit_was_reached(owner):
    use_up()
    try_to_sign_in()
    use_up("nobody")
    guess_at_others(HOME)
    rows = AuditEntry.objects.order_by("pk").values_list("action", "subject", "about__person")
    assert list(rows) == [
        ("sign-in limited", "one account", owner.pk),
        ("sign-in limited", "unknown user name", None),
        ("sign-in limited", "one address", None),
    ]


def test_neither_name_nor_address_is_stored_in_clear(owner):
    use_up("typed-into-the-wrong-field")
    try_to_sign_in(password=right("owner"))
    kept = repr([*WrongTryCount.objects.values(), *KnownAddress.objects.values(), *AuditEntry.objects.values()])
    assert "typed-into" not in kept
    assert LAB not in kept


def test_expired_counts_are_deleted(db):
    for number in range(20):
        begin_try(f"name-{number}", f"198.51.100.{number}")
    WrongTryCount.objects.update(ends_at=timezone.now())
    note_wrong(begin_try("owner", LAB), LAB)
    assert WrongTryCount.objects.count() == 2


def test_an_undone_attempt_does_not_count(db):
    for _ in range(3 * ADDRESS_TRIES):
        give_back(begin_try("owner", LAB))
    assert set(WrongTryCount.objects.values_list("count", flat=True)) == {0}


def test_the_page_that_changes_a_password_limits_guesses_of_the_old_one(client, owner, hashed):
    client.force_login(owner)
    new = {"new_password1": "another long password", "new_password2": "another long password"}
    for _ in range(ACCOUNT_TRIES):
        assert client.post("/password/", {"old_password": "wrong", **new}).status_code == 422
    before = len(hashed)
    refused = client.post("/password/", {"old_password": right("owner"), **new})
    assert (refused.status_code, len(hashed)) == (429, before)
    assert "Too many wrong passwords" in refused.content.decode()
    assert Person.objects.get().password == owner.password


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("names", [1, 100])
def test_simultaneous_attempts_do_not_exceed_the_limit(names):
    most = ACCOUNT_TRIES if names == 1 else ADDRESS_TRIES
    together, counted = threading.Barrier(20), []

    def guess(number):
        together.wait()
        for turn in range(4):
            with suppress(TooManyTriesError):
                counted.append(begin_try(f"name-{(4 * number + turn) % names}", LAB))
        connection.close()

    threads = [threading.Thread(target=guess, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(counted) == most
    assert sum(len(one.reached) for one in counted) == 1


GUESS = """
import sys
import django
django.setup()
from accounts.sign_in_limits import TooManyTriesError, begin_try

for _ in range(int(sys.argv[2])):
    try:
        begin_try("owner", sys.argv[1])
        print("counted")
    except TooManyTriesError:
        print("refused")
"""


@pytest.mark.thorough
@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_processes_share_the_counts():
    database = connection.settings_dict
    address = f"sqlite:///{database['NAME']}"
    if connection.vendor == "postgresql":
        person = f"{database['USER']}:{database['PASSWORD']}"
        address = f"postgres://{person}@{database['HOST']}:{database['PORT'] or 5432}/{database['NAME']}"
    env = {**os.environ, "DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "config.settings"}
    said = [
        subprocess.run(
            [sys.executable, "-c", GUESS, LAB, str(ACCOUNT_TRIES - 2)], cwd=settings.BASE_DIR, env=env,
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True, timeout=120,
        ).stdout.split()
        for _ in range(2)
    ]  # fmt: skip
    assert said == [["counted"] * 8, ["counted"] * 2 + ["refused"] * 6]
