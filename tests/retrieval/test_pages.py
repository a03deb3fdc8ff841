"""The pages about papers: questions, the index, trial searches, and new questions."""

import json

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.models import Item, Membership, Study
from config.background.claiming import run_waiting
from config.models import Worker
from retrieval import forms
from retrieval.index_builds import ensure_index
from retrieval.models import IndexBuild, TrialSearch
from tests.conftest import make_person
from tests.retrieval.conftest import PAPERS, add_papers, make_pdf

PAGE = "/studies/asking/papers/"


@pytest.fixture
def asking(db) -> Study:
    """A study of questions with papers, owned by olga."""
    study = Study.objects.create(slug="asking", title="Asking", protocol="session", redundancy=1)
    Membership.objects.create(study=study, person=make_person("olga"), role="owner")
    return study


@pytest.fixture
def olga_s(client, asking):
    client.force_login(asking.memberships.get().person)
    return client


def text_of(client, path=PAGE, status=200, **headers):
    response = client.get(path, headers=headers or None)
    assert response.status_code == status
    return response.content.decode()


def given(name, content):
    return SimpleUploadedFile(name, content)


def add(client, *files, key="q9", question="When do ferries sail?"):
    return client.post(PAGE + "add/", {"key": key, "question": question, "papers": files})


def test_questions_are_listed_with_titles_and_numbers_of_passages(olga_s, asking):
    assert "No papers yet" in text_of(olga_s)
    add_papers(asking, "q1", PAPERS)
    page = text_of(olga_s)
    for words in ("q1", "Why?", "On ferries", "2 papers, 7 passages", "Not built yet"):
        assert words in page


def test_the_index_is_built_and_shown_until_it_is_outdated(olga_s, asking):
    add_papers(asking, "q1", PAPERS)
    assert olga_s.post(PAGE + "index/").status_code == 302
    waiting = text_of(olga_s, **{"HX-Request": "true"})
    assert "Building …" in waiting
    assert 'hx-trigger="every 2s"' in waiting
    assert "<html" not in waiting
    run_waiting()
    ready = text_of(olga_s, **{"HX-Request": "true"})
    assert "Up to date" in ready
    assert "in use" in ready
    assert "every 2s" not in ready
    assert IndexBuild.objects.get().digest[:12] in ready
    olga_s.post(PAGE + "index/")
    assert IndexBuild.objects.count() == 1
    add_papers(asking, "q2", PAPERS)
    assert "have changed since the last build" in text_of(olga_s)


def test_a_failed_build_shows_its_reason_and_can_be_retried(olga_s, asking):
    add_papers(asking, "q1", PAPERS)
    build = ensure_index(asking)
    reason = "The <disk> is full."
    IndexBuild.objects.filter(pk=build.pk).update(status="failed", reason=reason, ended_at=timezone.now())
    page = text_of(olga_s)
    assert "The build failed." in page
    assert "The &lt;disk&gt; is full." in page
    olga_s.post(PAGE + "index/")
    run_waiting()
    build.refresh_from_db()
    assert (build.status, build.is_current) == ("done", True)


def test_a_build_can_be_stopped(olga_s, asking):
    add_papers(asking, "q1", PAPERS)
    build = ensure_index(asking)
    olga_s.post(f"{PAGE}index/{build.pk}/stop/")
    build.refresh_from_db()
    assert build.status == "stopped"


def test_an_unknown_searcher_in_the_options_is_reported(olga_s, asking):
    asking.options = {"searcher": "nothing"}
    asking.save()
    add_papers(asking, "q1", PAPERS)
    assert "There is no searcher" in text_of(olga_s)
    assert olga_s.post(PAGE + "index/").status_code == 302


def test_a_search_is_queued_and_shows_passages_with_scores(olga_s, asking):
    add_papers(asking, "q1", PAPERS)
    ensure_index(asking)
    run_waiting()
    response = olga_s.post(PAGE + "searches/", {"item": "q1", "query": "night train", "k": "2"})
    assert response.status_code == 302
    assert "In the queue …" in text_of(olga_s, response["Location"])
    run_waiting()
    page = text_of(olga_s, response["Location"], **{"HX-Request": "true"})
    trial = TrialSearch.objects.get()
    assert "The night train leaves the capital at eleven." in page
    assert f"score {trial.hits[0]['score']:.4f}" in page
    assert "[1]" in page
    assert f"index {trial.index}" in page
    assert "every 1s" not in page


def test_a_search_without_an_index_shows_the_reason(olga_s, asking):
    add_papers(asking, "q1", PAPERS)
    response = olga_s.post(PAGE + "searches/", {"item": "q1", "query": "night train", "k": "2"})
    run_waiting()
    assert "being indexed" in text_of(olga_s, response["Location"])


@pytest.mark.parametrize(
    "form",
    [
        {}, {"item": "q1", "query": " ", "k": 5}, {"item": "q2", "query": "x", "k": 5},
        {"item": "q1", "query": "x", "k": 0}, {"item": "q1", "query": "x\x00", "k": 5},
    ],
)  # fmt: skip
def test_an_invalid_search_is_reported_at_its_field(olga_s, asking, form):
    add_papers(asking, "q1", PAPERS)
    response = olga_s.post(PAGE + "searches/", form)
    assert response.status_code == 422
    assert "field-error" in response.content.decode()
    assert not TrialSearch.objects.exists()


