"""Kept figures that are older than the first answers are no zeros: a dash, and the new figure comes by itself."""

import re
from datetime import timedelta
from html import unescape

import pytest

from annotation.background.study_counting import WORK
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.models import StudyCounts
from annotation.studies.run_studies import runs_of
from annotation.studies.study_overview import progress_now
from config.background.claiming import process_row
from config.database_clock import database_now
from tests.reports.computing import compute_requested

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["It says when."]}
NOTHING = {
    "report/glance/": "No answers yet",
    "report/": "No answers yet",
    "leaderboard/": "No judge to compare yet",
    "disagreement/": "Nothing to compare yet",
}


def answer(study, rater):
    submit(next_assignment(study, rater_for(study, rater)), Submission(FORM, 0, 1))


def count_requested():
    """Count what was requested, also what would still wait for a while."""
    queued = StudyCounts.objects.filter(status="queued")
    queued.update(due_at=database_now() - timedelta(minutes=1))
    for pk in list(queued.values_list("pk", flat=True)):
        process_row(WORK.key, pk)


def asked_again(page):
    """The address that an open page asks."""
    return unescape(re.search(r'hx-get="([^"]*shown=[^"]*)"', page)[1])


@pytest.fixture
def large(monkeypatch):
    """Any study counts as large, and entries of the audit are visible at once."""
    for module in ("annotation.studies.kept_counts", "annotation.review.batch_samples", "annotation.review.span_queue"):
        monkeypatch.setattr(f"{module}.MOST_AT_ONCE", 0)
    monkeypatch.setattr("annotation.studies.kept_counts.LATE", timedelta())


@pytest.fixture
def opened(client, owner):
    """A function that opens a page of the study for its owner."""
    client.force_login(owner)
    return lambda path: client.get(path if path.startswith("/") else f"/studies/study/{path}").content.decode()


@pytest.mark.parametrize("path", NOTHING)
def test_figures_of_before_the_first_answer_do_not_say_that_there_is_none(client, study, rater, opened, path):
    opened(path)
    compute_requested()
    assert NOTHING[path] in opened(path)
    answer(study, rater)
    page = opened(path)
    assert NOTHING[path] not in page
    assert "\N{EN DASH}" in page
    again = asked_again(page)
    assert client.get(again, headers=HTMX).status_code == 204
    compute_requested()
    assert client.get(again, headers=HTMX).status_code == 200


def test_an_open_overview_that_had_no_answers_asks_for_new_ones(client, study, rater, opened):
    opened("report/glance/")
    compute_requested()
    again = asked_again(opened("report/glance/"))
    answer(study, rater)
    asked_again(client.get(again, headers=HTMX).content.decode())


def cells(page):
    """The cells of the first item's row, by column."""
    [row] = re.findall(r"<tr>.*?item-0.*?</tr>", page, re.DOTALL)[:1]
    return {name: re.sub("<[^>]*>", "", value) for name, value in re.findall(r'data-label="(\w+)">(.*?)</td>', row)}


def test_an_item_has_a_dash_until_its_answers_are_counted(client, study, rater, opened):
    opened("items/")
    compute_requested()
    assert cells(opened("items/"))["Answers"] == "0"
    answer(study, rater)
    page = opened("items/")
    assert cells(page)["Answers"] == "\N{EN DASH}"
    again = asked_again(page)
    compute_requested()
    assert cells(client.get(again, headers=HTMX).content.decode())["Answers"] == "3"


OF_LARGE = {
    "": ("#contributions", r'data-label="Answers">([^<]*)<'),
    "people/": ("#counted", r'<td class="num">([^<]*)<'),
    "review/": ("#batch-part", r'<p id="filled">([^ ]*) of'),
}


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("path", OF_LARGE)
def test_counts_of_a_large_study_have_a_dash_until_its_answers_are_counted(client, study, rater, opened, path):
    part, count = OF_LARGE[path]
    rater_for(study, rater)
    opened(path)
    count_requested()
    assert "0" in re.findall(count, opened(path))
    answer(study, rater)
    page = opened(path)
    assert "0" not in re.findall(count, page)
    again = unescape(re.search(rf'hx-get="([^"]*)"[^>]*hx-target="{part}"', page)[1])
    assert f'id="{part[1:]}"' in page
    assert client.get(again, headers=HTMX).status_code == 204
    count_requested()
    assert "1" in re.findall(count, client.get(again, headers=HTMX).content.decode())


@pytest.mark.usefixtures("large")
def test_the_home_page_and_the_api_do_not_say_that_nobody_has_answered_before_it_is_counted(study, rater, owner):
    progress_now(study)
    count_requested()
    assert progress_now(study).filled == runs_of(owner)[0].progress.filled == 0
    answer(study, rater)
    assert progress_now(study) is None
    assert runs_of(owner)[0].progress is None
    count_requested()
    assert progress_now(study).filled == runs_of(owner)[0].progress.filled == 1
