"""How many accounts one address may make by links, and how many wrong answers to an attention text count.

Counted as wrong passwords are (`accounts.sign_in_limits`): in one statement, before anything is made or checked.
"""

from datetime import datetime

from django.db import connection
from django.utils.crypto import salted_hmac

from accounts.models import WrongTryCount
from accounts.sign_in_limits import COUNT, WINDOW
from config.bulk_insert import stored_time
from config.database_clock import database_now

ENTRIES, ADDRESS_ANSWERS, BROWSER_ANSWERS = 100, 60, 3
"""Per `WINDOW`: new accounts from one address, wrong answers from one address, and from one browser."""


class EntryLimitedError(Exception):
    """A limit is reached; `minutes` is how long it lasts."""

    def __init__(self, ends_at: datetime) -> None:
        super().__init__()
        self.minutes = max(1, -(-int((ends_at - database_now()).total_seconds()) // 60))


def count_entry(address: str) -> None:
    """Count a new account from an address. Raises EntryLimitedError."""
    _count(_key("entry", address), ENTRIES)


def count_answer(address: str, browser: str) -> None:
    """Count an answer to an attention text before it is checked. Raises EntryLimitedError."""
    _count(_key("answer of a browser", browser), BROWSER_ANSWERS)
    _count(_key("answer from an address", address), ADDRESS_ANSWERS)


def forget_answers(browser: str) -> None:
    """Forget the answers of a browser that has given the right one."""
    WrongTryCount.objects.filter(key=_key("answer of a browser", browser)).delete()


def _key(*parts: str) -> str:
    return salted_hmac("crowds.entry_limits", "\0".join(parts), algorithm="sha256").hexdigest()


def _count(key: str, limit: int) -> None:
    now = database_now()
    given = {"key": key, "now": stored_time(now), "end": stored_time(now + WINDOW), "limit": limit}
    with connection.cursor() as cursor:
        cursor.execute(COUNT, given)
        if cursor.fetchone() is not None:
            return
    row = WrongTryCount.objects.filter(key=key).first()
    raise EntryLimitedError(row.ends_at if row else now + WINDOW)
