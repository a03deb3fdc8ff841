"""The language and the time zone in which a person reads the annotators' pages.

A person chooses both; they are kept with the person's preferences, and the language in a cookie, too, for pages that do
not know who is reading. Without a choice the language is what the browser asks for. It never follows from the study.
All other pages and the API are in English and UTC: `annotators_pages` names the routes that are not.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import timezone, translation

from accounts.models import Person
from accounts.preferences import preferences_of
from config.parts import parts
from config.problem_details import asked_by_program

LANGUAGES: dict[str, str] = dict(settings.LANGUAGES)
"""The languages of the annotators' pages, each with its own name for itself."""
ENGLISH = "en"
LONGEST_ZONE = 64
COOKIE_SECONDS = 365 * 24 * 3600
PAGES = {
    "accounts": (
        "sign_in second_step link sign_out preferences keys language time_zone change_password own_sessions"
        " second_factor reset_password"
    ),
    "annotation": (
        "home invitation invitation_opened begin guidelines my_answers read_flag_answers notes my_day my_data workers"
        " account_tokens revoke_account_token next_task end desk submit_task skip_task flag_task undo_task save_draft"
        " pulse my_standing"
    ),
}
"""The routes of the annotators' pages of these apps, by namespace; others name theirs (`Part.annotators_pages`)."""


@cache
def annotators_pages() -> frozenset[str]:
    """Return the routes of all annotators' pages."""
    ours = (f"{space}:{name}" for space, names in PAGES.items() for name in names.split())
    return frozenset([*ours, *(route for part in parts() for route in part.annotators_pages)])


class PersonLocaleMiddleware(LocaleMiddleware):
    """Activate the reader's language and time zone on annotators' pages, and English and UTC on all others."""

    def process_request(self, request: HttpRequest) -> None:
        """Take what the cookie or the browser says: also for pages that no view makes, such as that of error 404."""
        language = ENGLISH if asked_by_program(request) else translation.get_language_from_request(request)
        translation.activate(language if language in LANGUAGES else ENGLISH)
        timezone.deactivate()

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_: Any) -> None:
        match = request.resolver_match
        if match is None or match.view_name not in annotators_pages():
            translation.activate(ENGLISH)
        elif isinstance(request.user, Person):
            chosen = preferences_of(request.user)
            if chosen.language in LANGUAGES:
                translation.activate(chosen.language)
                request.language_to_remember = chosen.language  # type: ignore[attr-defined]
            if zone := zone_named(chosen.time_zone):
                timezone.activate(zone)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Name the language, and leave the thread as it was: later errors are in English."""
        response.headers.setdefault("Content-Language", translation.get_language() or ENGLISH)
        cookie, chosen = settings.LANGUAGE_COOKIE_NAME, getattr(request, "language_to_remember", None)
        if chosen and chosen != request.COOKIES.get(cookie) and cookie not in response.cookies:
            remember_language(response, chosen)
        translation.activate(ENGLISH)
        timezone.deactivate()
        return response


def remember_language(response: HttpResponseBase, language: str) -> None:
    """Keep the language in a cookie, for pages that do not know who is reading; without one, forget it."""
    if not language:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")
        return
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME, language, max_age=COOKIE_SECONDS, samesite="Lax", httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
    )  # fmt: skip


@lru_cache(maxsize=700)
def zone_named(name: str) -> ZoneInfo | None:
    """The time zone of that name; None if there is none or no name."""
    return ZoneInfo(name) if name in _zone_names() else None


@cache
def _zone_names() -> frozenset[str]:
    """The names of all time zones, read once: a file of another name is never opened."""
    return frozenset(available_timezones())
