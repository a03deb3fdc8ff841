"""Sign-in, sign-out and passwords."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import signing_in
from accounts.access import person_of, signed_in
from accounts.forms import ChangePasswordForm, SignInForm


def _next(request: HttpRequest) -> str:
    """Where to go after signing in: only to an address of this host, home where none is given."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if ours else resolve_url("annotation:home")


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        if request.user.is_authenticated:
            return HttpResponseRedirect(_next(request))
        return render(request, "accounts/sign_in.html", {"form": SignInForm(), "next": _next(request)})
    form = SignInForm(request.POST)
    if form.is_valid():
        if signing_in.sign_in(request, form.cleaned_data["username"], form.cleaned_data["password"]):
            return HttpResponseRedirect(_next(request))
        form.add_error(None, "User name and password do not go together. Check both; capital letters count.")
    return render(request, "accounts/sign_in.html", {"form": form, "next": _next(request)}, status=422)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    signing_in.sign_out(request)
    messages.info(request, "You are signed out.")
    return redirect("accounts:sign_in")


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def change_password(request: HttpRequest) -> HttpResponse:
    form = ChangePasswordForm(person_of(request), request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        signing_in.change_password(request, form.cleaned_data["new_password1"])
        messages.success(request, "Your password is changed. Other devices are signed out.")
        return redirect("annotation:home")
    return render(request, "accounts/change_password.html", {"form": form}, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def link(request: HttpRequest, token: str) -> HttpResponse:
    if request.method == "POST":
        if signing_in.use_link(request, token):
            return redirect("annotation:home")
    elif found := signing_in.open_link(token):
        return render(request, "accounts/link.html", {"person": found.person})
    return render(request, "accounts/link_dead.html", status=404)


@require_safe
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """The admin's way in is everybody's, so that no sign-in goes by the audit."""
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect(f"{reverse('accounts:sign_in')}?{urlencode({'next': request.GET.get('next', '')})}")
