"""The reference of the API: as a page, and as a schema for programs."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import signed_in
from api.requests.parameters import check_parameters
from api.schema import GET, REASONS, described, operation

LIMITS = ("UPLOAD_BYTES", "UPLOAD_ROWS", "LINE_LIMIT")


@require_safe
@signed_in
def docs(request: HttpRequest) -> HttpResponse:
    """All operations of the schema, with authentication, limits and errors."""
    operations = [
        {"method": method.upper(), "path": path, "id": about["operationId"], **about}
        for path, methods in described()["paths"].items()
        for method, about in methods.items()
    ]
    limits = {name.lower(): getattr(settings, name) for name in LIMITS}
    context = {
        "operations": operations,
        "limits": limits,
        "reasons": list(REASONS.items()),
        "site": request.build_absolute_uri("/"),
    }
    return render(request, "api/reference.html", context)


@operation("schema", "Schema", "OpenAPI 3.1, as JSON.", dict, (400, 401, 429, 503), example={"openapi": "3.1.0"})
@api_view(GET)
def schema(request: Request) -> Response:
    check_parameters(request)
    return Response(described())
