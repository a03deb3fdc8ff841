"""What a page says about the reports that it shows: of when they are, and whether newer ones are being computed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict

from reports.kept.kept_reports import Kept

SHOWN = "shown"


@dataclass(frozen=True)
class KeptStatus:
    """The state of all reports of a page together; `address` is the query string of the reader's choices.

    A page is shown without the reports `later`, and gets their part when they are computed.
    """

    reports: Sequence[Kept]
    address: str
    later: Sequence[Kept] = ()

    @classmethod
    def of(cls, reports: Sequence[Kept], query: QueryDict, later: Sequence[Kept] = ()) -> "KeptStatus":
        choices = query.copy()
        choices.pop(SHOWN, None)
        return cls(reports, choices.urlencode(), later)

    @property
    def are_there(self) -> bool:
        return all(one.is_there for one in self.reports)

    @property
    def is_waiting(self) -> bool:
        return any(one.waiting or one.is_crowded for one in (*self.reports, *self.later))

    @property
    def is_crowded(self) -> bool:
        """Whether others have to be computed before these are even queued."""
        return any(one.is_crowded for one in (*self.reports, *self.later))

    @property
    def is_current(self) -> bool:
        return all(one.is_current for one in (*self.reports, *self.later))

    @property
    def read_at(self) -> datetime | None:
        """The moment up to which all figures are complete."""
        return min((one.read_at for one in self.reports if one.read_at), default=None)

    @property
    def newer(self) -> int:
        return max(one.newer for one in self.reports)

    @property
    def reason(self) -> str:
        return next((one.reason for one in self.reports if one.reason), "")

    @property
    def refused(self) -> str:
        return next((one.refused for one in self.reports if one.refused), "")

    @property
    def mark(self) -> str:
        return "_".join(one.mark for one in (*self.reports, *self.later))

    @property
    def placeholder(self) -> bool:
        """Whether the page has nothing to show yet."""
        return not self.are_there

    @property
    def poll(self) -> str:
        """The query string with which the page asks whether anything has changed."""
        return "&".join(part for part in (self.address, f"{SHOWN}={self.mark}") if part)


def shown_before(query: QueryDict) -> str | None:
    """What a polling page has shown, as `KeptStatus.mark` says it; None for a visit."""
    return query.get(SHOWN)
