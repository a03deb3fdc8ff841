"""Strict readers of environment variables.

If a value cannot be read, Interrater does not start; the message names the variable and says what to write instead.
"""

import os
import secrets
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from environs import Env, EnvError

from config.parts import WHOLE_DATA, chosen_parts, part_apps
from config.secret_files import SECRETS, read_secret, with_password

PROFILES = ("embedded", "production")
SHORTEST_KEY = 40
EXAMPLE_KEYS = ("changeme", "change-me", "example", "secret", "insecure", "django-insecure")

VARIABLES = frozenset(f"{name}_FILE" for name in SECRETS) | frozenset(
    """
    ALLOWED_HOSTS API_REQUESTS_PER_MINUTE AUDIT_KEEP_DAYS BACKUP_AT BACKUP_BEFORE_MIGRATE BACKUP_FOLDER BACKUP_KEEP
    BACKUP_WARN_HOURS BEHIND_PROXY BROKER_URL CALL_LEASE CALL_THREADS COMPOSE_FILE CSRF_TRUSTED_ORIGINS DATABASE_FAR
    DATABASE_URL DEBUG DEMO DJANGO_SETTINGS_MODULE ENDPOINTS_FILE HTTPS_PORT HTTP_PORT JOB_MINUTES JOB_PROCESSES
    KEPT_EXPORTS KEPT_EXPORT_DAYS LOG_FORMAT LOG_LEVEL METRICS_TOKEN PARTS PGPASSWORD PORT POSTGRES_PASSWORD PROFILE
    PROXY_COUNT REDIS_PASSWORD REFERENCE_DATA RETRIEVAL SECOND_FACTOR SECRET_KEY SECRET_KEY_FALLBACKS SENTRY_DSN
    SESSION_IDLE_HOURS SQLITE_SYNCHRONOUS SSL_REDIRECT STATIC_ROOT STUDY_UPLOAD_BYTES TEST_POSTGRES_URL TLS_FOLDER
    TORCH_INDEX UNKNOWN_PRICE UPLOAD_BYTES UPLOAD_ROWS VAR
    """.split()  # noqa: SIM905
)
"""Environment variables of the core and of its database driver."""

SYNCHRONOUS = ("FULL", "NORMAL", "EXTRA")
SHORTEST_TOKEN = 20
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LOG_FORMATS = ("TEXT", "JSON")
DATABASE_FORM = (
    "DATABASE_URL must be postgres://user:password@host:5432/name or sqlite:////full/path/to/file.sqlite3. Without it, "
    "SQLite in VAR is used."
)
BROKER_FORM = (
    "BROKER_URL must be redis://:password@host:6379/0 or rediss://... Without it, files in VAR are used, which works "
    "only on one machine."
)


def read_parts(env: Env) -> tuple[str, ...]:
    """Return the keys of the parts in PARTS; all if it is empty, and for commands that read or write all tables."""
    if set(sys.argv[1:2]) & WHOLE_DATA:
        return chosen_parts(None)
    names = [name.strip() for name in env.str("PARTS", "").split(",") if name.strip()]
    try:
        return chosen_parts(names or None)
    except ValueError as problem:
        raise ImproperlyConfigured(f"PARTS must be empty, none or a list with commas: {problem}.") from problem


def part_environments(keys: Iterable[str]) -> Iterator[ModuleType]:
    """Yield the modules `environment` of these parts, for those that have one.

    Each has `VARIABLES`, the names of the environment variables that it reads, and `read(env, profile)`, which returns
    settings by name, or raises ImproperlyConfigured.
    """
    for name in (f"{part_apps()[key]}.environment" for key in keys):
        if find_spec(name) is not None:
            yield import_module(name)


def own_variables() -> frozenset[str]:
    """Return the environment variables of Interrater, whose values are never sent to anybody."""
    return VARIABLES.union(*(environment.VARIABLES for environment in part_environments(settings.PARTS)))


