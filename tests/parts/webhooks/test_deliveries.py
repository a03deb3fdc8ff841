"""Messages to webhooks: signed, retried with growing waits, disabled after a day, sent at least once."""

import base64
import hashlib
import hmac
import json
import os
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.members.membership import deactivate_member
from annotation.models import Membership
from config.background.claiming import process_row
from config.background.kinds import works
from config.background.sweeping import sweep
from parts.webhooks.background.delivering import FAILED_FOR_A_DAY, WAITS
from parts.webhooks.models import Webhook, WebhookDelivery
from parts.webhooks.signing import SecretLostError, secret_of, signature
from parts.webhooks.subscriptions import (
    WORK_KEY,
    WebhookRefusedError,
    add_webhook,
    disable_webhook,
    enable_webhook,
    queue_messages,
    remove_webhook,
    send_again,
    send_test,
)
from tests.parts.webhooks.receivers import DROP
from tests.processes import child

EVENT = "study.closed"


@pytest.fixture
def added(study, owner, received):
    return add_webhook(study, owner, received.address, [EVENT])


@pytest.fixture
def webhook(added):
    return added[0]


def queued(webhook, event=EVENT):
    [row] = queue_messages([(webhook, event, timezone.now(), {"study": webhook.study.slug})])
    return row


def tried(row):
    """Make the row's next try now, whatever it waits for."""
    WebhookDelivery.objects.filter(pk=row.pk).update(due_at=timezone.now() - timedelta(minutes=1))
    Webhook.objects.filter(pk=row.webhook_id).update(paused_until=None)
    assert process_row(WORK_KEY, row.pk)
    row.refresh_from_db()
    return row


def verified(secret, headers, body, *, now=None):
    """What a receiver does, written from the Standard Webhooks specification, without our code."""
    assert abs(int(headers["webhook-timestamp"]) - (now or time.time())) < 300
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(wanted, given) for given in headers["webhook-signature"].split(" "))


def test_a_message_is_signed_and_its_response_kept(added, received):
    webhook, secret = added
    row = tried(queued(webhook))
    assert (row.status, row.response_status, row.tries, row.reason) == ("done", 204, 1, "")
    [(headers, body)] = received.got
    assert verified(secret, headers, body)
    assert headers["webhook-id"] == str(row.message_id)
    assert headers["content-type"] == "application/json"
    assert json.loads(body) == {**json.loads(row.body)}
    assert json.loads(body)["type"] == EVENT


def test_a_changed_body_time_or_id_does_not_verify(added, received):
    webhook, secret = added
    tried(queued(webhook))
    [(headers, body)] = received.got
    assert not verified(secret, headers, body.replace(b"study", b"other"))
    assert not verified(secret, {**headers, "webhook-id": "0"}, body)
    later = {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}
    assert not verified(secret, later, body)
    assert not verified("whsec_" + base64.b64encode(b"another").decode(), headers, body)


def test_an_old_message_that_is_replayed_is_recognised_by_its_time(added, received):
    webhook, secret = added
    tried(queued(webhook))
    [(headers, body)] = received.got
    with pytest.raises(AssertionError):
        verified(secret, headers, body, now=time.time() + 301)


def test_the_signature_of_a_known_example():
    """Computed with openssl: printf 'm.1.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:6b6579."""
    secret = "whsec_" + base64.b64encode(b"key").decode()
    assert signature(secret, "m", 1, b"{}") == "v1,PZ/NkMlNTAuwo7eUSzj+2MvSPuobXrtxD9Jq3rZS73c="


def test_no_table_contains_the_secret(added, received):
    webhook, secret = added
    webhook.refresh_from_db()
    stored = [str(value) for value in Webhook.objects.filter(pk=webhook.pk).values_list()[0]]
    assert not any(secret in value or secret.removeprefix("whsec_") in value for value in stored)
    assert secret_of(webhook) == secret
    audit = [str(one) for one in AuditEntry.objects.filter(action="webhook added").values_list("subject", "old", "new")]
    assert audit
    assert not any(secret in one or received.address in one for one in audit)


