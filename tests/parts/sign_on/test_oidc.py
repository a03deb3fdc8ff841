"""Signing in by an OpenID Connect provider, a small one on this machine: what is refused, and whose account it is."""

import base64
import hmac
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from datetime import timedelta
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Person
from annotation.models import Membership
from parts.mail.models import MailAddress
from parts.sign_on.environment import OidcProvider
from parts.sign_on.models import OutsideIdentity
from tests.accounts.authenticator import STEP, code_of
from tests.accounts.conftest import clock, having
from tests.house import ROOT
from tests.parts.sign_on.oidc_server import CLIENT, SECRET, Provider, rsa_key

__all__ = ["clock", "having"]


class Stay(HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@pytest.fixture
def provider(settings, db):
    site = Provider()
    settings.OIDC = OidcProvider(site.address, CLIENT, SECRET, "Campus")
    cache.clear()
    yield site
    site.shutdown()
    site.server_close()
    cache.clear()


def answer_of(client, **more):
    """Begin, and let the provider approve; return its answer's parameters."""
    there = client.get("/oidc/begin/", more)["Location"]
    try:
        build_opener(Stay).open(there)
    except HTTPError as redirect:
        with redirect:
            back = urlsplit(redirect.headers["Location"])
    assert back.path == "/oidc/return/"
    return dict(parse_qsl(back.query))


def come_back(client, answer):
    return client.get(f"/oidc/return/?{urlencode(answer)}")


def sign_in(client, **more):
    return come_back(client, answer_of(client, **more))


def is_in(client):
    return client.get("/").status_code == 200


def refused(client, page, sentence, status=403):
    assert page.status_code == status
    assert sentence in page.content.decode()
    assert not is_in(client)
    return True


def test_a_new_person_gets_an_account_without_rights_and_keeps_it(client, provider):
    assert sign_in(client)["Location"] == "/"
    assert is_in(client)
    person = Person.objects.get()
    assert (person.username, person.full_name, person.email) == ("ada", "Ada Ndoye", "")
    assert (person.is_staff, person.is_superuser, person.has_usable_password()) == (False, False, False)
    assert not Membership.objects.exists()
    assert sign_in(Client())["Location"] == "/"
    assert Person.objects.count() == OutsideIdentity.objects.count() == 1
    assert list(AuditEntry.objects.order_by("pk").values_list("action", "new")) == [
        ("person added", {"by": "oidc"}), ("signed in", {"by": "oidc"}), ("signed in", {"by": "oidc"}),
    ]  # fmt: skip


def test_another_subject_is_another_person_whatever_they_are_called(client, provider):
    sign_in(client)
    for number, name in ((2, "ada"), (3, "ADA"), (4, "../a b<c>"), (5, ""), (6, "x" * 400)):
        provider.claims |= {"sub": f"subject-{number}", "preferred_username": name}
        assert sign_in(Client()).status_code == 302
    names = list(Person.objects.order_by("pk").values_list("username", flat=True))
    assert names == ["ada", "ada-2", "ADA-3", "..-a-b-c", "person", "x" * 140]


def test_people_reach_the_page_that_they_asked_for_and_no_other_site(provider):
    assert sign_in(Client(), next="/my-settings/")["Location"] == "/my-settings/"
    assert sign_in(Client(), next="https://evil.example/")["Location"] == "/"


@pytest.mark.parametrize("change", [{"state": "another"}, {"state": ""}, {"code": ""}, {"iss": "https://evil.example"}])
def test_an_answer_with_a_wrong_state_is_refused(client, provider, change):
    answer = answer_of(client)
    page = come_back(client, answer | change)
    assert page.status_code == 403
    assert not is_in(client)
    assert come_back(client, answer).status_code == 403  # nor does the right one work now


def test_no_answer_works_without_a_beginning_or_in_another_browser(client, provider):
    answer = answer_of(client)
    other = Client()
    assert refused(other, come_back(other, answer), "took too long")
    assert refused(other, come_back(other, {"code": "x", "state": ""}), "took too long")


def test_an_answer_works_once(client, provider):
    answer = answer_of(client)
    assert come_back(client, answer).status_code == 302
    again = come_back(client, answer)
    assert again.status_code == 403
    assert "opened twice" in again.content.decode()
    assert provider.asked.count("/token") == 1  # the provider is not even asked
    client.post("/sign-out/")
    assert refused(client, come_back(client, answer), "opened twice")


def test_a_token_of_another_sign_in_is_refused(client, provider):
    kept = []
    provider.make_token = lambda nonce: kept.append(provider.signed(nonce)) or kept[0]
    assert sign_in(Client()).status_code == 302
    assert refused(client, sign_in(client), "could not be verified")
    assert len(kept) == 2


def test_a_late_answer_is_refused(client, provider, monkeypatch):
    answer = answer_of(client)
    later = timezone.now() + timedelta(seconds=601)
    monkeypatch.setattr("config.database_clock.time_on", lambda connection: later)
    assert refused(client, come_back(client, answer), "took too long")


NOW = int(time.time())
WRONG_CLAIMS = (
    {"nonce": "another"}, {"nonce": None}, {"nonce": ""}, {"aud": "another"}, {"aud": [CLIENT, "another"]},
    {"aud": None}, {"azp": "another"}, {"iss": "https://evil.example"}, {"iss": None}, {"exp": NOW - 3600},
    {"exp": None},
    {"iat": NOW + 36000}, {"iat": None}, {"sub": None}, {"sub": ""}, {"sub": "x" * 256}, {"sub": 5},
    {"nbf": NOW + 36000},
)  # fmt: skip


@pytest.mark.parametrize("claims", WRONG_CLAIMS, ids=lambda claims: next(iter(claims)))
def test_a_token_that_is_not_for_this_sign_in_is_refused(client, provider, claims):
    provider.claims |= claims
    assert refused(client, sign_in(client), "could not be verified")
    assert not Person.objects.exists()


def test_a_token_for_several_sites_is_accepted_if_it_was_made_for_this_one(client, provider):
    provider.claims |= {"aud": [CLIENT, "another"], "azp": CLIENT}
    assert sign_in(client).status_code == 302


def forged(provider, how):
    """A token that the provider has not signed with its key."""

    def make(nonce):
        claims, headers = provider.all_claims(nonce), {"kid": provider.number}
        if how == "another key":
            return jwt.encode(claims, rsa_key("another"), algorithm="RS256", headers=headers)
        if how == "unknown key":
            return jwt.encode(claims, provider.key, algorithm="RS256", headers={"kid": "unknown"})
        if how == "none":
            return jwt.encode(claims, "", algorithm="none", headers=headers)
        if how == "no token":
            return ""
        head, body, signature = provider.signed(nonce).split(".")
        if how == "altered":
            return f"{head}.{encoded(json.dumps(claims | {'sub': 'root'}).encode())}.{signature}"
        shared = SECRET.encode() if how == "secret" else provider.key.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )  # fmt: skip
        signed = f"{encoded(json.dumps({'alg': 'HS256', **headers}).encode())}.{body}"
        return f"{signed}.{encoded(hmac.new(shared, signed.encode(), 'sha256').digest())}"

    return make


