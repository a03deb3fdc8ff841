"""Read secrets from the environment or from files that it names: `SECRET_KEY`, or a path in `SECRET_KEY_FILE`."""

import stat
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from django.core.exceptions import ImproperlyConfigured
from environs import Env

SECRETS = (
    "BROKER_URL", "DATABASE_URL", "METRICS_TOKEN", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "SECRET_KEY",
    "SECRET_KEY_FALLBACKS",
)  # fmt: skip
"""Settings of the core that may be in files, whose paths are in settings of the same name with `_FILE` at the end."""
MOST_BYTES = 10_000


def read_secret(env: Env, name: str, profile: str) -> str | None:
    """Return the secret `name`, or None if neither it nor its file is set. No error repeats the secret."""
    given: str | None = env.str(name, None)
    file: str = env.str(f"{name}_FILE", "").strip()
    if not file:
        return given
    if given:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set. Set only one of them.")
    return _content(Path(file), f"{name}_FILE", profile)


def _content(path: Path, setting: str, profile: str) -> str:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise ImproperlyConfigured(f"{setting} must name a file, and {path} is not one.")
        if profile == "production" and mode & stat.S_IRWXO:
            raise ImproperlyConfigured(
                f"{setting}: every user of this machine can use {path}. Take that away: chmod o= {path}"
            )
        with path.open(encoding="utf-8") as opened:
            text = opened.read(MOST_BYTES + 1)
    except UnicodeDecodeError:
        raise ImproperlyConfigured(f"{setting}: {path} is not UTF-8 text.") from None
    except OSError as problem:
        raise ImproperlyConfigured(
            f"{setting}: {path} cannot be read ({problem.strerror}). Give the file to the user of this process."
        ) from problem
    kept = text.removesuffix("\n").removesuffix("\r")
    if not kept.strip():
        raise ImproperlyConfigured(f"{setting}: {path} is empty. Write the secret into it.")
    if len(text) > MOST_BYTES or "\n" in kept:
        raise ImproperlyConfigured(f"{setting}: {path} must have the secret in it and nothing else, on one line.")
    return kept


def with_password(address: str, password: str | None, name: str) -> str:
    """Return `address` with the password in it. It is refused if the address has another one."""
    if not address or not password:
        return address
    parts = urlsplit(address)
    if not parts.hostname:
        return address
    user, given, host = _around_password(parts.netloc)
    if given and given not in (password, quote(password, safe="")):
        raise ImproperlyConfigured(f"The address has a password in it, and {name} is another one. Keep one of them.")
    return urlunsplit(parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}"))


def _around_password(netloc: str) -> tuple[str, str, str]:
    """Return the user name, the password and the host of an address' part between `//` and `/`."""
    account, _, host = netloc.rpartition("@")
    user, _, password = account.partition(":")
    return user, password, host