def test_the_secret_survives_a_new_key_of_the_site_that_keeps_the_old_one(added, settings):
    webhook, secret = added
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "n" * 50
    assert secret_of(webhook) == secret
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(SecretLostError):
        secret_of(webhook)
    row = tried(queued(webhook))
    webhook.refresh_from_db()
    assert row.status == "failed"
    assert "secret key has changed" in webhook.disabled_reason


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(500, "answered 500"), (404, "answered 404"), (302, "Redirects are not followed"), (DROP, "without a response")],
)
def test_a_refused_message_waits_and_is_sent_again_with_the_same_id(webhook, received, answer, reason):
    received.answers = [answer]
    received.headers = {"Location": received.address}
    before = timezone.now()
    row = tried(queued(webhook))
    assert (row.status, row.tries, row.attempt) == ("queued", 1, 0)
    assert reason in row.reason
    assert len(received.got) == 1
    assert row.due_at >= before + timedelta(seconds=WAITS[0])
    webhook.refresh_from_db()
    assert webhook.failures == 1
    row = tried(row)
    assert (row.status, row.tries) == ("done", 2)
    (first, body), (second, same) = received.got
    assert (first["webhook-id"], body) == (second["webhook-id"], same)
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since, webhook.paused_until) == (0, None, None)


def test_waits_grow(webhook, received):
    received.answers = [500] * 20
    row, waits = queued(webhook), []
    for _ in range(10):
        row = tried(row)
        waits.append(round((row.due_at - row.sent_at).total_seconds()))
    assert waits == sorted(waits)
    assert abs(waits[0] - WAITS[0]) <= 2
    assert abs(waits[-1] - WAITS[-1]) <= 2
    assert row.status == "queued"


def test_a_receiver_may_ask_for_a_longer_wait(webhook, received):
    received.answers, received.headers = [429], {"Retry-After": "1000"}
    row = tried(queued(webhook))
    assert row.due_at - row.sent_at >= timedelta(seconds=1000)


def test_other_messages_wait_while_the_receiver_fails(webhook, received):
    received.answers = [500]
    tried(queued(webhook))
    other = queued(webhook)
    assert process_row(WORK_KEY, other.pk)
    other.refresh_from_db()
    assert (other.status, other.tries) == ("queued", 0)
    assert len(received.got) == 1


def test_after_a_day_of_failures_the_webhook_is_disabled_and_says_so(webhook, received, client, owner):
    received.answers = [500] * 9
    row, other = tried(queued(webhook)), queued(webhook)
    day_ago = timezone.now() - timedelta(days=1)
    Webhook.objects.filter(pk=webhook.pk).update(failing_since=day_ago)
    row = tried(row)
    webhook.refresh_from_db()
    assert row.status == "failed"
    assert webhook.disabled_reason == FAILED_FOR_A_DAY.format("The receiver answered 500.")
    assert AuditEntry.objects.filter(action="webhook disabled", actor=None).exists()
    sweep()
    other.refresh_from_db()
    assert other.status == "stopped"
    client.force_login(owner)
    page = client.get(f"/studies/study/webhooks/{webhook.pk}/").content.decode()
    assert "This webhook is disabled" in page
    assert "No message was accepted for a day" in page
    assert "Webhooks disabled" in client.get("/studies/study/").content.decode()


def test_one_message_that_is_always_refused_ends_after_a_day_and_the_webhook_goes_on(webhook, received):
    received.answers = [500]
    row = queued(webhook)
    WebhookDelivery.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(hours=25))
    row = tried(row)
    webhook.refresh_from_db()
    assert (row.status, webhook.disabled_at) == ("failed", None)


def test_a_receiver_that_is_gone_is_not_asked_again(webhook, received):
    received.answers = [410]
    row = tried(queued(webhook))
    webhook.refresh_from_db()
    assert row.status == "failed"
    assert "410" in webhook.disabled_reason


