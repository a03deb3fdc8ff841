"""A new password by mail: answers tell nothing, links work once and for an hour, and all sessions end."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEntry, SignInLink
from accounts.preferences import save_preferences
from accounts.sign_in_limits import ACCOUNT_TRIES
from accounts.sign_in_links import issue_link
from config.background.claiming import run_waiting
from parts.mail.mail_links import address_digest
from parts.mail.models import MailAddress, OutgoingMail
from parts.mail.password_mail import MOST_PER_HOUR

ASK, ADDRESS, NEW = "/password/forgotten/", "ann@mail.example", "another long password"
FORM = {"new_password1": NEW, "new_password2": NEW}


@pytest.fixture(autouse=True)
def site(settings):
    settings.SENDS_MAIL = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.DEFAULT_FROM_EMAIL = "study@site.example"


@pytest.fixture
def reached(rater):
    return MailAddress.objects.create(person=rater, address=ADDRESS, confirmed_at=timezone.now())


def asked(typed, **more):
    return Client(**more).post(ASK, {"account": typed})


def links():
    """Ask the workers to send, and return the links of all mails."""
    run_waiting()
    return [path for one in mail.outbox for path in re.findall(r"/password/reset/\S+", one.body)]


def sign_in(password):
    return Client().post("/sign-in/", {"username": "rater", "password": password}).status_code


@pytest.mark.parametrize("typed", ["rater", ADDRESS, "ANN@mail.example"])
def test_a_link_sets_a_new_password_once_and_ends_every_session(reached, rater, typed):
    before = Client()
    before.force_login(rater)
    asked(typed)
    assert mail.outbox == []  # a worker sends it, not the page
    [path] = links()
    assert mail.outbox[0].to == [ADDRESS]
    assert Client().get(path).status_code == 200
    assert Client().post(path, FORM)["Location"] == "/sign-in/"
    assert before.get("/").status_code == 302
    assert (sign_in(NEW), sign_in("rater has a long password")) == (302, 422)
    assert Client().post(path, FORM).status_code == Client().get(path).status_code == 404
    entries = AuditEntry.objects.filter(action__startswith="password").order_by("pk")
    assert [entry.action for entry in entries] == ["password link issued", "password reset"]


def test_known_and_unknown_names_are_answered_by_the_same_page_and_the_same_statements(reached, owner):
    """The owner has no address, and `nobody` no account."""
    seen = []
    for typed in ("rater", ADDRESS, "owner", "nobody", "nobody@mail.example"):
        with CaptureQueriesContext(connection) as captured:
            answer = asked(typed, REMOTE_ADDR="10.0.0.1")
        shapes = [re.sub(r"'[^']*'|\b\d+\b|s\d+_x\d+", "?", query["sql"]) for query in captured]
        seen.append((answer.status_code, answer.content.decode().split("<main")[1], shapes))
        assert not any("accounts_person" in shape or "mailaddress" in shape for shape in shapes)
    for one in seen[1:]:
        assert one == seen[0]
    assert len(links()) == 2


def test_what_was_typed_is_forgotten_when_the_mail_ended(reached):
    asked("rater")
    asked("nobody")
    links()
    assert list(OutgoingMail.objects.order_by("pk").values_list("status", "address", "person")) == [
        ("done", "", None), ("failed", "", None),
    ]  # fmt: skip


def test_an_unconfirmed_address_and_a_deactivated_account_get_no_link(reached, rater):
    MailAddress.objects.update(address="", confirmed_at=None, pending=ADDRESS)
    asked("rater")
    assert links() == []
    MailAddress.objects.update(address=ADDRESS, confirmed_at=timezone.now())
    rater.is_active = False
    rater.save()
    asked("rater")
    assert links() == []


def test_requests_are_limited_alike_for_known_and_unknown_names(reached):
    for typed in ("rater", "nobody"):
        codes = [asked(typed).status_code for _ in range(ACCOUNT_TRIES + 1)]
        assert codes == [200] * ACCOUNT_TRIES + [429]
    assert asked("somebody").status_code == 200


def test_one_person_gets_few_links_per_hour_from_any_addresses(reached):
    for number in range(MOST_PER_HOUR + 2):
        assert asked("rater", REMOTE_ADDR=f"10.0.{number}.1").status_code == 200
    assert len(links()) == MOST_PER_HOUR


@pytest.mark.parametrize("change", ["expired", "revoked", "password", "deactivated"])
def test_a_dead_link_changes_nothing(reached, rater, change):
    asked("rater")
    [path] = links()
    if change == "expired":
        SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif change == "revoked":
        SignInLink.objects.update(revoked_at=timezone.now())
    elif change == "password":
        rater.set_password("a third long password")
        rater.save()
    else:
        rater.is_active = False
        rater.save()
    before = type(rater).objects.get(pk=rater.pk).password
    assert Client().post(path, FORM).status_code == 404
    assert type(rater).objects.get(pk=rater.pk).password == before


def test_a_password_link_signs_nobody_in_and_a_sign_in_link_sets_no_password(reached, rater):
    asked("rater")
    [path] = links()
    assert Client().post(f"/sign-in/{path.split('/')[-2]}/").status_code == 404
    token = issue_link(rater).split("/")[-2]
    assert Client().post(f"/password/reset/{token}/", FORM).status_code == 404


def test_a_new_password_ends_the_other_links(reached, rater):
    asked("rater")
    asked("rater")
    first, second = links()
    sign_in_link = issue_link(rater)
    Client().post(second, FORM)
    assert [Client().post(path, FORM).status_code for path in (first, sign_in_link)] == [404, 404]


def test_accounts_with_one_address_get_one_mail_with_a_link_each(reached, rater, owner):
    MailAddress.objects.create(person=owner, address=ADDRESS.upper(), confirmed_at=timezone.now())
    asked(ADDRESS)
    assert len(links()) == 2
    assert len(mail.outbox) == 1
    assert all(f"\n{name}\n" in mail.outbox[0].body for name in ("owner", "rater"))


def test_a_user_name_like_an_address_takes_no_mail_from_its_owner(rater, owner):
    """The owner has come first, has an address of their own, and is called as the rater's address is."""
    MailAddress.objects.create(person=owner, address="owner@mail.example", confirmed_at=timezone.now())
    MailAddress.objects.create(person=rater, address=ADDRESS, confirmed_at=timezone.now())
    owner.username = ADDRESS.upper()
    owner.save()
    asked(ADDRESS)
    [path] = links()
    assert [one.to for one in mail.outbox] == [[ADDRESS]]
    assert SignInLink.objects.get().person == rater
    assert Client().post(path, FORM).status_code == 302
    assert sign_in(NEW) == 302
    asked("owner@mail.example")
    assert len(links()) == 2
    assert mail.outbox[1].to == ["owner@mail.example"]


