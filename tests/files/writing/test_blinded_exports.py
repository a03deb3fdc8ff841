"""No file of a blinded study's export names a system, whatever its protocol and whatever has happened in it."""

import json
import re

import pyarrow.parquet
import pytest

from annotation.blinding import is_blind, unblind, unblinding_facts
from annotation.models import Study, Unblinding
from config.erasure import open_erasure
from files.entered.drafts import change_draft, make_draft
from files.reading import import_study
from files.writing import FORMATS, export_study
from files.writing.study_yaml import study_body
from tests.filled import fill

NAMED = re.compile(r'"(north|south)"|extractive')
"""The systems of `tests.filled`: keys of outputs, and the model of its sessions."""


@pytest.fixture
def filled(db, tmp_path):
    fill(tmp_path / "in")
    with open_erasure("test"):
        Unblinding.objects.all().delete()
    for study in Study.objects.all():
        study.options = {**study.options, "blind_researchers": True}
        study.save()


def text_of(path):
    if path.suffix != ".parquet":
        return path.read_text()
    table = pyarrow.parquet.read_table(path)
    return json.dumps([table.column_names, table.to_pylist()], default=str).replace("\\", "")


def test_no_file_of_any_protocol_names_a_system(filled, tmp_path):
    found = []
    for study in Study.objects.all():
        for form in FORMATS:
            export_study(study, tmp_path / form / study.slug, form)
        found += [
            f"{path.relative_to(tmp_path)}: {match.string[max(0, match.start() - 60) : match.end() + 20]}"
            for path in sorted(tmp_path.glob(f"*/{study.slug}/**/*"))
            if path.is_file() and "in" not in path.relative_to(tmp_path).parts[:1]
            for match in NAMED.finditer(text_of(path))
        ]
    assert found == []


PREFERENCE = {
    "slug": "pairs", "protocol": "pairwise", "redundancy": 1, "options": {"blind_researchers": True, "seed": 3},
    "questions": [{"key": "better", "type": "preference"}],
}  # fmt: skip


def test_an_export_after_unblinding_blinds_no_other_study_and_states_the_unblinding(owner, tmp_path):
    study = make_draft(PREFERENCE, owner)
    assert export_study(study, tmp_path / "before")["blinding"] == {"blinded": True}
    unblind(study, "The figures are final.", owner)
    study = Study.objects.get(pk=study.pk)
    told = export_study(study, tmp_path / "after")["blinding"]
    assert told == json.loads((tmp_path / "after" / "manifest.json").read_text())["blinding"]
    assert (told["blinded"], told["reason"]) == (False, "The figures are final.")
    text = (tmp_path / "after" / "study.yaml").read_text()
    (tmp_path / "study.yaml").write_text(text.replace("slug: pairs", "slug: copy"))
    assert not is_blind(import_study(tmp_path / "study.yaml").study)


def test_an_unblinded_study_still_states_its_blinding_after_changes_and_imports(owner, tmp_path):
    study = make_draft(PREFERENCE, owner)
    unblind(study, "The figures are final.", owner)
    study = Study.objects.get(pk=study.pk)
    export_study(study, tmp_path / "after")
    import_study(tmp_path / "after")
    change_draft(study, {**study_body(study), "title": "Pairs"}, owner)
    study = Study.objects.get(pk=study.pk)
    assert (study.title, study.options) == ("Pairs", {"blind_researchers": True, "seed": 3})
    assert unblinding_facts(study)["reason"] == "The figures are final."
