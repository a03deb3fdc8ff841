"""A bundle of sessions whose turns were sampled for labels: its tables are computed again from the bundle alone."""

import io
import json
import zipfile

import pytest
from django.core.management import call_command

from annotation.models import Rater
from sessions.label_samples import draw_labels
from sessions.turn_labels import MachineLabel, write_machine_labels
from tests.reports.kept.test_bundles import verified
from tests.reports.worked_sessions import folder, models, session, study, worked  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(900)]


@pytest.mark.thorough
def test_figures_of_sampled_turns_are_the_same_from_the_files(worked, session, tmp_path):  # noqa: F811
    rater = Rater.objects.create(study=worked, name="labels", kind="model")
    turn = session.turns.get(number=1).pk
    write_machine_labels(worked, rater, [MachineLabel(turn, "instruction_type", "condense", "first")])
    draw_labels(worked, kind="instruction_type", source="all", size=9, per_model=False, seed=7)
    out = tmp_path / "bundle.zip"
    call_command("bundle", worked.slug, "--out", str(out), stdout=io.StringIO())
    with zipfile.ZipFile(out) as archive:
        figures = json.loads(archive.read(f"{worked.slug}-bundle/figures/meta_evaluation.json"))
    assert "Instruction type, sample: 9, all turns, seed 7" in {
        row["part"] for row in figures["tables"]["kiwi_a3"]["rows"]
    }
    said, problem = verified(out)
    assert problem == "", said