def test_a_question_is_added_with_papers_of_every_format(olga_s, asking):
    body = {"id": "own", "title": "Own", "authors": [], "paragraphs": ["Ferries sail at noon."]}
    files = (
        given("plain.txt", b"Ferries sail at nine.\n\nThey stop in winter."),
        given("marked.md", b"# Ferries\n\nFerries sail at ten."),
        given("object.json", json.dumps(body).encode()),
        given("printed.pdf", make_pdf([["Ferries of the northern islands sail at eleven in the morning."]])),
    )
    response = add(olga_s, *files)
    assert response.status_code == 302, response.content.decode()
    item = Item.objects.get(study=asking, key="q9")
    assert item.content["question"] == "When do ferries sail?"
    assert [paper["id"] for paper in item.content["documents"]] == ["plain", "marked", "own", "printed"]
    assert item.content["documents"][0]["paragraphs"] == ["Ferries sail at nine.", "They stop in winter."]
    entry = AuditEntry.objects.get(action="study imported")
    assert (entry.actor.person.username, entry.new["via"]) == ("olga", "page of papers")
    assert IndexBuild.objects.get(study=asking).status == "queued"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.pdf", b"%PDF-1.7 cut", "bad.pdf"),
        ("no.pdf", b"Ferries", "is not a PDF"),
        ("bad.json", b"{", "bad.json"),
        ("empty.txt", b"", "is empty"),
        ("binary.txt", b"\xff\xfe\x00", "binary.txt"),
        ("page.html", b"<p>Ferries</p>", "is not a supported file"),
        ("<img src=x>.exe", b"MZ", "&lt;img src=x&gt;.exe"),
    ],
)
def test_an_invalid_file_is_reported_at_the_files_and_nothing_is_stored(olga_s, asking, name, content, words):
    response = add(olga_s, given("good.txt", b"Ferries sail at nine."), given(name, content))
    page = response.content.decode()
    assert response.status_code == 422
    assert words in page.split('id="add-papers_error"')[1].split("</div>")[0]
    assert "When do ferries sail?" in page
    assert not Item.objects.exists()
    assert not IndexBuild.objects.exists()


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
    response = add(olga_s, given("good.txt", b"Ferries sail at nine."), **form)
    assert response.status_code == 422
    assert f'id="add-{field}_error"' in response.content.decode()
    assert not Item.objects.exists()


def test_an_existing_question_is_not_changed(olga_s, asking):
    first = given("good.txt", b"Ferries sail at nine.")
    assert add(olga_s, first).status_code == 302
    assert add(olga_s, given("good.txt", b"Ferries sail at nine.")).status_code == 302
    response = add(olga_s, given("good.txt", b"Ferries sail at ten."))
    assert response.status_code == 422
    assert "with different content" in response.content.decode().split('id="add-key_error"')[1]
    assert Item.objects.get().content["documents"][0]["paragraphs"] == ["Ferries sail at nine."]


def test_two_files_with_the_same_name_are_refused(olga_s, asking):
    response = add(olga_s, given("a.txt", b"Ferries sail at nine."), given("a.md", b"Ferries sail at ten."))
    assert response.status_code == 422
    assert "has the same id as another file" in response.content.decode()


def test_files_that_are_too_large_together_are_refused(olga_s, asking, settings):
    settings.UPLOAD_BYTES = 2000
    response = add(olga_s, given("a.txt", b"Ferries. " * 400))
    assert response.status_code == 422
    assert "MB together" in response.content.decode().split('id="add-papers_error"')[1]
    assert not Item.objects.exists()


def test_reading_stops_if_the_files_take_too_long(olga_s, asking, monkeypatch):
    monkeypatch.setattr(forms, "READING_SECONDS", -1)
    answer = add(olga_s, given("a.txt", b"One."), given("b.txt", b"Two."))
    assert answer.status_code == 422
    assert "The files before a.txt took too long to read" in answer.content.decode()
    assert not Item.objects.filter(key="q9").exists()


def test_too_many_files_are_refused(olga_s, asking):
    files = [given(f"{number}.txt", b"Ferries.") for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FILES + 1)]
    assert add(olga_s, *files).status_code == 400
    assert not Item.objects.exists()


def test_a_study_of_another_protocol_has_no_papers(client, study, owner):
    client.force_login(owner)
    path = "/studies/study/papers/"
    assert "have no papers" in text_of(client, path)
    file = given("a.txt", b"Ferries sail at nine.")
    response = client.post(path + "add/", {"key": "q", "question": "Why?", "papers": file})
    assert response.status_code == 422
    assert not Item.objects.filter(key="q").exists()


def test_searches_and_builds_of_other_studies_are_not_found(olga_s, asking, papers_study, stranger):
    build = ensure_index(papers_study)
    item = Item.objects.get(study=papers_study)
    trial = TrialSearch.objects.create(study=papers_study, item=item, asked_by=stranger, query="x")
    assert olga_s.get(f"{PAGE}searches/{trial.pk}/").status_code == 404
    assert olga_s.post(f"{PAGE}index/{build.pk}/stop/").status_code == 404
    assert olga_s.get("/studies/papers/papers/").status_code == 404


def test_the_page_warns_while_no_worker_can_index(olga_s, asking):
    now = timezone.now()
    Worker.objects.create(name="a", queues="calls", started_at=now, seen_at=now)
    assert "No worker for indexing is running" in text_of(olga_s)
    Worker.objects.create(name="b", queues="jobs", started_at=now, seen_at=now)
    assert "No worker" not in text_of(olga_s)


def test_the_number_of_queries_does_not_grow_with_the_questions(olga_s, asking, django_assert_max_num_queries):
    add_papers(asking, "q0", PAPERS)
    text_of(olga_s)
    with django_assert_max_num_queries(25) as few:
        text_of(olga_s)
    for number in range(1, 30):
        add_papers(asking, f"q{number}", PAPERS)
    with django_assert_max_num_queries(len(few)):
        text_of(olga_s)
