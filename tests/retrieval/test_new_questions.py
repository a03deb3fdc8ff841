"""New questions with papers: the page takes the files, a worker reads them, and the page says what came of it."""

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.models import Item
from config.background.claiming import claim, run_waiting
from config.background.kinds import works
from retrieval.background import paper_reading
from retrieval.models import IndexBuild, PaperUpload
from retrieval.paper_formats import pdf
from retrieval.paper_uploads import FORGOTTEN_AFTER, MOST_WAITING, WORK_KEY, place_of, remove_left_over
from tests.retrieval.conftest import holding_pdf, make_pdf

PAGE = "/studies/asking/papers/"
QUESTION = "When do ferries sail?"


def given(name, content):
    return SimpleUploadedFile(name, content)


GOOD = b"Ferries sail at nine."


def send(client, *files, key="q9", question=QUESTION):
    return client.post(PAGE + "add/", {"key": key, "question": question, "papers": files})


def added(client, *files, **more):
    """Send the files and let workers read them; return how the upload ended."""
    response = send(client, *files, **more)
    assert response.status_code == 302, response.content.decode()
    run_waiting()
    return PaperUpload.objects.latest("pk")


def shown(client, path="uploads/?waiting=0&page=1", **headers):
    response = client.get(PAGE + path, headers={"HX-Request": "true", **headers})
    assert response.status_code == 200
    return response.content.decode()


def stored_files():
    folder = Path(settings.VAR) / "papers"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_a_question_is_added_with_papers_of_every_format(olga_s, asking):
    body = {"id": "own", "title": "Own", "authors": [], "paragraphs": ["Ferries sail at noon."]}
    files = (
        given("plain.txt", b"Ferries sail at nine.\n\nThey stop in winter."),
        given("marked.md", b"# Ferries\n\nFerries sail at ten."),
        given("object.json", json.dumps(body).encode()),
        given("printed.pdf", make_pdf([["Ferries of the northern islands sail at eleven in the morning."]])),
    )
    assert send(olga_s, *files).status_code == 302
    assert not Item.objects.exists()
    waiting = shown(olga_s, "uploads/?waiting=1&page=1")
    assert "In the queue" in waiting
    assert 'hx-trigger="every 2s"' in waiting
    assert "Questions and papers" not in waiting
    run_waiting()
    item = Item.objects.get(study=asking, key="q9")
    assert item.content["question"] == QUESTION
    assert [paper["id"] for paper in item.content["documents"]] == ["plain", "marked", "own", "printed"]
    assert item.content["documents"][0]["paragraphs"] == ["Ferries sail at nine.", "They stop in winter."]
    entry = AuditEntry.objects.get(action="study imported")
    assert (entry.actor.person.username, entry.new["via"]) == ("olga", "page of papers")
    assert AuditEntry.objects.get(action="papers uploaded").new == {"files": 4}
    assert IndexBuild.objects.filter(study=asking).exists()
    assert stored_files() == []


def test_when_a_question_was_added_the_page_brings_what_has_changed(olga_s, asking):
    added(olga_s, given("plain.txt", GOOD))
    news = shown(olga_s, "uploads/?waiting=1&page=1")
    assert "Added." in news
    assert 'hx-trigger="every 2s"' not in news.split('id="index"')[0]
    assert news.count('hx-swap-oob="true"') == 2
    assert "1 paper, 1 passage" in news
    assert "Added." in olga_s.get(PAGE).content.decode()
    assert olga_s.get(PAGE + "uploads/").status_code == 302


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.pdf", b"%PDF-1.7 cut", "bad.pdf is damaged"),
        ("no.pdf", b"Ferries", "is not a PDF"),
        ("bad.json", b"{", "bad.json"),
        ("binary.txt", b"\xff\xfe\x00", "binary.txt"),
        ("<img src=x>.txt", b"\xff", "&lt;img src=x&gt;.txt"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_nothing_is_stored(olga_s, asking, name, content, words):
    upload = added(olga_s, given("good.txt", GOOD), given(name, content))
    assert upload.status == "failed"
    page = shown(olga_s)
    assert "The question was not added." in page
    assert words in page
    assert not Item.objects.exists()
    assert not IndexBuild.objects.exists()
    assert stored_files() == []
    again = olga_s.get(f"{PAGE}?again={upload.pk}").content.decode()
    assert 'value="q9"' in again
    assert f">\n{QUESTION}</textarea>" in again


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.txt", b"", "is empty"),
        ("page.html", b"<p>Ferries</p>", "is not a supported file"),
        ("<img src=x>.exe", b"MZ", "&lt;img src=x&gt;.exe"),
    ],
)
def test_a_file_that_is_never_read_is_reported_at_the_files_at_once(olga_s, asking, name, content, words):
    response = send(olga_s, given("good.txt", GOOD), given(name, content))
    assert response.status_code == 422
    page = response.content.decode()
    assert words in page.split('id="add-papers_error"')[1].split("</div>")[0]
    assert QUESTION in page
    assert not PaperUpload.objects.exists()
    assert stored_files() == []


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"key": ""}, "key"),
        ({"key": "a\tb"}, "key"),
        ({"question": " "}, "question"),
        ({"question": "\x00"}, "question"),
    ],
)
def test_an_invalid_question_is_reported_at_its_field(olga_s, asking, form, field):
    response = send(olga_s, given("good.txt", GOOD), **form)
    assert response.status_code == 422
    assert f'id="add-{field}_error"' in response.content.decode()
    assert not PaperUpload.objects.exists()


