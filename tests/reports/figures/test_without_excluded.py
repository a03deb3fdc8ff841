"""Reports without the answers of excluded raters, and exclusions in files."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.members.standing import end_exclusion, exclude
from annotation.models import RaterExclusion
from files.reading import import_study
from files.writing import export_study
from reports.kept.kept_reports import compute_here, kept_report
from reports.report_kinds.agreement import agreement_choices
from reports.report_kinds.details import details_choices
from tests.parts.stopping.stop_studies import annotator, answer, stopping_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged():
    """A study with three raters, of whom one contradicts the others and is excluded; its owner."""
    study, owner = stopping_study(None, redundancy=3, items=12, slug="judged")
    raters = [annotator(study, name) for name in ("ann", "bob", "cyd")]
    for number, rater in enumerate(raters):
        for item in range(12):
            answer(study, rater, str(1 + (item + (number == 2) * 2) % 5))
    exclude(raters[2], "Answered at random.", owner)
    return study, owner


def without(study, **more):
    return compute_here(study, "agreement", agreement_choices(excluded="without", **more))


def test_figures_without_excluded_raters_equal_those_of_rater_checks(judged):
    study, _ = judged
    checks = compute_here(study, "rater_checks", {})["questions"]["how_well"]
    all_of_them, left = (
        compute_here(study, "agreement", agreement_choices(guidelines="all")),
        without(study, guidelines="all"),
    )
    for report, part in ((all_of_them, "all"), (left, "without_excluded")):
        figures = report["questions"]["how_well"]
        assert figures["ratings"] == checks[part]["ratings"]
        assert figures["alpha_interval"] == pytest.approx(checks[part]["alpha"])
    assert all_of_them["questions"]["how_well"]["ratings"] == 36
    assert left["questions"]["how_well"]["ratings"] == 24
    assert left["excluded"] == {"left_out": True, "raters": 1}
    assert "excluded" not in all_of_them


def test_an_exclusion_that_is_taken_back_counts_again(judged):
    study, owner = judged
    end_exclusion(RaterExclusion.objects.get(), "A mistake.", owner)
    assert without(study)["questions"]["how_well"]["ratings"] == 36


@pytest.mark.thorough
def test_the_page_keeps_the_choice_in_its_address_and_says_so(judged, client):
    study, owner = judged
    client.force_login(owner)
    address = reverse("reports:report", args=[study.slug])
    for excluded in ("", "without"):
        compute_here(study, "agreement", agreement_choices(excluded=excluded))
        compute_here(study, "raters", {"kinds": ["human"], "raters": []})
        compute_here(study, "details", details_choices(excluded=excluded))
    plain = client.get(address).content.decode()
    assert 'name="excluded" value="without">' in plain
    assert "Leaves out the answers" not in plain
    page = client.get(f"{address}?excluded=without").content.decode()
    assert 'name="excluded" value="without" checked>' in page
    assert "Leaves out the answers of 1 excluded rater" in page
    assert "excluded=without" in page


def test_the_log_of_exclusions_says_whether_their_answers_count(judged):
    study, _ = judged
    for excluded, is_out in (("", False), ("without", True)):
        log = compute_here(study, "details", details_choices(excluded=excluded))["exclusions"]
        [row] = [one for one in log if one["kind"] == "rater_excluded"]
        assert row["left_out"] is is_out


def test_programs_and_the_command_choose_it_too(judged, client, capsys):
    study, owner = judged
    client.force_login(owner)
    compute_here(study, "agreement", agreement_choices(excluded="without"))
    found = client.get(f"/api/studies/{study.slug}/agreement/?excluded=without")
    assert found.status_code == 200
    assert found.json()["excluded"] == {"left_out": True, "raters": 1}
    assert client.get(f"/api/studies/{study.slug}/agreement/?excluded=some").status_code == 400
    call_command("agreement", study.slug, "--json", "--excluded", "without")
    assert json.loads(capsys.readouterr().out)["questions"]["how_well"]["ratings"] == 24
    with pytest.raises(CommandError, match="excluded takes with or without"):
        call_command("agreement", study.slug, "--excluded", "some")


def test_the_default_report_keeps_its_address_in_the_store(judged):
    """Reports that were computed before there was a choice are still found."""
    study, _ = judged
    assert agreement_choices() == agreement_choices(excluded="with")
    compute_here(study, "agreement", agreement_choices())
    assert kept_report(study, "agreement", agreement_choices(excluded="with")).is_there


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_an_export_marks_excluded_raters_and_imports_again_with_the_same_bytes(judged, tmp_path, form):
    study, _ = judged
    name = f"raters.{form}"
    export_study(study, tmp_path / "one", form)
    path = tmp_path / "one" / "study.yaml"
    path.write_text(path.read_text().replace("slug: judged", "slug: again"))
    again = import_study(tmp_path / "one").study
    exclusion = RaterExclusion.objects.get(rater__study=again)
    assert exclusion.reason == "Answered at random."
    export_study(again, tmp_path / "two", form)
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert without(again)["questions"]["how_well"]["ratings"] == 24
    assert import_study(tmp_path / "two").added["raters"] == 0
