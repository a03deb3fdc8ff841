"""The second factor as operators see it: reset by command and in the admin, erased, switched off, demanded of staff."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.audited_erasure import audited_erasure, erase_account
from accounts.models import AuditEntry, Person, SecondFactor
from tests.accounts.authenticator import PAGE, PASSWORD, STEP, code_of, first_step, is_in, set_up


def test_an_operator_resets_it_by_command(client, having, capsys):
    call_command("reset_second_factor", "owner")
    assert "Removed" in capsys.readouterr().out
    assert first_step(client)["Location"] == "/"
    reset = AuditEntry.objects.get(action="second factor reset")
    assert (reset.actor, reset.about.person.username) == (None, "owner")
    for name in ("owner", "nobody"):
        with pytest.raises(CommandError, match="no person called"):
            call_command("reset_second_factor", name)


def operator(client, clock, name="operator"):
    """An operator in `client` with a second factor of their own."""
    one = Person.objects.create_superuser(name, password=PASSWORD)
    first_step(client, name)
    set_up(client, clock)
    return one


def test_an_operator_resets_it_in_the_admin_and_the_sessions_end(client, owner, clock, having):
    key, _ = having
    theirs = Client()
    first_step(theirs)
    theirs.post(STEP, {"code": code_of(key, clock)})
    assert is_in(theirs)
    one = operator(client, clock)
    factor = SecondFactor.objects.get(person=owner)
    assert key not in client.get(f"/admin/accounts/secondfactor/{factor.pk}/change/").content.decode()
    chosen = {"action": "reset", "_selected_action": [factor.pk]}
    assert client.post("/admin/accounts/secondfactor/", {**chosen, "_selected_action": ["x"]}).status_code == 302
    assert SecondFactor.objects.filter(person=owner).exists()
    assert client.post("/admin/accounts/secondfactor/", chosen).status_code == 302
    assert not SecondFactor.objects.filter(person=owner).exists()
    assert not is_in(theirs)
    assert AuditEntry.objects.get(action="second factor reset").actor.person == one


def test_in_the_admin_nobody_resets_their_own(client, db, clock):
    one = operator(client, clock)
    chosen = {"action": "reset", "_selected_action": [SecondFactor.objects.get(person=one).pk]}
    page = client.post("/admin/accounts/secondfactor/", chosen, follow=True).content.decode()
    assert "Your own was not removed" in page
    assert SecondFactor.objects.filter(person=one).exists()


def test_an_erased_account_keeps_no_second_factor(owner, having):
    with audited_erasure("account erased", "person:1", actor=None) as erased:
        erase_account(owner, erased)
    assert not SecondFactor.objects.exists()


def test_switched_off_nobody_is_asked_and_the_page_is_gone(client, having, settings):
    settings.SECOND_FACTOR = "OFF"
    assert first_step(client)["Location"] == "/"
    assert client.get(PAGE).status_code == 404
    assert "second-factor" not in client.get("/my-settings/").content.decode()


def test_staff_without_one_are_led_to_set_it_up_before_anything_else(owner, clock, settings):
    settings.SECOND_FACTOR = "STAFF"
    client = Client()
    Person.objects.update(is_staff=True)
    assert first_step(client, next="/admin/")["Location"] == "/admin/"
    for path in ("/admin/", "/", "/my-settings/", "/sign-in/", "/password/"):
        assert client.get(path)["Location"] == PAGE, path
    assert client.post("/my-settings/", {"phrases": "x"})["Location"] == PAGE
    assert client.get("/api/studies/").status_code == 403
    assert client.get("/", headers={"HX-Request": "true"}).status_code == 403
    assert "requires a second factor" in client.get(PAGE).content.decode()
    set_up(client, clock)
    assert client.get("/admin/").status_code == 200
    assert client.post(PAGE, {"do": "off", "code": "12345"}).status_code == 422


def test_staff_can_sign_out_and_choose_a_language_before_they_set_it_up(owner, settings):
    settings.SECOND_FACTOR = "STAFF"
    client = Client()
    Person.objects.update(is_staff=True)
    first_step(client)
    assert client.post("/language/", {"language": "de"}).status_code == 302
    assert client.post("/sign-out/")["Location"] == "/sign-in/"


def test_people_who_are_not_staff_need_none(owner, settings):
    settings.SECOND_FACTOR = "STAFF"
    client = Client()
    assert first_step(client)["Location"] == "/"
    assert is_in(client)


def test_staff_who_turn_it_off_are_led_to_set_it_up_again(owner, clock, settings):
    settings.SECOND_FACTOR = "STAFF"
    client = Client()
    Person.objects.update(is_staff=True)
    first_step(client)
    key, _ = set_up(client, clock)
    assert client.post(PAGE, {"do": "off", "code": code_of(key, clock)})["Location"] == PAGE
    assert client.get("/admin/")["Location"] == PAGE


def test_a_session_from_before_the_setting_ends_if_its_person_has_one(owner, having, settings):
    Person.objects.update(is_staff=True)
    settings.SECOND_FACTOR = "OFF"
    client = Client()
    first_step(client)
    assert client.get("/admin/").status_code == 200
    settings.SECOND_FACTOR = "STAFF"
    later = Client()
    later.cookies = client.cookies
    assert later.get("/admin/")["Location"] == "/sign-in/"
    assert client.session.get("_auth_user_id") is None
