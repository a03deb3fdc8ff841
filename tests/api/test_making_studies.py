"""Studies made, changed, taken from state to state and deleted through the API, as on the pages."""

import json

import pytest

from accounts.models import AuditEntry
from annotation.members.tokens import issue_account_token, issue_token
from annotation.models import Item, KeptResponse, Slot, Study
from tests.api.conftest import Program, problem

STUDIES = "/api/studies/"
STUDY = f"{STUDIES}study/"
FILE = {
    "slug": "ferries", "title": "Ferries", "protocol": "rating", "redundancy": 1, "guidelines": "Read all of it.",
    "questions": [{"key": "good", "type": "likert", "min": 1, "max": 5}],
}  # fmt: skip
YAML = b"slug: ferries\nprotocol: rating\nredundancy: 1\nquestions:\n- {key: good, type: likert, min: 1, max: 5}\n"


class Maker(Program):
    """A client that sends JSON."""

    def tell(self, path, body, method="post", **more):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.generic(method.upper(), path, data, content_type="application/json", **more)


@pytest.fixture
def maker(owner):
    owner.is_staff = True
    owner.save()
    return Maker(issue_account_token(owner, name="makes", scope="write", makes_studies=True))


@pytest.fixture
def writer(study, owner):
    return Maker(issue_token(study, owner, name="writes", scope="write"))


def test_a_study_is_made_filled_and_taken_through_its_states(maker, owner):
    made = maker.tell(STUDIES, FILE)
    assert (made.status_code, made["Location"]) == (201, "/api/studies/ferries/")
    assert made.content.endswith(b"\n")
    address = made["Location"]
    body = made.json()
    assert (body["status"], body["items"], body["study"]["guidelines"]) == ("draft", 0, "Read all of it.")
    refused = problem(maker.tell(f"{address}states/", {"verb": "go_live"}), 409)
    assert "cannot go live yet" in refused["detail"]
    item = {"id": "one", "document": "d", "instruction": "i", "outputs": [{"id": "a", "text": "t"}]}
    assert maker.send(f"{address}items/", [item]).json()["added"]["items"] == 1
    states = ("go_live", "pause", "resume", "close", "reopen", "close", "lock", "archive", "bring_back")
    for verb, status in zip(states, ("live", "paused", "live", "closed", "live", *["closed"] * 4), strict=True):
        told = maker.tell(f"{address}states/", {"verb": verb, "reason": "It is time."})
        assert (told.status_code, told.json()["status"]) == (200, status), told.content
    assert Slot.objects.filter(study__slug="ferries").count() == 1
    listed = maker.get(f"{STUDIES}?status=closed").json()["studies"]
    assert [(one["slug"], one["locked"], one["archived"], one["items"]) for one in listed] == [
        ("ferries", True, False, 1)
    ]
    problem(maker.tell(address, {"title": "New"}, "patch"), 409)
    assert maker.tell(address, {"title": "New", "reason": "A mistake."}, "patch").json()["title"] == "New"
    assert AuditEntry.objects.filter(study="ferries", actor__person=owner, action="study locked").exists()


def test_a_study_is_made_from_yaml_and_its_draft_changed_and_deleted(maker):
    made = maker.generic("POST", STUDIES, YAML, content_type="application/yaml")
    assert made.status_code == 201
    address = made["Location"]
    changed = maker.tell(
        address, {"redundancy": 3, "project": "Boats", "description": "About ferries."}, "patch"
    ).json()
    assert (changed["study"]["redundancy"], changed["project"]) == (3, "Boats")
    assert "description" not in maker.tell(address, {"description": None}, "patch").json()["study"]
    wrong = problem(maker.tell(address, {"redundancy": 0, "odd": 1}, "patch"), 400)
    assert {one["field"] for one in wrong["problems"]} >= {"redundancy"}
    problem(maker.tell(address, {"slug": "other"}, "patch"), 400)
    assert maker.delete(address).status_code == 204
    assert not Study.objects.filter(slug="ferries").exists()


def test_a_running_study_changes_only_what_its_pages_change(writer, study):
    body = writer.tell(STUDY, {"title": "Other", "guidelines": "Read twice."}, "patch").json()
    assert (body["title"], body["study"]["guidelines"]) == ("Other", "Read twice.")
    assert study.guidelines.count() == 2
    told = problem(writer.tell(STUDY, {"redundancy": 5, "options": {"dense": True}}, "patch"), 409)
    assert "redundancy, options.dense" in told["detail"]
    assert writer.tell(STUDY, {"redundancy": 2}, "patch").status_code == 200
    problem(writer.tell(STUDY, {"options": {"plan": {"odd": 1}}}, "patch"), 400)
    problem(writer.delete(STUDY), 409)


def test_who_may_not_make_or_decide_is_refused(study, owner, stranger, maker):
    study.memberships.create(person=stranger, role="researcher")
    theirs = Maker(issue_account_token(stranger, name="one", scope="write"))
    problem(theirs.tell(STUDIES, FILE), 403)
    assert theirs.tell(f"{STUDY}states/", {"verb": "pause"}).status_code == 200
    assert "owners" in problem(theirs.tell(f"{STUDY}states/", {"verb": "close"}), 403)["detail"]
    problem(theirs.tell(STUDY, {"project": "Mine"}, "patch"), 403)
    owner.is_staff = False
    owner.save()
    problem(maker.tell(STUDIES, FILE), 403)
    reading = Maker(issue_account_token(owner, name="reads", scope="read"))
    problem(reading.tell(f"{STUDY}states/", {"verb": "close"}), 403)


