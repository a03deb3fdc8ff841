"""What accounts add: the archived audit in backups, and the names of time zones, read before the web server forks."""

from accounts.languages import zone_named
from config.part import Part


class AccountsPart(Part):
    var_folders = {"audit": r"\w[\w.-]*\.jsonl"}

    def preload(self) -> None:
        """Read the names of all time zones, because each page of a person is in one of them."""
        zone_named("UTC")


PART = AccountsPart()
