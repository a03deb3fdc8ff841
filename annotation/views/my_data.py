"""Pages of a person's own data: what is kept, and a download of all of it."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from annotation.members.data_download import own_data
from annotation.models import Membership
from annotation.models.people import Role


@require_safe
@signed_in
def my_data(request: HttpRequest) -> HttpResponse:
    """What is kept about the person, and their studies."""
    mine = Membership.objects.filter(person=person_of(request), active=True).select_related("study").order_by("pk")
    rows = [(one.study, one.get_role_display(), one.role == Role.ANNOTATOR) for one in mine]
    return render(request, "annotation/my_data.html", {"rows": rows})


@require_safe
@signed_in
def my_data_file(request: HttpRequest) -> HttpResponseBase:
    """All that is kept about the person, as JSON."""
    response = StreamingHttpResponse(own_data(person_of(request)), content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="my-data.json"'
    return response
