"""Pages of large studies take at most 15 queries, and filters of the admin read a limited number of rows."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import admin as accounts_admin
from accounts.auditing import record
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.studies import kept_counts, live_checks
from config.background.claiming import run_waiting
from managing.models import ItemLocalAlpha
from tests.conftest import add_item, draft_study, make_person

pytestmark = pytest.mark.django_db
MOST = 15


def caught(client, path):
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return queries


def answer(assignment):
    form = {"q-follows": ["true"], "q-how_well": ["5"]}
    return submit(assignment, Submission(form=form, revision=0, guidelines_version=1))


@pytest.fixture
def draft(owner, monkeypatch):
    """A draft that pages treat as a large one, counted by workers."""
    monkeypatch.setattr(kept_counts, "MOST_AT_ONCE", 1)
    monkeypatch.setattr(live_checks, "FEW_ITEMS", 1)
    study = draft_study()
    add_member(study, owner, "owner", None)
    add_item(study, "another")
    add_item(study, "last")
    return study


def test_the_overview_of_a_large_draft_takes_few_queries(client, draft, owner):
    client.force_login(owner)
    path = f"/studies/{draft.slug}/"
    caught(client, path)  # requests the counts
    assert len(caught(client, path)) <= MOST
    run_waiting()
    caught(client, path)  # counts are requested again if something was recorded in the last seconds
    assert len(caught(client, path)) <= MOST
    record("item changed", "an item", actor=owner, study=draft.slug)
    caught(client, path)
    assert len(caught(client, path)) <= MOST


def test_the_overview_of_a_large_live_study_takes_few_queries(client, study, owner, rater, monkeypatch):
    monkeypatch.setattr(kept_counts, "MOST_AT_ONCE", 1)
    answer(next_assignment(study, rater_for(study, rater)))
    client.force_login(owner)
    path = f"/studies/{study.slug}/"
    caught(client, path)  # requests the counts
    assert len(caught(client, path)) <= MOST
    run_waiting()
    caught(client, path)
    assert len(caught(client, path)) <= MOST


def test_the_page_of_models_takes_few_queries(client, draft, owner):
    client.force_login(owner)
    caught(client, f"/studies/{draft.slug}/models/")
    assert len(caught(client, f"/studies/{draft.slug}/models/")) <= MOST


def test_a_report_with_all_its_figures_takes_few_queries(client, draft, owner):
    client.force_login(owner)
    path = f"/studies/{draft.slug}/report/"
    caught(client, path)  # requests the figures
    run_waiting()
    assert len(caught(client, path)) <= MOST
    assert "Computing the figures" not in client.get(path).content.decode()


def test_lists_of_the_admin_take_the_same_queries_for_more_rows(client, draft):
    client.force_login(make_person("root", is_superuser=True, is_staff=True))
    question, path, taken = draft.questions.first(), "/admin/managing/itemlocalalpha/", []
    for item in draft.items.order_by("pk"):
        ItemLocalAlpha.objects.create(study=draft, question=question, item=item, alpha=0.5)
        taken.append(len(caught(client, path)))
    assert len(taken) > 1
    assert taken[0] >= taken[-1]


def test_a_filter_offers_the_values_of_the_newest_rows_and_the_one_chosen(client, monkeypatch):
    root = make_person("root", is_superuser=True, is_staff=True)
    client.force_login(root)
    for action in ("first thing", "second thing", "third thing"):
        record(action, "a subject", actor=root)
    monkeypatch.setattr(accounts_admin, "MOST_READ", 2)
    path = "/admin/accounts/auditentry/"
    page = client.get(path).content.decode()
    assert "?action=first" not in page
    assert "?action=third" in page
    assert "?action=first" in client.get(f"{path}?action=first+thing").content.decode()
    assert not [one for one in caught(client, path) if "DISTINCT" in one["sql"]]