def read_boolean(env: Env, name: str, default: bool) -> bool:
    """Return the boolean `name`, or `default` if it is empty. A text that is not a boolean is refused."""
    if not env.str(name, "").strip():
        return default
    try:
        return bool(env.bool(name))
    except EnvError as problem:
        raise ImproperlyConfigured(f"{name} must be true or false: {problem}") from problem


def read_whole(env: Env, name: str, default: int) -> int:
    """Return the whole number `name`, 1 or more; `default` if it is empty."""
    given: str = env.str(name, "").strip() or str(default)
    if not given.isascii() or not given.isdigit() or len(given) > 12 or int(given) < 1:
        raise ImproperlyConfigured(f"{name} must be a whole number of 1 or more, not {given!r}.")
    return int(given)


def read_profile(env: Env) -> str:
    """Return `embedded` (one machine, no configuration) or `production` (does not start half configured)."""
    profile: str = env.str("PROFILE", "embedded")
    if profile not in PROFILES:
        raise ImproperlyConfigured(f"PROFILE must be one of {', '.join(PROFILES)}, not {profile!r}.")
    return profile


def read_level(env: Env) -> str:
    """Return the lowest level that is logged, from LOG_LEVEL; INFO if that is empty."""
    return _read_word(env, "LOG_LEVEL", LEVELS, "INFO")


def read_sentry_dsn(env: Env) -> str:
    """Return the address to which errors are reported, from SENTRY_DSN; "" for nowhere."""
    dsn: str = env.str("SENTRY_DSN", "").strip()
    if dsn and not dsn.startswith(("https://", "http://")):
        raise ImproperlyConfigured("SENTRY_DSN must be an address that begins with https:// or http://, or be empty.")
    return dsn


def check_log_format(env: Env) -> None:
    """Refuse a LOG_FORMAT that is neither `text` nor `json`; `config.log_lines` reads it."""
    _read_word(env, "LOG_FORMAT", LOG_FORMATS, "TEXT")


def read_metrics_token(env: Env, profile: str) -> str:
    """Return the token with which programs read figures, from METRICS_TOKEN or its file; "" for no such page."""
    token = (read_secret(env, "METRICS_TOKEN", profile) or "").strip()
    if token and len(token) < SHORTEST_TOKEN:
        raise ImproperlyConfigured(f"METRICS_TOKEN must have at least {SHORTEST_TOKEN} characters, or be empty.")
    return token


def read_second_factor(env: Env) -> str:
    """Return who is asked for codes at sign-in, from SECOND_FACTOR; OPTIONAL if that is empty."""
    return _read_word(env, "SECOND_FACTOR", ("OFF", "OPTIONAL", "STAFF"), "OPTIONAL")


def read_synchronous(env: Env) -> str:
    """Return how safely SQLite writes, from SQLITE_SYNCHRONOUS; FULL if that is empty."""
    return _read_word(env, "SQLITE_SYNCHRONOUS", SYNCHRONOUS, "FULL")


def _read_word(env: Env, name: str, words: tuple[str, ...], default: str) -> str:
    given: str = env.str(name, "").strip() or default
    if given.upper() not in words:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(words)}, not {given!r}.")
    return given.upper()


def read_folder(env: Env, name: str, default: Path) -> Path:
    """Return the folder `name`, which need not exist yet; `default` if the variable is empty."""
    folder = Path(env.str(name, "").strip() or default)
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise ImproperlyConfigured(f"{name} must be a folder, but {there} is a file. Set {name} to another folder.")
    return folder


def people_use_https(production: bool, behind_proxy: bool, trusted_origins: list[str]) -> bool:
    """Return whether browsers reach this site over HTTPS, so that cookies must be sent over HTTPS only.

    Behind a proxy that speaks HTTPS, sign-in works only if BEHIND_PROXY or CSRF_TRUSTED_ORIGINS is set, because Django
    otherwise refuses forms from HTTPS pages. So every working site with HTTPS protects its cookies.
    """
    return production or behind_proxy or any(origin.startswith("https://") for origin in trusted_origins)


