"""Secrets in addresses and of programs: 256 random bits, shown once and kept as a hash."""

import hashlib
import secrets


def new_token() -> str:
    """Return a new secret, in letters that need no escaping in an address."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Return what is kept of a secret: its SHA-256, which for 256 random bits needs neither salt nor stretching."""
    return hashlib.sha256(token.encode()).hexdigest()
