"""Secrets that must be read again, such as the keys of authenticator apps: encrypted, so no backup gives them away.

The key is derived from `SECRET_KEY`. While that is changed, `SECRET_KEY_FALLBACKS` still opens what was sealed before.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac


class SealBrokenError(Exception):
    """None of our keys opens it: `SECRET_KEY` was changed or the text was altered."""


def seal(secret: str) -> str:
    """Encrypt `secret`, so that `unseal` returns it."""
    return _box().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    """Return what was sealed. Raises SealBrokenError."""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken as problem:
        raise SealBrokenError from problem


def _box() -> MultiFernet:
    return MultiFernet([Fernet(_key(one)) for one in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str) -> bytes:
    """The key of 32 bytes, as Fernet takes it."""
    return base64.urlsafe_b64encode(
        salted_hmac("accounts.sealed_keys", "key", secret=secret, algorithm="sha256").digest()
    )
