"""Workers that are killed while they import an upload, with real processes: nothing is lost, and nothing twice."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.models import Item, Output
from config.background.claiming import run_waiting
from files.reading.stepwise_import import complete_imports
from managing.background.upload_upkeep import clean_up
from managing.models import ItemUpload, UploadStep
from managing.uploads import receiving
from managing.uploads.receiving import WORK_KEY, place_of
from tests.conftest import draft_study
from tests.managing.test_uploads import body_of, line
from tests.processes import child, said

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]
COUNT = 50
WORKER = """
import sys
from files import line_reading
from files.reading import stepwise_import
from config.background.claiming import process_row
from managing.background import item_uploads

def wait(*_, **__):
    print("there", flush=True)
    sys.stdin.readline()

if sys.argv[2] == "reading":
    line_reading.CHUNK, item_uploads.EVERY = 1000, 0
    item_uploads._progress = lambda claim: wait
elif sys.argv[2] == "moving":
    stepwise_import.FEW_ROWS, stepwise_import.complete = 0, wait
else:
    item_uploads.discard = wait
process_row(sys.argv[3], int(sys.argv[1]))
"""


@pytest.fixture
def step(settings, tmp_path):
    """The import of an upload, queued."""
    settings.VAR = tmp_path
    study = draft_study(items=0)
    body = body_of([line(number) for number in range(COUNT)])
    upload = ItemUpload.objects.create(
        study=study, table="items", name="items.jsonl", size=len(body), received=len(body), changed_at=timezone.now()
    )
    place_of(upload).parent.mkdir()
    place_of(upload).write_bytes(body)
    receiving.request_check(upload)
    run_waiting()
    return receiving.request_import(upload, None)


@pytest.mark.parametrize("moment", ["reading", "moving", "written"])
def test_an_import_whose_worker_is_killed_is_complete_once(step, moment):
    if moment == "moving" and connection.vendor != "sqlite":
        pytest.skip("on PostgreSQL an import is one transaction")
    with child(WORKER, step.pk, moment, WORK_KEY) as worker:
        assert said(worker) == "there"
        assert Item.objects.count() == (COUNT if moment == "written" else 0)
    UploadStep.objects.filter(status="running").update(lease_until=timezone.now() - timedelta(seconds=1))
    complete_imports()
    run_waiting()
    clean_up()
    step.refresh_from_db()
    assert (step.status, step.findings["added"]["items"]) == ("done", COUNT)
    assert (Item.objects.count(), Output.objects.count()) == (COUNT, COUNT)
    assert AuditEntry.objects.filter(action="study imported").count() == 1
    assert not place_of(step.upload).exists()