def test_an_existing_question_is_not_changed(olga_s, asking):
    assert added(olga_s, given("good.txt", GOOD)).is_new is True
    assert added(olga_s, given("good.txt", GOOD)).is_new is False
    assert "This question exists already." in shown(olga_s)
    refused = added(olga_s, given("good.txt", b"Ferries sail at ten."))
    assert refused.status == "failed"
    assert "with different content" in refused.problems[0]
    assert Item.objects.get().content["documents"][0]["paragraphs"] == ["Ferries sail at nine."]


def test_two_files_with_the_same_name_are_refused(olga_s, asking):
    upload = added(olga_s, given("a.txt", GOOD), given("a.md", b"Ferries sail at ten."))
    assert "has the same id as another file" in upload.problems[0]


def test_files_that_are_too_large_together_are_refused(olga_s, asking, settings):
    settings.UPLOAD_BYTES = 2000
    response = send(olga_s, given("a.txt", b"Ferries. " * 400))
    assert response.status_code == 422
    assert "MB together" in response.content.decode().split('id="add-papers_error"')[1]


def test_too_many_files_are_refused(olga_s, asking):
    files = [given(f"{number}.txt", b"Ferries.") for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FILES + 1)]
    assert send(olga_s, *files).status_code == 400
    assert not PaperUpload.objects.exists()


def test_reading_stops_if_the_files_take_too_long(olga_s, asking, monkeypatch):
    monkeypatch.setattr(paper_reading, "READING_SECONDS", -1)
    upload = added(olga_s, given("a.txt", b"One."), given("b.txt", b"Two."))
    assert upload.problems == ["The files before a.txt took too long to read. Choose fewer files."]


def test_a_small_pdf_that_takes_minutes_holds_no_request_and_is_ended(olga_s, asking, monkeypatch):
    content = holding_pdf()
    assert len(content) < 10_000
    assert send(olga_s, given("holding.pdf", content)).status_code == 302
    assert PaperUpload.objects.get().status == "queued"
    monkeypatch.setattr(pdf, "SECONDS", 1)
    run_waiting()
    upload = PaperUpload.objects.get()
    assert upload.status == "failed"
    assert upload.problems == ["holding.pdf takes longer than 1 seconds to read."]
    assert "holding.pdf takes longer than 1 seconds to read." in shown(olga_s)


def test_few_questions_of_a_study_wait_at_once(olga_s, asking):
    for number in range(MOST_WAITING):
        assert send(olga_s, given("a.txt", GOOD), key=f"q{number}").status_code == 302
    response = send(olga_s, given("a.txt", GOOD), key="q9")
    assert response.status_code == 422
    assert "waiting to be read" in response.content.decode()
    assert len(stored_files()) == MOST_WAITING
    run_waiting()
    assert send(olga_s, given("a.txt", GOOD), key="q9").status_code == 302


def test_papers_that_wait_can_be_stopped(olga_s, asking, stranger):
    send(olga_s, given("a.txt", GOOD))
    upload = PaperUpload.objects.get()
    other = type(olga_s)()
    other.force_login(stranger)
    assert other.post(f"{PAGE}uploads/{upload.pk}/stop/").status_code == 404
    assert olga_s.post(f"{PAGE}uploads/{upload.pk}/stop/").status_code == 302
    upload.refresh_from_db()
    assert upload.status == "stopped"
    assert stored_files() == []
    run_waiting()
    assert not Item.objects.exists()


def test_a_worker_that_was_killed_leaves_the_rest_to_another(olga_s, asking):
    send(olga_s, given("a.txt", GOOD))
    upload = PaperUpload.objects.get()
    claim(works()[WORK_KEY], upload.pk)
    PaperUpload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    run_waiting()
    upload.refresh_from_db()
    assert (upload.status, upload.is_new) == ("done", True)


def test_files_that_nobody_waits_for_are_deleted_and_no_others(olga_s, asking):
    send(olga_s, given("a.txt", GOOD))
    [waiting] = stored_files()
    lost = waiting.with_name("0" * 32)
    lost.mkdir()
    young = waiting.with_name("1" * 32)
    young.mkdir()
    for place in (waiting, lost):
        os.utime(place, (0, timezone.now().timestamp() - FORGOTTEN_AFTER - 60))
    assert remove_left_over() == 1
    assert stored_files() == sorted([young, waiting])


def test_files_that_are_gone_are_a_reason(olga_s, asking):
    send(olga_s, given("a.txt", GOOD))
    upload = PaperUpload.objects.get()
    (place_of(upload) / "0").unlink()
    place_of(upload).rmdir()
    run_waiting()
    assert "Upload them again" in shown(olga_s)
