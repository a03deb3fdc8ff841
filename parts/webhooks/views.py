"""A study's webhooks: the list with a form to add one, and a page for each with its deliveries."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from config.database_clock import database_now
from parts.webhooks.access import delivery_for, webhook_for
from parts.webhooks.allowed_addresses import AddressRefusedError
from parts.webhooks.forms import EventsForm, WebhookForm
from parts.webhooks.models import Webhook
from parts.webhooks.subscriptions import (
    WebhookRefusedError,
    add_webhook,
    choose_events,
    disable_webhook,
    enable_webhook,
    remove_webhook,
    send_again,
    send_test,
)

DELIVERIES = 50


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """List webhooks; POST adds one and shows its secret this one time."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = WebhookForm(request.POST if request.method == "POST" else None)
    secret = ""
    if request.method == "POST" and form.is_valid():
        try:
            _, secret = add_webhook(study, person, form.cleaned_data["address"], form.cleaned_data["events"])
            form = WebhookForm()
        except WebhookRefusedError as problem:
            form.add_error(None, str(problem))
    rows = Webhook.objects.filter(study=study).order_by("pk")
    context = {"study": study, "form": form, "secret": secret, "rows": rows, "now": database_now(),
               "hosts": settings.WEBHOOK_HOSTS}  # fmt: skip
    return render(request, "webhooks/webhooks.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show a webhook with its latest deliveries; POST changes its events."""
    person = person_of(request)
    found = webhook_for(person, slug, pk)
    form = EventsForm(request.POST if request.method == "POST" else None, initial={"events": found.events})
    if request.method == "POST" and form.is_valid():
        choose_events(found, person, form.cleaned_data["events"])
        messages.success(request, "Saved.")
        return redirect("webhooks:webhook", slug=slug, pk=pk)
    deliveries = found.deliveries.order_by("-pk")[:DELIVERIES]
    context = {"study": found.study, "webhook": found, "form": form, "deliveries": deliveries, "most": DELIVERIES,
               "now": database_now()}  # fmt: skip
    return render(request, "webhooks/webhook.html", context, status=422 if form.is_bound else 200)


@require_POST
@signed_in
def test(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    found = webhook_for(person, slug, pk)
    try:
        send_test(found, person)
        messages.success(request, "A test message is being sent. Reload the page to see its response.")
    except WebhookRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("webhooks:webhook", slug=slug, pk=pk)


@require_POST
@signed_in
def disable(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    disable_webhook(webhook_for(person, slug, pk), person)
    messages.success(request, "The webhook is disabled. Events until it is enabled again are not sent.")
    return redirect("webhooks:webhook", slug=slug, pk=pk)


@require_POST
@signed_in
def enable(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    try:
        enable_webhook(webhook_for(person, slug, pk), person)
        messages.success(request, "The webhook is enabled.")
    except AddressRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("webhooks:webhook", slug=slug, pk=pk)


@require_POST
@signed_in
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    person = person_of(request)
    try:
        remove_webhook(webhook_for(person, slug, pk), person)
        messages.success(request, "The webhook is removed.")
    except WebhookRefusedError as problem:
        messages.error(request, str(problem))
        return redirect("webhooks:webhook", slug=slug, pk=pk)
    return redirect("webhooks:webhooks", slug=slug)


@require_POST
@signed_in
def send(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Send a message once more."""
    person = person_of(request)
    delivery = delivery_for(person, slug, pk)
    try:
        send_again(delivery, person)
        messages.success(request, "The message is being sent again.")
    except WebhookRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("webhooks:webhook", slug=slug, pk=delivery.webhook_id)
