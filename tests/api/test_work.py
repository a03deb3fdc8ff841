"""An annotator's client: the desk for programs, blind and with the same quotas, leases and idempotence."""

import json
import uuid

import pytest

from annotation.members.tokens import issue_token
from annotation.models import Annotation, Assignment, Membership, Rating, Slot, Study
from tests.api.conftest import Program, problem
from tests.filled import fill

WORK = "/api/studies/study/work/"
FIELDS = {"q-follows": True, "q-how_well": 4, "q-comment": "It does."}
HIDDEN = ("system-north", "system-south", "system-west", "CANARY-REFERENCE", "CANARY-METADATA", "item-0", "item-1")


class Annotating(Program):
    """A client that sends JSON."""

    def tell(self, path, body=None, **more):
        return self.post(path, json.dumps(body or {}), content_type="application/json", **more)


@pytest.fixture
def annotating(study, rater):
    return Annotating(issue_token(study, rater, name="mine", scope="annotate"))


def test_tasks_are_claimed_answered_and_read_until_none_is_open(annotating, study, rater):
    seen = []
    while (claimed := annotating.tell(f"{WORK}next/").json())["task"]:
        task = claimed["task"]
        assert annotating.tell(f"{WORK}next/").json()["task"]["key"] == task["key"]
        assert [one["name"] for one in task["fields"]] == ["q-follows", "q-how_well", "q-comment"]
        assert [one["letter"] for one in task["outputs"]] == ["A"]
        assert (task["status"], task["revision"], task["holds_place"]) == ("open", 0, True)
        saved = annotating.tell(f"{WORK}{task['key']}/submit/", {"fields": FIELDS, "revision": 0}).json()
        assert (saved["status"], saved["revision"], saved["surplus"]) == ("submitted", 1, False)
        seen.append(task["key"])
    assert "Nothing is open" in claimed["detail"]
    assert len(seen) == len(set(seen)) == 6
    assert Slot.objects.filter(holder__person=rater, state="filled").count() == 6
    assert set(Rating.objects.filter(question__key="how_well").values_list("value", flat=True)) == {4}
    listed, address = [], f"{WORK}?limit=4"
    while address:
        body = annotating.get(address).json()
        listed, address = listed + body["work"], body["next"]
    assert [one["key"] for one in listed] == seen[::-1]
    mine = annotating.get(f"{WORK}{seen[0]}/").json()
    assert mine["answer"] == {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["It does."]}


def test_nothing_that_is_sent_names_a_system_or_an_item(annotating):
    text = annotating.tell(f"{WORK}next/").content.decode()
    key = json.loads(text)["task"]["key"]
    text += annotating.tell(f"{WORK}{key}/submit/", {"fields": FIELDS}).content.decode()
    text += annotating.get(f"{WORK}{key}/").content.decode() + annotating.get(WORK).content.decode()
    text += annotating.tell(f"{WORK}{key}/submit/", {"fields": FIELDS, "revision": 0}).content.decode()
    assert not [word for word in HIDDEN if word in text]


def test_answers_are_revised_and_a_stale_one_gets_the_current_task(annotating):
    key = annotating.tell(f"{WORK}next/").json()["task"]["key"]
    submit_to = f"{WORK}{key}/submit/"
    refused = problem(annotating.tell(submit_to, {"fields": {"q-follows": True, "q-how_well": 9}}), 422)
    assert list(refused["errors"]) == ["how_well"]
    assert annotating.tell(submit_to, {"fields": FIELDS, "revision": 0}).json()["revision"] == 1
    stale = problem(annotating.tell(submit_to, {"fields": {**FIELDS, "q-how_well": 1}, "revision": 0}), 409)
    assert stale["task"]["revision"] == 1
    assert annotating.tell(submit_to, {"fields": {**FIELDS, "q-how_well": 1}, "revision": 1}).json()["revision"] == 2
    Study.objects.update(status="closed")
    problem(annotating.tell(submit_to, {"fields": FIELDS, "revision": 2}), 409)
    assert annotating.tell(f"{WORK}next/").json() == {
        "task": None,
        "detail": "The study is closed: it gives out no tasks.",
    }


