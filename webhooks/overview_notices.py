"""The notice on a study's overview that webhooks do not work."""

from django.conf import settings

from annotation.models import Study
from annotation.studies.notices import StudyNotice
from webhooks.models import Webhook
from webhooks.subscriptions import BY_HAND


def failed_webhooks(study: Study) -> list[StudyNotice]:
    """A notice if webhooks were disabled because they failed; and none if the operator allows no hosts."""
    if not settings.WEBHOOK_HOSTS:
        return []
    failed = Webhook.objects.filter(study=study).exclude(disabled_at=None).exclude(disabled_reason=BY_HAND)
    if not failed.exists():
        return []
    return [StudyNotice("Webhooks disabled because they failed", "webhooks:webhooks")]


NOTICES = failed_webhooks
