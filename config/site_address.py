"""The address under which people reach this site, as far as the settings say it: for the output of commands."""

import os

from django.conf import settings


def site_address() -> str:
    """Return the address, without a slash at its end."""
    if settings.CSRF_TRUSTED_ORIGINS:
        return str(settings.CSRF_TRUSTED_ORIGINS[0])
    host = settings.ALLOWED_HOSTS[0] if settings.ALLOWED_HOSTS else "127.0.0.1"
    if settings.SESSION_COOKIE_SECURE:
        return f"https://{host}"
    return f"http://{host}:{os.environ.get('PORT', '').strip() or '8000'}"
