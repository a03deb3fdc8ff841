"""The page and the API that set up hidden checks: validated as the study file is."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry
from annotation.members.tokens import issue_token
from annotation.models import Study
from files.entered.recruiting_settings import digest
from parts.checks.settings_form import fields_of
from tests.parts.checks.checked_study import make_checked_study

pytestmark = [pytest.mark.quick, pytest.mark.django_db]
CHECKS = {
    "first": 2, "gold": {"share": 0.05}, "twins": {"share": 0.1, "after": 4, "damage": ["cut", "other"],
    "questions": ["well"], "lower_is_better": ["well"]}, "repeats": {"share": 0.03}, "tolerance": {"well": 1},
    "rules": [{"figure": "gold", "below": 0.6, "of": 10, "do": "pause"},
              {"figure": "in_a_row", "above": 9, "of": 8, "do": "ask"}],
}  # fmt: skip
FORM = {
    "first": "2", "gold-share": "0.05", "twins-share": "0,1", "twins-after": "4", "twins-damage": ["cut", "other"],
    "twins-questions": ["well"], "twins-lower_is_better": ["well"], "repeats-share": "0.03", "tolerance-well": "1",
    "rule-figure": ["gold", "in_a_row"], "rule-than": ["0.6", "9"], "rule-of": ["10", "8"],
    "rule-do": ["pause", "ask"],
}  # fmt: skip


@pytest.fixture
def settings_page(client, owner, tmp_path):
    """A study without checks, its researcher's page of checks, and a way to post a form to it."""
    study = make_checked_study(tmp_path / "study", owner, checks=None, items=4, golden=2)
    client.force_login(owner)
    address = reverse("checks:check_settings", args=[study.slug])

    def post(form, seen=None):
        study.refresh_from_db()
        return client.post(address, {"seen": digest(study) if seen is None else seen, **form})

    return study, address, post


def test_the_form_makes_the_settings_of_the_file_and_shows_them_again(settings_page, client):
    study, address, post = settings_page
    assert post({**FORM, "do": "save"}).status_code == 302
    study.refresh_from_db()
    assert study.recruiting == {"checks": CHECKS}
    assert AuditEntry.objects.filter(action="checks changed", study=study.slug).count() == 1
    page = client.get(address).content.decode()
    for text in ('name="twins-share" value="0.1"', 'name="tolerance-well" value="1"', 'value="other" checked'):
        assert text in page, text
    assert page.count('class="row rule-row"') == 2
    assert post({**FORM, "do": "save"}).status_code == 302
    assert AuditEntry.objects.filter(action="checks changed").count() == 1


def test_rows_of_rules_come_and_go_without_scripts_and_nothing_is_saved(settings_page):
    study, _, post = settings_page
    more = post({**FORM, "do": "add"})
    assert more.status_code == 200
    assert more.content.decode().count('class="row rule-row"') == 3
    fewer = post({**FORM, "do": "remove-0"}).content.decode()
    assert fewer.count('class="row rule-row"') == 1
    assert 'name="rule-than" value="9"' in fewer
    assert 'name="twins-share" value="0.1"' in fewer
    study.refresh_from_db()
    assert "checks" not in study.recruiting


def test_empty_shares_take_the_checks_out(settings_page):
    study, _, post = settings_page
    post({**FORM, "do": "save"})
    post({"do": "save", "gold-share": " "})
    study.refresh_from_db()
    assert study.recruiting == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gold-share": "much"}, "recruiting.checks.gold.share must be a number above 0"),
        ({"gold-share": "0.5"}, "add up to 0.5 or less"),
        ({"rule-of": ["0", "8"]}, "recruiting.checks.rules.0.of must be a whole number"),
        ({"gold-share": ""}, "recruiting.checks.rules.0.figure must be a kind of check"),
        ({"rule-than": ["0.6", "0"]}, "recruiting.checks.rules.1.above must be a number above 0"),
        ({"rule-than": ["2", "9"]}, "recruiting.checks.rules.0.below must be a number above 0 and at most 1"),
        ({"first": "-1"}, "recruiting.checks.first must be a whole number"),
    ],
)
def test_the_validator_of_the_file_refuses_what_it_would_refuse_there(settings_page, change, words):
    study, _, post = settings_page
    refused = post({**FORM, **change, "do": "save"})
    assert refused.status_code == 422
    assert words in refused.content.decode()
    study.refresh_from_db()
    assert study.recruiting == {}


def test_an_outdated_page_and_a_locked_study_without_a_reason_are_refused(settings_page):
    study, _, post = settings_page
    assert "changed after the page was opened" in post({**FORM, "do": "save"}, seen="old").content.decode()
    Study.objects.filter(pk=study.pk).update(status="closed", locked_at="2026-01-01T00:00:00Z")
    assert post({**FORM, "do": "save"}).status_code == 422
    assert post({**FORM, "do": "save", "reason": "Forgotten."}).status_code == 302


def test_the_page_of_a_protocol_without_copies_says_so(settings_page, client):
    study, address, _ = settings_page
    Study.objects.filter(pk=study.pk).update(protocol="session")
    assert "cannot be copied" in client.get(address).content.decode()


def test_programs_change_recruiting_of_a_study_that_has_begun(settings_page, owner):
    study, _, _ = settings_page
    address = f"/api/studies/{study.slug}/"
    program = Client(headers={"Authorization": f"Bearer {issue_token(study, owner, name='t', scope='write')}"})

    def patch(body):
        return program.patch(address, body, content_type="application/json")

    steps = [{"key": "about", "kind": "screen", "questions": [{"key": "age", "text": "Age?", "number": True}]}]
    changed = patch({"recruiting": {"checks": CHECKS, "steps": steps}})
    assert changed.status_code == 200, changed.content
    study.refresh_from_db()
    assert study.recruiting == {"checks": CHECKS, "steps": steps}
    assert changed.json()["study"]["recruiting"]["checks"]["gold"] == {"share": 0.05}
    for wrong in ({"checks": {"gold": {"share": 2}}}, {"steps": [{"key": "x", "kind": "dance"}]}, "no", {"more": 1}):
        refused = patch({"recruiting": wrong})
        assert refused.status_code == 400, wrong
    assert "recruiting.checks.gold.share" in patch({"recruiting": {"checks": {"gold": {"share": 2}}}}).content.decode()
    study.refresh_from_db()
    assert study.recruiting == {"checks": CHECKS, "steps": steps}
    assert patch({"recruiting": None}).status_code == 200
    study.refresh_from_db()
    assert study.recruiting == {}


def test_fields_of_no_settings_are_empty():
    assert [one["share"] for one in fields_of(None, [])["kinds"]] == ["", "", ""]
