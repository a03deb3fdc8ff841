"""Studies of every protocol through the API: the same data and figures as from files."""

import io
import json
import zipfile

import pytest
from django.core.management import call_command

from annotation.members.tokens import issue_token
from annotation.models import Study
from files.reading import import_study
from tests.api.conftest import Program
from tests.house import ROOT
from tests.reports.computing import read
from tests.reports.figures.test_agreement_report import differences

DEMO = sorted(path for path in (ROOT / "demo").iterdir() if (path / "study.yaml").exists())


def program_for(study, owner):
    """A client that may write to a study, which `owner` runs from now on."""
    study.memberships.create(person=owner, role="owner")
    return Program(issue_token(study, owner, name="all", scope="write"))


def send(program, study, table, path):
    response = program.send(f"/api/studies/{study.slug}/{table}/", path.read_bytes())
    assert response.status_code == 200, response.content[:2000]
    return response.json()["added"]


@pytest.mark.thorough
@pytest.mark.parametrize("folder", DEMO, ids=lambda path: path.name)
def test_items_of_every_protocol_come_back_as_they_were_sent(folder, owner, tmp_path):
    study = import_study(folder / "study.yaml").study
    program = program_for(study, owner)
    assert send(program, study, "items", folder / "items.jsonl")["items"] == study.items.count() > 0
    body = b"".join(program.get(f"/api/studies/{study.slug}/export/"))
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        archive.extractall(tmp_path)
    exported = tmp_path / study.slug
    again = import_study(exported).added
    assert not any(again.values())
    read = [json.loads(line) for line in (exported / "items.jsonl").read_text().splitlines()]
    sent = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    assert [one["id"] for one in read] == [one["id"] for one in sent]
    shown = [[one.get("outputs"), one.get("question"), one.get("documents")] for one in sent]
    assert [[one.get("outputs"), one.get("question"), one.get("documents")] for one in read] == shown


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    ["pandalm", *(pytest.param(one, marks=pytest.mark.thorough) for one in ("qags-cnndm", "hanna", "wmt16-tur-eng"))],
)
def test_public_data_sent_by_a_program_gives_the_published_figures(name, reference_data, owner, tmp_path):
    folder = reference_data / name
    study = import_study(folder / "study.yaml").study
    program = program_for(study, owner)
    for table in ("items", "ratings", "scores"):
        if (folder / f"{table}.jsonl").exists():
            send(program, study, table, folder / f"{table}.jsonl")
    report = read(program, f"/api/studies/{study.slug}/agreement/").json()
    assert differences(json.loads((folder / "expected.json").read_text()), report) == []
    call_command("export_study", study.slug, "--out", str(tmp_path / "by-program"), stdout=io.StringIO())
    ratings = b"".join(program.get(f"/api/studies/{study.slug}/export/ratings.jsonl"))
    assert ratings == (tmp_path / "by-program" / "ratings.jsonl").read_bytes()
    assert ratings.count(b"\n") == (folder / "ratings.jsonl").read_bytes().count(b"\n")
    assert Study.objects.count() == 1
