"""What is answered when something is wrong: a page that says what to do, with the request's id, and no details."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from config.problems import asked_by_program, problem_response

SENTENCES = {
    400: "This request could not be understood.",
    401: "You are signed out. Sign in again to go on.",
    403: "You are not allowed to do this.",
    404: "There is nothing here, or nothing that you may see.",
    500: "Something broke on our side.",
}


def error_response(request: HttpRequest, status: int, page: str = "") -> HttpResponse:
    """The designed page of `status`, or its sentence as JSON where the client takes no HTML."""
    if asked_by_program(request):
        return problem_response(request, status, SENTENCES[status])
    request_id = getattr(request, "request_id", "")
    if not request.accepts("text/html"):
        return JsonResponse({"error": SENTENCES[status], "request_id": request_id}, status=status)
    fragment = request.headers.get("HX-Request") == "true"
    template = "errors/_error.html" if fragment else "errors/error.html"
    context = {"request_id": request_id, "status": status, "explanation": f"errors/_{page or status}.html"}
    # Without the request's own context: whoever is signed in must not be asked of a database that may be down.
    return HttpResponse(render_to_string(template, context), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    return error_response(request, 500)


def csrf_failure(request: HttpRequest, reason: str = "", **_: Any) -> HttpResponse:
    return error_response(request, 403, "csrf")
