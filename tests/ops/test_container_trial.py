"""The containers of the compose file, by a Docker engine: what only they can show."""

import subprocess
import sys

import pytest

from scripts import compose
from tests.house import ROOT
from tests.ops.container_trial import SERVICES, what_is_missing
from tests.ops.substitute_images import official_images


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_containers_keep_all_data_through_kills_updates_and_restores(tmp_path):
    if missing := what_is_missing():
        pytest.skip(f"this trial needs {missing}")
    words = [sys.executable, "-m", "tests.ops.container_trial", "--folder", str(tmp_path / "trial")]
    with subprocess.Popen(words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as trial:
        try:
            said = trial.communicate(timeout=1600)[0]
        except BaseException:
            trial.terminate()  # it removes its containers
            trial.wait(timeout=120)
            raise
    assert trial.returncode == 0, said
    for step in ("kill postgres", "deploy/update.sh later", "deploy/go_back.sh", "restore into new volumes", "HTTPS"):
        assert step in said


def test_the_trial_knows_every_service_and_has_a_substitute_for_every_image():
    described = compose.read()["services"]
    assert {*SERVICES, "migrate"} == set(described)
    folders = {folder.name for folder in (ROOT / "tests/ops/substitutes").iterdir()}
    assert folders == set(official_images())
    assert len(folders) == 4
