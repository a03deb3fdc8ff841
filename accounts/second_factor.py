"""The second factor of sign-in: who has one, turning it on and off, and using up a code.

A code is used up in the transaction that accepts it, with the row locked: of two requests with one code, one gets in.
Neither keys nor codes are in the audit or the log.
"""

import logging

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from accounts.access import person_of
from accounts.auditing import record
from accounts.authenticator_codes import CODE, key_from, new_recovery_codes, normal_code, step_of
from accounts.models import Person, SecondFactor
from accounts.own_sessions import end_sessions
from accounts.sealed_keys import SealBrokenError, seal, unseal
from accounts.secret_tokens import token_hash
from accounts.sign_in_limits import begin_code, forget_wrong_codes

logger = logging.getLogger(__name__)
OFF, STAFF = "OFF", "STAFF"
"""Values of SECOND_FACTOR: nobody is asked for codes; staff must have a second factor."""
PASSED = "second_factor"
"""The key of a session's data that says whether a code was given in it."""
NEW_KEY = "accounts.second_factor.new_key"
APP, RECOVERY = "code", "recovery code"


def has_one(person: Person) -> bool:
    """Whether sign-in asks `person` for a code."""
    return settings.SECOND_FACTOR != OFF and SecondFactor.objects.filter(person=person).exists()


def is_demanded() -> bool:
    """Whether there are people who must have one."""
    return bool(settings.SECOND_FACTOR == STAFF)


def must_have_one(person: Person) -> bool:
    """Whether `person` may do nothing without a second factor."""
    return is_demanded() and (person.is_staff or person.is_superuser)


def key_to_set_up(request: HttpRequest) -> str:
    """Return the key that this session sets up: the same until it is turned on, which gives the session another key.

    It follows from the session, so that showing it stores nothing.
    """
    assert request.session.session_key is not None
    return key_from(salted_hmac(NEW_KEY, request.session.session_key, algorithm="sha256").digest())


def turn_on(request: HttpRequest, code: str) -> list[str]:
    """Turn the second factor on if `code` is one of the key that is being set up; return the recovery codes.

    No codes come back if it is wrong, or if another page has turned it on. All other sessions of the person end.
    """
    person, key = person_of(request), key_to_set_up(request)
    step = step_of(key, normal_code(code))
    if step is None:
        return []
    codes = new_recovery_codes()
    with transaction.atomic():
        Person.objects.select_for_update(no_key=True).get(pk=person.pk)
        if SecondFactor.objects.filter(person=person).exists():
            return []
        SecondFactor.objects.create(
            person=person, sealed_key=seal(key), used_step=step, recovery_hashes=_hashes(codes)
        )  # fmt: skip
        record("second factor turned on", actor=person)
        request.session.cycle_key()
        request.session[PASSED] = True
        end_sessions(person, person, but=request.session.session_key)
    return codes


def use_code(person: Person, given: str) -> str:
    """Use up a code of the app or a recovery code; return which of the two it was, or "" if it is wrong.

    Raises TooManyTriesError, before anything is checked.
    """
    is_last = begin_code(person)
    with transaction.atomic():
        factor = SecondFactor.objects.select_for_update(no_key=True).filter(person=person).first()
        how = _used(factor, normal_code(given)) if factor else ""
    if how:
        forget_wrong_codes(person)
    elif is_last:
        record("sign-in limited", "codes of one account", actor=None, about=person)
        logger.warning("Codes of the person %s are refused for a while: too many wrong ones", person.pk)
    return how


def _used(factor: SecondFactor, code: str) -> str:
    """Use up a code of a locked row."""
    if not CODE.fullmatch(code):
        hashed = token_hash(code)
        if hashed not in factor.recovery_hashes:
            return ""
        factor.recovery_hashes.remove(hashed)
        factor.save(update_fields=["recovery_hashes"])
        return RECOVERY
    try:
        key = unseal(factor.sealed_key)
    except SealBrokenError:
        logger.error("The second factor of the person %s cannot be opened: SECRET_KEY has changed", factor.person_id)
        return ""
    step = step_of(key, code)
    if step is None or step <= factor.used_step:
        return ""
    factor.used_step = step
    factor.sealed_key = seal(key)  # with the newest key
    factor.save(update_fields=["used_step", "sealed_key"])
    return APP


def turn_off(request: HttpRequest, code: str) -> bool:
    """Turn the second factor off if `code` is right. Raises TooManyTriesError."""
    person = person_of(request)
    how = use_code(person, code)
    if how:
        with transaction.atomic():
            SecondFactor.objects.filter(person=person).delete()
            record("second factor turned off", actor=person, new={"by": how})
        request.session.pop(PASSED, None)
    return bool(how)


def renew_recovery_codes(request: HttpRequest, code: str) -> list[str]:
    """Return new recovery codes, which replace the earlier ones; none if `code` is wrong. Raises TooManyTriesError."""
    person = person_of(request)
    how = use_code(person, code)
    if not how:
        return []
    codes = new_recovery_codes()
    with transaction.atomic():
        SecondFactor.objects.filter(person=person).update(recovery_hashes=_hashes(codes))
        record("recovery codes renewed", actor=person, new={"by": how})
    return codes


def reset_second_factor(person: Person, actor: Person | None) -> bool:
    """Remove the second factor of somebody who has lost it, and end their sessions; False if there is none."""
    with transaction.atomic():
        gone, _ = SecondFactor.objects.filter(person=person).delete()
        if gone:
            record("second factor reset", actor=actor, about=person)
            end_sessions(person, actor)
    return bool(gone)


def _hashes(codes: list[str]) -> list[str]:
    return [token_hash(normal_code(code)) for code in codes]
