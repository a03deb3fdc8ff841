"""The pages about judges: who sees them, their forms and refusals, and what they cost however large a run is."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Person
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import JudgeRun, Output, Question, Rater, Rating
from judges.models import Judgment, RunWork
from judges.run_states import charge_name
from judges.run_states import start_run as started
from llm.budgets import set_cap
from llm.models import Budget
from tests.conftest import make_person
from tests.judges.scripted_judges import configured, run_to_end, work_off

PAGE = "/studies/study/judges/"
NEW = PAGE + "new/"
FORM = {
    "protocol": "llm_eval", "model": "campus/small", "questions": ["how_well"], "option-low": "1", "option-high": "5",
    "replicates": "1", "seed": "0", "pilot": "0",
}  # fmt: skip
HOSTILE = '<script>alert("judged")</script>'
pytestmark = pytest.mark.django_db


@pytest.fixture
def researcher_s(client, study):
    person = make_person("researcher")
    add_member(study, person, "researcher", None)
    client.force_login(person)
    return client


def text_of(client, path, status=200, **headers):
    response = client.get(path, headers=headers or None)
    assert response.status_code == status
    return response.content.decode()


def posted(client, status=200, **changed):
    response = client.post(NEW, {**FORM, **changed})
    assert response.status_code == status, response.content.decode()[:3000]
    return response.content.decode()


def estimated(page):
    return re.search(r'name="estimated" value="([0-9a-f]{64})"', page)[1]


def error_at(page, field):
    found = re.search(rf'id="id_{field}_error"[^>]*>(.*?)</div>', page, re.DOTALL)
    return re.sub(r"<[^>]+>", "", found[1]).replace("&#x27;", "'") if found else None


def ratings_of_people(study, rater, value):
    given = rater_for(study, rater)
    while task := next_assignment(study, given):
        submit(task, Submission({"q-follows": ["true"], "q-how_well": [value]}, revision=0, guidelines_version=1))


def test_without_a_model_the_page_says_how_to_get_one(researcher_s, settings, tmp_path):
    settings.ENDPOINTS_FILE = tmp_path / "missing.yaml"
    for path in (PAGE, NEW + "?protocol=llm_eval"):
        page = text_of(researcher_s, path)
        assert "docs/operating.md" in page
        assert "manage.py scripted_endpoint" in page
        assert 'name="start"' not in page


def test_the_form_is_made_of_the_protocol_and_the_study(researcher_s, model):
    page = text_of(researcher_s, NEW + "?protocol=llm_eval")
    assert 'name="option-low" value="1"' in page
    assert "The lowest score, -1,000 to 1,000." in page
    assert [key for key in ("follows", "how_well") if f'name="questions" value="{key}"' in page] == [
        "follows",
        "how_well",
    ]
    assert 'name="references" value="human"' in page
    assert 'name="pilot" value="5"' in page
    assert "extractive/extractive" not in page
    assert "The extractive model only composes answers" in page
    assert 'name="baseline"' not in page, "only pairs have a baseline"
    assert "CANARY" not in page


def test_what_is_entered_stays_when_another_protocol_is_chosen(researcher_s, model):
    page = text_of(researcher_s, NEW + "?protocol=llm_eval&seed=77&questions=follows&model=campus/free")
    assert 'name="seed" value="77"' in page
    assert re.search(r'value="follows"[^>]*checked', page)
    assert re.search(r'value="campus/free" selected', page)


def test_nothing_starts_without_an_estimate_of_just_this_run(researcher_s, model):
    page = posted(researcher_s, estimate="yes")
    assert not JudgeRun.objects.exists()
    assert not model.asked
    for words in ("<dt>Units</dt><dd>6<", "<dt>Judgments</dt><dd>6<", "<dt>Calls at most</dt><dd>6<", "not known"):
        assert words in page
    assert "The ferry sails at nine." in page, "the prompt is shown in full"
    digest = estimated(page)
    changed = posted(researcher_s, start="yes", estimated=digest, seed="4")
    assert "The run has changed since it was estimated" in changed
    assert not JudgeRun.objects.exists()
    response = researcher_s.post(NEW, {**FORM, "start": "yes", "estimated": digest, "budget": "2.5", "pilot": "2"})
    run = JudgeRun.objects.get()
    assert response["Location"] == f"{PAGE}runs/{run.pk}/"
    assert (run.work.pilot, run.work.partly, run.work.started_by.username) == (2, False, "researcher")
    assert Budget.objects.get(run=charge_name(run)).cap == 2_500_000


def test_an_unknown_price_is_said(researcher_s, model):
    assert "has no price" not in posted(researcher_s, estimate="yes")
    assert "has no price" in posted(researcher_s, estimate="yes", model="campus/unpriced")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("field", "changed", "words"),
    [
        ("model", {"model": "extractive/extractive"}, "Choose a model from the list."),
        ("model", {"model": "http://169.254.169.254/"}, "Choose a model from the list."),
        ("questions", {"questions": []}, "required"),
        ("questions", {"questions": ["nothing"]}, "not one of the available choices"),
        ("questions", {"option-low": "5"}, "The lowest score must be below the highest."),
        ("option-low", {"option-low": "many"}, "must be a whole number from -1,000 to 1,000"),
        ("option-low", {"option-low": ""}, "required"),
        ("replicates", {"replicates": "101"}, "less than or equal to 100"),
        ("subset", {"subset": "0"}, "greater than or equal to 1"),
        ("seed", {"seed": "-1"}, "whole number"),
        ("budget", {"budget": "much"}, "Enter a number"),
        ("pilot", {"pilot": ""}, "required"),
    ],
)
def test_a_refusal_is_shown_at_its_field_and_the_input_is_kept(researcher_s, model, field, changed, words):
    page = posted(researcher_s, 422, estimate="yes", **{"text-how_well": "Mind <the> tone.", **changed})
    assert words in (error_at(page, field) or "")
    assert "Mind &lt;the&gt; tone." in page
    assert "169.254" not in page
    assert 'name="start"' not in page


def test_a_judge_must_be_chosen(researcher_s, model):
    response = researcher_s.post(NEW, {**FORM, "protocol": "unknown"})
    assert response.status_code == 422
    assert "Choose how it judges." in response.content.decode()


def test_a_study_without_items_has_nothing_to_judge(researcher_s, make_study, model):
    add_member(make_study("bare", items=0), Person.objects.get(username="researcher"), "researcher", None)
    response = researcher_s.post(NEW.replace("/study/", "/bare/"), {**FORM, "estimate": "yes"})
    assert response.status_code == 422
    assert "There is nothing to judge" in response.content.decode()


def test_a_text_for_the_judge_replaces_the_study_s_own_in_this_run(researcher_s, model):
    page = posted(researcher_s, estimate="yes", **{"text-how_well": "Mind the tone.", "text-follows": "Unused."})
    prompt = page.split('aria-label="First prompt')[1]
    assert "Mind the tone." in prompt
    assert "How well?" not in prompt
    posted(researcher_s, 302, start="yes", estimated=estimated(page), **{"text-how_well": "Mind the tone."})
    assert JudgeRun.objects.get().configuration["texts"] == {"how_well": "Mind the tone."}


def test_a_pilot_shows_prompts_replies_and_readings_before_the_rest_is_judged(researcher_s, study, owner, model):
    run = started(study, configured(study), owner, pilot=2)
    work_off(run)
    page = text_of(researcher_s, f"{PAGE}runs/{run.pk}/")
    assert "Pilot done" in page
    assert "2 of 2 judged" in page
    assert page.count("Open judgment") == 2
    assert "The ferry sails at nine." in page
    researcher_s.post(f"{PAGE}runs/{run.pk}/resume/")
    work_off(run)
    page = text_of(researcher_s, f"{PAGE}runs/{run.pk}/")
    assert "6 of 6 judged" in page
    assert "Finished" in page
    assert "Open judgment" not in page


def test_a_run_is_stopped_and_resumed(researcher_s, study, owner, model):
    run = started(study, configured(study), owner)
    address = f"{PAGE}runs/{run.pk}/"
    assert "Preparing the judgments" in text_of(researcher_s, address)
    assert 'hx-trigger="every 2s"' in text_of(researcher_s, address, **{"HX-Request": "true"})
    assert researcher_s.post(address + "stop/").status_code == 302
    page = text_of(researcher_s, address)
    assert "The run was stopped." in page
    assert 'hx-trigger="every 2s"' not in page
    researcher_s.post(address + "resume/")
    work_off(run)
    assert run.status == "finished"
    assert "The run is running or finished." in researcher_s.post(address + "resume/", follow=True).content.decode()


def test_a_run_out_of_budget_says_which_limit_to_raise(researcher_s, study, owner, model):
    set_cap(study, 1, owner)
    run = run_to_end(study, owner)
    assert run.status == "out_of_budget"
    page = text_of(researcher_s, f"{PAGE}runs/{run.pk}/")
    assert "Out of budget" in page
    assert f"{PAGE.replace('judges', 'models')}#budgets" in page


def test_failures_are_counted_by_reason_and_lead_to_the_judgments(researcher_s, study, owner, model):
    model.replies = ["no number", "Score: 9", "nothing to say"]
    run = run_to_end(study, owner)
    reasons = dict(Judgment.objects.filter(run=run, outcome="invalid").values_list("place", "reason"))
    assert len(reasons) == 3
    page = text_of(researcher_s, f"{PAGE}runs/{run.pk}/").replace("&amp;", "&")
    links = re.findall(rf'href="({PAGE}runs/{run.pk}/\?outcome=invalid&reason=[^"#]+)#judgments">(\d+)<', page)
    assert sum(int(count) for _, count in links) == 3
    for address, count in links:
        listed = re.findall(
            rf"{PAGE}judgments/\d+/", text_of(researcher_s, address).split('aria-label="List of judgments"')[1]
        )
        assert len(set(listed)) == int(count)


def test_another_finished_run_replaces_one(researcher_s, study, owner, model):
    first, second = run_to_end(study, owner), run_to_end(study, owner, seed=1)
    address = f"{PAGE}runs/{first.pk}/"
    refused = researcher_s.post(address + "replace/", {"by": str(first.pk)})
    assert refused.status_code == 422
    assert "field-error" in refused.content.decode()
    assert researcher_s.post(address + "replace/", {"by": str(second.pk)}).status_code == 302
    first.refresh_from_db()
    assert first.replaced_by == second
    assert "Reports leave this run out" in text_of(researcher_s, address)


def test_the_scripted_endpoint_is_marked_wherever_its_model_is_named(researcher_s, study, owner, model, settings):
    text = settings.ENDPOINTS_FILE.read_text()
    settings.ENDPOINTS_FILE.write_text(text.replace("in_flight: 4", "in_flight: 4\n    scripted: true"))
    run = run_to_end(study, owner)
    judgment = Judgment.objects.filter(run=run).first()
    for path in ("", "new/?protocol=llm_eval", f"runs/{run.pk}/", f"judgments/{judgment.pk}/"):
        assert "scripted" in text_of(researcher_s, PAGE + path), path


def test_what_a_model_writes_stays_text(researcher_s, study, owner, model):
    model.replies = [HOSTILE] * 6
    run = started(study, configured(study), owner, pilot=2)
    work_off(run)
    judgment = Judgment.objects.filter(run=run).first()
    Judgment.objects.filter(pk=judgment.pk).update(
        outcome="valid", reading={
            "value": 3, "explanation": HOSTILE, "distribution": {HOSTILE: 0.75, "2": 0.2}, "missing": 0.05,
            "outcome": "", "details": {HOSTILE: [{HOSTILE: HOSTILE}], "plain": HOSTILE},
        },
    )  # fmt: skip
    Rating.objects.create(
        study=study, question=judgment.question, rater=Rater.objects.filter(study=study, kind="human").first()
        or Rater.objects.create(study=study, name="annotator-1"), item=judgment.item, output=judgment.output,
        level="interval", number=1, value=1, explanation=HOSTILE,
    )  # fmt: skip
    for path in (f"runs/{run.pk}/", f"judgments/{judgment.pk}/"):
        page = text_of(researcher_s, PAGE + path)
        assert HOSTILE not in page
        assert "&lt;script&gt;" in page
    assert "5.0 %" in page
    assert "none of the allowed answers" in page


def test_a_judgment_shows_its_call_its_reading_and_the_people_s_answers(researcher_s, study, owner, rater, model):
    ratings_of_people(study, rater, "4")
    model.replies = ["Score: 4", "Score: 1"]
    run = run_to_end(study, owner)
    first = Judgment.objects.get(run=run, place=0)
    page = text_of(researcher_s, f"{PAGE}judgments/{first.pk}/")
    assert "Score: 4" in page
    assert rater_for(study, rater).name in page
    assert ">agree<" in page
    assert "/models/calls/" in page
    response = researcher_s.get(f"{PAGE}judgments/{first.pk}/disagreement/")
    assert response["Location"] == f"{PAGE}judgments/{Judgment.objects.get(run=run, place=1).pk}/"
    assert ">disagree<" in text_of(researcher_s, response["Location"])
    back = researcher_s.get(f"{PAGE}judgments/{first.pk}/disagreement/?to=previous", follow=True).content.decode()
    assert "No earlier judgment of this run disagrees with people." in back


@pytest.mark.parametrize("path", ["judgments/{}/", "judgments/{}/?at=x&searched=<", "judgments/{}/disagreement/?at=9"])
def test_odd_addresses_are_harmless(researcher_s, study, owner, model, path):
    judgment = Judgment.objects.filter(run=run_to_end(study, owner)).first()
    assert researcher_s.get(PAGE + path.format(judgment.pk)).status_code in (200, 302)
    run = f"{PAGE}runs/{judgment.run_id}/"
    for query in ("?after=x", "?after=99999999999999", "?outcome=odd", "?item=%00", "?question=none", "?before=0"):
        assert researcher_s.get(run + query).status_code == 200


def many_judgments(study, owner, count):
    """A running run of that many judgments in all outcomes, made in one statement."""
    run = started(study, configured(study), owner)
    question, output = (
        Question.objects.get(study=study, key="how_well"),
        Output.objects.filter(item__study=study).first(),
    )
    now = timezone.now()
    RunWork.objects.filter(run=run).update(status="done", ended_at=now)
    kinds = [("done", "valid", ""), ("done", "invalid", "no rating"), ("failed", "", "No answer."), ("queued", "", "")]
    Judgment.objects.bulk_create(
        Judgment(
            run=run, place=place, question=question, item=output.item, output=output, order=[output.key],
            status=status, outcome=outcome, reason=reason, ended_at=None if status == "queued" else now,
            reading={"value": 3} if outcome == "valid" else None,
        )
        for place in range(count) for status, outcome, reason in [kinds[place % len(kinds)]]
    )  # fmt: skip
    return run


def test_pages_ask_no_more_queries_of_a_larger_run(researcher_s, study, owner, model):
    counted = []
    for count in (16, 400):
        run = many_judgments(study, owner, count)
        middle = Judgment.objects.get(run=run, place=count // 2)
        paths = (
            "", f"runs/{run.pk}/", f"runs/{run.pk}/?outcome=invalid&reason=no+rating&after=3",
            f"judgments/{middle.pk}/", f"judgments/{middle.pk}/disagreement/",
        )  # fmt: skip
        found = []
        for path in paths:
            with CaptureQueriesContext(connection) as queries:
                assert researcher_s.get(PAGE + path).status_code in (200, 302)
            found.append(len(queries))
        counted.append(found)
        JudgeRun.objects.filter(pk=run.pk).update(status="stopped")
    assert counted[0] == counted[1]
    assert max(counted[0]) <= 20


def test_a_metric_is_chosen_checked_and_run_from_the_same_form(researcher_s, study):
    page = text_of(researcher_s, NEW + "?protocol=rouge")
    assert 'name="option-measure"' in page
    for name in ("model", "budget", "pilot", "probe", "text-how_well"):
        assert f'name="{name}"' not in page
    given = {
        "protocol": "rouge", "questions": ["how_well"], "references": ["human"], "option-variant": "rouge1",
        "option-measure": "f1", "option-sentences": "lines", "seed": "0",
    }  # fmt: skip
    response = researcher_s.post(NEW, {**given, "references": []})
    assert response.status_code == 422
    assert "needs references" in error_at(response.content.decode(), "references")
    page = researcher_s.post(NEW, given).content.decode()
    assert "6 outputs are scored" in page
    response = researcher_s.post(NEW, {**given, "start": "yes", "estimated": estimated(page)})
    run = JudgeRun.objects.get(rater__name="rouge")
    assert response["Location"] == f"{PAGE}runs/{run.pk}/"
    work_off(run)
    assert run.counts == {"valid": 6}
    page = text_of(researcher_s, f"{PAGE}runs/{run.pk}/")
    assert "Finished" in page
    for of_models in ("Read the replies again", "in the ledger", "price reserved", "?outcome=valid"):
        assert of_models not in page


def test_what_a_probe_found_and_a_new_reading_are_on_the_page_of_a_run(researcher_s, study, model):
    model.replies = ["Score: 2", "Score: 5"] * 6
    page = posted(researcher_s, probe="on")
    posted(researcher_s, 302, probe="on", start="yes", estimated=estimated(page))
    run = JudgeRun.objects.get(rater__name="llm_eval/campus/small")
    assert "Injected texts" not in text_of(researcher_s, f"{PAGE}runs/{run.pk}/")
    work_off(run)
    page = text_of(researcher_s, f"{PAGE}runs/{run.pk}/")
    assert "<strong>100.0%</strong> of 6 judgments became better" in page
    response = researcher_s.post(f"{PAGE}runs/{run.pk}/reread/")
    again = JudgeRun.objects.order_by("-pk").first()
    assert (response["Location"], again.configuration["reread_of"]) == (f"{PAGE}runs/{again.pk}/", f"{run.rater}/1")


def test_a_second_press_of_start_starts_no_second_run(researcher_s, study, model):
    page = posted(researcher_s)
    given = {"start": "yes", "estimated": estimated(page), "key": re.search(r'name="key" value="([^"]+)"', page)[1]}
    for _ in range(2):
        posted(researcher_s, 302, **given)
    assert JudgeRun.objects.count() == 1
    posted(researcher_s, 302, **{**given, "key": "no key"})
    assert JudgeRun.objects.count() == 2
