"""Links that recruiters sign: HMAC for any, signed tokens for Prolific. What is not signed leads nowhere."""

import hmac
import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client

from parts.crowds.models import CrowdId, CrowdStay
from tests.parts.crowds.crowd_study import GENERIC, PROLIFIC, Guest, crowd_study, prolific_ids, texts

pytestmark = pytest.mark.django_db
SIGNED = {**GENERIC, "signature": {"parameter": "sig"}}
AUDIENCE = "https://ratings.example"


@pytest.fixture(scope="module")
def keys():
    return [rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2)]


def public(key, kid):
    known = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    return {"kty": "RSA", "kid": kid, "alg": "RS256", "n": known["n"], "e": known["e"]}


def token(key, kid="k1", *, algorithm="RS256", **changes):
    claims = {"aud": AUDIENCE, "exp": int(time.time()) + 600, "prolific": {**prolific_ids(), "workspace_id": "w"}}
    claims = {name: value for name, value in {**claims, **changes}.items() if value is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})


@pytest.fixture
def signed(owner):
    return crowd_study(owner, recruiter=SIGNED)


@pytest.fixture
def by_token(owner, keys):
    declared = {"audience": AUDIENCE, "keys": [public(keys[0], "k1")]}
    return crowd_study(owner, recruiter={**PROLIFIC, "token": declared})


def signature(study, owner, *lines):
    """As a recruiter signs: with the key that a researcher reads on the page of entry links."""
    client = Client()
    client.force_login(owner)
    key = client.get(f"/studies/{study.slug}/entry-links/").context["signing_key"]
    return hmac.new(key.encode(), "\n".join(lines).encode(), "sha256").hexdigest()


def test_a_signed_link_leads_in(signed, owner):
    given = {"pid": "p1", "sub": "s1", "sig": signature(signed, owner, "p1", "", "s1")}
    guest = Guest(signed)
    assert 'name="sig"' in guest.open(given).content.decode()
    assert guest.enter(given).status_code == 302
    assert CrowdId.objects.get().participant == "p1"


def test_a_link_with_another_signature_leads_nowhere(signed, owner):
    right = signature(signed, owner, "p1", "", "s1")
    for changes in ({"pid": "p2"}, {"sub": "s2"}, {"sig": ""}, {"sig": right[:-1]}, {"sig": "ü" * 64}):
        page = Guest(signed).enter({"pid": "p1", "sub": "s1", "sig": right} | changes)
        assert page.status_code == 422, changes
        assert "no valid signature" in texts(page)
    assert CrowdStay.objects.count() == 0


def test_a_key_is_of_one_study_and_of_one_number(signed, owner):
    other = crowd_study(owner, recruiter=SIGNED, slug="other")
    given = {"pid": "p1", "sub": "s1", "sig": signature(signed, owner, "p1", "", "s1")}
    assert Guest(other).enter(given).status_code == 422
    signed.recruiting["recruiter"]["signature"]["number"] = 2
    signed.save(update_fields=["recruiting"])
    assert Guest(signed).enter(given).status_code == 422


def test_a_token_leads_in_without_plain_ids_and_names_who_comes(by_token, keys):
    guest = Guest(by_token)
    given = {"prolific_token": token(keys[0])}
    assert guest.open(given).status_code == 200
    assert guest.enter(given).status_code == 302
    assert (CrowdId.objects.get().participant, CrowdId.objects.get().session) == ("pid1", "session1")
    again = Guest(by_token)
    assert again.enter({**prolific_ids(), "prolific_token": token(keys[0])}).status_code == 302
    assert again.person == guest.person


def test_tokens_that_are_not_right_lead_nowhere(by_token, keys):
    wrong = {
        "none": "", "nonsense": "a.b.c", "long": "x" * 5000,
        "another key": token(keys[1]), "unknown key": token(keys[0], "k2"),
        "too late": token(keys[0], exp=int(time.time()) - 60), "no time": token(keys[0], exp=None),
        "another site": token(keys[0], aud="https://elsewhere.example"), "no site": token(keys[0], aud=None),
        "no ids": token(keys[0], prolific=None), "ids of numbers": token(keys[0], prolific={"PROLIFIC_PID": 1}),
        "not signed": token(None, algorithm="none"),
        "signed by a word": token("a" * 32, algorithm="HS256"),
    }  # fmt: skip
    accepted = [
        name for name, one in wrong.items() if Guest(by_token).enter({"prolific_token": one}).status_code != 422
    ]
    assert accepted == []
    mixed = {"PROLIFIC_PID": "somebody-else", "prolific_token": token(keys[0])}
    assert Guest(by_token).enter(mixed).status_code == 422
    assert CrowdStay.objects.count() == 0
