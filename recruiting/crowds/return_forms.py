"""Lets a page's form post to the recruiter that the study declares, and to no other site."""

from urllib.parse import urlsplit

from csp.constants import HEADER
from csp.utils import build_policy
from django.http import HttpResponse

from recruiting.crowds.ending import WayBack


def with_return_form(response: HttpResponse, back: WayBack | None) -> HttpResponse:
    """Return the response; its content security policy allows the form of `back`, if it has one."""
    if back is not None and back.fields:
        site = urlsplit(back.address)
        response.headers[HEADER] = build_policy(update={"form-action": f"{site.scheme}://{site.netloc}"})
    return response
