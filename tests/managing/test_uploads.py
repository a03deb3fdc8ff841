"""Uploads of items: parts, dry run, import, and what a lost worker or an interrupted browser leaves behind."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.members.membership import add_member
from annotation.models import Item, Output, Slot, Study, TaskPreparation
from annotation.studies.study_erasure import erase_study
from config.background.claiming import Claim, ask_to_stop, claim, process_row, run_waiting
from config.background.kinds import ClaimLostError, GiveUpError, works
from files.reading import add_to_study
from managing.background.upload_upkeep import clean_up
from managing.models import ItemUpload, UploadStep
from managing.uploads import receiving
from managing.uploads.receiving import KEPT, WORK_KEY, place_of
from tests.conftest import draft_study, make_person
from tests.managing.upload_rows import add_upload_rows

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.VAR = tmp_path


@pytest.fixture
def study(owner):
    study = draft_study()
    add_member(study, owner, "owner", None)
    return study


@pytest.fixture
def browser(client, owner):
    client.force_login(owner)
    return client


def line(number, **more):
    outputs = [{"id": "north", "text": f"Answer {number}."}]
    return {"id": f"new-{number}", "document": f"Text {number}.", "instruction": "Why?", "outputs": outputs, **more}


def body_of(lines):
    return b"".join(json.dumps(one).encode() + b"\n" for one in lines)


def address(name, upload=None):
    return reverse(f"managing:{name}", args=["study"] if upload is None else ["study", upload.pk])


def begin(browser, body, name="items.jsonl", table="items"):
    return browser.post(address("begin_upload"), {"table": table, "name": name, "size": len(body)})


def send(browser, upload, body, offset=0):
    where = f"{address('upload_part', upload)}?offset={offset}"
    return browser.post(where, body, content_type="application/octet-stream")


def uploaded(browser, lines, name="items.jsonl", table="items"):
    """Upload a file in one part, and let workers check it."""
    body = lines if isinstance(lines, bytes) else body_of(lines)
    assert begin(browser, body, name, table).status_code == 201
    upload = ItemUpload.objects.latest("pk")
    assert send(browser, upload, body).json() == {"received": len(body)}
    run_waiting()
    return ItemUpload.objects.get(pk=upload.pk)


def last_step(upload):
    return upload.steps.latest("pk")


def page_of(browser, upload):
    return browser.get(address("uploaded", upload)).content.decode()


def test_a_file_is_checked_first_and_imported_when_somebody_says_so(browser, study, owner):
    upload = uploaded(browser, [line(1), line(2)])
    assert Item.objects.filter(study=study).count() == 2  # those of the draft
    assert "It would add 2 items, 2 outputs." in page_of(browser, upload)
    browser.post(address("import_upload", upload))
    run_waiting()
    assert Item.objects.filter(study=study, key__startswith="new-").count() == 2
    assert "Imported: 2 items, 2 outputs." in page_of(browser, upload)
    entry = AuditEntry.objects.get(action="study imported")
    assert (entry.new["via"], entry.new["added"]["items"], entry.actor.person) == ("upload", 2, owner)
    assert not place_of(upload).exists()
    assert not ItemUpload.objects.get(pk=upload.pk).has_file


def test_a_csv_file_is_read_as_csv(browser, study):
    upload = uploaded(browser, b"item,document,output,text\na,One.,north,Yes.\na,,south,No.\n", "Items of MINE.CSV")
    assert last_step(upload).findings["added"] == {"items": 1, "outputs": 2, "raters": 0}


def test_a_dry_run_counts_every_line_and_names_the_problems_by_line(browser, study):
    add_to_study_lines(study, [line(1), line(2), line(3)])
    more = [*line(3)["outputs"], {"id": "south", "text": "More."}]
    lines = [line(1), line(2, document="Other."), line(3, outputs=more), line(4), line(5, outputs=[]), line(6)]
    upload = uploaded(browser, lines)
    findings = last_step(upload).findings
    assert findings["items"] == {"new": 2, "equal": 1, "extended": 1, "changed": 1, "refused": 2}
    assert [(one["line"], one["field"]) for one in findings["problems"]] == [(2, "id"), (5, "outputs")]
    shown = page_of(browser, upload)
    assert "2 problems" in shown
    assert "already exists with different content" in shown
    assert "Import</button>" not in shown
    browser.post(address("import_upload", upload))
    assert last_step(upload).kind == "check"
    assert Item.objects.filter(study=study).count() == 5


def add_to_study_lines(study, lines):
    path = Path(settings.VAR) / "before.jsonl"
    path.write_bytes(body_of(lines))
    add_to_study(study, {"items": path}, None)


def test_of_many_problems_all_are_counted_and_a_hundred_listed(browser, study):
    upload = uploaded(browser, [line(number, outputs=[]) for number in range(150)])
    findings = last_step(upload).findings
    assert (len(findings["problems"]), findings["more"], findings["items"]["refused"]) == (100, 50, 150)
    assert "the first 100 of 150" in page_of(browser, upload)


def test_a_dry_run_writes_nothing_but_its_findings(browser, study):
    upload = uploaded(browser, [line(1)])
    before = Item.objects.latest("pk").pk
    receiving.request_check(upload)
    run_waiting()
    made = add_item(study)
    assert made == before + 1  # no primary key was taken


def add_item(study):
    return Item.objects.create(study=study, key="by-hand", digest="x").pk


def test_ratings_are_checked_and_imported_too(browser, study):
    given = {"item": "item-0", "output": "system-north", "rater": "ann", "question": "how_well", "value": 4}
    item = study.items.first()
    given |= {"item": item.key, "output": item.outputs.first().key}
    upload = uploaded(browser, [given], "r.jsonl", "ratings")
    assert last_step(upload).findings["ratings"]["new"] == 1
    browser.post(address("import_upload", upload))
    run_waiting()
    assert study.ratings.count() == 1


def test_a_file_that_is_no_table_and_one_that_is_too_large_are_refused_before_they_are_sent(browser, study, settings):
    settings.STUDY_UPLOAD_BYTES = 1000
    for name, size, says in (("a.xlsx", 10, "JSONL or CSV"), ("a.csv", 0, "empty"), ("a.csv", 1001, "larger than")):
        answer = browser.post(address("begin_upload"), {"table": "items", "name": name, "size": size})
        assert answer.status_code == 422
        assert says in answer.json()["problem"]
    assert not ItemUpload.objects.exists()


def test_a_part_goes_only_to_the_end_of_the_file(browser, study):
    body = body_of([line(1), line(2)])
    begin(browser, body)
    upload = ItemUpload.objects.get()
    assert send(browser, upload, body[:10]).json() == {"received": 10}
    for part, offset in ((body[:10], 0), (body[20:], 20), (body[10:] + b"more", 10)):
        answer = send(browser, upload, part, offset)
        assert (answer.status_code, answer.json()) == (409, {"received": 10})
    assert send(browser, upload, body[10:], 10).json() == {"received": len(body)}
    assert place_of(upload).read_bytes() == body
    assert send(browser, upload, b"", len(body)).status_code == 409
    assert UploadStep.objects.count() == 1


def test_a_whole_file_comes_from_a_browser_without_scripts(browser, study, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_bytes(body_of([line(1)]))
    with path.open("rb") as file:
        answer = browser.post(address("upload"), {"table": "items", "file": file})
    upload = ItemUpload.objects.get()
    assert answer.url == address("uploaded", upload)
    run_waiting()
    assert "It would add 1 items, 1 outputs." in page_of(browser, upload)
    assert browser.post(address("upload"), {"table": "items"}).status_code == 422


def test_another_upload_takes_the_place_of_one_that_nobody_works_on(browser, study):
    first = uploaded(browser, [line(1)])
    second = uploaded(browser, [line(2)])
    assert not place_of(first).exists()
    assert place_of(second).exists()
    receiving.request_import(second, None)
    assert "Wait for its end" in begin(browser, b"x").json()["problem"]


def test_a_file_of_another_person_is_not_replaced_but_can_be_deleted(browser, study, client):
    first = uploaded(browser, [line(1)])
    colleague = make_person("colleague")
    add_member(study, colleague, "researcher", None)
    client.force_login(colleague)
    refused = begin(client, b"x")
    assert (refused.status_code, place_of(first).exists()) == (422, True)
    assert "The file items.jsonl of owner is waiting in this study." in refused.json()["problem"]
    page = client.get(address("upload")).content.decode()
    assert "is waiting in this study" in page
    assert f'action="{address("cancel_upload", first)}"' in page
    client.post(address("cancel_upload", first))
    assert "is waiting in this study" not in client.get(address("upload")).content.decode()
    assert begin(client, b"x").status_code == 201


def test_a_part_that_comes_after_its_file_was_deleted_leaves_no_file(browser, study):
    body = body_of([line(1)])
    begin(browser, body)
    upload = ItemUpload.objects.get()

    class Stream:
        def read(self, size):
            receiving.discard(ItemUpload.objects.get(), None)
            return body[:size]

    with pytest.raises(receiving.UploadRefusedError, match="not on the site any more"):
        receiving.receive_part(upload, 0, len(body), Stream(), None)
    assert not place_of(upload).exists()


@pytest.mark.parametrize("kind", ["check", "import"])
def test_a_step_that_lost_its_worker_is_done_once_by_another(browser, study, kind):
    upload = uploaded(browser, [line(1)])
    step = receiving.request_import(upload, None) if kind == "import" else receiving.request_check(upload)
    work = works()[WORK_KEY]
    lost = claim(work, step.pk)
    UploadStep.objects.filter(pk=step.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert process_row(WORK_KEY, step.pk)
    with pytest.raises((ClaimLostError, GiveUpError)):  # the worker that was thought dead goes on
        lost.work.run(lost)
    step.refresh_from_db()
    assert step.status == "done"
    assert Item.objects.filter(study=study, key="new-1").count() == (kind == "import")
    assert AuditEntry.objects.filter(action="study imported").count() == (kind == "import")


def test_an_import_ends_its_step_in_the_transaction_that_writes_the_rows(browser, study, monkeypatch):
    upload = uploaded(browser, [line(1)])
    step = receiving.request_import(upload, None)
    monkeypatch.setattr(Claim, "_end", killed)
    with pytest.raises(KeyboardInterrupt):
        process_row(WORK_KEY, step.pk)
    assert not Item.objects.filter(key="new-1").exists()
    monkeypatch.undo()
    UploadStep.objects.filter(pk=step.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    run_waiting()
    step.refresh_from_db()
    assert (step.status, step.findings["added"]["items"]) == ("done", 1)
    assert Output.objects.filter(item__key="new-1").count() == 1


def killed(*_):
    raise KeyboardInterrupt


def test_stopped_work_leaves_the_study_as_it_was(browser, study):
    upload = uploaded(browser, [line(1)])
    step = receiving.request_import(upload, None)
    browser.post(address("cancel_upload", upload))
    assert not ask_to_stop(works()[WORK_KEY], step)
    assert run_waiting() == 0
    assert "Stopped" in page_of(browser, upload)
    assert not Item.objects.filter(key="new-1").exists()
    browser.post(address("cancel_upload", upload))
    assert not place_of(upload).exists()


def test_what_changed_since_the_dry_run_is_refused_and_said(browser, study):
    upload = uploaded(browser, [line(1)])
    add_to_study_lines(study, [line(1, document="Other.")])
    browser.post(address("import_upload", upload))
    run_waiting()
    shown = page_of(browser, upload)
    assert "The study has changed since the dry run" in shown
    assert "already exists with different content" in shown


def test_files_that_nobody_needs_are_deleted_after_a_time(browser, study):
    upload = uploaded(browser, [line(1)])
    clean_up()
    assert place_of(upload).exists()
    ItemUpload.objects.update(changed_at=timezone.now() - KEPT - timedelta(minutes=1))
    clean_up()
    assert not place_of(upload).exists()
    assert AuditEntry.objects.filter(action="file discarded").exists()


def test_old_files_are_deleted_in_an_archived_study_too_and_one_that_is_busy_keeps_no_other(browser, study, owner):
    upload = uploaded(browser, [line(1)])
    busy, gone = (
        ItemUpload.objects.create(
            study=draft_study(slug), table="items", name="a.csv", size=1, received=1, changed_at=timezone.now()
        )
        for slug in ("busy", "gone")
    )
    UploadStep.objects.create(upload=busy, kind="import", status="done", ended_at=timezone.now())
    UploadStep.objects.create(upload=busy, kind="check")
    place_of(gone).mkdir()
    Study.objects.filter(pk=study.pk).update(status="closed", archived_at=timezone.now())
    ItemUpload.objects.update(changed_at=timezone.now() - KEPT - timedelta(minutes=1))
    clean_up()
    assert list(ItemUpload.objects.filter(has_file=True)) == [busy]
    assert not place_of(upload).exists()


def test_an_erased_study_takes_its_files_with_it(browser, study):
    upload = uploaded(browser, [line(1)])
    erase_study(study, None)
    assert not place_of(upload).exists()
    assert not Study.objects.exists()


def test_items_of_a_live_study_get_their_tasks_after_the_import(browser, study):
    browser.post(reverse("annotation:make_live", args=["study"]))
    upload = uploaded(browser, [line(1)])
    browser.post(address("import_upload", upload))
    run_waiting()
    assert TaskPreparation.objects.get().status == "done"
    assert Slot.objects.filter(item__key="new-1").count() == study.redundancy


def test_uploads_of_other_studies_are_not_there(browser, study, stranger):
    upload = uploaded(browser, [line(1)])
    browser.force_login(stranger)
    for name in ("uploaded", "upload_part", "import_upload", "check_upload", "cancel_upload"):
        method = browser.get if name == "uploaded" else browser.post
        assert method(address(name, upload)).status_code == 404
    assert browser.get(address("upload")).status_code == 404


def test_the_page_of_uploads_needs_as_many_queries_for_many_as_for_one(browser, study, owner):
    counts = []
    for number in (1, 5):
        for _ in range(number):
            add_upload_rows(study, owner)
        with CaptureQueriesContext(connection) as queries:
            assert browser.get(address("upload")).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 8


def test_a_second_upload_begun_at_the_same_moment_is_refused(browser, study, owner, monkeypatch):
    monkeypatch.setattr(receiving, "discard", lambda *_: None)
    assert begin(browser, b"x").status_code == 201
    answer = begin(browser, b"x")
    assert (answer.status_code, "Wait for its end" in answer.json()["problem"]) == (422, True)
