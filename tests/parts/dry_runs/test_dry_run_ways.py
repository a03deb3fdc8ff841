"""Synthetic raters of a dry run walk the study's steps through their pages, so its funnel is a sample of a real one."""

import json

import pytest

from annotation.models import Annotation, Item, Study
from config.background.claiming import process_row
from files.reading import import_study
from managing.building.template_library import study_templates
from parts.dry_runs.background import filling
from parts.dry_runs.dry_run_steps import start_dry_run
from parts.way_in.funnel import funnel_of
from parts.way_in.models import Consent, PersonalReply, PracticeAnswer, StepPassage
from tests.parts.way_in.way_in_study import BACKGROUND, CONSENT, QUALIFICATION, TRAINING, study_with_steps

pytestmark = pytest.mark.django_db
SETTINGS = {"raters": 8, "accuracy": 0.85, "bias": 0.0, "seconds": 60.0, "seed": 4, "items": 1}


def run(study, owner, **more):
    row = start_dry_run(study, {**SETTINGS, **more}, owner)
    assert process_row("dry_run", row.pk)
    row.refresh_from_db()
    assert (row.status, row.reason) == ("done", "")
    return row


@pytest.fixture
def href(owner, tmp_path, monkeypatch):
    monkeypatch.setattr(filling, "STEP_SECONDS", 600.0)
    body = {**study_templates()["href_recruiting"].body, "slug": "ferries", "redundancy": 1}
    lines = [(f"main-{n}", "main", {}) for n in range(2)]
    lines += [(f"test-{n}", "qualification", {"gold": {"better": "two"}}) for n in range(10)]
    same = {"instruction": "Do it.", "document": "D"}
    same["outputs"] = [{"id": name, "text": f"Text {name}"} for name in ("one", "two")]
    (tmp_path / "study.json").write_text(json.dumps(body), encoding="utf-8")
    items = [json.dumps({"id": key, "pool": pool, **same, **more}) + "\n" for key, pool, more in lines]
    (tmp_path / "items.jsonl").write_text("".join(items), encoding="utf-8")
    return import_study(tmp_path, owner=owner).study


@pytest.mark.thorough
def test_the_funnel_of_href_narrows_at_its_screens_and_its_test(href, owner):
    row = run(href, owner)
    funnel = funnel_of(row.study)
    joined, consent, screen, test, active = [one.count for one in funnel.rows]
    assert joined == consent == 8 > screen > test > 0
    assert active == row.answers == 1  # one task, for one rater
    assert [one.failed for one in funnel.rows] == [0, 0, 8 - screen, screen - test, 0]
    assert Item.objects.filter(study=row.study, pool="main").count() == 1
    assert PracticeAnswer.objects.filter(passage__rater__study=row.study).count() == 10 * screen
    assert not StepPassage.objects.filter(rater__study=href).exists()
    assert not PersonalReply.objects.filter(study=href).exists()


@pytest.mark.thorough
def test_raters_without_errors_all_pass_and_guessing_ones_do_not(href, owner):
    for accuracy, passed in ((1.0, 3), (0.0, 0)):
        rows = funnel_of(run(href, owner, raters=3, accuracy=accuracy).study).rows
        assert rows[-2].count == passed, accuracy


@pytest.mark.thorough
def test_training_is_read_and_a_second_attempt_waits_as_for_people(owner, rater):
    test = {**QUALIFICATION, "rules": [{"question": "follows", "least": 2}]}
    study = study_with_steps(owner, rater, [CONSENT, BACKGROUND, TRAINING, test])
    copy = run(study, owner, raters=4, accuracy=0.5, items=None).study
    assert Consent.objects.filter(rater__study=copy).count() == 4
    assert not PracticeAnswer.objects.filter(
        passage__step="training", passage__rater__study=copy, read_at=None
    ).exists()
    attempts = StepPassage.objects.filter(rater__study=copy, step="test")
    outcomes = sorted(attempts.values_list("outcome", flat=True))
    assert len(outcomes) == 4  # who failed may try again tomorrow
    assert set(outcomes) == {"failed", "passed"}
    answered = Annotation.objects.filter(rater__study=copy, status="submitted").values("rater").distinct().count()
    assert answered == outcomes.count("passed")
    assert [one.slug for one in Study.objects.filter(pk=study.pk)] == [study.slug]


@pytest.mark.thorough
def test_a_worker_goes_on_where_the_killed_one_was_on_the_way_in(href, owner, monkeypatch):
    row = start_dry_run(href, {**SETTINGS, "raters": 2, "accuracy": 1.0}, owner)
    monkeypatch.setattr(filling, "STEP_SECONDS", 0.0)
    rounds = 0
    while process_row("dry_run", row.pk) and rounds < 40:
        rounds += 1
        row.refresh_from_db()
        if row.status == "done":
            break
    assert row.status == "done"
    assert rounds > 10  # consent, screen, test, ten tasks
    assert [one.count for one in funnel_of(row.study).rows][:4] == [2, 2, 2, 2]
    assert PracticeAnswer.objects.filter(passage__rater__study=row.study).count() == 20