def test_a_repeated_submission_is_saved_once(annotating):
    key = annotating.tell(f"{WORK}next/").json()["task"]["key"]
    body = {"fields": FIELDS, "revision": 0, "client_key": str(uuid.uuid4())}
    first, again = (annotating.tell(f"{WORK}{key}/submit/", body).json() for _ in range(2))
    assert first == again
    problem(annotating.tell(f"{WORK}{key}/submit/", {**body, "fields": {**FIELDS, "q-how_well": 1}}), 409)
    other = annotating.tell(f"{WORK}next/").json()["task"]["key"]
    keyed = {"headers": {"Idempotency-Key": "k"}}
    told = [annotating.tell(f"{WORK}{other}/submit/", {"fields": FIELDS}, **keyed).json() for _ in range(2)]
    assert told[0] == told[1]
    assert Annotation.objects.count() == 2


def test_a_task_is_skipped_with_a_reason_and_its_lease_renewed(annotating):
    key = annotating.tell(f"{WORK}next/").json()["task"]["key"]
    pulse = annotating.tell(f"{WORK}{key}/pulse/", {"visible_seconds": 5}).json()
    assert (pulse["place"], bool(pulse["lease_until"])) == ("held", True)
    assert Assignment.objects.get().visible_seconds == 5
    problem(annotating.tell(f"{WORK}{key}/skip/", {"reason": " "}), 400)
    assert annotating.tell(f"{WORK}{key}/skip/", {"reason": "I cannot read it."}).json()["status"] == "skipped"
    assert Annotation.objects.get().reason == "I cannot read it."


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400), ({"fields": []}, 400), ({"fields": {"q-odd": "x"}}, 400), ({"fields": {"csrf": "x"}}, 400),
        ({"fields": {"q-follows": {}}}, 400), ({"fields": {"q-follows": [[]]}}, 400), ({"fields": {}}, 422),
        ({"fields": FIELDS, "revision": -1}, 400), ({"fields": FIELDS, "guidelines_version": 9}, 400),
        ({"fields": FIELDS, "client_key": "x"}, 400), ({"fields": FIELDS, "odd": 1}, 400),
        ({"fields": {**FIELDS, "q-comment": "x" * 300_000}}, 422),
    ],
)  # fmt: skip
def test_a_body_that_does_not_fit_is_refused(annotating, body, status):
    key = annotating.tell(f"{WORK}next/").json()["task"]["key"]
    problem(annotating.tell(f"{WORK}{key}/submit/", body), status)
    assert not Annotation.objects.exists()


def test_a_token_to_annotate_opens_its_own_tasks_alone(annotating, study, owner, rater, stranger, make_study):
    key = annotating.tell(f"{WORK}next/").json()["task"]["key"]
    for path in ("/api/studies/study/", "/api/studies/study/items/", "/api/studies/study/agreement/"):
        problem(annotating.get(path), 404)
    assert annotating.get("/api/studies/").json()["studies"] == []
    problem(annotating.tell("/api/studies/study/states/", {"verb": "close"}), 403)
    Membership.objects.create(study=study, person=stranger, role="annotator")
    theirs = Annotating(issue_token(study, stranger, name="other", scope="annotate"))
    problem(theirs.get(f"{WORK}{key}/"), 404)
    elsewhere = make_study("other")
    Membership.objects.create(study=elsewhere, person=rater, role="annotator")
    problem(annotating.get("/api/studies/other/work/"), 404)
    problem(Annotating(issue_token(study, owner, name="o", scope="write")).get(WORK), 403)
    Membership.objects.filter(person=rater, study=study).update(active=False)
    problem(annotating.get(WORK), 401)


@pytest.mark.thorough
def test_what_a_page_was_told_can_be_sent_by_a_program_for_each_protocol(tmp_path, db):
    people = fill(tmp_path)
    for protocol in ("rating", "listwise", "pairwise"):
        study = Study.objects.get(slug=f"the-{protocol}")
        answer = Annotation.objects.filter(rater__study=study, rater__person=people.ben, status="submitted").last()
        key = Assignment.objects.get(task=answer.task, rater=answer.rater).key
        program = Annotating(issue_token(study, people.ben, name="p", scope="annotate"))
        address = f"/api/studies/{study.slug}/work/{key}/"
        task = program.get(address).json()
        saved = program.tell(f"{address}submit/", {"fields": task["answer"], "revision": task["revision"]})
        assert saved.json()["revision"] == answer.revision + 1, saved.content
        again = Annotation.objects.get(task=answer.task, rater=answer.rater, is_current=True)
        assert (again.answers, again.pk == answer.pk) == (answer.answers, False)
        assert "north" not in json.dumps(task["fields"])
    session = Study.objects.get(slug="the-session")
    program = Annotating(issue_token(session, people.ben, name="p", scope="annotate"))
    problem(program.tell("/api/studies/the-session/work/next/"), 409)
