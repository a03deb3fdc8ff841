"""Sign in by password or link, sign out, and change a password."""

from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.http import HttpRequest

from accounts.access import person_of
from accounts.auditing import record
from accounts.browser_sessions import clear_ended_sessions
from accounts.hashing import HashingBusyError
from accounts.models import Person, SignInLink
from accounts.own_sessions import describe_session, end_sessions
from accounts.sign_in_limits import begin_try, forget_wrong_tries, give_back, note_wrong
from accounts.sign_in_links import open_link, open_links, revoke_links
from config.client_address import client_address
from config.database_clock import database_now

BACKEND = "django.contrib.auth.backends.ModelBackend"


def sign_in(request: HttpRequest, username: str, password: str) -> Person | None:
    """Sign in the person with this name and password and return them; None if there is no such person.

    Raises TooManyTriesError or HashingBusyError if the password was not checked.
    """
    found = _checked(request, username, password)
    if found is not None:
        enter(request, found, "password")
    return found


def is_own_password(request: HttpRequest, password: str) -> bool:
    """Whether `password` is that of the person who is signed in. Wrong attempts count as they do for `sign_in`."""
    person = person_of(request)
    right = _checked(request, person.username, password) == person
    if right:
        forget_wrong_tries(person, client_address(request))
    return right


def _checked(request: HttpRequest, username: str, password: str) -> Person | None:
    """Return the person with this name and password, or None, and count the attempt."""
    address = client_address(request)
    attempt = begin_try(username, address)
    try:
        found = authenticate(request, username=username, password=password)
    except HashingBusyError:
        give_back(attempt)
        raise
    if isinstance(found, Person):
        return found
    for scope in attempt.reached:
        # A name is used only if it is a person's: what was typed may be a password.
        known = Person.objects.filter(username=username).first() if scope != "address" else None
        subject = "one address" if scope == "address" else "one account" if known else "unknown user name"
        record("sign-in limited", subject, actor=None, about=known)
    note_wrong(attempt, address)
    return None


def enter(request: HttpRequest, person: Person, how: str) -> None:
    """Start a session for `person`, who has proved their identity by `how`."""
    with transaction.atomic():
        # login() changes the session's id and drops the session of anybody else.
        login(request, person, backend=BACKEND)
        describe_session(request)
        record("signed in", actor=person, new={"by": how})
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
    """Set a new password by a link and use it up; False if it does not work. All sessions and links of theirs end."""
    hashed = make_password(password)  # slow by design, so before the transaction
    with transaction.atomic():
        person = Person.objects.select_for_update(no_key=True).get(pk=link.person_id)
        link.person = person
        if not link.fits_person or not open_links().filter(pk=link.pk).update(used_at=database_now()):
            return False
        person.password = hashed
        person.save(update_fields=["password"])
        record("password reset", actor=person, new={"by": "mail"})
        revoke_links(person, person)
        end_sessions(person, person)
    return True


def use_link(request: HttpRequest, token: str) -> Person | None:
    """Sign in by a link and use it up; None if it does not work. Of two requests at once, one gets in."""
    link = open_link(token)
    if link is None:
        return None
    with transaction.atomic():
        if not open_links().filter(pk=link.pk).update(used_at=database_now()):
            return None
        enter(request, link.person, "link")
    return link.person
