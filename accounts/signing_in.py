"""Sign in by password or link and then by a code, sign out, and change a password.

`enter` is the only way into a session, whatever proved who somebody is: it asks those who have a second factor for a
code, and `give_code` begins their session. Until then the browser's session is nobody's.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.hashers import make_password
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from accounts.access import person_of
from accounts.auditing import record
from accounts.browser_sessions import clear_ended_sessions
from accounts.hashing import HashingBusyError
from accounts.models import Person, SignInLink
from accounts.own_sessions import describe_session, end_sessions
from accounts.second_factor import PASSED, has_one, use_code
from accounts.sign_in_limits import SignInTry, begin_try, forget_wrong_tries, give_back, note_wrong
from accounts.sign_in_links import open_link, open_links, revoke_links
from config.client_address import client_address
from config.database_clock import database_now

BACKEND = "django.contrib.auth.backends.ModelBackend"


WAITING = "second_step"
"""Key of a session's data: who has proved who they are by the first step, how, and when."""
CODE_WITHIN = 600
"""Seconds within which the code has to come."""


@dataclass(frozen=True)
class FirstStep:
    """Somebody who has still to give a code, and what they have proved who they are by."""

    person: Person
    how: str


def sign_in(request: HttpRequest, username: str, password: str) -> Person | None:
    """Let the person with this name and password enter and return them; None if there is no such person.

    Raises TooManyTriesError or HashingBusyError if the password was not checked.
    """
    attempt, found = _checked(request, username, password)
    if found is not None and not enter(request, found, "password"):
        give_back(attempt)  # it was no wrong password; what it clears waits for the code
    return found


def is_own_password(request: HttpRequest, password: str) -> bool:
    """Whether `password` is that of the person who is signed in. Wrong attempts count as they do for `sign_in`."""
    person = person_of(request)
    right = _checked(request, person.username, password)[1] == person
    if right:
        forget_wrong_tries(person, client_address(request))
    return right


def _checked(request: HttpRequest, username: str, password: str) -> tuple[SignInTry, Person | None]:
    """Count the attempt and return it, and the person with this name and password, or None."""
    address = client_address(request)
    attempt = begin_try(username, address)
    try:
        found = authenticate(request, username=username, password=password)
    except HashingBusyError:
        give_back(attempt)
        raise
    if isinstance(found, Person):
        return attempt, found
    for scope in attempt.reached:
        # A name is used only if it is a person's: what was typed may be a password.
        known = Person.objects.named(username) if scope != "address" else None
        subject = "one address" if scope == "address" else "one account" if known else "unknown user name"
        record("sign-in limited", subject, actor=None, about=known)
    note_wrong(attempt, address)
    return attempt, None


def enter(request: HttpRequest, person: Person, how: str) -> bool:
    """Start a session for `person`, who has proved their identity by `how`; False if they must give a code first.

    Raises PermissionDenied for an account that nobody may sign in with.
    """
    if not person.may_sign_in:
        raise PermissionDenied
    if not has_one(person):
        _begin_session(request, person, {"by": how})
        return True
    logout(request)  # somebody else may be signed in in this browser
    request.session[WAITING] = {
        "person": person.pk, "how": how, "at": database_now().timestamp(), "proof": person.get_session_auth_hash(),
    }  # fmt: skip
    record("code asked for", actor=None, about=person, new={"by": how})
    return False


def first_step_of(request: HttpRequest) -> FirstStep | None:
    """Who has to give a code in this session; None if nobody has, or they took too long or changed their password."""
    waiting = request.session.get(WAITING)
    if waiting is None or database_now().timestamp() - waiting["at"] > CODE_WITHIN:
        return None
    person = Person.objects.filter(pk=waiting["person"], is_active=True).first()
    if person is None or not constant_time_compare(waiting["proof"], person.get_session_auth_hash()):
        return None
    return FirstStep(person, waiting["how"]) if has_one(person) else None


def give_code(request: HttpRequest, first: FirstStep, code: str) -> bool:
    """Sign in by the second step; False if the code is wrong or was used. Raises TooManyTriesError."""
    how = use_code(first.person, code)
    if how:
        del request.session[WAITING]
        _begin_session(request, first.person, {"by": first.how, "second": how})
        request.session[PASSED] = True
    return bool(how)


def _begin_session(request: HttpRequest, person: Person, by: dict[str, Any]) -> None:
    with transaction.atomic():
        # login() changes the session's id and drops the session of anybody else.
        login(request, person, backend=BACKEND)
        describe_session(request)
        record("signed in", actor=person, new=by)
        forget_wrong_tries(person, client_address(request))
        clear_ended_sessions()


def sign_out(request: HttpRequest) -> None:
    """End the session, also on the server."""
    with transaction.atomic():
        if isinstance(request.user, Person):
            record("signed out", actor=request.user)
        logout(request)


def change_password(request: HttpRequest, password: str) -> None:
    """Set a new password for the person who is signed in. Their other sessions and their sign-in links end."""
    person = person_of(request)
    person.set_password(password)  # slow by design, so before the transaction
    with transaction.atomic():
        person.save(update_fields=["password"])
        update_session_auth_hash(request, person)
        record("password changed", actor=person)
        revoke_links(person, person)


def reset_password(link: SignInLink, password: str) -> bool:
    """Set a new password by a link and use it up; False if it does not work. All sessions and links of theirs end.

    A guest's account becomes an ordinary one, which the study's link no longer opens.
    """
    hashed = make_password(password)  # slow by design, so before the transaction
    with transaction.atomic():
        person = Person.objects.select_for_update(no_key=True).get(pk=link.person_id)
        link.person = person
        if not link.fits_person or not open_links().filter(pk=link.pk).update(used_at=database_now()):
            return False
        person.password, person.guest_of = hashed, ""
        person.save(update_fields=["password", "guest_of"])
        record("password reset", actor=person, new={"by": "mail"})
        revoke_links(person, person)
        end_sessions(person, person)
    return True


def use_link(request: HttpRequest, token: str) -> Person | None:
    """Enter by a link and use it up; None if it does not work. Of two requests at once, one gets in."""
    link = open_link(token)
    if link is None:
        return None
    with transaction.atomic():
        if not open_links().filter(pk=link.pk).update(used_at=database_now()):
            return None
        enter(request, link.person, "link")
    return link.person
