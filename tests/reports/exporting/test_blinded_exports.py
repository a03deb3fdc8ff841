"""No file of a blinded study's export names a system, whatever its protocol and whatever has happened in it."""

import re

import pytest

from annotation.models import Study, Unblinding
from config.erasure import open_erasure
from reports.exporting import export_study
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


def test_no_file_of_any_protocol_names_a_system(filled, tmp_path):
    found = []
    for study in Study.objects.all():
        for form in ("jsonl", "csv"):
            export_study(study, tmp_path / form / study.slug, form)
        found += [
            f"{path.relative_to(tmp_path)}: {match.string[max(0, match.start() - 60) : match.end() + 20]}"
            for path in sorted(tmp_path.glob(f"*/{study.slug}/**/*"))
            if path.is_file() and "in" not in path.relative_to(tmp_path).parts[:1]
            for match in NAMED.finditer(path.read_text())
        ]
    assert found == []
