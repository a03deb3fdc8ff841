"""What researchers see of submissions, and the files that the recruiter's site takes."""

import csv
import json
import re
from decimal import Decimal

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation
from annotation.studies.pace_plan import tasks_per_person
from parts.checks.draws import checks_before
from parts.crowds.models import CrowdId, CrowdStay
from parts.crowds.recruiter_settings import Recruiter
from parts.crowds.submissions import payment
from tests.parts.crowds.crowd_study import PROLIFIC, Guest, crowd_study, prolific_ids, texts
from tests.parts.way_in.way_in_study import CONSENT, Walk

pytestmark = pytest.mark.django_db
TWENTY_MINUTES = 1200


@pytest.fixture
def study(owner):
    return crowd_study(owner)


@pytest.fixture
def researcher(owner):
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def guests(study):
    """One who has completed the study in forty active minutes, one who is under way."""
    first, second = Guest(study), Guest(study)
    first.enter(prolific_ids(1), seconds_ago=2 * TWENTY_MINUTES)
    first.work(seconds=TWENTY_MINUTES, active_seconds=TWENTY_MINUTES, visible_seconds=TWENTY_MINUTES)
    first.finish()
    second.enter(prolific_ids(2))
    second.work(1)
    return first, second


def file(client, name, query=""):
    page = client.get(f"/studies/study/submissions/{name}{query}")
    assert page.status_code == 200
    assert page["Content-Type"].startswith("text/csv")
    return page.content.decode()


def test_the_page_shows_time_payment_and_code(guests, researcher):
    page = texts(researcher.get("/studies/study/submissions/"))
    assert "2 submissions" in page
    assert not {"pid1", "pid2"} & set(page.split())
    for word in ("CDONE1", "Under way", "40.0", "6.00", "3.00", "GBP"):
        assert word in page, word


def test_an_empty_list_says_why_it_is_empty(study, researcher):
    base = "/studies/study/submissions/"
    assert "Nobody yet." in texts(researcher.get(f"{base}?outcome=&source="))
    assert "No submission matches these filters. Show all" in texts(researcher.get(f"{base}?outcome=failed"))


def test_a_bonus_of_nothing_is_a_figure(guests, researcher):
    CrowdStay.objects.filter(outcome="").update(outcome="failed", ended_at=F("entered_at"))
    page = texts(researcher.get("/studies/study/submissions/?outcome=failed"))
    assert "Active (min) Suggested (GBP) Bonus (GBP)" in page
    assert "0.0 0.00 0.00" in page


def test_people_read_how_long_all_of_it_takes_and_steps_are_paid(owner, researcher):
    study = crowd_study(owner, steps=[CONSENT])
    study.options = {"pace": {"minutes_per_task": 4, "step_minutes": 12}, "plan": {"most": 2}}
    study.save()
    guest = Guest(study)
    said = "The steps before your first task take about 12 min. A task takes about 4 min. All of it takes about 20 min"
    assert said in texts(guest.open(prolific_ids()))
    guest.enter(prolific_ids(), seconds_ago=3600)
    for address in ("/", "/studies/study/way-in/"):
        assert said in texts(guest.client.get(address)), address
    way = Walk(guest.client, study)
    way.consent()
    assert said not in texts(guest.client.get("/"))
    guest.work(seconds=TWENTY_MINUTES, active_seconds=600, visible_seconds=600)
    guest.finish()
    row = file(researcher, "submissions.csv").splitlines()[1]
    assert ",2,0,20.0,4.80,1.80," in row  # twenty minutes of tasks and twelve of steps, at nine per hour


def test_the_expected_time_counts_hidden_checks_without_a_word_of_them(owner):
    study = crowd_study(owner, steps=[CONSENT])
    study.options = {"pace": {"minutes_per_task": 4, "step_minutes": 12}, "plan": {"most": 6}}
    study.recruiting = {**study.recruiting, "checks": {"first": 2, "gold": {"share": 0.1}, "repeats": {"share": 0.1}}}
    study.save()
    said = texts(Guest(study).open(prolific_ids()))
    # Six tasks, and to each of the four after the first two a quarter of a check: seven of four minutes.
    assert "A task takes about 4 min. All of it takes about 40 min if you do all tasks." in said
    assert not re.search("check|gold|repeat", said.lower())
    assert tasks_per_person(study) == 7
    drawn = [checks_before(study, f"rater-{number}", 0, 6) for number in range(400)]
    assert 0.8 < sum(drawn) / len(drawn) < 1.2


