"""Pages of an annotator's own work: guidelines before the first task, my answers, my day."""

import re
from datetime import timedelta
from datetime import timezone as fixed

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.drafting import save_draft
from annotation.desk.my_answers import PAGE_SIZE
from annotation.desk.my_day import WorkDone, day_of
from annotation.desk.submitting import Effort, Submission, flag, skip, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Assignment, Rater, Study
from annotation.questions import question_types
from annotation.studies.lifecycle import publish_guidelines
from annotation.studies.planning import plan_chunk
from config.erasure import open_erasure
from tests.conftest import add_item, make_person
from tests.house import templates

HOME, BEGIN, ANSWERS = "/", "/studies/study/begin/", "/studies/study/my-answers/"
NEXT, END = "/studies/study/next/", "/studies/study/end/"


def plan(study):
    while plan_chunk(study):
        pass


def answer(study, person, comment="", seconds=30.0, how_well="4"):
    assignment = next_assignment(study, rater_for(study, person))
    form = {"q-follows": ["true"], "q-how_well": [how_well], "q-comment": [comment]}
    effort = Effort(visible_seconds=seconds, active_seconds=seconds)
    submit(assignment, Submission(form, revision=0, guidelines_version=1, effort=effort))
    return assignment


def page(client, person, address):
    client.force_login(person)
    return client.get(address).content.decode()


def test_the_first_task_comes_after_the_guidelines(client, study, rater):
    assert f'href="{BEGIN}"' in page(client, rater, HOME)
    shown = client.get(BEGIN).content.decode()
    assert "<em>everything</em>" in shown
    assert client.post(BEGIN).status_code == client.post(BEGIN, {"version": "7"}).status_code == 422
    assert client.post(BEGIN, {"version": "1"})["Location"].startswith("/work/")
    assert Rater.objects.get(person=rater).guidelines_read == 1
    entry = AuditEntry.objects.get(action="guidelines read")
    assert (entry.actor.person, entry.study, entry.new) == (rater, "study", {"version": 1})
    assert BEGIN not in client.get(HOME).content.decode()


@pytest.mark.parametrize("address", [HOME, END])
def test_who_waited_for_a_first_task_reads_the_guidelines_before_it(client, study, rater, address):
    plan(study)
    until = timezone.now() + timedelta(hours=1)
    for number in set(study.slots.values_list("number", flat=True)):
        other = rater_for(study, make_person(f"other-{number}"))
        study.slots.filter(number=number).update(state="held", holder=other, lease_until=until)
    shown = page(client, rater, address)
    form = shown.split(f'action="{NEXT}"')[1].split("</form>")[0]
    assert "Check again" in form
    fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))
    assert client.post(NEXT, fields)["Location"] == BEGIN
    study.slots.update(state="open", holder=None, lease_until=None)
    assert client.post(NEXT, fields)["Location"] == BEGIN
    assert not Assignment.objects.filter(rater__person=rater).exists()
    assert client.post(BEGIN, {"version": "1"})["Location"].startswith("/work/")
    assert client.post(NEXT, fields)["Location"].startswith("/work/")


def test_every_form_that_asks_for_a_task_says_that_it_is_on_a_page():
    forms = []
    for template in templates():
        forms += [
            (template.name, one) for one in template.read_text().split("<form ")[1:] if "annotation:next_task" in one
        ]
    without = {name for name, form in forms if "annotation/_asks_for_task.html" not in form}
    assert len(forms) > 4
    assert without == {"over.html"}, "only the dock of a session that is over, after a task, asks without it"


def test_a_program_that_claims_a_task_is_led_to_no_page(client, study, rater):
    plan(study)
    client.force_login(rater)
    assert client.post(NEXT)["Location"].startswith("/work/")
    assert Rater.objects.get(person=rater).guidelines_read is None


def test_a_new_version_is_offered_and_stops_nobody(client, study, rater, owner):
    client.force_login(rater)
    client.post(BEGIN, {"version": "1"})
    publish_guidelines(study, "Read it twice.", owner)
    assert "read version 2" in client.get(HOME).content.decode()
    assert client.post("/studies/study/next/")["Location"].startswith("/work/")
    client.post(BEGIN, {"version": "2"})
    client.post(BEGIN, {"version": "1"})
    assert Rater.objects.get(person=rater).guidelines_read == 2
    assert AuditEntry.objects.filter(action="guidelines read").count() == 2
    assert "read version 2" not in client.get(HOME).content.decode()


def test_a_study_without_guidelines_begins_at_once(client, make_study, rater):
    study = make_study("bare")
    with open_erasure("guidelines of a test") as erased:
        erased.delete(study.guidelines.all())
    add_member(study, rater, "annotator", None)
    Study.objects.filter(pk=study.pk).update(status="live")
    plan(study)
    assert 'action="/studies/bare/next/"' in page(client, rater, HOME)
    assert client.post("/studies/bare/begin/")["Location"].startswith("/work/")


def test_the_home_page_says_the_kind_of_task_and_its_minutes(client, study, rater, owner):
    assert "Rating of single outputs" in page(client, rater, HOME)
    assert "per task" not in page(client, rater, HOME)
    answer(study, owner, seconds=240.0)
    assert "about 4 min per task" in page(client, rater, HOME)
    answer(study, rater, seconds=120.0)
    assert "about 2 min per task" in page(client, rater, HOME)


