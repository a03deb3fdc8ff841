"""Bundles: one file that proves its report. A changed digit and a changed file are found and named."""

import io
import json
import re
import shutil
import zipfile

import pytest
from django.core.management import CommandError, call_command

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, skip, submit
from annotation.members.membership import rater_for
from annotation.models import Study
from annotation.studies.steered_items import restore, withdraw
from config.background.claiming import process_row
from reports.kept import bundle_folder
from reports.kept.bundle_checking import BundleUnreadableError, compare, unpack
from reports.kept.kept_exports import place_of, request_export
from reports.kept.zip_archive import listed_files, zip_folder
from tests.conftest import live_study
from tests.reports import compared_study

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(900)]
"""A check starts a process that computes all figures again."""


@pytest.fixture
def study(tmp_path, settings):
    settings.VAR = tmp_path / "var"
    return compared_study.imported(tmp_path / "in", item_count=8)


def written(study, out):
    """The bundle of a study, in this file."""
    call_command("bundle", study.slug, "--out", str(out), stdout=io.StringIO())
    return out


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of the first bundle that a test asks for. It takes seconds, and is the same for all that only read."""
    return tmp_path_factory.mktemp("made")


@pytest.fixture
def bundle(made, request):
    """The bundle of such a study."""
    out = made / "bundle.zip"
    return out if out.exists() else written(request.getfixturevalue("study"), out)


def changed(bundle, tmp_path, change, *, hashes=True):
    """A copy of the bundle whose files `change` has changed; with `hashes`, its list of hashes is made to fit."""
    folder = tmp_path / "changed" / "x-bundle"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder.parent / "in")
    shutil.move(next((folder.parent / "in").iterdir()), folder)
    change(folder)
    if hashes:
        contents = json.loads((folder / "bundle.json").read_text())
        contents["files"] = [one for one in listed_files(folder) if one["name"] != "bundle.json"]
        (folder / "bundle.json").write_text(json.dumps(contents))
    zip_folder(folder, tmp_path / "changed.zip")
    return tmp_path / "changed.zip"


def verified(path):
    """What the command prints, and how it fails."""
    out = io.StringIO()
    try:
        call_command("verify_report", str(path), stdout=out)
    except CommandError as problem:
        return out.getvalue(), str(problem)
    return out.getvalue(), ""


@pytest.mark.thorough
def test_one_changed_digit_is_named_with_both_values(bundle, tmp_path):
    def change(folder):
        path = folder / "figures" / "agreement.json"
        body = json.loads(path.read_text())
        figures = body["questions"]["how_well"]
        figures["alpha_interval"] += 0.001
        path.write_text(json.dumps(body))
        path = folder / "figures" / "details.json"
        body = json.loads(path.read_text())
        body["questions"]["how_well"]["systems"][0]["mean"] += 0.001
        body["methods"]["facts"]["people"] += 1
        path.write_text(json.dumps(body))

    said, problem = verified(changed(bundle, tmp_path, change))
    assert "0 files differ from their hash, 3 figures" in problem, said
    lines = said.splitlines()
    assert lines[::3] == [
        "agreement.questions.how_well.alpha_interval", "details.methods.facts.people",
        "details.questions.how_well.systems.0.mean",
    ]  # fmt: skip
    assert all(float(a.split()[1]) != float(b.split()[1]) for a, b in zip(lines[1::3], lines[2::3], strict=True))


def test_details_of_answers_given_here_are_the_same_from_the_files(owner, rater, tmp_path):
    """Times, a skipped task and how the study was done; what only the audit shows is left out."""
    study = live_study(owner, rater)
    for form in ({"q-follows": ["true"], "q-how_well": ["5"]}, {"q-follows": ["false"], "q-how_well": ["1"]}):
        submit(next_assignment(study, rater_for(study, rater)), Submission(form=form, revision=0, guidelines_version=1))
    left = Submission(form={}, revision=0, guidelines_version=1)
    skip(next_assignment(study, rater_for(study, rater)), left, "too long")
    item = study.items.order_by("-pk").first()
    withdraw(item, "for a while", owner)
    restore(item, "no mistake", owner)
    out = written(study, tmp_path / "study.zip")
    with zipfile.ZipFile(out) as archive:
        details = json.loads(archive.read("study-bundle/figures/details.json"))
    assert details["methods"]["facts"]["on_platform"]
    assert {row["kind"] for row in details["exclusions"]} == {"skipped"}
    assert verified(out)[1] == ""


@pytest.mark.thorough
def test_a_changed_answer_changes_figures(bundle, tmp_path):
    def change(folder):
        path = folder / "data" / "ratings.jsonl"
        lines = path.read_text().splitlines()
        place = next(number for number, line in enumerate(lines) if '"how_well"' in line)
        line = json.loads(lines[place])
        line["value"] = 5 if line["value"] < 3 else 1
        lines[place] = json.dumps(line)
        path.write_text("\n".join(lines) + "\n")

    said, problem = verified(changed(bundle, tmp_path, change))
    assert "agreement.questions.how_well.alpha_interval" in said
    assert "report/index.html, line" in said
    assert "0 files differ" in problem


def test_a_changed_page_is_found_though_figures_and_hashes_fit(bundle, tmp_path):
    """Compared with the bundle itself, which is what its data give, as the test of a changed digit shows."""

    def change(folder):
        path = folder / "report" / "index.html"
        path.write_text(path.read_text().replace("</h1>", "!</h1>", 1))

    unpack(bundle, tmp_path / "own")
    assert unpack(changed(bundle, tmp_path, change), tmp_path / "other") == []
    count, found = compare(tmp_path / "other", tmp_path / "own")
    assert count > 100
    assert [one.name.partition(",")[0] for one in found] == ["report/index.html"]


def test_changed_missing_and_added_files_are_named(bundle, tmp_path):
    def change(folder):
        (folder / "versions.json").write_text("{}")
        (folder / "plots" / "plot-01.svg").unlink()
        (folder / "more.txt").write_text("more")

    found = unpack(changed(bundle, tmp_path, change, hashes=False), tmp_path / "out")
    assert sorted(one.name for one in found) == ["more.txt", "plots/plot-01.svg", "versions.json"]


@pytest.mark.parametrize("name", ["../../escaped", "/tmp/escaped"])
def test_a_file_never_leaves_the_folder(tmp_path, name):
    path = tmp_path / "bad.zip"
    told = {"schema": "interrater-bundle/1", "files": [{"name": name, "bytes": 1, "sha256": "0"}]}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("b/bundle.json", json.dumps(told))
        archive.writestr(f"b/{name}", "x")
    with pytest.raises(BundleUnreadableError):
        unpack(path, tmp_path / "inner" / "out")
    assert not list(tmp_path.rglob("escaped"))


@pytest.mark.parametrize("text", [b"", b"PK", b"{}"])
def test_what_is_no_bundle_is_refused(tmp_path, text):
    (tmp_path / "no.zip").write_bytes(text)
    assert "is not a bundle" in verified(tmp_path / "no.zip")[1]


def test_the_report_needs_no_other_file_and_no_site(bundle):
    with zipfile.ZipFile(bundle) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
        text = archive.read("ferries-bundle/report/index.html").decode()
        plots = [archive.read(name).decode() for name in archive.namelist() if "/plots/" in name]
    assert {"bundle.json", "versions.json", "data/ratings.jsonl", "figures/agreement.json", "figures/details.json",
            "figures/meta_evaluation.json"} <= names  # fmt: skip
    for part in ("<script", "<link", 'href="/', 'href="?', "<form", "hx-", "csrf"):
        assert part not in text, part
    assert "Krippendorff" in text
    for part in ("Ranks of systems", "Methods paragraph", "We collected ratings", "How the study was done"):
        assert part in text, part
    assert plots
    assert all(one.startswith("<svg ") and "http://www.w3.org/2000/svg" in one and "<style>" in one for one in plots)


@pytest.mark.thorough
def test_a_worker_keeps_the_same_bundle_as_the_command(study, owner, tmp_path):
    row = request_export(study, "bundle", owner, "test")
    assert process_row("export", row.pk)
    row.refresh_from_db()
    assert row.reason == ""
    assert place_of(row).read_bytes() == written(study, tmp_path / "bundle.zip").read_bytes()


@pytest.mark.thorough
def test_data_that_change_while_it_is_written_make_it_begin_again(study, tmp_path, monkeypatch):
    states = iter(["a", "b", "c", "c"])
    monkeypatch.setattr(bundle_folder, "export_state", lambda _: next(states))
    contents = bundle_folder.write_bundle(study, tmp_path / "out")
    assert next(states, None) is None
    assert "report/index.html" in {one["name"] for one in contents["files"]}


@pytest.mark.thorough
def test_data_that_keep_changing_are_refused(study, tmp_path, monkeypatch):
    states = iter(range(100))
    monkeypatch.setattr(bundle_folder, "export_state", lambda _: next(states))
    with pytest.raises(bundle_folder.ExportRefusedError, match="changed while"):
        bundle_folder.write_bundle(study, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_bundle_of_a_blinded_study_names_no_system(study, tmp_path):
    Study.objects.filter(pk=study.pk).update(options={**study.options, "blind_researchers": True})
    out = written(study, tmp_path / "blind.zip")
    with zipfile.ZipFile(out) as archive:
        for name in archive.namelist():
            text = archive.read(name).decode()
            for system in ("east", "north", "south"):
                others = text.replace(f"text of {system}", "")  # without the output itself
                assert not re.search(rf"\b{system}\b", others), (name, system)
    said, problem = verified(out)
    assert problem == "", said