def encoded(part):
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


@pytest.mark.parametrize("how", ["another key", "unknown key", "none", "altered", "no token", "secret", "public key"])
def test_a_token_without_the_signature_of_the_provider_is_refused(client, provider, how):
    provider.make_token = forged(provider, how)
    assert refused(client, sign_in(client), "could not be verified")
    assert not Person.objects.exists()


def test_a_new_key_of_the_provider_is_read_when_it_is_used(client, provider):
    assert sign_in(Client()).status_code == 302
    provider.use_key("two")
    assert sign_in(client).status_code == 302
    assert provider.asked.count("/keys") == 2


def test_a_secret_that_the_provider_refuses_is_told_apart_and_not_logged(client, provider, settings, caplog):
    settings.OIDC = replace(settings.OIDC, client_secret="CANARY-wrong")
    page = sign_in(client)
    assert refused(client, page, "could not be verified")
    assert "refused: status 400" in caplog.text
    assert "CANARY" not in caplog.text + page.content.decode()


def test_what_the_provider_itself_refuses_is_said(client, provider):
    state = answer_of(client)["state"]
    assert refused(client, come_back(client, {"error": "access_denied", "state": state}), "Campus did not sign you in")


AWAY = {
    "error": (500, {}, {}), "moved": (302, {}, {"Location": "/elsewhere"}), "not JSON": (200, b"<p>", {}),
    "a list": (200, [], {}), "other issuer": (200, {"issuer": "https://evil.example"}, {}),
    "large": (200, b" " * 1_100_000, {}),
}  # fmt: skip


