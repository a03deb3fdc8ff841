"""Leaving a study: by one press, at any time, and what then becomes of everything."""

import json
from uuid import UUID

import pytest
from django.urls import reverse

from accounts.models import AuditEntry, Identity, Person
from annotation.access import assignment_for
from annotation.desk.assigning import next_assignment
from annotation.desk.drafting import pulse, save_draft
from annotation.desk.statements import task_row
from annotation.desk.submitting import Effort, Submission, submit_and_claim
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Guideline, Rater, Slot, Study
from annotation.studies.locking import RaterGoneError
from files.writing import export_study
from parts.checks.preparing import prepare_checks
from parts.checks.rules import judge_rater
from parts.rater_messages.sending_messages import write_to_researchers
from parts.way_in.background_counts import background_of
from parts.way_in.funnel import funnel_of
from parts.way_in.models import Consent, PersonalReply, PracticeAnswer, StepPassage
from parts.way_in.steps_taken import answer_task
from reports.figures.agreement_report import kept_agreement_report
from reports.report_kinds.agreement import agreement_choices
from tests.annotation.test_erasing import everything
from tests.conftest import make_person
from tests.parts.way_in.way_in_study import BACKGROUND, CONSENT, QUALIFICATION, RIGHT, SCREEN, Walk, study_with_steps

WORDS = "WORDS-OF-ANN"
ASKED = {**SCREEN, "questions": [{"key": "field", "text": "Your field?"}]}


@pytest.fixture
def way(client, owner, db):
    def begin(rule):
        ann = make_person("ann-user-name", full_name="Ann Fullname")
        study = study_with_steps(owner, ann, [CONSENT | {"on_withdrawal": rule}, ASKED, BACKGROUND, QUALIFICATION])
        client.force_login(ann)
        walk = Walk(client, study)
        walk.consent()
        walk.post("screen", **{"reply-field": "FIELD-OF-ANN"})
        walk.post("background", **{"reply-age": "35+"})
        assert walk.attempt("test", RIGHT, RIGHT) == "passed"
        address = walk.next()["Location"]
        assert client.post(f"{address}flag/", {"reason": WORDS}).status_code == 302
        assert client.post(f"{address}submit/", {**RIGHT, "revision": "1"}).status_code == 302
        return walk, ann

    return begin


def texts_of(study, folder):
    """All that an export holds, as one text."""
    export_study(study, folder)
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*")) if path.is_file())


def test_erased_answers_are_in_no_table_export_figure_or_audit_line(way, tmp_path):
    walk, ann = way("erase")
    name = rater_for(walk.study, ann).name
    assert all(one in everything() for one in (WORDS, name, "FIELD-OF-ANN", "ann-user-name"))
    assert name in texts_of(walk.study, tmp_path / "before")
    assert Slot.objects.filter(study=walk.study, state="filled").count() == 1
    assert "Leave" in walk.client.get(f"{walk.base}leave/").content.decode()
    page = walk.client.post(f"{walk.base}leave/")
    assert (page.status_code, page.context["account_is_gone"]) == (200, True)
    text = everything() + texts_of(walk.study, tmp_path / "after")
    text += json.dumps(kept_agreement_report(walk.study, agreement_choices()), default=str)
    text += json.dumps(background_of(walk.study)) + repr(funnel_of(walk.study).rows)
    assert [line for line in text.split("\n") if name in line] == []
    assert AuditEntry.objects.filter(action="rater named", subject="(erased)").exists()
    assert not Identity.objects.filter(person=ann).exists()
    for one in (WORDS, "FIELD-OF-ANN", "ann-user-name", "Ann Fullname"):
        assert one not in text
    for model in (Annotation, Consent, StepPassage, PracticeAnswer, PersonalReply):
        assert not model.objects.exists()
    assert not Slot.objects.filter(study=walk.study).exclude(state="open").exists()
    assert AuditEntry.objects.get(action="rater erased").new["answers"] == "erased"
    assert not Person.objects.get(pk=ann.pk).is_active
    assert walk.client.get("/")["Location"].startswith(reverse("accounts:sign_in"))


