"""How EMAIL_URL and EMAIL_FROM are read."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from environs import Env

from parts.mail import environment


@pytest.fixture
def read(monkeypatch):
    def read_these(profile="production", **values):
        for name in ("EMAIL_URL", "EMAIL_FROM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in values.items():
            monkeypatch.setenv(name, value)
        return environment.read(Env(), profile)

    return read_these


def test_without_an_address_production_sends_none_and_the_embedded_profile_prints(read):
    assert read()["SENDS_MAIL"] is False
    embedded = read("embedded")
    assert (embedded["SENDS_MAIL"], embedded["EMAIL_BACKEND"].split(".")[-2]) == (True, "console")


@pytest.mark.parametrize(
    ("url", "port", "tls", "ssl"),
    [("smtp://u:p%40ss@mail.example.org", 587, True, False), ("smtps://u:p%40ss@mail.example.org", 465, False, True),
     ("smtp://u:p%40ss@mail.example.org:25?tls=off", 25, False, False)],
)  # fmt: skip
def test_an_address_says_how_to_reach_the_server(read, url, port, tls, ssl):
    found = read(EMAIL_URL=url, EMAIL_FROM="study@example.org")
    assert (found["EMAIL_HOST"], found["EMAIL_PORT"]) == ("mail.example.org", port)
    assert (found["EMAIL_USE_TLS"], found["EMAIL_USE_SSL"]) == (tls, ssl)
    assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == ("u", "p@ss")
    assert found["SENDS_MAIL"] is True


@pytest.mark.parametrize("url", ["http://mail.example.org", "smtp://", "smtp://u:SECRET@mail:port", "smtp://a/b",
                                 "smtp://mail.example.org?tls=maybe"])  # fmt: skip
def test_other_addresses_are_refused_without_repeating_them(read, url):
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL must be") as refused:
        read(EMAIL_URL=url, EMAIL_FROM="study@example.org")
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize("sender", ["", "study", "Study <study@example.org>", "a@b.example\nBcc: c@d.example"])
def test_a_sender_is_one_plain_address(read, sender):
    with pytest.raises(ImproperlyConfigured, match="EMAIL_FROM"):
        read(EMAIL_URL="smtp://mail.example.org", EMAIL_FROM=sender)