@pytest.mark.parametrize("how", AWAY)
@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token"])
def test_a_provider_that_does_not_answer_as_it_should_is_said_to_be_away(client, provider, path, how):
    if path == "/token":
        answer = answer_of(client)
        provider.answers[path] = AWAY[how]
        status = 403 if how == "other issuer" else 503  # an answer without a token
        assert refused(
            client, come_back(client, answer), "Campus" if status == 503 else "could not be verified", status
        )
    else:
        provider.answers[path] = AWAY[how]
        page = client.get("/oidc/begin/")
        assert refused(client, page, "Campus does not answer", 503)


def test_a_provider_without_a_server_is_said_to_be_away(client, provider):
    provider.shutdown()
    provider.server_close()
    assert refused(client, client.get("/oidc/begin/"), "Campus does not answer", 503)


def joined(provider, settings, person=None, *, allowed=True, **claims):
    """Whether somebody with an e-mail address is taken for `person`."""
    settings.OIDC = replace(settings.OIDC, joins_by_email=allowed)
    provider.claims |= {"email": "Owner@Mail.example", "email_verified": True, **claims}
    client = Client()
    assert sign_in(client).status_code == 302
    return client.get("/").wsgi_request.user == person


@pytest.fixture
def addressed(owner):
    """The owner, with an e-mail address that an operator has entered."""
    owner.email = "owner@mail.example"
    owner.save()
    return owner


def test_a_verified_address_joins_an_account_if_the_operator_allows_it(provider, settings, addressed):
    assert joined(provider, settings, addressed)
    assert Person.objects.count() == 1
    assert AuditEntry.objects.get(action="account joined with oidc").about.person == addressed


def test_an_address_that_its_person_has_confirmed_joins_too(provider, settings, owner):
    MailAddress.objects.create(person=owner, address="owner@mail.example", confirmed_at=timezone.now())
    assert joined(provider, settings, owner)


LOOK_ALIKES = ("m\u0131ke@mail.example", "mike@ma\u0131l.example", "M\u0130KE@mail.example", "mi\u212ae@mail.example")
"""Addresses that a database or Python may take for mike@mail.example: a dotless and a dotted i, a sign for kelvin."""


@pytest.mark.parametrize("address", LOOK_ALIKES)
@pytest.mark.parametrize("confirmed", [False, True])
def test_an_address_that_only_looks_alike_joins_nobody(provider, settings, address, confirmed):
    superuser = Person.objects.create_superuser("mike")
    if confirmed:
        MailAddress.objects.create(person=superuser, address="mike@mail.example", confirmed_at=timezone.now())
    else:
        superuser.email = "mike@mail.example"
        superuser.save()
    assert not joined(provider, settings, superuser, email=address)
    assert joined(provider, settings, superuser, email="MIKE@mail.Example", sub="mike himself")


def test_an_address_that_its_person_has_not_confirmed_does_not_join(provider, settings, owner):
    MailAddress.objects.create(person=owner, pending="owner@mail.example")
    assert not joined(provider, settings, owner)