def test_kept_answers_lead_to_nobody(way, tmp_path):
    walk, ann = way("keep")
    add_member(Study.objects.create(slug="other", protocol="rating", redundancy=1), ann, "annotator", None)
    name = rater_for(walk.study, ann).name
    before = texts_of(walk.study, tmp_path / "before")
    assert walk.client.post(f"{walk.base}leave/").context["account_is_gone"] is False
    after = texts_of(walk.study, tmp_path / "after")
    assert name in before
    assert [line for line in before.split("\n") if name in line] == [line for line in after.split("\n") if name in line]
    assert Rater.objects.get(name=name).person is None
    assert not PersonalReply.objects.exists()
    assert "FIELD-OF-ANN" not in everything()
    assert Consent.objects.get().rater.name == name
    assert walk.client.get(f"{walk.base}leave/").status_code == 404


def test_the_rule_is_the_one_that_was_agreed_to(way):
    walk, _ = way("erase")
    walk.study.refresh_from_db()
    walk.study.recruiting["steps"][0]["on_withdrawal"] = "keep"
    walk.study.save()
    assert walk.client.get(f"{walk.base}leave/").context["rule"] == "erase"
    walk.client.post(f"{walk.base}leave/")
    assert not Annotation.objects.exists()


def test_people_download_all_that_is_kept_about_them_and_nothing_else(way, owner):
    walk, _ = way("erase")
    Guideline.objects.create(study=walk.study, number=2, text="OTHER-TEXT")
    response = walk.client.get("/my-data/my-data.json")
    text = b"".join(response).decode()
    told = json.loads(text)
    assert told["account"]["user_name"] == "ann-user-name"
    assert [one["form"] for one in told["answers"]][-1] == {"q-follows": ["true"], "q-how_well": ["5"]}
    assert told["answers"][-1]["submitted_at"]
    assert told["consents"][0]["text"] == CONSENT["text"]
    assert {one["reply"] for one in told["about_you"]} == {"FIELD-OF-ANN", "35+"}
    assert [one["outcome"] for one in told["steps"]] == ["passed"] * 3
    assert len(told["practice_answers"]) == 2
    for secret in ("SECRET-SYSTEM", "GOLD-REASON", "OTHER-TEXT", "owner"):
        assert secret not in text.replace('"role": "owner"', "")


@pytest.mark.parametrize(
    ("declared", "is_stated", "erased"),
    [({}, False, True), ({"on_withdrawal": "erase"}, True, True), ({"on_withdrawal": "keep"}, True, False)],
)
def test_every_annotator_can_leave_a_study_without_steps(declared, is_stated, erased, client, owner, rater):
    study = study_with_steps(owner, rater, [])
    Study.objects.filter(pk=study.pk).update(recruiting=declared)
    client.force_login(rater)
    client.post("/studies/study/begin/", {"version": 1})
    task = client.post("/studies/study/next/")["Location"]
    client.post(f"{task}submit/", {**RIGHT, "revision": "0"})
    assert Annotation.objects.filter(status="submitted").exists()
    assert "/studies/study/leave/" in client.get("/my-data/").content.decode()
    page = client.get("/studies/study/leave/").content.decode()
    assert ("does not say what becomes of the answers" in page) is not is_stated
    assert ("All your answers in this study are erased" in page) is erased
    client.post("/studies/study/leave/")
    assert Annotation.objects.exists() is not erased
    assert not Rater.objects.filter(person=rater).exists()


def test_owners_and_researchers_leave_no_study_by_themselves(client, owner, rater):
    study_with_steps(owner, rater, [BACKGROUND])
    client.force_login(owner)
    assert "/studies/study/leave/" not in client.get("/my-data/").content.decode()
    assert client.post("/studies/study/leave/").status_code == 404


def test_requests_that_began_before_somebody_left_find_nothing_and_write_nothing(way):
    walk, ann = way("erase")
    study, rater = walk.study, rater_for(walk.study, ann)
    key = walk.next()["Location"].split("/")[2]
    row, assignment = task_row(ann.pk, UUID(key)), assignment_for(ann, UUID(key))
    walk.client.post(f"{walk.base}leave/")
    before = everything()
    answer = Submission({name: [value] for name, value in RIGHT.items()}, 0, 1)
    for late in (
        lambda: submit_and_claim(row, answer),
        lambda: next_assignment(study, rater),
        lambda: save_draft(assignment, {}, base_version=0, revision=0),
        lambda: pulse(assignment, Effort()),
        lambda: answer_task(rater, 0, {}),
        lambda: write_to_researchers(rater, None, WORDS),
        lambda: prepare_checks(rater),
        lambda: judge_rater(rater),
    ):
        with pytest.raises(RaterGoneError):
            late()
    assert everything() == before
