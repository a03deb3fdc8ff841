"""Removes an endpoint's key from stored replies: some servers repeat it."""

import base64
import re
from urllib.parse import quote

HIDDEN = "[key]"
BEGINNING = 8


def hide(text: str, key: str) -> str:
    """Return `text` without the key, whether plain, URL-encoded or in base64.

    A key of fewer than eight characters is not a secret but a word for an endpoint without keys, such as `none`.
    Replies contain it by chance and stay as they are.
    """
    for form in _forms(key):
        text = text.replace(form, HIDDEN)
    return text


def hide_beginning(text: str, key: str) -> str:
    """Return `text` also without words that begin like the key: error messages repeat it in part."""
    text = hide(text, key)
    if len(key) < BEGINNING:
        return text
    return re.sub(re.escape(key[:BEGINNING]) + r"[^\s\"',;]*", HIDDEN, text)


def _forms(key: str) -> list[str]:
    if len(key) < BEGINNING:
        return []
    raw = key.encode()
    packed = [base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()]
    forms = {key, quote(key, safe=""), quote(key), *packed, *(one.rstrip("=") for one in packed)}
    return sorted(forms, key=len, reverse=True)
