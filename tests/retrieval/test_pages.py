"""The pages about papers: questions, the index, trial searches, and new questions."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.models import Item
from config.background.claiming import run_waiting
from config.models import Worker
from retrieval.index_builds import ensure_index
from retrieval.models import IndexBuild, TrialSearch
from tests.retrieval.conftest import PAPERS, add_papers

PAGE = "/studies/asking/papers/"


def text_of(client, path=PAGE, status=200, **headers):
    response = client.get(path, headers=headers or None)
    assert response.status_code == status
    return response.content.decode()


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


def test_a_study_of_another_protocol_has_no_papers(client, study, owner):
    client.force_login(owner)
    path = "/studies/study/papers/"
    assert "have no papers" in text_of(client, path)
    file = SimpleUploadedFile("a.txt", b"Ferries sail at nine.")
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
