"""A page of the desk and an answer with the next claim take a few statements, and an answer one transaction.

The page of the next task comes with the answer: person and session are read once for both.
"""

import json
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.members.membership import add_member
from annotation.models import Annotation, Assignment, Study
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from tests.parts.routing.routed_study import TOPICS, make_rater, make_routed_study, source

pytestmark = pytest.mark.both
PAGE, ANSWER, ROUTED = 3, 12, 3
"""Statements, with the one for the session and its person, and on PostgreSQL with the lock of the rater's row.

With routing an answer also locks the study's counts, reads the rater's lanes, and remembers the one they come to.
"""
AT_ONCE = {"Prefer": "return=representation"}
FRAME = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
SYSTEMS = ("north", "south", "west")
STUDIES = {
    "rating": ([{"key": "good", "type": "binary", "text": "Good?"}], {"q-good": "true"}, {}),
    "rating apart": ([{"key": "good", "type": "binary", "text": "Good?"}], {"q-good": "true"}, {"same_raters": False}),
    "rating in batches": ([{"key": "good", "type": "binary", "text": "Good?"}], {"q-good": "true"}, {"batch_size": 9}),
    "listwise": (
        [{"key": "overall", "type": "rank", "ranks": 3, "text": "Overall"}],
        {"q-overall-A": "1", "q-overall-B": "2", "q-overall-C": "3"}, {},
    ),
    "pairwise": ([{"key": "better", "type": "preference", "text": "Which?"}], {"q-better": "A"}, {}),
}  # fmt: skip


@pytest.fixture(params=STUDIES)
def desk(request, client, tmp_path, rater, owner):
    """A signed-in annotator at work in a live study, the address of their task and the form of an answer."""
    questions, form, options = STUDIES[request.param]
    body = {"slug": "counted", "protocol": request.param.split()[0], "redundancy": 2, "options": options}
    (tmp_path / "study.json").write_text(json.dumps(body | {"questions": questions, "guidelines": "Read."}))
    outputs = [{"id": system, "text": f"At {place}."} for place, system in enumerate(SYSTEMS)]
    items = [{"id": f"i{n}", "document": "Nine.", "instruction": "When?", "outputs": outputs} for n in range(6)]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    study = import_study(tmp_path).study
    add_member(study, rater, "annotator", None)
    while plan_chunk(study):
        pass
    study.batches.create(number=0)
    Study.objects.update(status="live")
    client.force_login(rater)
    where = client.post(reverse("annotation:next_task", args=["counted"]))["Location"]
    return client, where, form | {"guidelines_version": "1", "revision": "0"}


def answer(client, where, form):
    return client.post(f"{where}submit/", form | {"client_key": str(uuid4())})["Location"]


def statements(captured):
    sql = [query["sql"].strip() for query in captured.captured_queries]
    return [one for one in sql if not one.startswith(FRAME)], [one for one in sql if one.startswith(FRAME[:2])]


def test_a_page_takes_few_statements_early_and_late(desk):
    client, where, form = desk
    for _ in range(4):
        with CaptureQueriesContext(connection) as captured:
            assert client.get(where).status_code == 200
        assert len(statements(captured)[0]) <= PAGE, statements(captured)[0]
        where = answer(client, where, form)


@pytest.mark.django_db(transaction=True)
def test_an_answer_with_the_page_of_the_next_task_reads_the_person_once(desk):
    client, where, form = desk
    for _ in range(4):
        with CaptureQueriesContext(connection) as captured:
            shown = client.post(f"{where}submit/", form | {"client_key": str(uuid4())}, headers=AT_ONCE)
        assert shown.status_code == 200
        sent, frame = statements(captured)
        assert len(sent) <= ANSWER + PAGE - 1, sent
        assert [one.split()[0] for one in frame] == ["BEGIN", "COMMIT"]
        where = shown["Content-Location"]
    assert Annotation.objects.count() == 4


@pytest.mark.django_db(transaction=True)
def test_an_answer_and_the_next_claim_take_few_statements_in_one_transaction(desk):
    client, where, form = desk
    for _ in range(5):
        with CaptureQueriesContext(connection) as captured:
            where = answer(client, where, form)
        sent, frame = statements(captured)
        assert len(sent) <= ANSWER, sent
        assert [one.split()[0] for one in frame] == ["BEGIN", "COMMIT"]
    assert Annotation.objects.count() == 5
    assert Assignment.objects.count() == 6


@pytest.mark.django_db(transaction=True)
def test_an_answer_in_a_study_with_routing_takes_three_statements_more(client, tmp_path, owner):
    routing = {
        "topics": {"names": list(TOPICS), "choose": True, "most": 4},
        "groups": [{**source("country"), "quotas": {"DE": {"most": 17}}}],
    }
    study = make_routed_study(tmp_path, owner, routing)
    rater = make_rater(study, "ann", ["law"], country="DE")
    client.force_login(rater.person)
    where, form = client.post(reverse("annotation:next_task", args=[study.slug]))["Location"], {"q-good": "true"}
    taken = []
    for _ in range(6):
        with CaptureQueriesContext(connection) as captured:
            where = answer(client, where, form | {"guidelines_version": "1", "revision": "0"})
        sent, frame = statements(captured)
        assert len(sent) <= ANSWER + ROUTED, sent
        assert [one.split()[0] for one in frame] == ["BEGIN", "COMMIT"]
        taken.append(sum("routing_routedrater" in one for one in sent))
    assert Annotation.objects.count() == 6
    assert set(taken) == {1, 2}  # the lane is remembered when it changes
