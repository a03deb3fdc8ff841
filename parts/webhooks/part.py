"""What webhooks add: their pages, their erasing, and a notice if they do not work."""

from django.conf import settings

from annotation.models import Study
from annotation.studies.notices import StudyNotice
from annotation.study_tabs import Tab
from config.part import Part
from parts.webhooks.erasing import ERASING
from parts.webhooks.models import Webhook
from parts.webhooks.subscriptions import BY_HAND


class WebhooksPart(Part):
    urls = "parts.webhooks.urls"
    tabs = (Tab(370, "Settings", "Webhooks", "webhooks:webhooks", ("webhooks:*",)),)
    erasing = ERASING

    def notices(self, study: Study) -> list[StudyNotice]:
        """A notice if webhooks were disabled because they failed; and none if the operator allows no hosts."""
        if not settings.WEBHOOK_HOSTS:
            return []
        failed = Webhook.objects.filter(study=study).exclude(disabled_at=None).exclude(disabled_reason=BY_HAND)
        if not failed.exists():
            return []
        return [StudyNotice("Webhooks disabled because they failed", "webhooks:webhooks")]


PART = WebhooksPart()
