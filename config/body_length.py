"""The length that a request states for its body."""

from django.http import HttpRequest

MOST_DIGITS = 18


def stated_length(request: HttpRequest) -> int:
    """Return the request's Content-Length, or 0 if it has none. Of a longer number the first 18 digits count."""
    digits = request.headers.get("Content-Length", "")
    return int(digits[:MOST_DIGITS]) if digits.isdecimal() else 0
