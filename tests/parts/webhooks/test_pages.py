"""The pages of webhooks, without scripts; and what is erased of webhooks."""

import re

import pytest

from accounts.models import AuditEntry
from annotation.members.membership import add_member
from annotation.members.rater_erasure import erase_rater
from annotation.models import Rater
from annotation.studies.lifecycle import close
from annotation.studies.study_erasure import erase_study
from parts.webhooks.models import FinishedWork, Webhook, WebhookDelivery
from parts.webhooks.signing import secret_of
from tests.parts.webhooks.webhook_rows import add_webhook_rows

LIST = "/studies/study/webhooks/"


@pytest.fixture
def page(client, study, owner, received):
    client.force_login(owner)
    return client


def test_a_webhook_is_added_and_its_secret_shown_once(page, received):
    answer = page.post(LIST, {"address": received.address, "events": ["study.closed", "items.finished"]})
    assert answer.status_code == 200
    webhook = Webhook.objects.get()
    assert webhook.events == ["items.finished", "study.closed"]
    assert secret_of(webhook) in answer.content.decode()
    assert "whsec_" not in page.get(LIST).content.decode()
    assert received.address in page.get(LIST).content.decode()


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"address": "http://169.254.169.254/", "events": ["study.closed"]}, "does not allow webhooks to"),
        ({"address": "https://hooks.example.org/"}, "Choose at least one event."),
        ({"events": ["study.closed"]}, "Enter the address of your receiver."),
        ({"address": "https://hooks.example.org/", "events": ["nothing"]}, "nothing is not one of the available"),
    ],
)
def test_a_form_that_is_refused_says_why(page, form, message):
    answer = page.post(LIST, form)
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert not Webhook.objects.exists()


def test_without_allowed_hosts_the_page_says_that_webhooks_are_off(page, settings):
    settings.WEBHOOK_HOSTS = []
    found = page.get(LIST).content.decode()
    assert "Webhooks are off" in found
    assert '<form method="post" class="card"' not in found


def test_every_step_on_the_page(page, owner, study, received):
    page.post(LIST, {"address": received.address, "events": ["study.closed"]})
    webhook = Webhook.objects.get()
    one = f"{LIST}{webhook.pk}/"
    assert page.post(one, {"events": ["study.live"]}).status_code == 302
    webhook.refresh_from_db()
    assert webhook.events == ["study.live"]
    page.post(f"{one}test/")
    delivery = WebhookDelivery.objects.get()
    assert "webhook.test" in page.get(one).content.decode()
    assert "waiting" in page.post(f"{LIST}deliveries/{delivery.pk}/send/", follow=True).content.decode()
    page.post(f"{one}disable/")
    assert "This webhook is disabled" in page.get(one).content.decode()
    assert "Enable it first" in page.post(f"{one}test/", follow=True).content.decode()
    page.post(f"{one}enable/")
    assert "This webhook is disabled" not in page.get(one).content.decode()
    page.post(f"{one}remove/")
    assert not Webhook.objects.exists()
    actions = list(
        AuditEntry.objects.filter(action__startswith="webhook").order_by("pk").values_list("action", flat=True)
    )
    assert actions == ["webhook added", "webhook changed", "webhook tested", "webhook disabled", "webhook enabled",
                       "webhook removed"]  # fmt: skip


def test_a_webhook_of_another_study_is_not_found(page, make_study, owner):
    other = make_study("other")
    webhook = add_webhook_rows(other, owner)["webhook"]
    assert page.get(f"{LIST}{webhook.pk}/").status_code == 404
    assert page.post(f"{LIST}{webhook.pk}/remove/").status_code == 404
    assert page.post(f"{LIST}deliveries/{webhook.deliveries.get().pk}/send/").status_code == 404


def test_pages_ask_the_same_number_of_queries_for_many_webhooks(page, study, owner, django_assert_max_num_queries):
    webhook = add_webhook_rows(study, owner)["webhook"]
    for number in range(30):
        WebhookDelivery.objects.create(webhook=webhook, event="study.closed", body=str(number))
    for path in (LIST, f"{LIST}{webhook.pk}/"):
        with django_assert_max_num_queries(16):
            page.get(path)


def test_a_study_is_erased_with_its_webhooks(study, owner):
    add_webhook_rows(study, owner)
    close(study, owner)
    erase_study(study, owner)
    assert not any(model.objects.exists() for model in (Webhook, WebhookDelivery, FinishedWork))


def test_a_person_is_erased_with_the_webhooks_they_added(study, owner, stranger):
    add_member(study, stranger, "researcher", owner)
    member = Rater.objects.create(study=study, person=stranger, name="R9", kind="human")
    webhook = add_webhook_rows(study, stranger)["webhook"]
    erase_rater(member, owner, keep_answers=True)
    assert not Webhook.objects.filter(pk=webhook.pk).exists()
    assert not WebhookDelivery.objects.exists()


def test_labels_of_buttons_are_unique(page, study, owner):
    webhook = add_webhook_rows(study, owner)["webhook"]
    labels = re.findall(r'aria-label="(Send [^"]+)"', page.get(f"{LIST}{webhook.pk}/").content.decode())
    assert len(labels) == 1
