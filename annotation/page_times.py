"""Whether the seconds that a page counted can be true: the server's own clock says how long it was there."""

SLACK = 5.0
"""Seconds by which counts may differ: they are rounded, added up over reports, and travel with a request."""


def are_odd_times(seconds: float | None, visible: float | None, active: float | None) -> bool:
    """Return whether a page counted more than the time from opening to sending, or was in use while not visible."""
    longest = max(visible or 0.0, active or 0.0)
    if seconds is not None and longest > seconds + SLACK:
        return True
    return visible is not None and active is not None and active > visible + SLACK
