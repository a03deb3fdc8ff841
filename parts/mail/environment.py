"""By which server mail is sent: read strictly into Django's own settings of mail. Nothing else here sends any."""

import re
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from environs import Env

VARIABLES = ("EMAIL_FROM", "EMAIL_URL")
FORM = (
    "EMAIL_URL must be smtp://user:password@host:587 (with STARTTLS), smtps://user:password@host:465, or "
    "smtp://host:25?tls=off for a mail server on this machine. Without it, no mail is sent."
)
ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+")
PORTS = {"smtp": 587, "smtps": 465}
SECONDS = 20
"""How long the server may take to answer."""


def read(env: Env, profile: str) -> dict[str, Any]:
    """Return Django's settings of mail from EMAIL_URL and EMAIL_FROM, and SENDS_MAIL: whether any is sent.

    Without EMAIL_URL the embedded profile prints mails to the worker's log, and production sends none. The error does
    not repeat the address, which may contain a password.
    """
    given: str = env.str("EMAIL_URL", "").strip()
    sender: str = env.str("EMAIL_FROM", "").strip()
    if not given:
        backend = "django.core.mail.backends.console.EmailBackend"
        return {"EMAIL_BACKEND": backend, "SENDS_MAIL": profile != "production", "EMAIL_TIMEOUT": SECONDS,
                "DEFAULT_FROM_EMAIL": sender or "interrater@localhost"}  # fmt: skip
    try:
        found = urlsplit(given)
        port = found.port or PORTS.get(found.scheme)
    except ValueError:
        raise ImproperlyConfigured(FORM) from None
    if not port or not found.hostname or found.path not in ("", "/") or found.query not in ("", "tls=off"):
        raise ImproperlyConfigured(FORM)
    if not ADDRESS.fullmatch(sender):
        raise ImproperlyConfigured("EMAIL_FROM must be the address that mails come from, such as study@example.org.")
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend", "SENDS_MAIL": True, "EMAIL_TIMEOUT": SECONDS,
        "DEFAULT_FROM_EMAIL": sender, "EMAIL_HOST": found.hostname, "EMAIL_PORT": port,
        "EMAIL_HOST_USER": unquote(found.username or ""), "EMAIL_HOST_PASSWORD": unquote(found.password or ""),
        "EMAIL_USE_SSL": found.scheme == "smtps", "EMAIL_USE_TLS": found.scheme == "smtp" and not found.query,
    }  # fmt: skip