@pytest.fixture
def worked(study, rater, owner):
    """A rater's work: two answers, a skipped task, and a flagged one with a draft."""
    answer(study, rater, comment='The "ferry" is right.')
    publish_guidelines(study, "Newer.", owner)
    assignment = next_assignment(study, rater_for(study, rater))
    submit(assignment, Submission({"q-follows": ["false"], "q-how_well": ["2"]}, 0, guidelines_version=2))
    skip(next_assignment(study, rater_for(study, rater)), Submission({}, 0, 2), "Not my field")
    flag(next_assignment(study, rater_for(study, rater)), "The text is cut off.")
    save_draft(next_assignment(study, rater_for(study, rater)), {"q-follows": ["true"]}, base_version=0, revision=1)
    return study


@pytest.mark.parametrize(
    ("query", "count", "words"),
    [
        ("", 4, "Submitted"), ("?show=skipped", 1, "Not my field"), ("?show=flagged", 1, "The text is cut off."),
        ("?show=drafted", 1, "Not submitted"), ("?show=changed", 1, "the current one is 2"),
        ('?q=the+"FERRY"', 1, "The &quot;ferry&quot; is right."), ("?q=my+field", 1, "Skipped"),
        ("?q=Ferries sail", 4, ""),
        ("?q=system-north", 0, "Nothing found"), ("?show=odd", 4, ""),
    ],
)  # fmt: skip
def test_my_answers_are_filtered_and_searched(client, worked, rater, query, count, words):
    shown = page(client, rater, ANSWERS + query)
    assert shown.count('class="card my-answer"') == count
    assert words in shown
    assert "system-" not in shown or "system-" in query


def test_an_answer_in_the_list_opens_its_task_and_says_what_was_answered(client, worked, rater):
    shown = page(client, rater, ANSWERS + "?q=is+right")
    assignment = Annotation.objects.get(status="submitted", guidelines_version=1)
    key = assignment.task.assignments.get(rater__person=rater).key
    assert f'href="/work/{key}/"' in shown
    assert "<bdi>Yes</bdi>" in shown
    assert "<bdi>4 mostly</bdi>" in shown


def test_the_list_costs_the_same_for_any_number_of_answers(client, study, rater):
    client.force_login(rater)
    for number in range(PAGE_SIZE + 3):
        add_item(study, f"more-{number}")
    plan(study)
    counts = []
    for times in (1, PAGE_SIZE + 2):
        for _ in range(times):
            answer(study, rater)
        with CaptureQueriesContext(connection) as queries:
            shown = client.get(ANSWERS).content.decode()
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 14
    assert shown.count('class="card my-answer"') == PAGE_SIZE
    assert "page=2" in shown


def test_answers_of_others_are_not_mine(client, worked, owner, stranger):
    add_member(worked, stranger, "annotator", None)
    assert "No answers yet" in page(client, stranger, ANSWERS)
    client.force_login(owner)
    assert client.get(ANSWERS).status_code == 404


def test_a_value_that_names_outputs_is_not_in_the_list():
    """Their keys name systems."""
    types = question_types()
    assert types["preference"].in_words("system-north", {}) == ""
    assert types["likert"].in_words({"system-north": 4}, {"min": 1, "max": 5}) == ""
    assert types["category"].in_words(["a", "b"], {"choices": ["a", "b"], "multiple": True}) == "a, b"


def test_my_day_ends_at_the_midnight_of_its_time_zone(study, rater):
    for _ in range(2):
        answer(study, rater, seconds=150.0)
    skip(next_assignment(study, rater_for(study, rater)), Submission({}, 0, 1), "no")
    now = timezone.now() + timedelta(minutes=60)
    past_midnight = (30 - now.hour * 60 - now.minute) % 1440  # minutes from UTC to where it is half past midnight
    zones = [fixed(timedelta(minutes=(past_midnight + more + 720) % 1440 - 720)) for more in (0, 180)]
    before, after = (day_of(rater, zone, now) for zone in zones)
    assert (before.today.answered, before.days[1].answered) == (0, 2)
    assert (after.today.answered, after.today.skipped, after.today.active_seconds) == (2, 1, 300.0)
    assert (after.today.per_hour, [str(one.name) for one in after.studies]) == (36.0, ["A study"])


def test_my_day_gives_no_pace_before_some_minutes_of_work():
    assert WorkDone("today", answered=1, active_seconds=0.5).per_hour is None
    assert WorkDone("today", answered=1, skipped=1, active_seconds=300.0).per_hour == 24.0


@pytest.mark.parametrize("zone", ["Europe/Berlin", "../../etc/passwd", "America", "%00", "nowhere"])
def test_my_day_takes_any_zone_that_a_browser_names(client, study, rater, zone):
    answer(study, rater)
    client.force_login(rater)
    with CaptureQueriesContext(connection) as queries:
        shown = client.get(f"/my-day/?zone={zone}").content.decode()
    assert ("Europe/Berlin" in shown) == (zone == "Europe/Berlin")
    assert '<span class="figure-value">1</span> answer' in shown
    assert len(queries) <= 4
