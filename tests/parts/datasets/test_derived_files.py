"""Derived tables and reports in an exported folder."""

import json

import pytest
from django.core.management import call_command

from annotation.models import Rating
from files.reading import import_study
from files.writing import canonical_digest
from parts.datasets import unit_labels
from reports.kept import figure_files
from reports.kept.figure_files import export_with_figures
from reports.models import KeptReport
from tests.fewer import first_cases
from tests.files.writing.conftest import bytes_of, objects_of
from tests.parts.datasets.conftest import ORDERED, chosen, likert

pytestmark = pytest.mark.django_db
PAIRS = [{"key": "better", "type": "preference"}]
CHOICES = [
    chosen("one", ["bea", "ada"], "r1", "bea"), chosen("one", ["ada", "bea"], "r2", "bea"),
    chosen("two", ["ada", "bea"], "r1", "tie"),
]  # fmt: skip


def derived_names(folder):
    return sorted(path.name for path in (folder / "derived").iterdir())


@pytest.mark.parametrize("form", first_cases(["csv", "jsonl", "parquet"]))
def test_an_export_has_tables_with_rows_and_reports_in_a_folder_that_an_import_ignores(answered, tmp_path, form):
    study = answered("pairwise", PAIRS, CHOICES)
    call_command("export_study", study.slug, out=tmp_path / "first", format=form)
    assert derived_names(tmp_path / "first") == [
        f"aggregated_labels.{form}", "agreement.json", f"preference_pairs.{form}", f"preference_ties.{form}",
    ]  # fmt: skip
    manifest = json.loads((tmp_path / "first" / "manifest.json").read_text())
    assert {f"derived/{name}" for name in derived_names(tmp_path / "first")} <= set(manifest["files"])
    call_command("export_study", study.slug, out=tmp_path / "second", format=form)
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")
    call_command("export_study", study.slug, out=tmp_path / "data", format=form, data_only=True)
    assert not (tmp_path / "data" / "derived").exists()
    assert canonical_digest(tmp_path / "first") == canonical_digest(tmp_path / "data")
    assert import_study(tmp_path / "first").study == study


def test_a_study_without_answers_has_no_derived_files(answered, tmp_path):
    export_with_figures(answered("rating", [ORDERED], []), tmp_path / "out")
    assert not (tmp_path / "out" / "derived").exists()


@pytest.mark.thorough
def test_reports_are_taken_if_they_are_current_and_computed_again_if_not(answered, tmp_path, monkeypatch):
    study = answered("rating", [ORDERED], [likert("one", "ada", "r1", 4), likert("one", "ada", "r2", 5)])
    figure_files.keep_figures(study)
    kept, models = KeptReport.objects.order_by("kind")
    export_with_figures(study, tmp_path / "out")
    assert [row.pk for row in KeptReport.objects.order_by("kind")] == [kept.pk, models.pk]
    written = (tmp_path / "out" / "derived" / "agreement.json").read_text()
    assert json.loads(written) == json.loads(kept.figures)

    def late(study):
        """What another process submits between the reports and the snapshot."""
        import_study(answered_folder(tmp_path, [likert("one", "ada", "r3", 1)]))

    keep = figure_files.keep_figures
    monkeypatch.setattr(figure_files, "keep_figures", lambda study: (keep(study), late(study)))
    export_with_figures(study, tmp_path / "out")
    report = json.loads((tmp_path / "out" / "derived" / "agreement.json").read_text())
    assert report["questions"]["quality"]["ratings"] == Rating.objects.count() == 3
    assert report != json.loads(written)


def answered_folder(tmp_path, ratings):
    folder = tmp_path / "in"
    (folder / "ratings.jsonl").write_text("".join(json.dumps(line) + "\n" for line in ratings))
    return folder


def test_machines_beside_people_add_the_meta_evaluation(answered, tmp_path):
    study = answered("rating", [ORDERED], [likert("one", "ada", "r1", 4), likert("one", "bea", "r1", 2)])
    (tmp_path / "in" / "scores.jsonl").write_text(
        "".join(json.dumps({**likert("one", output, "judge", value), "rater_kind": "model"}) + "\n"
                for output, value in (("ada", 5), ("bea", 1)))
    )  # fmt: skip
    import_study(tmp_path / "in")
    export_with_figures(study, tmp_path / "out")
    assert derived_names(tmp_path / "out") == ["aggregated_labels.jsonl", "agreement.json", "meta_evaluation.json"]
    (labels, _) = objects_of(tmp_path / "out" / "derived" / "aggregated_labels.jsonl")
    assert (labels["raters"], labels["majority"]) == (1, 4)


def test_a_blinded_study_shows_codes_in_every_derived_file(answered, tmp_path):
    study = answered("pairwise", PAIRS, CHOICES, options={"blind_researchers": True})
    export_with_figures(study, tmp_path / "out")
    for name, data in bytes_of(tmp_path / "out").items():
        if name.startswith("derived/"):
            for system in (b'"ada"', b'"bea"', b'"cyd"'):
                assert system not in data, name


@pytest.mark.thorough
def test_models_of_raters_are_computed_once_and_kept(answered, tmp_path, monkeypatch):
    given = [likert(item, "ada", name, value) for item, name, value in (
        ("one", "r1", 4), ("one", "r2", 4), ("two", "r1", 2), ("two", "r2", 5), ("two", "r3", 2),
    )]  # fmt: skip
    study = answered("rating", [ORDERED], given)
    without = tmp_path / "without"
    with monkeypatch.context() as patched:
        patched.setattr(figure_files, "keep_figures", lambda study: None)
        export_with_figures(study, without)
    assert "glad" in objects_of(without / "derived" / "aggregated_labels.jsonl")[0]
    export_with_figures(study, tmp_path / "first")
    assert KeptReport.objects.filter(kind="label_models").count() == 1
    monkeypatch.setattr(unit_labels, "crowd_labels", None)  # must not be called
    export_with_figures(study, tmp_path / "second")
    assert bytes_of(without) == bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")
