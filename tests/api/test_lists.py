"""Lists through the API: the same as the files, in stable pages that cost the same in a study of any size."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Person
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.models import Annotation, Item, Output, Rater, Rating, Token
from annotation.studies.steered_items import withdraw
from api.lists import keyset_pages
from files.writing.study_lines import item_lines
from tests.api.conftest import problem
from tests.files.lines import lines_in

STUDY = "/api/studies/study/"
LISTS = ("items", "raters", "assignments", "annotations", "ratings", "revision-sessions", "runs", "adjudications")
RATED = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["Good."]}


def answer(study, person, form=None):
    """Answer the person's next task; return its assignment."""
    assignment = next_assignment(study, rater_for(study, person))
    submit(assignment, Submission(form=form or RATED, revision=0, guidelines_version=1))
    return assignment


@pytest.fixture
def rated(study, rater):
    """The live study with three answers of one rater, of which one was revised."""
    for _ in range(2):
        answer(study, rater)
    last = answer(study, rater)
    submit(last, Submission(form={**RATED, "q-how_well": ["1"]}, revision=1, guidelines_version=1))
    return study


def all_of(program, address):
    """All entries of a list, page by page, and how many pages there were."""
    found, pages = [], 0
    while address:
        body = program.get(address).json()
        found += next(value for key, value in body.items() if key != "next")
        address, pages = body["next"], pages + 1
    return found, pages


def without(entries, *names):
    return [{key: value for key, value in one.items() if key not in names} for one in entries]


def test_items_and_answers_are_the_lines_of_the_export(reading, rated):
    items, _ = all_of(reading, f"{STUDY}items/?limit=1")
    assert without(items, "number") == list(item_lines(rated))
    answers, pages = all_of(reading, f"{STUDY}annotations/?limit=2")
    human = [{**line, "rater_kind": "human"} for line in lines_in(rated, "annotations")]
    by = lambda line: json.dumps(line, sort_keys=True)  # noqa: E731
    assert sorted(without(answers, "number", "current"), key=by) == sorted(human, key=by)
    assert (len(answers), pages) == (4, 2)
    current, _ = all_of(reading, f"{STUDY}ratings/?current=true&limit=4")
    lines = [{**line, "rater_kind": "human"} for line in lines_in(rated, "ratings")]
    assert sorted(without(current, "number", "current", "revision"), key=by) == sorted(lines, key=by)


def test_each_entry_is_read_alone_with_all_its_revisions(reading, rated):
    for name in ("items", "raters", "assignments", "annotations", "ratings"):
        entries, _ = all_of(reading, f"{STUDY}{name}/")
        assert entries
        for one in entries:
            alone = reading.get(f"{STUDY}{name}/{one['number']}/").json()
            assert {key: alone[key] for key in one} == one
    last = Annotation.objects.order_by("-pk").first()
    body = reading.get(f"{STUDY}annotations/{last.pk}/").json()
    assert [(one["revision"], one["current"]) for one in body["revisions"]] == [(1, False), (2, True)]
    problem(reading.get(f"{STUDY}annotations/{2**63}/"), 404)
    problem(reading.get(f"{STUDY}items/0/"), 404)


def test_filters_choose_entries(reading, rated, stranger, owner):
    rated.memberships.create(person=stranger, role="annotator")
    answer(rated, stranger)
    mine = Rater.objects.get(person=stranger)
    for name, count in (("annotations", 1), ("ratings", 3), ("assignments", 1)):
        entries, _ = all_of(reading, f"{STUDY}{name}/?rater={mine.name}")
        assert [one["rater"] for one in entries] == [mine.name] * count
    entries, _ = all_of(reading, f"{STUDY}ratings/?question=follows&current=true")
    assert {one["question"] for one in entries} == {"follows"}
    key = Item.objects.first().key
    entries, _ = all_of(reading, f"{STUDY}annotations/?item={key}")
    assert {one["item"] for one in entries} == {key}
    assert all_of(reading, f"{STUDY}annotations/?item=nothing") == ([], 1)
    assert all_of(reading, f"{STUDY}annotations/?status=skipped")[0] == []
    withdraw(Item.objects.get(key=key), "It is cut off.", owner)
    entries, _ = all_of(reading, f"{STUDY}items/?withdrawn=true")
    assert [one["id"] for one in entries] == [key]
    assert entries[0]["withdrawn"]["reason"] == "It is cut off."


@pytest.mark.parametrize(
    "query",
    ["cursor=x", "cursor=-1", "limit=0", "limit=501", "limit=x", "status=odd", "current=no", "since=yesterday",
     "since=2026-01-01T00:00:00", "page=2", "rater=%00", "limit=1&limit=2"],
)  # fmt: skip
def test_parameters_that_are_wrong_are_refused(reading, study, query):
    problem(reading.get(f"{STUDY}annotations/?{query}"), 400)


