"""What an exported folder holds, where it is put, and what it does not say."""

import json
import re

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import AuditEntry
from annotation.desk.submitting import submit
from annotation.members.membership import rater_for
from annotation.models import (
    Annotation,
    Output,
    Rater,
    Rating,
    Study,
    Task,
    TaskOutput,
)
from files import writing as exporting
from files.reading import import_study
from files.writing import ExportRefusedError, canonical_digest, export_study, folder_placement
from tests.files.writing.conftest import answer, assign, bytes_of, item, objects_of, write_study

pytestmark = pytest.mark.django_db


def test_a_folder_that_is_not_an_export_is_left_alone(rated, tmp_path):
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "chapter.txt").write_text("dear")
    with pytest.raises(ExportRefusedError, match="contains other files"):
        export_study(rated, other)
    assert bytes_of(other) == {"chapter.txt": b"dear"}
    export_study(rated, tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(ExportRefusedError, match=r"contains 'notes\.txt'"):
        export_study(rated, tmp_path / "out")
    (tmp_path / "link").symlink_to(other)
    with pytest.raises(ExportRefusedError, match="is not a folder"):
        export_study(rated, tmp_path / "link")
    with pytest.raises(ExportRefusedError, match="Cannot write to"):
        export_study(rated, tmp_path / "a\0b")
    assert {path.name for path in tmp_path.iterdir()} == {"thesis", "out", "link"}


def test_ids_never_become_names_of_files(tmp_path):
    given = write_study(tmp_path / "in", [item("../../escape", ("/abs", "..\\up"))])
    export_study(import_study(given).study, tmp_path / "deep" / "out")
    assert set(bytes_of(tmp_path)) == {
        *(f"in/{name}" for name in ("study.json", "items.jsonl", "ratings.jsonl", "scores.jsonl", "annotations.jsonl")),
        *(f"deep/out/{name}" for name in ("study.yaml", "README.md", "CITATION.cff", "manifest.json", "items.jsonl")),
        "deep/out/typed/items.jsonl",
    }


def test_an_export_replaces_an_earlier_one_completely(rated, tmp_path, monkeypatch):
    export_study(rated, tmp_path / "out")
    before = bytes_of(tmp_path / "out")
    rated.title = "Another title"
    rated.save()

    def full(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(folder_placement.os, "fsync", full)
        with pytest.raises(ExportRefusedError, match="No space left on device"):
            export_study(rated, tmp_path / "out")
    assert bytes_of(tmp_path / "out") == before
    export_study(rated, tmp_path / "out")
    assert b"Another title" in (tmp_path / "out" / "study.yaml").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_answer_changed_back_is_one_value_and_three_revisions(rated, tmp_path):
    export_study(rated, tmp_path / "out")
    thrice = [line for line in objects_of(tmp_path / "out" / "annotations.jsonl") if line["revision"] == 3]
    assert thrice
    for line in thrice:
        mine = (line["item"], line["outputs"][0], line["rater"])
        history = [
            one["answers"]["how_well"]
            for one in objects_of(tmp_path / "out" / "annotations.jsonl")
            if (one["item"], one["outputs"][0], one["rater"]) == mine
        ]
        current = [
            one["value"]
            for one in objects_of(tmp_path / "out" / "ratings.jsonl")
            if (one["item"], one["output"], one["rater"]) == mine and one["question"] == "how_well"
        ]
        assert (history, current) == ([5, 4, 5], [5])


def test_no_identity_is_in_an_export_nor_in_its_names(rated, owner, rater, stranger, tmp_path):
    for person in (owner, rater, stranger):
        type(person).objects.filter(pk=person.pk).update(
            username=f"canary-user-{person.pk}", email=f"canary-{person.pk}@example.org", first_name="canary-first",
            last_name="canary-last", full_name="canary-full",
        )  # fmt: skip
    keys = [str(key) for key in Annotation.objects.exclude(client_key=None).values_list("client_key", flat=True)]
    for form in ("jsonl", "csv"):
        export_study(rated, tmp_path / form, form)
    everything = b"\n".join([*bytes_of(tmp_path).values(), *(name.encode() for name in bytes_of(tmp_path))]).lower()
    for canary in ("canary-user", "canary-first", "canary-last", "canary-full", "canary-1@", "@example.org", *keys):
        assert canary.encode() not in everything


def test_names_are_random_by_study_and_order_does_not_show_accounts(make_study, owner, rater, stranger, tmp_path):
    people = [owner, rater, stranger]
    names = []
    for slug in ("first", "second"):
        study = make_study(slug, items=1)
        task = Task.objects.create(item=study.items.get(), key="k")
        TaskOutput.objects.create(task=task, output=Output.objects.filter(item__study=study).first(), position=0)
        # Raters in the order of accounts get names whose order is the reverse.
        for person, letter in zip(people, "zyx", strict=True):
            made = rater_for(study, person)
            names.append(made.name)
            Rater.objects.filter(pk=made.pk).update(name=f"rater-{letter}{made.name[6:]}")
            submit(assign(study, person, task), answer(0))
        export_study(study, tmp_path / slug)
        order = [line["rater"] for line in objects_of(tmp_path / slug / "annotations.jsonl")]
        assert [name[6] for name in order] == ["x", "y", "z"]
        order = [line["rater"] for line in objects_of(tmp_path / slug / "ratings.jsonl")]
        assert order == sorted(order[:3]) * 2
    assert len(set(names)) == 6
    assert rater_for(study, owner).name.startswith("rater-z")


def test_rows_counts_and_manifest_agree_and_two_exports_are_the_same(rated, tmp_path):
    import hashlib

    manifest = export_study(rated, tmp_path / "one")
    assert bytes_of(tmp_path / "one") == (export_study(rated, tmp_path / "two") and bytes_of(tmp_path / "two"))
    assert json.loads((tmp_path / "one" / "manifest.json").read_bytes()) == manifest
    assert manifest["schema"] == "interrater-study/1"
    assert manifest["software"]
    for name, described in manifest["files"].items():
        body = (tmp_path / "one" / name).read_bytes()
        assert hashlib.sha256(body).hexdigest() == described["sha256"]
        assert described.get("lines", body.count(b"\n")) == body.count(b"\n")
    lines = objects_of(tmp_path / "one" / "annotations.jsonl")
    for status in ("submitted", "skipped", "withdrawn"):
        count = Annotation.objects.filter(status=status).count()
        assert count == manifest["counts"]["annotations"][status] == sum(line["status"] == status for line in lines) > 0
    counts = manifest["counts"]
    assert counts["annotations"]["all"] == Annotation.objects.count() == len(lines)
    assert counts["annotations"]["surplus"] == sum(line["surplus"] for line in lines)
    assert counts["annotations"]["with_flag"] == sum("flag" in line for line in lines) > 0
    current = Rating.objects.filter(is_current=True)
    assert (
        counts["ratings"] == current.filter(rater__kind="human").count() == manifest["files"]["ratings.jsonl"]["lines"]
    )
    assert counts["scores"] == current.filter(rater__kind="model").count() == manifest["files"]["scores.jsonl"]["lines"]
    assert (counts["items"], counts["outputs"]) == (2, 6)


def test_the_canonical_digest_is_of_the_data_alone(rated, tmp_path):
    export_study(rated, tmp_path / "one")
    export_study(rated, tmp_path / "two")
    (tmp_path / "two" / "manifest.json").write_text("{}")
    (tmp_path / "two" / "README.md").write_text("other words")
    assert canonical_digest(tmp_path / "one") == canonical_digest(tmp_path / "two")
    with (tmp_path / "two" / "ratings.jsonl").open("a") as file:
        file.write("\n")
    assert canonical_digest(tmp_path / "one") != canonical_digest(tmp_path / "two")


def test_an_export_is_audited(rated, tmp_path):
    export_study(rated, tmp_path / "out")
    assert AuditEntry.objects.get(action="study exported").new["counts"]["items"] == 2


def test_the_card_says_what_each_table_is(rated, tmp_path):
    export_study(rated, tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    rows = dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \| \d+ \|$", card, re.MULTILINE))
    assert rows == {
        "items.jsonl": "items with their outputs",
        "ratings.jsonl": "people's current answers, one per question and unit",
        "scores.jsonl": "current answers of models and metrics",
        "annotations.jsonl": "all revisions of people's answers to tasks, whatever their status",
        "wide/ratings.jsonl": "people's current answers, one row per rater and unit",
        "wide/scores.jsonl": "current answers of models and metrics, one row per rater, run and unit",
        "wide/annotations.jsonl": "all revisions of answers to tasks, one row per revision",
    }


@pytest.mark.thorough
def test_the_command_refuses_unknown_formats_and_studies(rated, tmp_path):
    with pytest.raises(CommandError, match="invalid choice: 'xlsx'"):
        call_command("export_study", "study", "--out", str(tmp_path / "out"), "--format", "xlsx")
    with pytest.raises(CommandError, match="no study called 'nothing'"):
        call_command("export_study", "nothing", "--out", str(tmp_path / "out"))
    call_command("export_study", "study", "--out", str(tmp_path / "out"))
    assert (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.django_db(transaction=True)
def test_an_export_shows_one_moment_and_blocks_nobody(tmp_path, django_db_blocker):
    from concurrent.futures import ThreadPoolExecutor

    from config.snapshot import snapshot

    study = import_study(write_study(tmp_path / "in", [item()])).study

    def write():
        try:
            Study.objects.filter(pk=study.pk).update(title="changed meanwhile")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as writer, snapshot():
        assert Study.objects.get().title == ""
        writer.submit(write).result(timeout=15)
        assert Study.objects.get().title == ""
    assert Study.objects.get().title == "changed meanwhile"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_answers_sent_during_an_export_are_in_none_of_its_files(
    study, owner, rater, stranger, tmp_path, monkeypatch, form
):
    from concurrent.futures import ThreadPoolExecutor

    waiting = [assign(study, one, task) for one in (owner, rater, stranger) for task in Task.objects.order_by("pk")]

    def send():
        try:
            submit(waiting.pop(), answer(0, comment="sent meanwhile"))
        finally:
            connection.close()

    def after_an_answer(step):
        def take(*given, **named):
            writer.submit(send).result(timeout=30)
            return step(*given, **named)

        return take

    submit(waiting.pop(), answer(0, comment="sent before"))
    for name in ("tables_of", "write_tables", "_counts"):
        monkeypatch.setattr(exporting, name, after_an_answer(getattr(exporting, name)))
    with ThreadPoolExecutor(1) as writer:
        manifest = export_study(study, tmp_path / "out", form)
    assert Annotation.objects.count() > 3
    assert manifest["counts"]["annotations"]["all"] == manifest["rows"]["annotations"] == 1
    assert manifest["counts"]["ratings"] == manifest["rows"]["ratings"] == study.questions.count()
    assert not [name for name, body in bytes_of(tmp_path / "out").items() if b"sent meanwhile" in body]