def test_a_guest_is_joined_to_nobody_because_a_link_leads_into_the_account(provider, settings, rater):
    Person.objects.filter(pk=rater.pk).update(guest_of="study")
    MailAddress.objects.create(person=rater, address="owner@mail.example", confirmed_at=timezone.now())
    assert not joined(provider, settings, rater)


def test_without_the_setting_no_address_joins(provider, settings, addressed):
    assert not joined(provider, settings, addressed, allowed=False)
    assert Person.objects.count() == 2


@pytest.mark.parametrize("verified", [False, None, "true", 1, "false"])
def test_an_address_that_is_not_verified_does_not_join(provider, settings, addressed, verified):
    assert not joined(provider, settings, addressed, email_verified=verified)


def test_an_address_of_two_people_joins_neither(provider, settings, addressed, rater):
    rater.email = "owner@mail.example"
    rater.save()
    assert not joined(provider, settings, addressed)
    assert Person.objects.count() == 3


def test_an_address_outside_of_the_token_is_asked_for_and_only_believed_of_the_same_subject(
    provider, settings, addressed
):
    address = {"email": "owner@mail.example", "email_verified": True}
    provider.told = {"sub": "somebody else", **address}
    assert not joined(provider, settings, addressed, sub="subject-2", email=None, email_verified=None)
    provider.told = {"sub": "subject-3", **address}
    assert joined(provider, settings, addressed, sub="subject-3", email=None, email_verified=None)


def test_a_deactivated_account_stays_closed(client, provider):
    sign_in(Client())
    Person.objects.update(is_active=False)
    assert refused(client, sign_in(client), "deactivated")


def test_the_second_factor_is_asked_for_after_the_provider(provider, settings, addressed, having, clock):
    settings.OIDC = replace(settings.OIDC, joins_by_email=True)
    provider.claims |= {"email": "owner@mail.example", "email_verified": True}
    client = Client()
    assert sign_in(client, next="/my-settings/")["Location"] == f"{STEP}?next=%2Fmy-settings%2F"
    assert not is_in(client)
    assert client.post(STEP, {"code": code_of(having[0], clock)}).status_code == 302
    assert AuditEntry.objects.latest("pk").new == {"by": "oidc", "second": "code"}


def test_the_sign_in_page_names_the_provider_only_if_there_is_one(client, provider, settings):
    page = client.get("/sign-in/?next=/my-settings/").content.decode()
    assert "Sign in with Campus" in page
    assert 'href="/oidc/begin/?next=%2Fmy-settings%2F"' in page
    settings.OIDC = None
    assert "oidc" not in client.get("/sign-in/").content.decode()
    for path in ("/oidc/begin/", "/oidc/return/"):
        assert client.get(path).status_code == 404


def test_who_is_signed_in_is_not_sent_to_the_provider(client, provider, owner):
    client.force_login(owner)
    assert client.get("/oidc/begin/")["Location"] == "/"
    assert provider.asked == []


LOADED = """
import sys, django
django.setup()
import config.wsgi
from django.conf import settings
from django.test import Client
settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
print(Client().get("/oidc/return/").status_code, "parts.sign_on.id_tokens" in sys.modules)
"""


@pytest.mark.thorough
def test_without_a_provider_nothing_of_it_is_loaded(tmp_path):
    set_up = {"OIDC_SERVER": "https://id.example.org", "OIDC_CLIENT_ID": CLIENT, "OIDC_CLIENT_SECRET": SECRET}
    said = []
    for more in ({}, set_up):
        env = {
            **os.environ, "VAR": str(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path}/data.sqlite3",
            "ALLOWED_HOSTS": "*", "DJANGO_SETTINGS_MODULE": "config.settings", **more,
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", LOADED], cwd=ROOT, env=env, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert said == ["404 False\n", "403 True\n"]
