"""The second factor: set up with a code, asked for at every way in, used once, limited, and kept encrypted."""

import logging
import re
import threading
from datetime import timedelta

import pyotp
import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from accounts.models import AuditEntry, BrowserSession, Person, SecondFactor, SignInLink, WrongTryCount
from accounts.sealed_keys import SealBrokenError, seal, unseal
from accounts.second_factor import use_code
from accounts.secret_tokens import token_hash
from accounts.sign_in_limits import CODE_TRIES
from accounts.sign_in_links import issue_link, issue_password_link
from tests.accounts.authenticator import (
    PAGE,
    PASSWORD,
    STEP,
    actions,
    code_of,
    codes_on,
    first_step,
    is_in,
    key_on,
    set_up,
)


def test_it_is_turned_on_with_a_code_of_the_key_that_the_page_shows(client, owner, clock):
    first_step(client)
    page = client.get(PAGE)
    key = key_on(page)
    assert key_on(client.get(PAGE)) == key  # the same until it is on
    wrong = client.post(PAGE, {"do": "on", "code": "000000" if code_of(key, clock) != "000000" else "111111"})
    assert wrong.status_code == 422
    assert not SecondFactor.objects.exists()
    codes = codes_on(client.post(PAGE, {"do": "on", "code": code_of(key, clock)}))
    assert len(set(codes)) == 10
    assert all(re.fullmatch(r"([a-z2-7]{4}-){3}[a-z2-7]{4}", code) for code in codes)
    assert SecondFactor.objects.get().person == owner
    assert key not in client.get(PAGE).content.decode()
    assert actions()[-1] == "second factor turned on"


def test_the_qr_code_leads_an_app_to_the_same_key(client, owner, clock, monkeypatch):
    shown = []
    monkeypatch.setattr("accounts.authenticator_codes.segno.make", lambda text, **_: shown.append(text) or Modules())

    class Modules:
        def matrix_iter(self, border):
            return [bytearray(b"\0\0\0"), bytearray(b"\0\1\1"), bytearray(b"\1\0\1")]

    first_step(client)
    page = client.get(PAGE)
    app = pyotp.parse_uri(shown[0])
    assert (app.secret, app.name, app.issuer) == (key_on(page), "owner", "Interrater (testserver)")
    assert 'd="M1 1h2v1h-2zM0 2h1v1h-1zM2 2h1v1h-1z"' in page.content.decode()


def test_sign_in_asks_for_a_code_after_the_password(client, owner, having, clock):
    key, _ = having
    asked = first_step(client, next="/my-settings/")
    assert asked["Location"] == f"{STEP}?next=%2Fmy-settings%2F"
    assert not is_in(client)
    first = AuditEntry.objects.latest("pk")
    assert (first.action, first.actor, first.about.person, first.new) == (
        "code asked for",
        None,
        owner,
        {"by": "password"},
    )
    assert client.get(STEP).status_code == 200
    page = client.post(STEP, {"code": code_of(key, clock), "next": "/my-settings/"})
    assert page["Location"] == "/my-settings/"
    assert is_in(client)
    last = AuditEntry.objects.latest("pk")
    assert (last.action, last.new) == ("signed in", {"by": "password", "second": "code"})


def test_without_the_first_step_no_code_signs_in(client, having, clock):
    key, codes = having
    assert client.post(STEP, {"code": code_of(key, clock)})["Location"] == "/sign-in/"
    assert client.post(STEP, {"recovery": codes[0]})["Location"] == "/sign-in/"
    first_step(client, password="wrong")
    assert client.post(STEP, {"code": code_of(key, clock)})["Location"] == "/sign-in/"
    assert not is_in(client)


@pytest.mark.parametrize("change", ["late", "password", "deactivated", "reset", "off"])
def test_the_first_step_is_forgotten(client, owner, having, clock, settings, change):
    key, _ = having
    first_step(client)
    if change == "late":
        clock.forward(seconds=601)
    elif change == "password":
        owner.set_password("another long password")
        owner.save()
    elif change == "deactivated":
        Person.objects.update(is_active=False)
    elif change == "reset":
        call_command("reset_second_factor", "owner")
    else:
        settings.SECOND_FACTOR = "OFF"
    assert client.post(STEP, {"code": code_of(key, clock)})["Location"] == "/sign-in/"
    assert not is_in(client)


def test_a_code_is_accepted_once(client, having, clock):
    key, _ = having
    code = code_of(key, clock)
    first_step(client)
    assert client.post(STEP, {"code": code}).status_code == 302
    again = Client()
    first_step(again)
    assert again.post(STEP, {"code": code}).status_code == 422
    clock.forward(seconds=30)
    assert again.post(STEP, {"code": code}).status_code == 422  # still within what a clock may be wrong
    assert again.post(STEP, {"code": code_of(key, clock)}).status_code == 302


