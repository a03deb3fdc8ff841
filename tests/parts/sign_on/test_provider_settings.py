"""The settings of an OpenID Connect provider: all or none of them, over HTTPS, and the secret is not repeated."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from environs import Env

from parts.sign_on.environment import OidcProvider, read

CLIENT, SECRET = "interrater", "CANARY-client-secret"


@pytest.fixture
def given(monkeypatch):
    """A function that sets the three settings, with changes; None leaves one out."""

    def give(**changes):
        whole = {"SERVER": "https://id.example.org/realm/", "CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET, **changes}
        for name, value in whole.items():
            monkeypatch.delenv(f"OIDC_{name}", raising=False)
            if value is not None:
                monkeypatch.setenv(f"OIDC_{name}", value)
        return read(Env(), "production")["OIDC"]

    return give


def test_the_settings_name_a_provider(given, tmp_path):
    assert given() == OidcProvider("https://id.example.org/realm", CLIENT, SECRET, "id.example.org")
    assert given(NAME="Campus").name == "Campus"
    secret = tmp_path / "secret"
    secret.write_text("in a file\n")
    secret.chmod(0o600)
    assert given(CLIENT_SECRET=None, CLIENT_SECRET_FILE=str(secret)).client_secret == "in a file"
    nothing = dict.fromkeys(("SERVER", "CLIENT_ID", "CLIENT_SECRET", "CLIENT_SECRET_FILE", "NAME"))
    assert given(**nothing) is None


@pytest.mark.parametrize("missing", ["SERVER", "CLIENT_ID", "CLIENT_SECRET"])
def test_half_a_provider_stops_the_start_without_repeating_the_secret(given, missing):
    with pytest.raises(ImproperlyConfigured, match=f"OIDC_{missing} must be set") as refused:
        given(**{missing: " "})
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "server", ["http://id.example.org", "id.example.org", "ftp://x", "https://", "http://127.0.0.1.example"]
)
def test_a_provider_is_reached_by_https(given, server):
    with pytest.raises(ImproperlyConfigured, match="https://"):
        given(SERVER=server)
