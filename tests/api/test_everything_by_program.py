"""The commands of docs/tasks/everything-by-program.md, run literally against a server."""

import json
import os
import re
import shutil
import subprocess
import zipfile

import pytest

from annotation.members.membership import add_member
from annotation.members.tokens import issue_account_token, issue_token
from annotation.models import Adjudication, Study
from tests.api.conftest import Program
from tests.conftest import make_person
from tests.house import ROOT
from tests.reports.computing import compute_requested

BLOCKS = re.findall(
    r"```bash\n(.*?)```", (ROOT / "docs/tasks/everything-by-program.md").read_text(encoding="utf-8"), re.DOTALL
)
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="curl or jq is not installed"),
]


@pytest.fixture
def shell(live_server, tmp_path):
    """A function that runs a block of the document, and returns what it printed in lines."""
    owner = make_person("owner", is_staff=True)
    token = issue_account_token(owner, name="makes", scope="write", makes_studies=True)
    env = {"PATH": os.environ["PATH"], "SITE": live_server.url, "TOKEN": token, "no_proxy": "*"}

    def run(number, **more):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", BLOCKS[number]],
            cwd=tmp_path, env=env | more, capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.split("\n")

    run.client = Program(token)
    return run


def test_a_study_goes_from_nothing_to_its_report(shell, tmp_path):
    assert len(BLOCKS) == 4
    made = shell(0)
    assert (made[0], made[-2]) == ("draft", "The study is live: annotators can start.")
    study, rater = Study.objects.get(slug="ferries"), make_person("rater")
    add_member(study, rater, "annotator", None)
    secret = issue_token(study, rater, name="annotates", scope="annotate")
    assert shell(1, ANNOTATOR=secret) == ["submitted", "submitted", ""]
    read = shell(2)
    assert [json.loads(line) for line in read[:4]] == [
        ["one", "correct", True], ["one", "fluent", 4], ["two", "correct", False], ["two", "fluent", 4],
    ]  # fmt: skip
    assert read[4:] == ["1", "The study is closed.", ""]
    assert Adjudication.objects.get().value is False
    assert shell.client.get("/api/studies/ferries/agreement/").status_code == 202
    assert compute_requested() == 1  # as a worker does
    assert json.loads("".join(shell(3))) == ["correct", "fluent"]
    with zipfile.ZipFile(tmp_path / "ferries.zip") as archive:
        assert "ferries/ratings.jsonl" in archive.namelist()