def test_the_code_that_turned_it_on_does_not_sign_in(client, owner, clock):
    first_step(client)
    key = key_on(client.get(PAGE))
    code = code_of(key, clock)
    client.post(PAGE, {"do": "on", "code": code})
    other = Client()
    first_step(other)
    assert other.post(STEP, {"code": code}).status_code == 422


@pytest.mark.parametrize(("seconds", "status"), [(-60, 422), (-30, 302), (30, 302), (60, 422)])
def test_clocks_may_differ_by_one_code(client, having, clock, seconds, status):
    key, _ = having
    clock.forward(seconds=300)
    first_step(client)
    code = pyotp.TOTP(key).at(clock.now + timedelta(seconds=seconds))
    assert client.post(STEP, {"code": code}).status_code == status


def test_a_recovery_code_signs_in_once_however_it_is_typed(client, having):
    _, codes = having
    first_step(client)
    assert client.post(STEP, {"recovery": codes[0].upper().replace("-", " ")}).status_code == 302
    assert AuditEntry.objects.latest("pk").new == {"by": "password", "second": "recovery code"}
    assert "9 recovery codes left" in client.get(PAGE).content.decode()
    again = Client()
    first_step(again)
    assert again.post(STEP, {"recovery": codes[0]}).status_code == 422
    assert again.post(STEP, {"recovery": codes[1]}).status_code == 302


def test_wrong_codes_are_limited_from_all_addresses_together_and_the_limit_ends(client, having, clock, caplog):
    key, codes = having
    statuses = []
    for number in range(CODE_TRIES):
        guesser = Client(REMOTE_ADDR=f"10.0.0.{number + 1}")
        first_step(guesser)
        statuses.append(guesser.post(STEP, {"code": "12345"}).status_code)
    assert statuses == [422] * CODE_TRIES
    first_step(client)
    for given in ({"code": code_of(key, clock)}, {"recovery": codes[0]}):
        page = client.post(STEP, given)
        assert page.status_code == 429
        assert int(page["Retry-After"]) <= 15 * 60
    assert "Too many wrong codes" in page.content.decode()
    assert not is_in(client)
    limited = AuditEntry.objects.get(action="sign-in limited")
    assert limited.about.person.username == "owner"
    assert "too many wrong" in caplog.text
    clock.forward(minutes=15)
    first_step(client)
    assert client.post(STEP, {"code": code_of(key, clock)}).status_code == 302


def test_the_password_does_not_clear_wrong_codes_and_a_right_code_does(client, having, clock):
    key, _ = having
    for _ in range(CODE_TRIES - 1):
        first_step(client)
        client.post(STEP, {"code": "12345"})
    first_step(client)
    assert client.post(STEP, {"code": code_of(key, clock)}).status_code == 302
    clock.forward(seconds=30)
    again = Client()
    first_step(again)
    assert again.post(STEP, {"code": "12345"}).status_code == 422


def test_the_right_password_without_a_code_counts_as_no_wrong_one_and_clears_none(having, clock):
    for _ in range(12):
        assert first_step(Client()).status_code == 302
    assert set(WrongTryCount.objects.values_list("count", flat=True)) <= {0}
    for _ in range(9):
        first_step(Client(), password="wrong")
    first_step(Client())
    first_step(Client(), password="wrong")
    assert first_step(Client()).status_code == 429


def test_a_sign_in_link_asks_for_the_code_too(client, owner, stranger, having, clock):
    key, _ = having
    client.force_login(stranger)
    assert client.post(issue_link(owner))["Location"].startswith(STEP)
    assert client.get("/").status_code == 302  # the stranger is signed out, and nobody is in
    assert client.post(STEP, {"code": code_of(key, clock)}).status_code == 302
    assert client.get("/").wsgi_request.user == owner
    assert AuditEntry.objects.latest("pk").new == {"by": "link", "second": "code"}


def test_a_new_password_by_mail_leaves_the_second_factor(client, owner, having):
    new = "another long password"
    answer = client.post(issue_password_link(owner, 1), {"new_password1": new, "new_password2": new})
    assert answer["Location"] == "/sign-in/"
    assert first_step(client, password=new)["Location"].startswith(STEP)
    assert not is_in(client)


@pytest.mark.parametrize("path", ["/admin/", "/my-settings/", "/api/studies/", "/metrics", PAGE])
def test_after_the_password_alone_nothing_opens(client, owner, having, path):
    Person.objects.update(is_staff=True, is_superuser=True)
    first_step(client)
    assert client.get(path).status_code in (302, 401, 403, 404)
    assert client.get(path, headers={"Authorization": f"Basic owner:{PASSWORD}"}).status_code in (302, 401, 403, 404)


