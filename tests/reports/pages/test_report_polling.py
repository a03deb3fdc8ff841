"""Pages and the API while a report is computed: a placeholder, older figures with their age, 202 with Retry-After."""

import re
from html import unescape

import pytest
from django.utils import timezone

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from reports.models import KeptReport
from tests.api.conftest import problem
from tests.reports.computing import compute_requested

pytestmark = pytest.mark.django_db
PAGE, GLANCE, API = "/studies/study/report/", "/studies/study/report/glance/", "/api/studies/study/agreement/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def answered(study, rater):
    """Give one more answer."""

    def answer():
        form = {"q-follows": ["true"], "q-how_well": ["5"]}
        submit(next_assignment(study, rater_for(study, rater)), Submission(form, 0, 1))

    answer()
    return answer


def polled(page):
    """The address that a page asks again."""
    return unescape(re.search(r'hx-get="([^"]*shown=[^"]*)"', page)[1])


@pytest.mark.thorough
@pytest.mark.parametrize("path", [PAGE, GLANCE, f"{PAGE}?kinds=human&guidelines=all"])
def test_a_first_visit_has_a_placeholder_that_is_replaced_when_the_figures_are_done(client, answered, owner, path):
    client.force_login(owner)
    first = client.get(path).content.decode()
    assert "Computing the figures" in first
    again = polled(first)
    assert client.get(again, headers=HTMX).status_code == 204
    compute_requested()
    done = client.get(again, headers=HTMX).content.decode()
    assert "Computing the figures" not in done
    assert "How well?" in done
    assert "<html" not in done
    assert "every 2s" not in done


def test_a_reader_without_scripts_refreshes_the_same_choices(client, answered, owner):
    client.force_login(owner)
    page = client.get(f"{PAGE}?kinds=human&guidelines=all").content.decode()
    assert '<a href="?kinds=human&amp;guidelines=all">Refresh</a>' in page


def test_older_figures_say_of_when_they_are_and_how_much_is_newer(client, answered, owner):
    client.force_login(owner)
    client.get(PAGE)
    compute_requested()
    assert "newer answer" not in client.get(PAGE).content.decode()
    answered()
    answered()
    page = client.get(PAGE).content.decode()
    assert re.search(r"As of [^;<]+ UTC; 2 newer answers\.", page)
    assert "Newer figures are being computed" in page
    assert "<dt>Ratings</dt><dd>1" in page
    assert client.get(polled(page), headers=HTMX).status_code == 204
    compute_requested()
    assert "<dt>Ratings</dt><dd>3" in client.get(polled(page), headers=HTMX).content.decode()


def test_a_failed_computation_is_shown_with_its_reason(client, answered, owner):
    client.force_login(owner)
    client.get(PAGE)
    KeptReport.objects.update(status="failed", reason="The disk is full.", ended_at=timezone.now())
    assert "They could not be computed: The disk is full." in client.get(PAGE).content.decode()


def test_the_api_asks_to_come_back_until_the_report_is_computed(reading, answered):
    first = reading.get(API)
    assert (first.status_code, first.json()["read_at"]) == (202, None)
    assert int(first["Retry-After"]) >= 1
    compute_requested()
    assert reading.get(API).json()["questions"]["how_well"]["ratings"] == 1
    answered()
    later = reading.get(API)
    assert later.status_code == 202
    assert later.json()["read_at"]
    recent = reading.get(f"{API}?within=600")
    assert (recent.status_code, recent.json()["questions"]["how_well"]["ratings"]) == (200, 1)


@pytest.mark.parametrize("seconds", ["x", "-1", "1.5", "\u00b2", "9" * 10])
def test_the_api_refuses_ages_that_are_no_numbers(reading, study, seconds):
    assert "within" in problem(reading.get(API, {"within": seconds}), 400)["detail"]


def test_the_api_says_why_a_report_could_not_be_computed(reading, answered):
    reading.get(API)
    KeptReport.objects.update(status="failed", reason="The disk is full.", ended_at=timezone.now())
    response = reading.get(API)
    assert "The disk is full." in problem(response, 503)["detail"]
    assert int(response["Retry-After"]) > 60
