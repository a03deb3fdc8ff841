"""Strict readers of the process environment.

A value that cannot be read stops the start with a sentence that names the variable and the mend.
"""

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from environs import Env, EnvError

PROFILES = ("embedded", "production")
SHORTEST_KEY = 40
EXAMPLE_KEYS = ("changeme", "change-me", "example", "secret", "insecure", "django-insecure")

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
DATABASE_MEND = (
    "DATABASE_URL must be postgres://user:password@host:5432/name or sqlite:////full/path/to/file.sqlite3; without it, "
    "SQLite in VAR is used."
)

BROKER_MEND = (
    "BROKER_URL must be redis://:password@host:6379/0 or rediss://...; without it, files in VAR are used, which suits "
    "one machine only."
)


def read_boolean(env: Env, name: str, default: bool) -> bool:
    """The boolean `name`; the text "False" is false, anything that is no boolean is refused."""
    try:
        return bool(env.bool(name, default))
    except EnvError as problem:
        raise ImproperlyConfigured(f"{name} must be true or false: {problem}") from problem


def read_whole(env: Env, name: str, default: int) -> int:
    """The whole number `name`, 1 or more."""
    given: str = env.str(name, str(default))
    if not given.isascii() or not given.isdigit() or len(given) > 12 or int(given) < 1:
        raise ImproperlyConfigured(f"{name} must be a whole number, 1 or more, not {given!r}.")
    return int(given)


def read_profile(env: Env) -> str:
    """`embedded` (one machine, no configuration) or `production` (refuses to start half configured)."""
    profile: str = env.str("PROFILE", "embedded")
    if profile not in PROFILES:
        raise ImproperlyConfigured(f"PROFILE must be one of {', '.join(PROFILES)}, not {profile!r}.")
    return profile


def read_level(env: Env) -> str:
    """The least level that is logged, LOG_LEVEL; INFO where it is empty."""
    given: str = env.str("LOG_LEVEL", "") or "INFO"
    if given.upper() not in LEVELS:
        raise ImproperlyConfigured(f"LOG_LEVEL must be one of {', '.join(LEVELS)}, not {given!r}.")
    return given.upper()


def read_database(env: Env, kept: Path) -> Any:
    """The settings of the database, from DATABASE_URL; the SQLite file `kept` where it is empty.

    What is wrong is told without the address, which may hold a password.
    """
    given: str = env.str("DATABASE_URL", "").strip() or f"sqlite:///{kept}"
    try:
        found = dj_database_url.parse(given, conn_max_age=600, conn_health_checks=True)
    except ValueError:
        raise ImproperlyConfigured(DATABASE_MEND) from None
    if not found["ENGINE"].endswith((".postgresql", ".sqlite3")) or not found["NAME"]:
        raise ImproperlyConfigured(DATABASE_MEND)
    return found


def read_broker(env: Env, profile: str) -> str:
    """The address of the message broker, from BROKER_URL; "" (files in VAR) where it is empty.

    What is wrong is told without the address, which may hold a password.
    """
    given: str = env.str("BROKER_URL", "").strip()
    if not given and profile == "production":
        raise ImproperlyConfigured(
            "BROKER_URL is not set. Production needs a Redis: BROKER_URL=redis://:password@host:6379/0"
        )
    try:
        found = urlsplit(given)
        if given and (found.scheme not in ("redis", "rediss") or not found.hostname or found.port == 0):
            raise ImproperlyConfigured(BROKER_MEND)
    except ValueError:
        raise ImproperlyConfigured(BROKER_MEND) from None
    return given


def read_secret_key(env: Env, profile: str, var: Path) -> str:
    """The signing key: from SECRET_KEY, or, when embedded, drawn once and kept in `var` with mode 0600."""
    given: str | None = env.str("SECRET_KEY", None)
    if given is not None:
        if len(given) < SHORTEST_KEY or any(word in given.lower() for word in EXAMPLE_KEYS):
            raise ImproperlyConfigured(
                f"SECRET_KEY is an example or shorter than {SHORTEST_KEY} characters. Make one with: "
                "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
            )
        return given
    if profile == "production":
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    return _kept_key(var / "secret_key")


def _kept_key(path: Path) -> str:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_text(encoding="utf-8").strip()
        if len(key) < SHORTEST_KEY:
            raise ImproperlyConfigured(f"{path} is damaged: delete it, and everybody signs in again.") from None
        return key
    key = secrets.token_urlsafe(50)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(key + "\n")
    return key


def refuse_unsafe_production(debug: bool, hosts: list[str]) -> None:
    """Stop a production start that would show stack traces or answer to any host name."""
    if debug:
        raise ImproperlyConfigured("DEBUG is on in production. Set DEBUG=false.")
    if not hosts or any("*" in host or host.startswith(".") for host in hosts):
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS must name the hosts of this installation, without wildcards: ALLOWED_HOSTS=rate.example.org"
        )
