"""Figures for monitoring: who may read them, what is counted, and that all processes are summed."""

import os
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from config import process_counts
from config.background.kinds import QUEUES
from reports.models import KeptReport
from retrieval.models import TrialSearch
from tests.processes import child, finished

TOKEN = "token-of-the-monitoring"
OTHER_PROCESS = """
from django.conf import settings
settings.METRICS_TOKEN, settings.VAR = {token!r}, {var!r}
from config.process_counts import count
count("claims", 5)
"""

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of this process: the library opens its files once."""
    yield tmp_path_factory.mktemp("metrics")
    os.environ.pop(process_counts.LIBRARYS_FOLDER, None)


@pytest.fixture
def counted(settings, folder):
    settings.METRICS_TOKEN, settings.VAR = TOKEN, folder
    return folder


def figures(client):
    """The figures by name and labels."""
    response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200
    found = re.findall(r"^(interrater_[^ ]+) (\S+)$", response.content.decode(), re.MULTILINE)
    return {name: float(value) for name, value in found}


def test_without_the_setting_there_is_no_such_page(client, settings):
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xe9"])
def test_without_the_token_it_does_not_exist_either(client, counted, given):
    assert client.get("/metrics", headers={"Authorization": given}).status_code == 404


def test_claims_submits_and_requests_are_counted(client, counted, study, rater):
    process_counts.count("claims")
    before = figures(client)
    client.force_login(rater)
    assignment = next_assignment(study, rater_for(study, rater))
    form = {"revision": "0", "q-follows": "true", "q-how_well": "4"}
    client.post(f"/work/{assignment.key}/submit/", form)
    found = figures(client)
    assert found["interrater_claims_total"] == before["interrater_claims_total"] + 2  # the task, and the next one
    assert found['interrater_submits_total{status="submitted"}'] == 1
    assert found['interrater_request_seconds_count{part="annotation",status="302"}'] == 1


def test_the_counts_of_other_processes_are_added(client, counted):
    process_counts.count("claims", 2)
    before = figures(client)["interrater_claims_total"]
    with child(OTHER_PROCESS.format(token=TOKEN, var=str(counted))) as other:
        finished(other)
    assert figures(client)["interrater_claims_total"] == before + 5


def test_queues_say_how_long_their_oldest_row_waits(client, counted, study, owner):
    assert figures(client)['interrater_queue_rows{kind="report"}'] == 0
    due = timezone.now() - timedelta(minutes=5)
    KeptReport.objects.create(study=study, kind="agreement", due_at=due)
    found = figures(client)
    assert found['interrater_queue_rows{kind="report"}'] == 1
    assert 299 < found['interrater_queue_age_seconds{queue="jobs"}'] < 400
    assert found['interrater_queue_age_seconds{queue="calls"}'] == 0
    TrialSearch.objects.create(
        study=study, item=study.items.first(), asked_by=owner, query="ferry", due_at=due - timedelta(minutes=5)
    )
    found = figures(client)
    assert 599 < found['interrater_queue_age_seconds{queue="calls"}'] < 700
    assert {name for name in found if "queue_age" in name} == {
        f'interrater_queue_age_seconds{{queue="{queue}"}}' for queue in QUEUES
    }


def test_nothing_is_loaded_or_written_without_the_setting(settings, tmp_path):
    settings.METRICS_TOKEN, settings.VAR = "", tmp_path
    process_counts.count("claims")
    assert list(tmp_path.iterdir()) == []
