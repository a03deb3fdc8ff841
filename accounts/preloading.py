"""What the web server reads before it forks its processes, so that no visitor waits for it."""

from accounts.languages import zone_named


def preload() -> None:
    """Read the names of all time zones: each page of a person is in one of them."""
    zone_named("UTC")
