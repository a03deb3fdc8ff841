"""Dry runs: a copy filled through the desk's own requests, marked everywhere, and removed by one press."""

import pytest
from django.urls import reverse

from accounts.models import Person
from annotation.models import Annotation, Membership, Study
from annotation.studies.corrections import StudyRefusedError
from config.background.claiming import process_row
from files.writing import export_study
from parts.dry_runs.background import filling
from parts.dry_runs.dry_run_steps import remove_dry_run, start_dry_run
from parts.dry_runs.models import StudyDryRun
from parts.webhooks.subscriptions import WebhookRefusedError, add_webhook
from reports.figures.agreement_report import agreement_report
from tests.conftest import live_study, make_person

pytestmark = pytest.mark.django_db
SETTINGS = {"raters": 2, "accuracy": 1.0, "bias": 0.0, "seconds": 90.0, "seed": 3, "items": None}


@pytest.fixture
def study(owner, rater, client):
    made = live_study(owner, rater)
    client.force_login(owner)
    return made


def run(study, owner, **more):
    row = start_dry_run(study, {**SETTINGS, **more}, owner)
    assert process_row("dry_run", row.pk)
    row.refresh_from_db()
    return row


@pytest.mark.thorough
def test_synthetic_raters_fill_a_copy_through_the_desk(study, owner):
    row = run(study, owner)
    assert (row.status, row.reason) == ("done", "")
    copy = row.study
    answers = Annotation.objects.filter(rater__study=copy, status="submitted")
    assert row.answers == answers.count() == study.items.count() * 3 * 2
    assert {answer.active_seconds for answer in answers} == {90.0}
    assert all(answer.client_key and answer.opened_at for answer in answers)
    assert not Annotation.objects.filter(rater__study=study).exists()
    report = agreement_report(copy, replicates=0)
    assert report["dry_run"] is True
    assert report["questions"]["how_well"]["alpha_interval"] == pytest.approx(1)
    assert "dry_run" not in agreement_report(study, replicates=0)


@pytest.mark.thorough
def test_less_accurate_raters_agree_less_and_the_seed_decides(study, owner):
    alphas = []
    for _ in range(2):
        row = run(study, owner, accuracy=0.2, seed=5)
        alphas.append(agreement_report(row.study, replicates=0)["questions"]["how_well"]["percent_agreement"])
    assert alphas[0] == alphas[1] < 1


@pytest.mark.thorough
def test_everything_about_it_is_marked(client, study, owner, tmp_path):
    copy = run(study, owner).study
    mark = "made-up answers of synthetic raters"
    for address in (f"/studies/{copy.slug}/", f"/studies/{copy.slug}/report/", f"/studies/{copy.slug}/export/"):
        shown = client.get(address).content.decode()
        assert mark in shown, address
        assert "Dry run of A study" in shown, address
    assert mark not in client.get(f"/studies/{study.slug}/").content.decode()
    assert "Dry run</span>" in client.get("/").content.decode()
    export_study(copy, tmp_path / "out", "jsonl", None, "test")
    assert mark in (tmp_path / "out" / "README.md").read_text()
    assert "dry_run:" in (tmp_path / "out" / "study.yaml").read_text()
    with pytest.raises(WebhookRefusedError):
        add_webhook(copy, owner, "https://hooks.example.org/", ["study.closed"])
    with pytest.raises(StudyRefusedError, match="itself"):
        start_dry_run(copy, SETTINGS, owner)


def test_a_press_stops_it_another_continues_and_a_third_removes_it(client, study, owner, monkeypatch):
    monkeypatch.setattr(filling, "STEP_SECONDS", 0.0)
    page = reverse("dry_runs:dry_runs", args=[study.slug])
    assert client.post(page, {**SETTINGS, "items": ""}).status_code == 302
    row = StudyDryRun.objects.get()
    assert process_row("dry_run", row.pk)
    row.refresh_from_db()
    assert (row.status, row.answers) == ("queued", 2)
    step = reverse("dry_runs:change_dry_run", args=[study.slug, row.pk, "stop"])
    assert client.post(step).status_code == 302
    assert "Stopped: 2 answers" in client.get(page).content.decode()
    client.post(step.replace("stop", "continue"))
    monkeypatch.setattr(filling, "STEP_SECONDS", 60.0)
    assert process_row("dry_run", row.pk)
    row.refresh_from_db()
    assert (row.status, row.answers) == ("done", 12)
    assert "Sample report" in client.get(page).content.decode()
    assert client.post(step.replace("stop", "remove")).status_code == 302
    assert not StudyDryRun.objects.exists()
    assert [one.slug for one in Study.objects.all()] == [study.slug]
    assert not Person.objects.filter(is_synthetic=True, is_active=True).exists()


