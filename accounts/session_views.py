"""The page *Where you are signed in*."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from accounts.own_sessions import end_other_sessions, end_session, sessions_of


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def own_sessions(request: HttpRequest) -> HttpResponse:
    """The person's sessions; POST ends the one in the field `session`, or with `others` all but this one."""
    if request.method != "POST":
        shown = sessions_of(person_of(request), request.session.session_key)
        return render(request, "accounts/own_sessions.html", {"sessions": shown})
    if "others" in request.POST:
        count = end_other_sessions(request)
        messages.success(request, ngettext("%(n)s session ended.", "%(n)s sessions ended.", count) % {"n": count})
    elif end_session(request, request.POST.get("session", "")):
        messages.success(request, gettext("The session has ended."))
    else:
        messages.info(request, gettext("Nothing was changed: that session has ended already."))
    return redirect("accounts:own_sessions")
