"""The page that deletes a study."""

import pytest
from django.urls import reverse

from accounts.models import AuditEntry
from annotation.members.membership import add_member
from annotation.models import Item, Study, StudyDeletion
from annotation.studies import study_deletion, study_erasure
from annotation.studies.closing import archive
from annotation.studies.lifecycle import close
from annotation.studies.study_deletion import delete_study
from config.background.claiming import run_waiting
from files.entered.drafts import make_draft
from tests.conftest import live_study, make_person

BODY = {"slug": "ferries", "protocol": "rating", "redundancy": 2, "questions": [{"key": "follows", "type": "binary"}]}

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner, rater, client):
    """A closed study with answers."""
    study = live_study(owner, rater)
    close(study, owner)
    study.slots.update(state="open")
    study.raters.create(name="judge", kind="model").runs.create(name="run", configuration={})
    client.force_login(owner)
    return study


@pytest.fixture
def large(monkeypatch):
    """Every study is too large for a page."""
    monkeypatch.setattr(study_deletion, "MOST_AT_ONCE", 0)


def address(study):
    return reverse("managing:delete_study", args=[study.slug])


def test_a_study_with_answers_needs_its_name_typed(study, client):
    page = client.get(address(study)).content.decode()
    assert "type its short name" in page
    assert f'<td class="num">{study.items.count()}</td>' in page
    for name in ("", "Study", "other"):
        refused = client.post(address(study), {"name": name})
        assert refused.status_code == 422
    assert Study.objects.exists()
    done = client.post(address(study), {"name": study.slug}, follow=True)
    assert "The study was deleted." in done.content.decode()
    assert not Study.objects.exists()
    assert not Item.objects.exists()
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor.person.username) == ("study erased", "owner")


def test_a_draft_without_answers_needs_no_name(client, owner):
    study = make_draft(BODY, owner)
    client.force_login(owner)
    page = client.get(address(study)).content.decode()
    assert "Nobody has answered yet." in page
    assert 'name="name"' not in page
    assert client.post(address(study)).status_code == 302
    assert make_draft(BODY, owner).slug == "ferries"


def test_a_live_study_has_to_be_closed_first(client, owner, rater):
    study = live_study(owner, rater)
    client.force_login(owner)
    assert "Close it on its" in client.get(address(study)).content.decode()
    refused = client.post(address(study), {"name": study.slug})
    assert refused.status_code == 422
    assert "This study is live. Close it first." in refused.content.decode()


def test_a_researcher_cannot_delete(study, client):
    researcher = make_person("researcher", is_staff=True)
    add_member(study, researcher, "researcher", None)
    client.force_login(researcher)
    assert client.post(address(study), {"name": study.slug}).status_code == 404
    assert address(study) not in client.get(reverse("annotation:settings", args=[study.slug])).content.decode()


def test_workers_delete_a_large_study(study, large, client):
    page = client.post(address(study), {"name": study.slug}, follow=True)
    assert "The study is being deleted." in page.content.decode()
    assert "This study is being deleted." in client.get(address(study)).content.decode()
    assert client.post(address(study), {"name": study.slug}).status_code == 422
    row = StudyDeletion.objects.get()
    run_waiting()
    assert not Study.objects.exists()
    state = reverse("managing:deletion", args=[row.pk])
    assert "The study was deleted." in client.get(state).content.decode()
    client.force_login(make_person("stranger", is_staff=True))
    assert client.get(state).status_code == 404


def test_workers_delete_a_large_archived_study(study, large, client, owner):
    archive(study, owner)
    page = client.post(address(study), {"name": study.slug}, follow=True)
    assert "The study is being deleted." in page.content.decode()
    run_waiting()
    assert not Study.objects.exists()


def test_a_deletion_that_fails_says_why(study, large, client):
    client.post(address(study), {"name": study.slug})
    Study.objects.update(status="live")
    run_waiting()
    row = StudyDeletion.objects.get()
    assert "Close it first" in client.get(reverse("managing:deletion", args=[row.pk])).content.decode()
    assert "The last attempt did not succeed" in client.get(address(study)).content.decode()


def test_deleting_twice_is_deleting_once(study, large, owner):
    delete_study(study, owner)
    row = StudyDeletion.objects.get()
    run_waiting()
    StudyDeletion.objects.update(status="queued", ended_at=None, lease_until=None, attempt=0)
    run_waiting()
    row.refresh_from_db()
    assert row.status == "done"


def test_what_goes_is_counted_in_few_queries_up_to_a_limit(study, client, monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(study_erasure, "MOST_SHOWN", 1)
    with django_assert_max_num_queries(5):
        rows = dict(study_erasure.shown_rows_of(study))
    assert rows["items"] == 2
    with django_assert_max_num_queries(15):
        client.get(address(study))