def test_filters_choose_submissions_on_the_page_and_in_the_file(guests, researcher):
    names = dict(CrowdId.objects.values_list("participant", "person__raters__name"))
    page = texts(researcher.get("/studies/study/submissions/?outcome=complete"))
    assert (names["pid1"] in page, names["pid2"] in page) == (True, False)
    page = texts(researcher.get("/studies/study/submissions/?outcome=open&source=recruiter"))
    assert (names["pid1"] in page, names["pid2"] in page) == (False, True)
    assert "No submission matches" in texts(researcher.get("/studies/study/submissions/?source=public"))
    assert "pid1" not in file(researcher, "submissions.csv", "?outcome=open")


def test_the_files_are_what_the_recruiters_site_takes(guests, researcher):
    assert file(researcher, "approve.csv") == "pid1\n"
    assert file(researcher, "bonuses.csv") == "pid1,3.00\n"
    head, *rows = list(csv.reader(file(researcher, "submissions.csv").splitlines()))
    by_id = {row[head.index("participant")]: dict(zip(head, row, strict=True)) for row in rows}
    assert (by_id["pid1"]["active_minutes"], by_id["pid1"]["suggested_payment"]) == ("40.0", "6.00")
    assert (by_id["pid1"]["outcome"], by_id["pid1"]["code"], by_id["pid2"]["outcome"]) == ("complete", "CDONE1", "open")
    assert researcher.get("/studies/study/submissions/other.csv").status_code == 404


def test_nobody_is_paid_for_more_than_the_servers_time(study, researcher):
    forger = Guest(study)
    forger.enter(prolific_ids(1))
    forger.work(active_seconds=86400, visible_seconds=86400)
    forger.finish()
    assert file(researcher, "bonuses.csv") == ""
    assert set(Annotation.objects.values_list("active_seconds", flat=True)) == {86400.0}


def test_tasks_open_side_by_side_are_paid_for_once(study, researcher):
    forger = Guest(study)
    forger.enter(prolific_ids(1), seconds_ago=TWENTY_MINUTES)
    forger.work(seconds=TWENTY_MINUTES, active_seconds=TWENTY_MINUTES, visible_seconds=TWENTY_MINUTES)
    forger.finish()
    row = next(csv.DictReader(file(researcher, "submissions.csv").splitlines()))
    assert (row["active_minutes"], row["suggested_payment"]) == ("20.0", "3.00")


def test_no_cell_of_the_table_is_a_formula(study, guests, researcher):
    study.recruiting["recruiter"] = {**PROLIFIC, "currency": "=1+1"}
    study.save(update_fields=["recruiting"])
    rows = list(csv.DictReader(file(researcher, "submissions.csv").splitlines()))
    assert {row["currency"] for row in rows} == {"'=1+1"}
    assert not any(cell[:1] in ("=", "+", "@", "-") for row in rows for cell in row.values())


@pytest.mark.parametrize(
    ("outcome", "seconds", "expected"),
    [
        ("complete", 600, ("3.00", "3.00")), ("complete", 1800, ("3.00", "4.50")), ("complete", 1201, ("3.00", "3.00")),
        ("screened_out", 0, ("0.20", "0.20")), ("timed_out", 600, ("0.00", "1.50")),
        ("complete", 1203, ("3.00", "3.01")),
    ],
)  # fmt: skip
def test_payment_is_that_of_the_outcome_or_of_the_active_time_if_that_is_more(outcome, seconds, expected):
    assert payment(Recruiter(PROLIFIC), outcome, seconds) == tuple(Decimal(one) for one in expected)


def test_nothing_is_suggested_while_a_stay_lasts_or_if_the_study_says_nothing_of_pay():
    assert payment(Recruiter(PROLIFIC), "", 600) == (None, None)
    assert payment(Recruiter({"profile": "generic"}), "complete", 600) == (None, None)
    assert payment(None, "complete", 600) == (None, None)


@pytest.mark.thorough
def test_the_page_asks_the_same_for_few_and_for_many(study, guests, researcher):
    def statements():
        with CaptureQueriesContext(connection) as counted:
            researcher.get("/studies/study/submissions/")
        return len(counted.captured_queries)

    before = statements()
    for number in range(3, 9):
        Guest(study).enter(prolific_ids(number))
    assert statements() == before


def test_ones_own_data_say_how_one_came_in(guests):
    first, _ = guests
    text = b"".join(first.client.get("/my-data/my-data.json").streaming_content).decode()
    [entry] = json.loads(text)["entries"]
    assert (entry["participant"], entry["session"], entry["outcome"], entry["code"], entry["browsers"]) == (
        "pid1", "session1", "complete", "CDONE1", 1,
    )  # fmt: skip
    assert "pid2" not in text
