"""What is erased of webhooks."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Study
from config.erasure import ErasedRows
from parts.webhooks.models import FinishedWork, Webhook, WebhookDelivery


class WebhooksErasing(Erasing):
    """Webhooks go with their study and with the person who added them; what receivers keep is out of reach."""

    study_rows = ((WebhookDelivery, "webhook__study"), (FinishedWork, "study"), (Webhook, "study"))
    item_rows = ((FinishedWork, "study"),)
    noted = ((WebhookDelivery, "webhook__study", ("body",)),)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        mine = Webhook.objects.filter(study=study, made_by=person)
        erased.delete(WebhookDelivery.objects.filter(webhook__in=mine))
        erased.delete(mine)


ERASING = WebhooksErasing()
