"""Frozen reports: one address for the same figures, its audit, what an erasure leaves; and kept reports in the API."""

import tomllib

import pytest

from accounts.models import AuditEntry
from annotation.members.membership import add_member
from annotation.members.rater_erasure import erase_rater
from annotation.members.tokens import issue_token
from annotation.models import Rater, Rating
from config.software_version import SOFTWARE_VERSION
from reports.models import KeptReport
from tests.api.conftest import Program
from tests.house import ROOT
from tests.reports.compared_study import imported
from tests.reports.computing import compute_requested, read

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(tmp_path, owner, client):
    made = imported(tmp_path / "in")
    add_member(made, owner, "owner", None)
    client.force_login(owner)
    return made


@pytest.fixture
def frozen(client, study):
    read(client, f"/studies/{study.slug}/leaderboard/?kinds=model")
    return client.post(f"/studies/{study.slug}/leaderboard/freeze/?kinds=model&sort=judge")["Location"]


def test_nothing_is_frozen_before_it_is_computed(client, study):
    assert client.post(f"/studies/{study.slug}/leaderboard/freeze/").status_code == 404
    assert not AuditEntry.objects.filter(action="report frozen").exists()


@pytest.mark.thorough
def test_the_same_figures_have_one_address_and_one_audit_entry(client, study, frozen):
    again = client.post(f"/studies/{study.slug}/leaderboard/freeze/?kinds=model")["Location"]
    assert again == frozen
    assert KeptReport.objects.exclude(frozen_as=None).count() == 1
    (entry,) = AuditEntry.objects.filter(action="report frozen")
    assert entry.subject in frozen


@pytest.mark.thorough
def test_a_frozen_report_says_what_was_compared_and_does_not_change(client, study, frozen):
    before = client.get(frozen).content.decode()
    row = KeptReport.objects.exclude(frozen_as=None).get()
    version = f"Interrater {SOFTWARE_VERSION}"
    for text in ("all of kind model", "everybody who is not a judge", version, row.digest, frozen):
        assert text in before
    assert "file</a>" not in before  # files are of today's figures
    assert "?sort=" not in before
    Rater.objects.filter(study=study, name="far").update(kind="metric")
    study.questions.filter(key="how_well").update(text="Another text?")
    assert client.get(frozen).content.decode().split("<main")[1] == before.split("<main")[1]


@pytest.mark.thorough
def test_an_erasure_empties_a_frozen_report(client, study, frozen):
    ann = Rater.objects.get(study=study, name="ann")
    erase_rater(ann, None, keep_answers=False)
    assert not Rating.objects.filter(rater=ann).exists()
    response = client.get(frozen)
    assert response.status_code == 200
    shown = response.content.decode()
    assert "made from answers that have been erased since" in shown
    assert "<dt>Removed</dt>" in shown
    assert "<table" not in shown


def test_other_keys_and_other_studies_are_not_found(client, study, frozen, make_study, owner):
    assert client.get(frozen.replace(frozen.split("/")[-2], "0" * 16)).status_code == 404
    other = make_study("other")
    add_member(other, owner, "owner", None)
    assert client.get(frozen.replace(study.slug, "other")).status_code == 404


@pytest.mark.thorough
def test_the_api_answers_202_until_the_figures_are_computed(client, study, owner):
    program = Program(issue_token(study, owner, name="reads", scope="read"))
    path = f"/api/studies/{study.slug}/meta-evaluation/?panel=even&panel=far&epsilon=0.15&people=ann&people=bob"
    waiting = program.get(path)
    assert (waiting.status_code, "Retry-After" in waiting) == (202, True)
    compute_requested()
    report = program.get(path)
    assert report.status_code == 200
    body = report.json()
    assert (body["panel"], body["people"], body["beyond_papers"]["epsilon"]) == (["even", "far"], ["ann", "bob"], 0.15)
    assert "panel of even, far" in body["questions"]["how_well"]["judges"]
    assert program.get(f"/api/studies/{study.slug}/meta-evaluation/?epsilon=2").status_code == 400
    assert program.get(f"/api/studies/{study.slug}/meta-evaluation/?sort=judge").status_code == 400


def test_the_version_in_reports_is_the_packages():
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["version"] == SOFTWARE_VERSION
