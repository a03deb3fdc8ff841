"""What webhooks add: their pages, their erasing, and a notice if they do not work."""

from django.conf import settings
from django.db.models import OuterRef, QuerySet

from annotation.studies.notices import StudyNotice
from annotation.study_tabs import Tab
from config.part import Part
from parts.webhooks.erasing import ERASING
from parts.webhooks.models import Webhook
from parts.webhooks.subscriptions import BY_HAND

PAGE = "webhooks:webhooks"
FAILED = "Webhooks disabled because they failed"


def failed_webhooks(study: OuterRef) -> QuerySet[Webhook]:
    """The webhooks that were disabled because they failed; none if the operator allows no hosts."""
    failed = Webhook.objects.filter(study=study).exclude(disabled_at=None).exclude(disabled_reason=BY_HAND)
    return failed if settings.WEBHOOK_HOSTS else failed.none()


class WebhooksPart(Part):
    urls = "parts.webhooks.urls"
    tabs = (Tab(370, "Settings", "Webhooks", PAGE, ("webhooks:*",)),)
    notices = (StudyNotice(failed_webhooks, PAGE, FAILED, FAILED, in_drafts=True),)
    figureless_actions = (
        "webhook added", "webhook changed", "webhook disabled", "webhook enabled", "webhook removed", "webhook tested",
        "webhook message repeated",
    )  # fmt: skip
    erasing = ERASING


PART = WebhooksPart()
