"""Signatures of what webhooks send, as the Standard Webhooks specification describes them."""

import base64
import hashlib
import hmac

from django.conf import settings
from django.utils.crypto import salted_hmac

from accounts.secret_tokens import token_hash
from parts.webhooks.models import Webhook

PREFIX = "whsec_"
PURPOSE = "interrater.webhooks"


class SecretLostError(Exception):
    """The site's secret key has changed, and the one from which the webhook's secret was made is not configured."""


def new_secret(salt: str) -> str:
    """The secret of a new webhook, as its receiver needs it."""
    return _secret(settings.SECRET_KEY, salt)


def secret_of(webhook: Webhook) -> str:
    """The webhook's secret, made again from the site's keys. Raises SecretLostError."""
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        secret = _secret(key, webhook.salt)
        if hmac.compare_digest(token_hash(secret), webhook.secret_hash):
            return secret
    raise SecretLostError


def _secret(key: str, salt: str) -> str:
    found = salted_hmac(PURPOSE, salt, secret=key, algorithm="sha256").digest()
    return PREFIX + base64.b64encode(found).decode()


def signed_headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers with which a receiver checks who sent a message, and when."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, message_id, timestamp, body),
    }


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """HMAC-SHA256 over id, time and body, in base64 after its version."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"