def read_database(env: Env, default: Path, profile: str = "embedded") -> Any:
    """Return the database settings from DATABASE_URL; the SQLite file `default` if that is empty.

    POSTGRES_PASSWORD is the password of an address that has none.

    The error does not repeat the address, which may contain a password.
    """
    given = (read_secret(env, "DATABASE_URL", profile) or "").strip() or f"sqlite:///{default}"
    try:
        if given.startswith("postgres"):
            given = with_password(given, read_secret(env, "POSTGRES_PASSWORD", profile), "POSTGRES_PASSWORD")
        found = dj_database_url.parse(given, conn_max_age=600, conn_health_checks=True)
    except ValueError:
        raise ImproperlyConfigured(DATABASE_FORM) from None
    if not found["ENGINE"].endswith((".postgresql", ".sqlite3")) or not found["NAME"]:
        raise ImproperlyConfigured(DATABASE_FORM)
    return found


def read_broker(env: Env, profile: str) -> str:
    """Return the address of the message broker from BROKER_URL; "" (files in VAR) if that is empty.

    REDIS_PASSWORD is the password of an address that has none.

    The error does not repeat the address, which may contain a password.
    """
    given = (read_secret(env, "BROKER_URL", profile) or "").strip()
    if not given and profile == "production":
        raise ImproperlyConfigured(
            "BROKER_URL is not set. Production needs Redis: BROKER_URL=redis://:password@host:6379/0"
        )
    try:
        found = urlsplit(given)
        if given and (found.scheme not in ("redis", "rediss") or not found.hostname or found.port == 0):
            raise ImproperlyConfigured(BROKER_FORM)
        return with_password(given, read_secret(env, "REDIS_PASSWORD", profile), "REDIS_PASSWORD")
    except ValueError:
        raise ImproperlyConfigured(BROKER_FORM) from None


def read_secret_key(env: Env, profile: str, var: Path) -> str:
    """Return the signing key from SECRET_KEY. The embedded profile creates one and stores it in `var`, mode 0600."""
    given = read_secret(env, "SECRET_KEY", profile)
    if given is not None:
        if len(given) < SHORTEST_KEY or any(word in given.lower() for word in EXAMPLE_KEYS):
            raise ImproperlyConfigured(
                f"SECRET_KEY is an example or shorter than {SHORTEST_KEY} characters. Create one with: "
                "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
            )
        return given
    if profile == "production":
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. Create one with: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    return _stored_key(var / "secret_key")


def read_earlier_keys(env: Env, profile: str) -> list[str]:
    """Return the earlier signing keys from SECRET_KEY_FALLBACKS, whose sessions stay valid."""
    given = read_secret(env, "SECRET_KEY_FALLBACKS", profile) or ""
    return [key.strip() for key in given.split(",") if key.strip()]


def _stored_key(path: Path) -> str:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_text(encoding="utf-8").strip()
        if len(key) < SHORTEST_KEY:
            raise ImproperlyConfigured(
                f"{path} is damaged. Delete it to create a new key; everybody must then sign in again."
            ) from None
        return key
    except OSError as problem:
        raise ImproperlyConfigured(
            f"{path.parent} cannot be written ({problem.strerror}). Change its owner, or set VAR to another folder."
        ) from problem
    key = secrets.token_urlsafe(50)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(key + "\n")
    return key


def refuse_unsafe_production(debug: bool, hosts: list[str]) -> None:
    """Refuse a production start that would show stack traces or accept any host name."""
    if debug:
        raise ImproperlyConfigured("DEBUG is on in production. Set DEBUG=false.")
    if not hosts or any("*" in host or host.startswith(".") for host in hosts):
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS must name the hosts of this site, without wildcards: ALLOWED_HOSTS=rate.example.org"
        )
