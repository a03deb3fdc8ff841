"""The addresses of signing in by an OpenID Connect provider; what answers them is loaded only if there is one."""

import importlib

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

ANSWERS = "parts.sign_on.oidc_answers"
NONE = "This site has no OpenID Connect provider."


@require_safe
def begin(request: HttpRequest) -> HttpResponse:
    return _answer("begin", request)


@require_safe
def come_back(request: HttpRequest) -> HttpResponse:
    return _answer("finish", request)


def _answer(name: str, request: HttpRequest) -> HttpResponse:
    if settings.OIDC is None:
        raise Http404(NONE)
    response: HttpResponse = getattr(importlib.import_module(ANSWERS), name)(request)
    return response
