"""Looks of stop rules in exports, and back."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from annotation.members.rater_erasure import erase_rater
from files.reading import ImportRefusedError, import_study
from files.writing import export_study
from parts.stopping.models import FiledLook, StopLook
from parts.stopping.peeking import note_peek
from reports.pages.seen_results import ResultPage
from tests.parts.stopping.test_looks import NARROW, answered, look_now

pytestmark = pytest.mark.django_db


@pytest.fixture
def looked():
    study, owner, rater = answered(NARROW, 12)
    assert look_now().decision == "continue"
    return study, owner, rater


def renamed(folder):
    path = folder / "study.yaml"
    path.write_text(path.read_text().replace("slug: stopped", "slug: again"))
    return folder


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_looks_are_exported_and_import_again_with_the_same_bytes(looked, tmp_path, form):
    study, _, _ = looked
    export_study(study, tmp_path / "one", form)
    again = import_study(renamed(tmp_path / "one")).study
    assert FiledLook.objects.get(study=again).line["answers"] == 12
    assert not StopLook.objects.filter(plan__study=again).exists()
    export_study(again, tmp_path / "two", form)
    name = f"looks.{form}"
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert import_study(tmp_path / "two").added["looks"] == 0


def test_a_line_says_what_the_look_found(looked, tmp_path):
    study, _, _ = looked
    export_study(study, tmp_path / "one")
    [line] = map(json.loads, (tmp_path / "one" / "looks.jsonl").read_text().splitlines())
    assert (line["number"], line["planned"], line["answers"], line["decision"]) == (1, 12, 12, "continue")
    assert line["figures"]["rules"]
    assert line["plan"] == study.stop_plan.sha256


def test_a_study_without_looks_has_no_such_file(tmp_path):
    study, _, _ = answered(NARROW, 2)
    export_study(study, tmp_path / "one")
    assert not (tmp_path / "one" / "looks.jsonl").exists()


def test_an_erased_rater_empties_the_figures_of_imported_looks_too(looked, tmp_path):
    study, owner, _ = looked
    export_study(study, tmp_path / "one")
    again = import_study(renamed(tmp_path / "one")).study
    erase_rater(again.raters.get(), owner, keep_answers=False)
    line = FiledLook.objects.get(study=again).line
    assert "figures" not in line
    assert line["decision"] == "continue"


@pytest.mark.parametrize(
    ("field", "value"), [("decision", "perhaps"), ("answers", -1), ("taken_at", None), ("number", 0), ("more", 1)]
)
def test_a_wrong_line_is_refused(looked, tmp_path, field, value):
    study, _, _ = looked
    export_study(study, tmp_path / "one")
    path = tmp_path / "one" / "looks.jsonl"
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}) + "\n")
    with pytest.raises(ImportRefusedError, match=field):
        import_study(renamed(tmp_path / "one"))


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_a_bundle_of_a_study_with_looks_is_verified_from_its_own_data(looked, tmp_path, settings):
    """What only this site knows of a plan, such as its date and peeks, is no figure that the data could give again."""
    study, owner, _ = looked
    settings.VAR = tmp_path / "var"
    note_peek(study, owner, ResultPage.REPORT)
    call_command("bundle", study.slug, "--out", str(tmp_path / "b.zip"), stdout=StringIO())
    said = StringIO()
    call_command("verify_report", str(tmp_path / "b.zip"), stdout=said)
    assert "Verified: all hashes" in said.getvalue()