def test_an_address_that_is_no_longer_allowed_is_not_called(webhook, received, settings):
    settings.WEBHOOK_HOSTS = []
    row = tried(queued(webhook))
    webhook.refresh_from_db()
    assert row.status == "failed"
    assert "WEBHOOK_HOSTS" in webhook.disabled_reason
    assert received.got == []


def test_nothing_is_sent_for_somebody_who_left_the_study(webhook, received, study, owner, stranger):
    Membership.objects.create(study=study, person=stranger, role="owner")
    deactivate_member(Membership.objects.get(study=study, person=owner), stranger)
    row = tried(queued(webhook))
    assert row.status == "failed"
    assert received.got == []


def test_a_test_message_is_tried_once_and_disables_nothing(webhook, received, owner):
    received.answers = [500]
    row = tried(send_test(webhook, owner))
    webhook.refresh_from_db()
    assert (row.status, row.response_status, webhook.failures, webhook.disabled_at) == ("failed", 500, 0, None)
    assert json.loads(received.got[0][1])["type"] == "webhook.test"


def test_a_message_can_be_sent_again_with_its_id(webhook, received, owner):
    row = tried(queued(webhook))
    again = tried(send_again(row, owner))
    assert again.pk != row.pk
    (first, body), (second, same) = received.got
    assert (first["webhook-id"], body) == (second["webhook-id"], same)


def test_a_message_that_waits_is_not_queued_twice(webhook, received, owner):
    received.answers = [500]
    row = tried(queued(webhook))
    with pytest.raises(WebhookRefusedError):
        send_again(row, owner)


def test_a_disabled_webhook_sends_nothing_until_it_is_enabled(webhook, received, owner):
    waiting = queued(webhook)
    assert disable_webhook(webhook, owner)
    assert not disable_webhook(webhook, owner)
    sweep()
    waiting.refresh_from_db()
    assert waiting.status == "stopped"
    with pytest.raises(WebhookRefusedError):
        send_test(webhook, owner)
    before = webhook.after_entry
    assert enable_webhook(webhook, owner)
    webhook.refresh_from_db()
    assert webhook.after_entry > before
    tried(send_test(webhook, owner))
    assert len(received.got) == 1


def test_a_removed_webhook_takes_its_deliveries_along(webhook, received, owner):
    tried(queued(webhook))
    remove_webhook(webhook, owner)
    assert not Webhook.objects.exists()
    assert not WebhookDelivery.objects.exists()


def test_a_study_has_few_webhooks(study, owner, received):
    for _ in range(10):
        add_webhook(study, owner, received.address, [EVENT])
    with pytest.raises(WebhookRefusedError):
        add_webhook(study, owner, received.address, [EVENT])


WORKER = """
from django.conf import settings
from config.background.claiming import process_row
settings.WEBHOOK_HOSTS = [sys.argv[2]]
print("begins", flush=True)
process_row("webhook", int(sys.argv[1]))
"""


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_between_sending_and_recording_sends_the_same_message_again(webhook, received):
    row = queued(webhook)
    with child(WORKER, row.pk, received.origin) as worker:
        received.before_response = lambda: (os.kill(worker.pid, 9), worker.wait())
        worker.wait(timeout=60)
    received.before_response = None
    row.refresh_from_db()
    assert (row.status, row.tries, len(received.got)) == ("running", 0, 1)
    WebhookDelivery.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert process_row(WORK_KEY, row.pk)
    row.refresh_from_db()
    assert (row.status, row.response_status) == ("done", 204)
    (first, body), (second, same) = received.got
    assert (first["webhook-id"], body) == (second["webhook-id"], same)


def test_calls_to_receivers_are_background_work_of_the_queue_for_waiting():
    work = works()[WORK_KEY]
    assert (work.queue, work.patient) == ("calls", True)