def test_a_token_of_an_account_opens_what_its_person_runs_at_that_moment(make_study, study, owner, stranger):
    other = make_study("other")
    other.memberships.create(person=owner, role="owner")
    make_study("third")
    whole = Maker(issue_account_token(owner, name="all", scope="read"))
    named = Maker(issue_account_token(owner, name="some", scope="read", studies=[other]))
    slugs = [[one["slug"] for one in program.get(STUDIES).json()["studies"]] for program in (whole, named)]
    assert slugs == [["study", "other"], ["other"]]
    problem(named.get(STUDY), 404)
    other.memberships.update(active=False)
    problem(whole.get(f"{STUDIES}other/"), 404)
    assert named.get(STUDIES).json()["studies"] == []
    type(owner).objects.filter(pk=owner.pk).update(is_active=False)
    problem(whole.get(STUDIES), 401)


def test_items_are_steered_with_a_reason(writer, study):
    item = Item.objects.first()
    steps = f"{STUDY}items/{item.pk}/steps/"
    problem(writer.tell(steps, {"verb": "withdraw", "reason": " "}), 400)
    assert writer.tell(steps, {"verb": "withdraw", "reason": "Cut off."}).json()["withdrawn"]["reason"] == "Cut off."
    assert "already" in problem(writer.tell(steps, {"verb": "withdraw", "reason": "Again."}), 409)["detail"]
    assert "withdrawn" not in writer.tell(steps, {"verb": "restore", "reason": "A mistake."}).json()
    body = {"verb": "priority", "priority": "first", "reason": "It is urgent."}
    assert writer.tell(steps, body).json()["priority"] == "first"
    problem(writer.tell(steps, {"verb": "priority", "reason": "Which?"}), 400)
    problem(writer.tell(f"{STUDY}items/{10**6}/steps/", body), 404)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"[]", 400), (b"{", 400), (b"\xff", 400), (b'{"verb": "odd"}', 400), (b'{"verb": ["close"]}', 400),
        (b'{"verb": "pause", "odd": 1}', 400), (b'{"verb": "pause", "verb": "close"}', 400),
        (b'{"verb": "pause", "reason": "\\u0000"}', 400), (b'{"verb": "pause", "reason": {}}', 400),
        (b'{"verb": "pause", "reason": "' + b"x" * 501 + b'"}', 400), (b" " * 1_000_001, 413),
    ],
)  # fmt: skip
def test_bodies_that_do_not_fit_are_refused(writer, study, body, status):
    problem(writer.tell(f"{STUDY}states/", body), status)
    study.refresh_from_db()
    assert study.status == "live"


def test_another_media_type_is_refused(writer, study):
    told = problem(writer.generic("POST", f"{STUDY}states/", b"verb=pause", content_type="text/plain"), 415)
    assert "application/json" in told["detail"]


KEY = {"Idempotency-Key": "one-key"}


def test_the_same_key_gives_the_stored_response(maker):
    first = maker.tell(STUDIES, FILE, headers=KEY)
    again = maker.tell(STUDIES, FILE, headers=KEY)
    assert (again.status_code, again.content, again["Location"]) == (201, first.content, first["Location"])
    assert again["Idempotency-Replayed"] == "true"
    assert Study.objects.filter(slug="ferries").count() == 1
    problem(maker.tell(STUDIES, {**FILE, "slug": "boats"}, headers=KEY), 422)
    problem(maker.tell(f"{STUDIES}ferries/", {"title": "x"}, "patch", headers=KEY), 422)


def test_keys_are_kept_apart_and_a_refused_request_frees_its_key(maker, study, owner):
    problem(maker.tell(STUDIES, {**FILE, "redundancy": 0}, headers=KEY), 400)
    assert not KeptResponse.objects.exists()
    assert maker.tell(STUDIES, FILE, headers=KEY).status_code == 201
    other = Maker(issue_token(study, owner, name="other", scope="write"))
    assert other.tell(f"{STUDY}states/", {"verb": "pause"}, headers=KEY).status_code == 200
    assert other.tell(f"{STUDY}states/", {"verb": "pause"}, headers=KEY).status_code == 200
    problem(other.tell(f"{STUDY}states/", {"verb": "pause"}), 409)
    for key in ("", "x" * 201, "a b"):
        problem(other.tell(f"{STUDY}states/", {"verb": "resume"}, headers={"Idempotency-Key": key}), 400)


def test_an_upload_with_a_key_is_imported_once(writer, study):
    item = {"id": "one", "document": "d", "instruction": "i", "outputs": [{"id": "a", "text": "t"}]}
    first, again = (writer.send(f"{STUDY}items/", [item], headers=KEY) for _ in range(2))
    assert first.content == again.content
    assert again.json()["added"]["items"] == 1
    problem(writer.send(f"{STUDY}items/", [{**item, "id": "two"}], headers=KEY), 422)
