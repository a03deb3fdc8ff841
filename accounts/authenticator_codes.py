"""The codes of authenticator apps (TOTP, RFC 6238): a new key, its QR code, and which 30 seconds a code belongs to."""

import base64
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import pyotp
import segno
from django.utils.crypto import constant_time_compare

from config.database_clock import database_now

CODE = re.compile(r"[0-9]{6}", re.ASCII)
STEP = 30
"""Seconds for which a code is shown."""
DRIFT = 1
"""How many steps the clocks of the app and of this site may differ."""
RECOVERY_CODES = 10
QUIET = 4
"""Light modules around a QR code, without which cameras do not find it."""


@dataclass(frozen=True)
class KeyOffer:
    """A new key as the page shows it: in groups of four letters, and as the outline of a QR code of `size` modules."""

    text: str
    outline: str
    size: int


def key_from(secret: bytes) -> str:
    """Return a key of 160 bits, the first of `secret`, in the letters of base 32."""
    return base64.b32encode(secret[:20]).decode("ascii")


def offer_of(key: str, name: str, site: str) -> KeyOffer:
    """Return how to put `key` into an app, which lists it by the person's name and the site's."""
    address = pyotp.TOTP(key).provisioning_uri(name=name, issuer_name=site)
    rows = list(segno.make(address, error="m", micro=False).matrix_iter(border=QUIET))
    groups = [key[start : start + 4] for start in range(0, len(key), 4)]
    return KeyOffer(" ".join(groups), "".join(_outline(rows)), len(rows))


def _outline(rows: list[Iterable[int]]) -> Iterator[str]:
    """Yield the path data of each run of dark modules."""
    for y, row in enumerate(rows):
        x = 0
        for dark, run in groupby(row):
            width = len(list(run))
            if dark:
                yield f"M{x} {y}h{width}v1h-{width}z"
            x += width


def normal_code(given: str) -> str:
    """A typed code without spaces and dashes, in small letters."""
    return re.sub(r"[\s-]", "", given).lower()


def step_of(key: str, code: str) -> int | None:
    """Return the step of 30 seconds of which `code` is the code, if it is one near to now."""
    app, now = pyotp.TOTP(key), int(database_now().timestamp()) // STEP
    steps = range(now - DRIFT, now + DRIFT + 1)
    # All are compared, so that the time says nothing.
    matching = [step for step in steps if constant_time_compare(app.generate_otp(step), code)]
    return matching[-1] if matching else None


def new_recovery_codes() -> list[str]:
    """Return ten codes of 80 random bits, in four groups of four."""
    whole = [base64.b32encode(secrets.token_bytes(10)).decode().lower() for _ in range(RECOVERY_CODES)]
    return ["-".join(code[start : start + 4] for start in range(0, 16, 4)) for code in whole]
