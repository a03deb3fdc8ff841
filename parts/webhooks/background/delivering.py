"""Sends messages to webhooks, again and again for a day until the receiver accepts them.

A receiver may get a message twice: a worker may be killed between the response and its record. Both have one id.
"""

import time
from datetime import datetime, timedelta

from django.db.models import F, Q

from annotation.access import backed_by_runner
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from config.database_clock import database_now
from parts.webhooks.allowed_addresses import AddressRefusedError, target_of
from parts.webhooks.event_kinds import TEST
from parts.webhooks.models import Webhook, WebhookDelivery
from parts.webhooks.sending import NoResponseError, Response, post
from parts.webhooks.signing import SecretLostError, secret_of, signed_headers
from parts.webhooks.subscriptions import WORK_KEY, disable_webhook

WAITS = (5, 30, 120, 600, 1800, 3600, 7200, 14400)
"""Seconds between tries; the last one repeats."""
LONGEST = timedelta(days=1)
"""How long a message is tried. A webhook that has failed for nearly as long is disabled."""
NEARLY = LONGEST - timedelta(hours=1)
DISABLED = "The webhook is disabled."
GONE = 410
IS_GONE = "The receiver answered 410: it wants no more messages."
SECRET_LOST = "The site's secret key has changed. Add the webhook again, and give its receiver the new secret."  # noqa: S105
NOT_BACKED = "The person who added the webhook no longer runs the study. Enable it again to go on sending."
FAILED_FOR_A_DAY = "No message was accepted for a day. The last reason: {}"
PAUSED = "The receiver failed; the next try waits."


def deliver(claim: Claim) -> None:
    """Send the message of a claimed row."""
    row: WebhookDelivery = claim.row
    webhook = Webhook.objects.get(pk=row.webhook_id)
    if webhook.disabled_at is not None:
        raise GiveUpError(DISABLED)
    if not Webhook.objects.filter(backed_by_runner("made_by"), pk=webhook.pk).exists():
        raise _disabled(webhook, NOT_BACKED)
    begun = database_now()
    if row.event != TEST and webhook.paused_until is not None and webhook.paused_until > begun:
        raise TryLaterError(PAUSED, (webhook.paused_until - begun).total_seconds(), counts=False)
    try:
        response = _send(webhook, row)
        reason = "" if response.accepted else _reason(response)
    except NoResponseError as problem:
        response, reason = Response(0), str(problem)
    except AddressRefusedError as problem:
        raise _disabled(webhook, str(problem)) from None
    except SecretLostError:
        raise _disabled(webhook, SECRET_LOST) from None
    if response.accepted:
        Webhook.objects.filter(pk=webhook.pk).exclude(failures=0).update(
            failures=0, failing_since=None, paused_until=None
        )
        with claim.finish(tries=row.tries + 1, sent_at=begun, response_status=response.status):
            return
    _refused(webhook, row, response, reason, begun)


def _send(webhook: Webhook, row: WebhookDelivery) -> Response:
    body = row.body.encode()
    headers = signed_headers(secret_of(webhook), str(row.message_id), int(time.time()), body)
    return post(target_of(webhook.address), headers, body)


def _reason(response: Response) -> str:
    if 300 <= response.status < 400:
        return f"The receiver answered {response.status}. Redirects are not followed."
    return f"The receiver answered {response.status}."


def _disabled(webhook: Webhook, reason: str) -> GiveUpError:
    disable_webhook(webhook, None, reason)
    return GiveUpError(reason)


def _refused(webhook: Webhook, row: WebhookDelivery, response: Response, reason: str, begun: datetime) -> None:
    """Put the row back for its next try, or give it up. Raises one of the errors that say so."""
    fields = {"tries": row.tries + 1, "sent_at": begun, "response_status": response.status or None}
    if row.event == TEST:
        raise GiveUpError(reason, **fields)
    if response.status == GONE:
        disable_webhook(webhook, None, IS_GONE)
        raise GiveUpError(IS_GONE, **fields)
    pause = max(timedelta(seconds=_wait(webhook.failures)), timedelta(seconds=response.retry_after or 0))
    now = database_now()
    # Of several messages that failed at the same time, the first one counts.
    Webhook.objects.filter(Q(paused_until=None) | Q(paused_until__lte=begun), pk=webhook.pk).update(
        failures=F("failures") + 1, failing_since=webhook.failing_since or begun,
        paused_until=now + min(pause, LONGEST),
    )  # fmt: skip
    failing_since = webhook.failing_since or begun
    if now - failing_since >= NEARLY:
        disable_webhook(webhook, None, FAILED_FOR_A_DAY.format(reason))
        raise GiveUpError(reason, **fields)
    left = row.created_at + LONGEST - now
    if left <= timedelta(0):
        raise GiveUpError(reason, **fields)
    wait = max(timedelta(seconds=_wait(row.tries)), min(pause, LONGEST))
    raise TryLaterError(reason, min(wait, left).total_seconds(), counts=False, **fields)


def _wait(failures: int) -> int:
    return WAITS[min(failures, len(WAITS) - 1)]


WORK = Work(
    WORK_KEY, WebhookDelivery, deliver, "calls", lease=timedelta(minutes=2), attempts=20, patient=True,
    study="webhook__study",
)  # fmt: skip
"""Only killed workers use up attempts."""