@pytest.mark.thorough
def test_after_a_killed_worker_another_continues_with_the_same_copy(study, owner, monkeypatch):
    row = start_dry_run(study, SETTINGS, owner)
    kill = {"left": 3}

    def die(visitor):
        kill["left"] -= 1
        if kill["left"] < 0:
            raise KeyboardInterrupt
        return answer(visitor)

    answer = filling.DeskVisitor.go_on
    monkeypatch.setattr(filling.DeskVisitor, "go_on", die)
    with pytest.raises(KeyboardInterrupt):
        process_row("dry_run", row.pk)
    monkeypatch.undo()
    StudyDryRun.objects.update(lease_until="2026-01-01T00:00Z")
    copy = StudyDryRun.objects.get().study
    assert process_row("dry_run", row.pk)
    row.refresh_from_db()
    assert (row.status, row.study) == ("done", copy)
    assert Annotation.objects.filter(rater__study=copy, status="submitted").count() == 12
    assert Study.objects.count() == 2
    assert Person.objects.filter(is_synthetic=True).count() == Membership.objects.filter(study=copy).count() - 1 == 2


@pytest.mark.thorough
def test_people_called_like_synthetic_raters_are_in_no_copy_and_stay(client, study, owner):
    row = start_dry_run(study, SETTINGS, owner)
    names = [f"dry-run-{row.pk}-{number}" for number in (1, 2)]
    called = [Person.objects.create_user(name, full_name="Synthetic rater 1") for name in names]
    assert process_row("dry_run", row.pk)
    row.refresh_from_db()
    assert row.status == "done"
    members = Membership.objects.filter(study=row.study).exclude(person=owner)
    assert sorted(members.values_list("person__is_synthetic", flat=True)) == [True, True]
    made = list(members.values_list("person", flat=True))
    remove_dry_run(row, owner)
    for person in called:
        person.refresh_from_db()
        assert person.is_active
    assert not Person.objects.filter(pk__in=made, is_active=True).exists()


@pytest.mark.parametrize("field", ["raters", "items", "seed"])
def test_a_number_larger_than_databases_keep_is_refused_at_its_field(client, study, owner, field):
    client.force_login(owner)
    form = {"raters": "5", "accuracy": "0.8", "bias": "0", "seconds": "60", "items": "2", "seed": "0", field: "9" * 30}
    response = client.post("/studies/study/dry-runs/", form)
    assert (response.status_code, list(response.context["form"].errors)) == (422, [field])


def test_only_owners_start_one_and_annotators_see_none(client, study, rater):
    client.force_login(rater)
    assert client.get(reverse("dry_runs:dry_runs", args=[study.slug])).status_code == 404
    assert client.post(reverse("dry_runs:dry_runs", args=[study.slug]), {"raters": 2}).status_code == 404


@pytest.mark.thorough
def test_synthetic_raters_are_not_among_the_people_of_the_operator(client, study, owner, admin_user):
    run(study, owner)
    client.force_login(admin_user)
    address = reverse("admin:accounts_person_changelist")
    page = client.get(address)
    listed = {one.username for one in page.context["cl"].result_list}
    assert {"owner", "rater", admin_user.username} <= listed
    assert not any(name.startswith("dry-run-") for name in listed)
    shown = client.get(address, {"synthetic": "shown"}).context["cl"].result_list
    assert len(shown) == 2
    assert all(one.full_name.startswith("Synthetic rater") for one in shown)
    assert client.get(reverse("admin:accounts_person_change", args=[shown[0].pk])).status_code == 200


def test_a_person_who_is_called_like_one_stays_among_the_people(client, admin_user):
    made = make_person("dry-run-1-1", full_name="Synthetic rater")
    made.set_unusable_password()
    made.save()
    client.force_login(admin_user)
    assert "dry-run-1-1" in client.get(reverse("admin:accounts_person_changelist")).content.decode()


def test_a_dry_run_names_no_adjudicators_of_the_study(study, owner):
    Study.objects.filter(pk=study.pk).update(options={"adjudication": {"by": "annotators", "raters": ["rater-a"]}})
    study.refresh_from_db()
    assert run(study, owner).study.options["adjudication"] == {"by": "annotators"}
