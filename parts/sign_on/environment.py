"""Which OpenID Connect provider people may sign in with: read strictly, and None unless an operator names one."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from environs import Env

from config.environment import read_boolean
from config.secret_files import read_secret

VARIABLES = (
    "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_CLIENT_SECRET_FILE", "OIDC_JOIN_BY_EMAIL", "OIDC_NAME", "OIDC_SERVER",
)  # fmt: skip
LOCAL = ("127.0.0.1", "localhost", "::1")
LONGEST_NAME, LONGEST_SERVER = 40, 300


@dataclass(frozen=True)
class OidcProvider:
    """A provider: its issuer's address, this site's credentials there, and how pages call it."""

    server: str
    client_id: str
    client_secret: str
    name: str
    joins_by_email: bool = False
    """Whether an account with the same, verified e-mail address is taken as that of the person."""


def read(env: Env, profile: str) -> dict[str, Any]:
    """Return OIDC: the provider that people may sign in with, or None."""
    return {"OIDC": _provider(env, profile, read_boolean(env, "OIDC_JOIN_BY_EMAIL", False))}


def _provider(env: Env, profile: str, joins_by_email: bool) -> OidcProvider | None:
    """The provider of OIDC_SERVER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET; None if none of them is set."""
    given = {
        "OIDC_SERVER": env.str("OIDC_SERVER", "").strip(), "OIDC_CLIENT_ID": env.str("OIDC_CLIENT_ID", "").strip(),
        "OIDC_CLIENT_SECRET": (read_secret(env, "OIDC_CLIENT_SECRET", profile) or "").strip(),
    }  # fmt: skip
    missing = [name for name, value in given.items() if not value]
    if len(missing) == len(given):
        return None
    if missing:
        raise ImproperlyConfigured(f"{' and '.join(missing)} must be set, too, to sign people in by OIDC.")
    server, client, secret = given.values()
    if not is_safe_address(server) or len(server) > LONGEST_SERVER:
        raise ImproperlyConfigured("OIDC_SERVER must be the issuer's address, which begins with https://.")
    name: str = env.str("OIDC_NAME", "").strip() or str(urlsplit(server).hostname)
    return OidcProvider(server.rstrip("/"), client, secret, name[:LONGEST_NAME], joins_by_email)


def is_safe_address(address: str) -> bool:
    """Whether an address is one of HTTPS, or of this machine."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in LOCAL))
