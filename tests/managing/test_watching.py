"""The pages that watch a study: its progress, and where its raters disagree."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, flag, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, Output, Rater, Rating
from managing.watching.disagreement_tables import confusion_grid, stands_out
from managing.watching.pace_chart import day_chart
from tests.clock import at_time
from tests.conftest import make_person
from tests.reports.computing import compute_requested, read

PROGRESS, DISAGREEMENT = "/studies/study/progress/", "/studies/study/disagreement/"


def answer(study, person, value="4", days=0, comment=""):
    now = timezone.now() - timedelta(days=days)
    form = {"q-follows": ["true"], "q-how_well": [value], "q-comment": [comment]}
    with at_time(now):
        submit(next_assignment(study, rater_for(study, person)), Submission(form, revision=0, guidelines_version=1))


@pytest.fixture
def second(study, owner):
    person = make_person("second")
    add_member(study, person, "annotator", owner)
    return person


@pytest.fixture
def answered(study, rater, second):
    for days, value in ((5, "1"), (4, "5"), (2, "2")):
        answer(study, rater, value, days, comment="WHY")
        answer(study, second, "3", days)
    return study


def queries(client, path, **more):
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path, **more).status_code == 200
    return len(captured)


def test_progress_shows_pace_end_raters_leases_and_what_waits(client, answered, owner, rater):
    held = next_assignment(answered, rater_for(answered, rater))
    flag(held, "odd")
    client.force_login(owner)
    page = read(client, PROGRESS).content.decode()
    for words in ("6</span> of 12 answers given", "6</span> in the last 7 days", "Expected end: <strong>",
                  "1 flag to resolve", "3 comments to read", held.task.item.key, "Median seconds"):  # fmt: skip
        assert words in page
    assert rater_for(answered, rater).name in page


def test_an_end_that_cannot_be_expected_says_why(client, study, owner):
    client.force_login(owner)
    assert "No expected end: it needs at least 3 whole days" in client.get(PROGRESS).content.decode()
    study.status = "paused"
    study.save()
    assert "No expected end: the study is not live" in client.get(PROGRESS).content.decode()


def test_an_open_page_asks_for_its_figures_alone(client, answered, owner):
    client.force_login(owner)
    part = client.get(PROGRESS, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "Tasks in progress" in part
    glance = client.get(f"{PROGRESS}?part=glance", headers={"HX-Request": "true"}).content.decode()
    assert "Expected end" in glance
    assert "Tasks in progress" not in glance


def test_raters_are_paged(client, study, owner):
    Rater.objects.bulk_create(Rater(study=study, name=f"w{number:03}") for number in range(162))
    client.force_login(owner)
    assert "1 of 7" in client.get(PROGRESS).content.decode()
    assert "7 of 7" in client.get(f"{PROGRESS}?page=7").content.decode()
    assert "1 of 4" in client.get("/studies/study/people/").content.decode()
    assert "more</a>" in client.get("/studies/study/").content.decode()


def test_progress_takes_the_same_few_queries_whatever_the_size(client, answered, owner):
    client.force_login(owner)
    read(client, PROGRESS)
    before = queries(client, PROGRESS)
    for number in range(4):
        person = make_person(f"more{number}")
        add_member(answered, person, "annotator", owner)
        Assignment.objects.create(
            rater=rater_for(answered, person), task=answered.items.first().tasks.first(), order=[], flag="odd",
            created_at=timezone.now(),
        )  # fmt: skip
    read(client, PROGRESS)
    assert queries(client, PROGRESS) == before <= 20


def test_disagreement_is_shown_for_the_question_in_the_address(client, answered, owner, rater, second):
    for value in ("1", "4", "2"):
        answer(answered, rater, value)
        answer(answered, second, "3")
    client.force_login(owner)
    assert "Computing the figures" in client.get(DISAGREEMENT).content.decode()
    compute_requested()
    page = client.get(f"{DISAGREEMENT}?question=how_well").content.decode()
    for words in ("By rater", "By system", "Raters against raters", "Answers against answers",
                  "Items with the largest pull on alpha", "<bdi>item-"):  # fmt: skip
        assert words in page
    other = client.get(f"{DISAGREEMENT}?question=follows").content.decode()
    assert "Does it follow?</h2>" in other
    assert "Not compared, because answers of this type are only counted: comment" in other


@pytest.mark.usefixtures("answered")
def test_a_waiting_page_asks_until_the_figures_are_there(client, owner):
    client.force_login(owner)
    page = client.get(DISAGREEMENT).content.decode()
    address = page.split('hx-get="')[1].split('"')[0].replace("&amp;", "&")
    assert client.get(address, headers={"HX-Request": "true"}).status_code == 204
    compute_requested()
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "Raters against raters" in part


@pytest.mark.usefixtures("answered")
def test_the_page_takes_few_queries(client, owner):
    client.force_login(owner)
    read(client, DISAGREEMENT)
    assert queries(client, DISAGREEMENT) <= 15


def test_before_two_raters_there_is_nothing_to_compare(client, study, owner, rater):
    answer(study, rater)
    client.force_login(owner)
    assert "Nothing to compare yet" in read(client, DISAGREEMENT).content.decode()


@pytest.mark.thorough
def test_an_unknown_version_or_question_is_no_error(client, study, owner):
    client.force_login(owner)
    read(client, f"{DISAGREEMENT}?guidelines=9")
    assert client.get(f"{DISAGREEMENT}?guidelines=9").status_code == 404
    assert client.get(f"{DISAGREEMENT}?guidelines=x").status_code == 404
    assert read(client, f"{DISAGREEMENT}?question=nothing").status_code == 200


def test_names_of_systems_raters_and_answers_are_escaped(client, study, owner):
    for name in ("<b>r", "<b>s"):
        rater = Rater.objects.create(study=study, name=name)
        for output in Output.objects.filter(item__study=study):
            Rating.objects.create(
                study=study, question=study.questions.get(key="how_well"), rater=rater, item=output.item,
                output=output, level="interval", number=len(name) + output.position % 2 * (name == "<b>s"), value=3,
            )  # fmt: skip
    client.force_login(owner)
    page = read(client, DISAGREEMENT).content.decode()
    assert "&lt;b&gt;r" in page
    assert "<b>r" not in page


def test_only_groups_with_a_whole_interval_above_the_rest_stand_out():
    def row(name, low):
        return {"name": name, "relative": low + 0.1, "relative_ci": [low, low + 0.2]}

    groups = {"rater": {"rows": [row("ann", 0.6), row("ben", 0.4), {**row("eve", 0.9), "relative_ci": None}]}}
    report = {"whole": {"relative": 0.5}, "by": groups}
    assert [name for _, name, _ in stands_out(report)] == ["ann"]
    assert stands_out({"whole": {"relative": None}, "by": groups}) == []


def test_confused_answers_are_shaded_by_their_share():
    confusion = {"values": [0.0, 1.0], "counts": [[6, 2], [2, 0]]}
    grid = confusion_grid({"confusion": confusion, "labels": {"0": "No", "1": "Yes"}})
    assert [head for head, _ in grid.rows] == ["No", "Yes"]
    assert [[cell.text for cell in cells] for _, cells in grid.rows] == [["75", "25"], ["100", "0"]]
    assert [[cell.shade for cell in cells] for _, cells in grid.rows] == [[0, 2], [5, 0]]


def test_a_cell_of_confused_answers_leads_to_its_items(study):
    confusion = {"values": [0.0, 1.0], "counts": [[6, 2], [2, 0]]}
    report = {"confusion": confusion, "labels": {}, "level": "nominal"}
    grid = confusion_grid(report, study, "follows")
    addresses = [[cell.address for cell in cells] for _, cells in grid.rows]
    assert addresses[0][1].endswith("/items/?question=follows&answer=0&beside=1")
    assert addresses[1][1] == ""  # nobody gave these two
    pairs = confusion_grid({**report, "level": "choice"}, study, "follows")
    assert {cell.address for _, cells in pairs.rows for cell in cells} == {""}


def test_columns_of_days_stand_on_the_baseline():
    today = timezone.now().date()
    chart = day_chart([(today - timedelta(days=1), 2), (today, 4)])
    first, last = chart.columns
    assert (first.height * 2, last.y + last.height) == (last.height, chart.base)
    assert last.has_label
