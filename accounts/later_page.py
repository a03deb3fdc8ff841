"""The answer to somebody who tries too often, or while too many passwords are hashed: the page again."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.hashing import HashingBusyError
from accounts.sign_in_limits import TooManyTriesError


def try_later(
    request: HttpRequest, template: str, context: dict[str, Any], problem: TooManyTriesError | HashingBusyError
) -> HttpResponse:
    """Show the page again and say when to try again. No password was checked."""
    status = 429 if isinstance(problem, TooManyTriesError) else 503
    response = render(request, template, {**context, "problem": problem, "status": status}, status=status)
    response.headers["Retry-After"] = str(problem.retry_after)
    return response
