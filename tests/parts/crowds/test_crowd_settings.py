"""What a study file declares of recruiters and public links: checked, exported, and imported with the same bytes."""

import copy

import pytest
from django.utils import timezone

from annotation.models import Study
from files.import_problems import FieldInvalidError
from files.reading import import_study
from files.writing import export_study
from parts.crowds.link_settings import checked_link
from parts.crowds.models import CrowdStay
from parts.crowds.recruiter_settings import Recruiter, check_return, checked_recruiter
from tests.parts.crowds.crowd_study import GENERIC, PROLIFIC, Guest, crowd_study, prolific_ids

FULL = {
    **GENERIC, "intro": "Read texts.", "study_ids": ["s1"], "codes": {"failed": "F1"}, "minutes": 90,
    "pay": {"complete": 2.5}, "per_hour": 12, "currency": "EUR", "signature": {"parameter": "sig", "number": 2},
}  # fmt: skip
KEY = {"kty": "RSA", "kid": "a", "n": "AQ", "e": "AQAB"}
TOKEN = {"parameter": "t", "audience": "https://here.example", "keys": [KEY]}
TEXT = {"text": "Take b.", "question": "Which?", "choices": ["a", "b", "c"], "answer": "b"}


@pytest.mark.parametrize("body", [PROLIFIC, GENERIC, FULL, {**PROLIFIC, "token": TOKEN}])
def test_recruiters_that_fit_are_taken(body):
    assert checked_recruiter(copy.deepcopy(body), "recruiter") == body


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([], "profile"), ({"profile": "other"}, "profile"), ({"profile": ["prolific"]}, "profile"),
        ({**PROLIFIC, "return": "https://x.example"}, "return"), ({**PROLIFIC, "own_codes": ["failed"]}, "own_codes"),
        ({**PROLIFIC, "codes": {"failed": "X"}}, "codes"), ({**PROLIFIC, "codes": {"complete": "=1+1"}}, "complete"),
        ({**PROLIFIC, "codes": {"done": "X"}}, "done"), ({**GENERIC, "codes": {"complete": "X"}}, "own_codes"),
        ({**GENERIC, "own_codes": ["done"]}, "own_codes"), ({**GENERIC, "parameters": {"session": "s"}}, "parameters"),
        ({**GENERIC, "parameters": {"participant": "a b"}}, "participant"),
        ({**GENERIC, "parameters": {"participant": "a", "session": "a"}}, "parameters"),
        ({**GENERIC, "minutes": 0}, "minutes"), ({**GENERIC, "minutes": True}, "minutes"),
        ({**GENERIC, "pay": {"complete": -1}}, "complete"), ({**GENERIC, "per_hour": float("inf")}, "per_hour"),
        ({**GENERIC, "signature": {}}, "parameter"),
        ({**GENERIC, "signature": {"parameter": "s", "number": 0}}, "number"),
        ({**PROLIFIC, "token": {"keys": [KEY]}}, "audience"), ({**PROLIFIC, "token": {**TOKEN, "keys": []}}, "keys"),
        ({**PROLIFIC, "token": {**TOKEN, "keys": [{**KEY, "d": "AQ"}]}}, "keys.0"),
        ({**PROLIFIC, "token": {**TOKEN, "keys": [{**KEY, "kty": "oct"}]}}, "keys.0"),
        ({**GENERIC, "study_ids": ["@x"]}, "study_ids.0"), ({**GENERIC, "intro": " "}, "intro"),
    ],
)  # fmt: skip
def test_recruiters_that_do_not_fit_are_refused_at_the_key(body, field):
    with pytest.raises(FieldInvalidError) as refused:
        checked_recruiter(copy.deepcopy(body), "recruiter")
    assert refused.value.field.endswith(field)


@pytest.mark.parametrize(
    "template",
    ["javascript:alert(1)", "//evil.example", "/relative", "https://", "https://{participant}/", "ftp://x.example/",
     "https://{code}.example/", "https://a@evil.example/", "https://x.example/?a={who}", "https://x.example/ a",
     "https://x.example\\@evil.example/", "data:text/html,x", "https://x.example/\nb", "", 7, "https://[x/", "{code}"],
)  # fmt: skip
def test_return_addresses_lead_only_to_the_declared_site(template):
    with pytest.raises(FieldInvalidError):
        check_return(template, "return")


def test_placeholders_are_replaced_once_and_quoted():
    recruiter = Recruiter(GENERIC)
    ids = {"participant": "{outcome}&how=x/../", "study": "", "session": ""}
    address = recruiter.return_address("{participant}", "failed", ids)
    assert address == (
        "https://panel.example/back?code=%7Bparticipant%7D&who=%7Boutcome%7D%26how%3Dx%2F..%2F&how=failed"
    )


@pytest.mark.parametrize("body", [{"people": 0}, {"people": 5, "open": False, "minutes": 30, "attention": [TEXT]}])
def test_public_links_that_fit_are_taken(body):
    assert checked_link(copy.deepcopy(body), "public_link") == body


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "people"), ({"people": -1}, "people"), ({"people": True}, "people"), ({"people": 1, "open": 1}, "open"),
        ({"people": 1, "code": "X"}, "code"), ({"people": 1, "attention": [{}]}, "text"),
        ({"people": 1, "attention": [{**TEXT, "answer": "d"}]}, "choices"),
        ({"people": 1, "attention": [{**TEXT, "choices": ["a", "b"]}]}, "choices"),
        ({"people": 1, "attention": [{**TEXT, "choices": ["b", "b", "a"]}]}, "choices"),
    ],
)  # fmt: skip
def test_public_links_that_do_not_fit_are_refused_at_the_key(body, field):
    with pytest.raises(FieldInvalidError) as refused:
        checked_link(copy.deepcopy(body), "public_link")
    assert refused.value.field.endswith(field)


@pytest.mark.django_db
def test_a_study_with_links_is_exported_and_imported_with_the_same_bytes_and_without_people(owner, tmp_path):
    link = {"people": 5, "open": False, "intro": "Join us.", "attention": [TEXT]}
    study = crowd_study(owner, recruiter=FULL, link=link)
    study.recruiting["recruiter"] = {**PROLIFIC, "token": TOKEN}
    study.save(update_fields=["recruiting"])
    study.recruiting["recruiter"].pop("token")
    Study.objects.filter(pk=study.pk).update(recruiting=study.recruiting)
    guest = Guest(study)
    guest.enter(prolific_ids(SESSION_ID="CANARY-SESSION", PROLIFIC_PID="CANARY-PID"))
    guest.work()
    guest.finish()
    Study.objects.filter(pk=study.pk).update(recruiting={"recruiter": FULL, "public_link": link})
    export_study(study, tmp_path / "one")
    held = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert "CANARY" not in held
    assert "CDONE1" not in held
    assert guest.stay.rater.name in held
    text = (tmp_path / "one" / "study.yaml").read_text(encoding="utf-8")
    (tmp_path / "one" / "study.yaml").write_text(text.replace("slug: study", "slug: copy"), encoding="utf-8")
    copied = import_study(tmp_path / "one", owner=owner).study
    assert copied.recruiting == {"recruiter": FULL, "public_link": link}
    export_study(copied, tmp_path / "two")
    again = (tmp_path / "two" / "study.yaml").read_text(encoding="utf-8")
    part = text[text.index("recruiting:") :].split("\nseed")[0]
    assert part in again
    assert CrowdStay.objects.filter(study=copied, entered_at__lte=timezone.now()).count() == 0
