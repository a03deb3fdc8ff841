"""Exports through the API: the folder as an archive, and its single files."""

import hashlib
import io
import json
import tempfile
import zipfile

import pytest
from django.core.management import call_command

from accounts.auditing import record
from accounts.models import AuditEntry
from annotation.models import Rater, Rating, Study
from config.background.claiming import process_row
from files.reading import import_study
from files.writing import canonical_digest
from reports.kept.kept_exports import place_of, request_export
from tests.api.conftest import problem

EXPORT = "/api/studies/study/export/"


@pytest.fixture
def rated(study):
    rater = Rater.objects.create(study=study, name="ann")
    for output in study.items.first().outputs.all():
        Rating.objects.create(
            study=study, question=study.questions.get(key="how_well"), rater=rater, item=output.item, output=output,
            level="interval", value=3, number=3,
        )  # fmt: skip
    return study


@pytest.fixture
def left_behind(tmp_path, monkeypatch):
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    assert list(place.iterdir()) == []


def content(response):
    return b"".join(response)


def unpacked(response, folder):
    with zipfile.ZipFile(io.BytesIO(content(response))) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder / "study"


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_the_archive_holds_what_the_command_writes(reading, rated, tmp_path, left_behind, form):
    response = reading.get(f"{EXPORT}?format={form}")
    call_command("export_study", "study", "--out", str(tmp_path / "out"), "--format", form, "--data-only")
    folder = unpacked(response, tmp_path)
    files = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    out = tmp_path / "out"
    assert files == {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_an_archive_of_the_same_study_has_the_same_bytes(reading, rated):
    first, second = content(reading.get(EXPORT)), content(reading.get(EXPORT))
    assert hashlib.sha256(first).digest() == hashlib.sha256(second).digest()


def test_an_archive_is_imported_again_with_nothing_lost(reading, rated, tmp_path):
    folder = unpacked(reading.get(EXPORT), tmp_path)
    text = (folder / "study.yaml").read_text().replace("slug: study", "slug: again")
    (folder / "study.yaml").write_text(text)
    import_study(folder)
    assert Rating.objects.filter(study=Study.objects.get(slug="again")).count() == 3
    assert len(canonical_digest(folder)) == 64


def test_each_file_matches_the_manifest(reading, rated, left_behind):
    files = reading.get("/api/studies/study/").json()["files"]
    manifest = json.loads(content(reading.get(f"{EXPORT}manifest.json")))
    tables = {f"{name.removesuffix('.jsonl')}.csv" for name in manifest["files"] if name.endswith(".jsonl")}
    assert set(manifest["files"]) | {"manifest.json"} | tables <= set(files)
    for name, about in manifest["files"].items():
        assert hashlib.sha256(content(reading.get(f"{EXPORT}{name}"))).hexdigest() == about["sha256"], name


@pytest.mark.parametrize(
    "name",
    ["", "?format=csv", "items.jsonl", "items.csv", "guidelines/1.md", "README.md", "study.yaml", "manifest.json"],
)
def test_downloads_are_uncached_attachments_of_a_fixed_type(reading, rated, name):
    response = reading.get(f"{EXPORT}{name}")
    content(response)
    assert response["Content-Disposition"].startswith("attachment; filename=")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "no-store, private"
    assert "html" not in response["Content-Type"]
    assert response.streaming
    assert int(response["Content-Length"]) > 0


@pytest.mark.parametrize(
    "name",
    [
        "../items.jsonl", "..%2f..%2fetc%2fpasswd", "%2fetc%2fpasswd", "/etc/passwd", "items.jsonl%00", "guidelines/",
        "guidelines/2.md", "guidelines/../items.jsonl", "ITEMS.JSONL", "con", "file", ".", "sessions.jsonl/x",
        "items.jsonl/", "db.sqlite3",
    ],
)  # fmt: skip
def test_only_listed_names_are_files(reading, rated, left_behind, name):
    problem(reading.get(f"{EXPORT}{name}"), 404)
    assert not AuditEntry.objects.filter(action="file exported").exists()


def test_an_export_identifies_nobody(reading, rated, owner, tmp_path):
    type(owner).objects.update(full_name="Planted Name", email="planted@example.org")
    type(owner).objects.filter(pk=owner.pk).update(username="planted-user")
    folder = unpacked(reading.get(EXPORT), tmp_path)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) == 11
    assert [path.name for path in files if b"planted" in path.read_bytes().lower()] == []


def test_each_export_is_audited_with_its_token(reading, rated, owner):
    content(reading.get(EXPORT))
    content(reading.get(f"{EXPORT}items.jsonl"))
    whole, one = AuditEntry.objects.filter(action__contains="exported").order_by("pk")
    assert (whole.action, one.action, one.subject) == ("study exported", "file exported", "items.jsonl")
    for entry in (whole, one):
        assert (entry.actor.person, entry.study) == (owner, "study")
        assert entry.new["via"].startswith("token ")


def test_a_full_disk_is_reported_and_leaves_nothing_behind(reading, rated, left_behind, monkeypatch):
    def full(file, chunk):
        file._path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("files.writing.file_writers.ChunkFile.add", full)
    for name in ("", "items.jsonl"):
        body = problem(reading.get(f"{EXPORT}{name}"), 503)
        assert "disk may be full" in body["detail"]
        assert str(left_behind) not in str(body)
    assert not AuditEntry.objects.filter(action__contains="exported").exists()


def test_an_unread_export_leaves_nothing_behind(reading, rated, left_behind):
    response = reading.get(EXPORT)
    assert list(left_behind.iterdir()) == []  # only the open file is left
    content(response)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_page_command_and_api_give_the_same_files(reading, rated, settings, tmp_path, form):
    settings.VAR = tmp_path / "var"
    row = request_export(rated, form, None, "test")
    assert process_row("export", row.pk)
    row.refresh_from_db()
    kept = place_of(row).read_bytes()
    assert content(reading.get(f"{EXPORT}?format={form}")) == kept
    call_command("export_study", "study", "--out", str(tmp_path / "study"), "--format", form)
    out = tmp_path / "study"
    written = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with zipfile.ZipFile(io.BytesIO(kept)) as archive:
        assert {name.removeprefix("study/"): archive.read(name) for name in archive.namelist()} == written
    assert {f"derived/aggregated_labels.{form}", "derived/agreement.json"} <= written.keys()
    listed = reading.get("/api/studies/study/").json()["files"]
    assert written.keys() <= set(listed)
    for name, data in written.items():
        assert content(reading.get(EXPORT + name)) == data, name
    Rating.objects.create(
        study=rated, question=rated.questions.get(key="how_well"), rater=Rater.objects.create(study=rated, name="bob"),
        item=rated.items.first(), output=rated.items.first().outputs.first(), level="interval", value=2, number=2,
    )  # fmt: skip
    record("study imported", "study", actor=None, study="study")
    assert "derived/agreement.json" not in reading.get("/api/studies/study/").json()["files"]
    assert reading.get(f"{EXPORT}derived/agreement.json").status_code == 404
