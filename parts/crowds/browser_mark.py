"""A random cookie by which a browser is known again. The database keeps its keyed hash only."""

import re
import secrets

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

COOKIE = "interrater_browser"
KEPT = 90 * 24 * 3600
FORM = re.compile("[A-Za-z0-9_-]{43}")


def mark_in(request: HttpRequest) -> str:
    """Return the mark that the browser has sent, or "" if it has none of ours."""
    found = request.COOKIES.get(COOKIE, "")
    return found if FORM.fullmatch(found) else ""


def new_mark() -> str:
    """Return a new mark: 256 random bits."""
    return secrets.token_urlsafe(32)


def keep_mark(response: HttpResponse, mark: str) -> None:
    """Ask the browser to keep the mark."""
    response.set_cookie(
        COOKIE, mark, max_age=KEPT, httponly=True, samesite="Lax", secure=bool(settings.SESSION_COOKIE_SECURE)
    )


def mark_key(mark: str) -> str:
    """Return what the database keeps of a mark."""
    return salted_hmac("crowds.browser", mark, algorithm="sha256").hexdigest()