@pytest.mark.parametrize("typed", ["m\u0131ke", "m\u0131ke@mail.example", "mi\u212ae@mail.example", "\u017fmike"])
def test_what_only_looks_like_a_name_or_an_address_is_nobodys(rater, typed):
    rater.username = "mike"
    rater.save()
    MailAddress.objects.create(person=rater, address="mike@mail.example", confirmed_at=timezone.now())
    asked(typed)
    assert links() == []
    asked("MIKE")
    assert len(links()) == 1


def test_a_link_that_confirms_one_address_confirms_no_other():
    assert address_digest("ANN@Mail.example") == address_digest(ADDRESS)
    for given, other in (("ann@stra\u00dfe.example", "ann@strasse.example"), ("bo\u017fs@m.example", "boss@m.example")):
        assert address_digest(given) != address_digest(other)


@pytest.mark.parametrize(("language", "subject", "said"), [
    ("", "A new password", "within 1 hour and"), ("de", "Ein neues Passwort", "innerhalb von 1 Stunde den"),
    ("ar", "كلمة مرور جديدة", "خلال ساعة واحدة"),
])  # fmt: skip
def test_the_mail_is_in_the_language_that_its_reader_has_chosen(reached, rater, language, subject, said):
    save_preferences(rater, language=language)
    asked("rater")
    assert len(links()) == 1
    assert mail.outbox[0].subject == subject
    assert said in mail.outbox[0].body


def test_the_pages_are_in_the_language_of_the_browser(reached):
    german = {"headers": {"accept-language": "de"}}
    assert "Passwort vergessen?" in Client(**german).get(ASK).content.decode()
    assert "innerhalb von 1 Stunde." in asked("rater", **german).content.decode()
    [path] = links()
    page = Client(**german).get(path).content.decode()
    assert "Für das Konto <strong>rater</strong>." in page
    assert "Neues Passwort noch einmal" in page
    done = Client(**german).post(path, FORM, follow=True).content.decode()
    assert "Ihr Passwort wurde geändert." in done
    assert "Fordern Sie auf der Anmeldeseite einen neuen an." in Client(**german).get(path).content.decode()


def test_a_weak_password_is_an_error_and_leaves_the_link(reached):
    asked("rater")
    [path] = links()
    assert Client().post(path, {"new_password1": "1234567890", "new_password2": "1234567890"}).status_code == 422
    assert Client().post(path, FORM).status_code == 302


def test_without_mail_there_is_no_such_page_and_no_link_to_it(client, settings, db):
    assert ASK in client.get("/sign-in/").content.decode()
    settings.SENDS_MAIL = False
    assert client.get(ASK).status_code == 404
    assert ASK not in client.get("/sign-in/").content.decode()