@pytest.mark.thorough
@pytest.mark.parametrize("cursor", ["0", "0-0", f"{10**18}-{10**18}", f"{2**63}-1", "9999999999999999999-9"])
def test_any_cursor_of_numbers_gives_a_page(reading, rated, cursor):
    for name in (*LISTS, "ratings/?since=2020-01-01T00:00:00Z&", "annotations/?since=2020-01-01T00:00:00Z&"):
        address = f"{STUDY}{name}" if "?" in name else f"{STUDY}{name}/?"
        assert reading.get(f"{address}cursor={cursor}").status_code == 200


def test_since_gives_what_is_new_in_the_order_of_time(reading, rated, rater):
    newest = Annotation.objects.order_by("-submitted_at").first().submitted_at
    for name in ("annotations", "ratings"):
        entries, pages = all_of(reading, f"{STUDY}{name}/?since=2020-01-01T00:00:00Z&limit=2")
        assert len(entries) == {"annotations": 4, "ratings": 12}[name]
        assert pages > 1
        assert [one["submitted_at"] for one in entries] == sorted(one["submitted_at"] for one in entries)
    later = (newest + timedelta(microseconds=1)).isoformat().replace("+00:00", "Z")
    assert all_of(reading, f"{STUDY}annotations/?since={later}")[0] == []
    answer(rated, rater)
    assert len(all_of(reading, f"{STUDY}annotations/?since={later}")[0]) == 1
    assert len(all_of(reading, f"{STUDY}assignments/?since={later}")[0]) == 1


def test_pages_leave_nothing_out_while_people_work(reading, rated, rater):
    first = reading.get(f"{STUDY}annotations/?limit=1").json()
    seen = [one["number"] for one in first["annotations"]]
    there = set(Annotation.objects.values_list("pk", flat=True))
    answer(rated, rater)
    rest, _ = all_of(reading, first["next"])
    seen += [one["number"] for one in rest]
    assert there <= set(seen)
    assert len(seen) == len(set(seen))


def test_a_window_of_items_bounds_what_a_page_reads(reading, rated, monkeypatch):
    monkeypatch.setattr(keyset_pages, "WINDOW", 1)
    for name in ("annotations", "ratings", "assignments"):
        entries, pages = all_of(reading, f"{STUDY}{name}/")
        assert pages == Item.objects.count()
        assert len({one["number"] for one in entries}) == len(entries) > 0


def queries(program, address):
    Token.objects.update(last_used_at=timezone.now())
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert program.get(address).status_code == 200
    return len(captured)


@pytest.mark.parametrize("name", LISTS)
def test_a_page_takes_few_queries_however_long_the_list(reading, rated, rater, name):
    before = queries(reading, f"{STUDY}{name}/")
    item = Item.objects.first()
    for number in range(30):
        made = Item.objects.create(study=rated, key=f"more-{number}", digest="d")
        Output.objects.create(item=made, position=0, key="system-north", digest="d")
        Rater.objects.create(study=rated, name=f"ann-{number}")
        Rating.objects.create(study=rated, question=rated.questions.first(), rater=Rater.objects.first(), item=item,
                              level="nominal", value=True, ordinal=number)  # fmt: skip
    after = queries(reading, f"{STUDY}{name}/")
    assert after == before <= 6
    since = f"{STUDY}{name}/?since=2020-01-01T00:00:00Z"
    if name not in ("items", "raters", "runs"):
        assert queries(reading, since) <= 6


def test_lists_identify_nobody(reading, rated):
    Person.objects.update(full_name="CANARY-NAME", email="canary@example.org")
    for name in LISTS:
        body = reading.get(f"{STUDY}{name}/").content.decode()
        assert "CANARY-NAME" not in body
        assert "canary@" not in body
        assert body.endswith("\n")


def test_a_blinded_study_gives_ratings_without_their_order(reading, rated):
    rated.options = {**rated.options, "blind_researchers": True}
    rated.save()
    entries, _ = all_of(reading, f"{STUDY}ratings/?limit=1")
    assert {len(one["output"]) for one in entries} == {len("System A1B2C3")}
    assert all("number" not in one for one in entries)
    assert len(entries) == 12
    first = Rating.objects.first()
    problem(reading.get(f"{STUDY}ratings/{first.pk}/"), 404)
    problem(reading.get(f"{STUDY}ratings/?since=2020-01-01T00:00:00Z"), 400)
    body = reading.get(f"{STUDY}ratings/?limit=1").json()
    assert {one["item"] for one in body["ratings"]} == {first.item.key}
    inside = reading.get(f"{STUDY}ratings/?cursor={first.item_id}-{first.pk}").json()
    assert first.item.key not in {one["item"] for one in inside["ratings"]}
    text = "".join(reading.get(f"{STUDY}{name}/").content.decode() for name in LISTS)
    assert "system-north" not in text