def test_showing_a_key_stores_nothing_and_each_sign_in_shows_another(client, owner):
    first_step(client)
    before = BrowserSession.objects.values("session_data", "expire_date").get()
    key = key_on(client.get(PAGE))
    assert key_on(client.get(PAGE)) == key
    assert BrowserSession.objects.values("session_data", "expire_date").get() == before
    client.post("/sign-out/")
    first_step(client)
    assert key_on(client.get(PAGE)) != key


def test_turning_it_off_needs_a_code(client, having, clock):
    key, _ = having
    first_step(client)
    client.post(STEP, {"code": code_of(key, clock)})
    clock.forward(seconds=30)
    for given in ({}, {"code": "12345"}, {"recovery": "nothing"}):
        assert client.post(PAGE, {"do": "off", **given}).status_code == 422
    assert SecondFactor.objects.exists()
    assert client.post(PAGE, {"do": "off", "code": code_of(key, clock)}).status_code == 302
    assert not SecondFactor.objects.exists()
    assert first_step(Client())["Location"] == "/"
    assert actions()[-2:] == ["second factor turned off", "signed in"]


def test_new_recovery_codes_replace_the_earlier_ones(client, having, clock):
    key, codes = having
    first_step(client)
    client.post(STEP, {"code": code_of(key, clock)})
    clock.forward(seconds=30)
    assert client.post(PAGE, {"do": "codes", "code": "12345"}).status_code == 422
    renewed = codes_on(client.post(PAGE, {"do": "codes", "code": code_of(key, clock)}))
    assert len(set(renewed) | set(codes)) == 20
    other = Client()
    first_step(other)
    assert other.post(STEP, {"recovery": codes[0]}).status_code == 422
    assert other.post(STEP, {"recovery": renewed[0]}).status_code == 302


def test_turning_it_on_ends_all_other_sessions(client, owner, clock):
    other = Client()
    first_step(other)
    first_step(client)
    before = client.session.session_key
    set_up(client, clock)
    assert client.session.session_key != before
    assert is_in(client)
    assert not is_in(other)


def test_neither_key_nor_codes_are_stored_in_plain_or_logged(client, owner, clock, caplog):
    caplog.set_level(logging.DEBUG)
    first_step(client)
    key_on(client.get(PAGE))
    kept = str(dict(client.session))
    key, codes = set_up(client, clock)
    client.post(PAGE, {"do": "off", "code": "12345"})
    client.post(PAGE, {"do": "codes", "recovery": codes[0]})
    row = SecondFactor.objects.get()
    assert unseal(row.sealed_key) == key
    kept += str(vars(row)) + "".join(f"{one.old}{one.new}{one.subject}" for one in AuditEntry.objects.all())
    kept += str(dict(client.session)) + caplog.text
    assert key not in kept
    assert not [code for code in codes if code in kept or code.replace("-", "") in kept]


def test_an_earlier_secret_key_still_opens_and_a_sign_in_seals_again(client, having, clock, settings):
    key, _ = having
    old = settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [old]
    first_step(client)
    assert client.post(STEP, {"code": code_of(key, clock)}).status_code == 302
    settings.SECRET_KEY_FALLBACKS = []
    assert unseal(SecondFactor.objects.get().sealed_key) == key


def test_with_another_secret_key_only_recovery_codes_work_and_the_log_says_why(client, having, clock, settings, caplog):
    key, codes = having
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, []
    first_step(client)
    assert client.post(STEP, {"code": code_of(key, clock)}).status_code == 422
    assert "SECRET_KEY has changed" in caplog.text
    assert client.post(STEP, {"recovery": codes[0]}).status_code == 302


def test_a_seal_that_was_altered_does_not_open():
    sealed = seal("secret")
    assert unseal(sealed) == "secret"
    for altered in (sealed[:-3] + "abc", "", "nothing", sealed[:20]):
        with pytest.raises(SealBrokenError):
            unseal(altered)


def test_a_link_is_used_up_by_the_first_step(owner, having):
    path = issue_link(owner)
    Client().post(path)
    assert SignInLink.objects.exclude(used_at=None).count() == 1
    assert Client().post(path).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_of_simultaneous_uses_of_one_code_one_gets_in(owner):
    key = pyotp.random_base32()
    codes = [pyotp.TOTP(key).now(), "aaaa-bbbb-cccc-dddd"]
    SecondFactor.objects.create(
        person=owner, sealed_key=seal(key), used_step=0, recovery_hashes=[token_hash("aaaabbbbccccdddd")]
    )
    together, used = threading.Barrier(4), []

    def use(code):
        together.wait()
        used.append(use_code(owner, code))
        connection.close()

    threads = [threading.Thread(target=use, args=(code,)) for code in codes for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(used) == ["", "", "code", "recovery code"]
