"""How many wrong passwords are allowed: for one account from one address, and from one address for all accounts.

Wrong codes of a second factor are counted for the account alone, whatever the address: only somebody who knows the
password, or has a link, gets as far as to type one, and a code is short.

An attempt is counted before the password is hashed. A right password undoes the count. So simultaneous attempts, in
any process, cannot exceed a limit. A limit that is reached ends by itself after `WINDOW`. Other addresses are not
affected, and an address over its limit stays open to people who have signed in from there before: a lab behind one
address keeps working while somebody in it guesses. Names and addresses are kept as keyed hashes only.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Greatest
from django.utils.crypto import salted_hmac

from accounts.models import KnownAddress, Person, WrongTryCount
from config.bulk_insert import stored_time
from config.database_clock import database_now
from config.folded_text import folded

logger = logging.getLogger(__name__)
Scope = Literal["account", "address", "code"]
ACCOUNT_TRIES, ADDRESS_TRIES, CODE_TRIES = 10, 50, 5
LIMITS: dict[Scope, int] = {"account": ACCOUNT_TRIES, "address": ADDRESS_TRIES, "code": CODE_TRIES}
WINDOW = timedelta(minutes=15)
KNOWN_FOR = timedelta(days=90)
CLEARED_AT_ONCE = 200
COUNT = """
INSERT INTO accounts_wrongtrycount AS kept (key, count, ends_at) VALUES (%(key)s, 1, %(end)s)
ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN kept.ends_at <= %(now)s THEN 1 ELSE kept.count + 1 END,
    ends_at = CASE WHEN kept.ends_at <= %(now)s THEN %(end)s ELSE kept.ends_at END
WHERE kept.ends_at <= %(now)s OR kept.count < %(limit)s
RETURNING count
"""
"""One statement, so that simultaneous attempts cannot exceed the limit; it returns no row once that is reached."""


class TooManyTriesError(Exception):
    """A limit is reached, and nothing was hashed. `retry_after` is the number of seconds until it ends."""

    def __init__(self, scope: Scope, ends_at: datetime) -> None:
        super().__init__(scope)
        self.scope = scope
        self.retry_after = max(1, round((ends_at - database_now()).total_seconds()))

    @property
    def minutes(self) -> int:
        return -(-self.retry_after // 60)


@dataclass(frozen=True)
class SignInTry:
    """A counted attempt. `reached` names the limits that it used up."""

    account: str
    address: str | None
    reached: tuple[Scope, ...]


def begin_try(username: str, address: str) -> SignInTry:
    """Count an attempt before anything is hashed. Raises TooManyTriesError."""
    account = _account_key(username, address)
    counted: dict[Scope, str] = {"account": account}
    if not KnownAddress.objects.filter(key=account, until__gt=database_now()).exists():
        counted["address"] = _address_key(address)
    for scope, key in counted.items():
        _refuse_over_limit(scope, key)
    with transaction.atomic():
        reached = tuple(scope for scope, key in counted.items() if _count(scope, key) == LIMITS[scope])
    return SignInTry(account, counted.get("address"), reached)


def count_request(purpose: str, name: str, address: str) -> None:
    """Count a request about a name or mail address, such as for a new password. Raises TooManyTriesError.

    The limits are those of sign-in, counted apart from it, and the same whether or not there is such a person.
    """
    counted: dict[Scope, str] = {
        "account": _keyed_hash(purpose, "account", folded(name), address),
        "address": _keyed_hash(purpose, "address", address),
    }
    for scope, key in counted.items():
        _refuse_over_limit(scope, key)
    with transaction.atomic():
        for scope, key in counted.items():
            _count(scope, key)
    clear_old_counts()


def give_back(attempt: SignInTry) -> None:
    """Undo the count of an attempt whose password was not checked."""
    for key in (attempt.account, attempt.address):
        WrongTryCount.objects.filter(key=key, count__gt=0).update(count=F("count") - 1)


def note_wrong(attempt: SignInTry, address: str) -> None:
    """Log the limits that a wrong attempt has reached, and delete rows that have ended."""
    for scope in attempt.reached:
        logger.warning("Sign-in from %s is limited by %s for %s: too many wrong passwords", address, scope, WINDOW)
    clear_old_counts()


def forget_wrong_tries(person: Person, address: str) -> None:
    """Reset the count of a person who has proved who they are, and remember the address as theirs.

    Their wrong attempts no longer count for the address either, so the typing errors of a whole lab do not add up.
    """
    account = _account_key(person.username, address)
    now = database_now()
    with transaction.atomic():
        known = KnownAddress.objects.filter(key=account, until__gt=now).exists()
        row = (
            WrongTryCount.objects.select_for_update(no_key=True)
            .filter(key=account, ends_at__gt=now, count__gt=0)
            .first()
        )
        if row is not None:
            WrongTryCount.objects.filter(pk=row.pk).update(count=0)
            if not known:
                WrongTryCount.objects.filter(key=_address_key(address)).update(
                    count=Greatest(F("count") - row.count, 0)
                )
        KnownAddress.objects.bulk_create(
            [KnownAddress(person=person, key=account, until=now + KNOWN_FOR)],
            update_conflicts=True, unique_fields=["key"], update_fields=["person", "until"],
        )  # fmt: skip


def begin_code(person: Person) -> bool:
    """Count a code that `person` gives, before it is checked; whether that reached the limit.

    Raises TooManyTriesError. Call it outside of a transaction, so that the count stays whatever comes of the code.
    """
    key = _code_key(person)
    _refuse_over_limit("code", key)
    return _count("code", key) == LIMITS["code"]


def forget_wrong_codes(person: Person) -> None:
    """Reset the count of a person who has given a right code."""
    WrongTryCount.objects.filter(key=_code_key(person)).delete()


def _code_key(person: Person) -> str:
    return _keyed_hash("code", str(person.pk))


def _account_key(username: str, address: str) -> str:
    return _keyed_hash("account", folded(username), address)


def _address_key(address: str) -> str:
    return _keyed_hash("address", address)


def _keyed_hash(*parts: str) -> str:
    return salted_hmac("accounts.sign_in_limits", "\0".join(parts), algorithm="sha256").hexdigest()


def _refuse_over_limit(scope: Scope, key: str) -> None:
    """Raise TooManyTriesError if the limit is reached, without writing anything."""
    over = WrongTryCount.objects.filter(key=key, ends_at__gt=database_now(), count__gte=LIMITS[scope]).first()
    if over is not None:
        raise TooManyTriesError(scope, over.ends_at)


def _count(scope: Scope, key: str) -> int:
    """Count an attempt and return how many there are now in the window. Raises TooManyTriesError."""
    now = database_now()
    given = {"key": key, "now": stored_time(now), "end": stored_time(now + WINDOW), "limit": LIMITS[scope]}
    with connection.cursor() as cursor:
        cursor.execute(COUNT, given)
        counted = cursor.fetchone()
    if counted is None:
        raise TooManyTriesError(scope, WrongTryCount.objects.get(key=key).ends_at)
    return int(counted[0])


def clear_old_counts() -> None:
    """Delete some rows that have ended; skip rows that another process is deleting at the same time."""
    now = database_now()
    for model, ended in ((WrongTryCount, Q(ends_at__lte=now)), (KnownAddress, Q(until__lte=now))):
        with transaction.atomic():
            rows = model._default_manager.select_for_update(skip_locked=True, no_key=True).filter(ended)
            model._default_manager.filter(pk__in=list(rows.values_list("pk", flat=True)[:CLEARED_AT_ONCE])).delete()
