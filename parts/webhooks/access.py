"""Who may see and change webhooks: the people who run the study. Every function fetches, or raises Http404."""

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from parts.webhooks.models import Webhook, WebhookDelivery


def webhook_for(person: Person, slug: str, pk: int) -> Webhook:
    """A webhook of a study that `person` runs, with the study."""
    study = study_for(person, slug, RESEARCHERS)
    webhook = Webhook.objects.select_related("study", "made_by").filter(study=study, pk=pk).first()
    if webhook is None:
        raise Http404(NOTHING)
    return webhook


def delivery_for(person: Person, slug: str, pk: int) -> WebhookDelivery:
    """A delivery of a webhook of a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    found = WebhookDelivery.objects.select_related("webhook__study").filter(webhook__study=study, pk=pk)
    delivery = found.first()
    if delivery is None:
        raise Http404(NOTHING)
    return delivery
