"""Export: the same bytes again after an import, nothing of anybody's identity, whole folders or none."""

import csv
import json
import uuid
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import AuditEntry
from annotation.importing import import_study
from annotation.importing.cells import DANGEROUS
from annotation.membership import rater_for
from annotation.models import (
    Annotation,
    Assignment,
    DraftConflict,
    Guideline,
    Invitation,
    Item,
    Membership,
    Output,
    Question,
    Rater,
    Rating,
    Slot,
    Study,
    Task,
    TaskOutput,
)
from annotation.submitting import Effort, Submission, flag, skip, submit, undo
from config.fields import canonical_json
from reports.exporting import ExportRefusedError, canonical_digest, export_study, placing

TREE = (
    Rating, Annotation, DraftConflict, Assignment, Slot, TaskOutput, Task, Output, Item, Rater, Membership, Invitation,
    Question, Guideline, Study,
)  # fmt: skip
AWKWARD = (
    "\ufeff \u202eright to left\u202c zero\u200bwidth e\u0301 \U0001f469\u200d\U0001f52c \x85\x9f\uffff\r\n\ttail \n "
)
STUDY = {
    "slug": "ferries",
    "protocol": "rating",
    "redundancy": 2,
    "questions": [
        {"key": "follows", "type": "binary", "labels": ["Ja", "Nein"]},
        {"key": "how_well", "type": "likert", "min": 1, "max": 5, "when": {"question": "follows", "equals": True}},
        {"key": "comment", "type": "text", "required": False},
    ],
}

pytestmark = pytest.mark.django_db


def empty_the_database():
    for model in TREE:
        model.objects.all().delete()


def bytes_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def objects_of(path):
    # Not splitlines: a text may hold a line separator that is none of JSONL.
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def write_study(folder, items, ratings=(), scores=(), annotations=(), **more):
    folder.mkdir(exist_ok=True)
    (folder / "study.json").write_text(json.dumps({**STUDY, **more}))
    tables = {"items": items, "ratings": ratings, "scores": scores, "annotations": annotations}
    for name, lines in tables.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def item(key="harbour", outputs=("north",), **more):
    texts = [{"id": name, "text": f"text of {name}"} for name in outputs]
    return {"id": key, "document": "It sails at nine.", "instruction": "When?", "outputs": texts, **more}


def assign(study, person, task):
    rater = rater_for(study, person)
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    return Assignment.objects.create(task=task, rater=rater, order=[0], opened_at=now, created_at=now)


def answer(revision, follows=True, how_well="4", comment="", **more):
    form = {"q-follows": ["true" if follows else "false"], "q-how_well": [how_well], "q-comment": [comment]}
    effort = Effort(visible_seconds=2.5, active_seconds=1.25, tool_use={"highlight": 2})
    return Submission(
        form=form, revision=revision, guidelines_version=1, client_key=uuid.uuid4(), effort=effort, **more
    )


def rate_everything(study, people):
    """Submissions, revisions, skips, withdrawals, flags and a surplus answer, by the only writer."""
    tasks = list(Task.objects.filter(item__study=study).order_by("pk"))
    for number, person in enumerate(people):
        for place, task in enumerate(tasks):
            assignment = assign(study, person, task)
            kind = (number + place) % 5
            if kind == 0:
                skip(assignment, answer(0), "I cannot read it.")
                continue
            submit(assignment, answer(0, how_well="5", comment=AWKWARD))
            assignment.refresh_from_db()
            if kind == 1:
                submit(assignment, answer(1, how_well="4"))
                assignment.refresh_from_db()
                submit(assignment, answer(2, how_well="5"))
            elif kind == 2:
                flag(assignment, "=The text is cut off")
            elif kind == 3:
                undo(assignment, answer(1))


@pytest.fixture
def rated(study, owner, rater, stranger):
    """The live study, rated by three people, one more than it wants, with scores of a model beside them."""
    Guideline.objects.create(study=study, number=2, text="Second\r\n version. ")
    rate_everything(study, [owner, rater, stranger])
    judge = Rater.objects.create(study=study, name="judge", kind="model")
    question = study.questions.get(key="how_well")
    for output, value in zip(Output.objects.order_by("pk"), (4.333333, 1e22, -0.0, 5.0, 5, 1e-7), strict=True):
        Rating.objects.create(
            study=study, question=question, rater=judge, item=output.item, output=output, level="interval",
            number=float(value), value=value, distribution={"4": 0.1, "5": 0.9}, run="r1", replicate=0,
        )  # fmt: skip
    return study


def test_export_import_export_gives_the_same_bytes(rated, tmp_path):
    export_study(rated, tmp_path / "one")
    statuses = {line["status"] for line in objects_of(tmp_path / "one" / "annotations.jsonl")}
    assert statuses == {"submitted", "skipped", "withdrawn"}
    assert any(line["surplus"] for line in objects_of(tmp_path / "one" / "annotations.jsonl"))
    assert any("flag" in line for line in objects_of(tmp_path / "one" / "annotations.jsonl"))
    empty_the_database()
    again = import_study(tmp_path / "one").study
    export_study(again, tmp_path / "two")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert not Slot.objects.exists()


def test_annotations_go_through_csv_and_come_back_as_the_same_jsonl(rated, tmp_path):
    export_study(rated, tmp_path / "one")
    export_study(rated, tmp_path / "table", "csv")
    assert not (tmp_path / "table" / "annotations.jsonl").exists()
    with (tmp_path / "table" / "annotations.csv").open(newline="", encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    lines = objects_of(tmp_path / "one" / "annotations.jsonl")
    assert len(cells) == len(lines)
    assert {row["flag"] for row in cells} == {"", "'=The text is cut off"}
    assert [json.loads(row["answers"]) for row in cells] == [line["answers"] for line in lines]
    assert not any(DANGEROUS.match(cell) and not cell.startswith("'") for row in cells for cell in row.values())
    empty_the_database()
    again = import_study(tmp_path / "table").study
    export_study(again, tmp_path / "two")
    assert (tmp_path / "two/annotations.jsonl").read_bytes() == (tmp_path / "one/annotations.jsonl").read_bytes()
    assert (tmp_path / "two/ratings.jsonl").read_bytes() == (tmp_path / "one/ratings.jsonl").read_bytes()


def test_importing_an_export_where_it_came_from_changes_nothing(tmp_path):
    lines = [{"item": "harbour", "output": "north", "rater": "ann", "question": "comment", "value": "x"}] * 2
    study = import_study(write_study(tmp_path / "in", [item()], lines)).study
    export_study(study, tmp_path / "one")
    assert not any(import_study(tmp_path / "one").added.values())


def test_imported_ratings_of_every_kind_come_back_as_they_were(tmp_path):
    full = {
        "item": "harbour", "output": "north", "rater": "ann", "question": "how_well", "value": 3,
        "explanation": " because ", "shown": ["north"], "seconds": 3.25, "submitted_at": "2026-03-01T12:00:00.000007Z",
        "guidelines_version": 1, "run": "r", "replicate": 2, "distribution": [0.5, {"x": -0.0}],
        "metadata": {"b": 1, "a": 1e22},
    }  # fmt: skip
    bare = {"item": "harbour", "output": "north", "rater": "zoe", "question": "follows", "value": False}
    repeat = {**full, "submitted_at": "2026-03-01T12:00:00.000008Z", "value": 4}
    score = {
        "item": "harbour", "output": "north", "rater": "judge", "rater_kind": "metric", "question": "follows",
        "value": -0.5,
    }  # fmt: skip
    scores = [score, {**score, "value": 0.25}]
    more = {
        "references": [{"id": "r", "text": AWKWARD, "writer": "model"}],
        "category": ["a", "=b"],
        "metadata": {"z": None},
    }
    given = write_study(tmp_path / "in", [item(**more)], [repeat, full, bare, bare], scores, guidelines="One.")
    export_study(import_study(given).study, tmp_path / "out")
    # Within a unit and question by rater, then time, then as they came.
    canonical = [json.loads(canonical_json(line)) for line in objects_of(tmp_path / "out" / "ratings.jsonl")]
    assert canonical == [json.loads(canonical_json(line)) for line in (bare, bare, full, repeat)]
    assert objects_of(tmp_path / "out" / "scores.jsonl") == scores
    assert objects_of(tmp_path / "out" / "items.jsonl") == [item(**more)]
    assert b'"value":-0.5' in (tmp_path / "out" / "scores.jsonl").read_bytes()
    assert b"-0.0" in (tmp_path / "out" / "ratings.jsonl").read_bytes()


TEXTS = st.text(
    st.one_of(
        st.sampled_from(
            list("\u202e\u200b\ufeff\u0301\u200d\x85\x9f\uffff\r\n\t =+-@'\"\\;,#:|>&*\u2028\U0001f469\uff1d")
        ),
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"),
    ),
    max_size=40,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=5, max_size=5), form=st.sampled_from(["jsonl", "csv"]))
def test_check_21_any_text_survives_import_and_export_in_every_format(texts, form, tmp_path_factory):
    document, output, comment, guidelines, title = texts
    tmp_path = tmp_path_factory.mktemp("any")
    lines = [{"item": "harbour", "output": "north", "rater": "ann", "question": "comment", "value": comment}]
    body = {**item(document=document), "outputs": [{"id": "north", "text": output}]}
    given = write_study(tmp_path / "in", [body], lines, guidelines=guidelines, title=title)
    empty_the_database()
    export_study(import_study(given).study, tmp_path / "one", form)
    empty_the_database()
    study = import_study(tmp_path / "one").study
    assert study.title == title
    assert Guideline.objects.get().text == guidelines
    assert (Item.objects.get().document, Output.objects.get().text) == (document, output)
    assert Rating.objects.get().value == comment
    export_study(study, tmp_path / "two", form)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_check_25_a_folder_that_is_no_export_is_left_alone(rated, tmp_path):
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "chapter.txt").write_text("dear")
    with pytest.raises(ExportRefusedError, match="holds other files"):
        export_study(rated, other)
    assert bytes_of(other) == {"chapter.txt": b"dear"}
    export_study(rated, tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(ExportRefusedError, match=r"holds 'notes\.txt'"):
        export_study(rated, tmp_path / "out")
    (tmp_path / "link").symlink_to(other)
    with pytest.raises(ExportRefusedError, match="is not a folder"):
        export_study(rated, tmp_path / "link")
    with pytest.raises(ExportRefusedError, match="Nothing can be written"):
        export_study(rated, tmp_path / "a\0b")
    assert {path.name for path in tmp_path.iterdir()} == {"thesis", "out", "link"}


def test_check_25_ids_never_become_names_of_files(tmp_path):
    given = write_study(tmp_path / "in", [item("../../escape", ("/abs", "..\\up"))])
    export_study(import_study(given).study, tmp_path / "deep" / "out")
    assert set(bytes_of(tmp_path)) == {
        *(f"in/{name}" for name in ("study.json", "items.jsonl", "ratings.jsonl", "scores.jsonl", "annotations.jsonl")),
        *(f"deep/out/{name}" for name in ("study.yaml", "README.md", "manifest.json", "items.jsonl", "ratings.jsonl")),
        *(f"deep/out/{name}" for name in ("scores.jsonl", "annotations.jsonl")),
    }


def test_an_export_takes_the_place_of_an_earlier_one_whole(rated, tmp_path, monkeypatch):
    export_study(rated, tmp_path / "out")
    before = bytes_of(tmp_path / "out")
    rated.title = "Another title"
    rated.save()

    def full(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(placing.os, "fsync", full)
        with pytest.raises(ExportRefusedError, match="No space left on device"):
            export_study(rated, tmp_path / "out")
    assert bytes_of(tmp_path / "out") == before
    export_study(rated, tmp_path / "out")
    assert b"Another title" in (tmp_path / "out" / "study.yaml").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_check_37_an_answer_changed_and_changed_back_is_one_value_and_three_revisions(rated, tmp_path):
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


def test_check_55_no_identity_is_in_an_export_nor_in_its_names(rated, owner, rater, stranger, tmp_path):
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


def test_check_56_names_are_random_by_study_and_order_does_not_show_accounts(
    make_study, owner, rater, stranger, tmp_path
):
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


def test_check_58_formulas_are_neutralised_in_csv_and_untouched_in_jsonl(tmp_path):
    texts = ["=1+1", "-3", "+x", "@x", "\tx", "\r\nx", "\uff1d1", "'=1"]
    lines = [
        {"item": "harbour", "output": "north", "rater": f"=r{n}", "question": "comment", "value": text}
        for n, text in enumerate(texts)
    ]
    score = {
        "item": "harbour",
        "output": "north",
        "rater": "m",
        "rater_kind": "metric",
        "question": "how_well",
        "value": -3,
    }
    study = import_study(write_study(tmp_path / "in", [item(document="=cmd()")], lines, [score])).study
    export_study(study, tmp_path / "csv", "csv")
    export_study(study, tmp_path / "jsonl")
    for path in (tmp_path / "csv").glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                assert not [cell for cell in row if cell[:1] in tuple("=+@\t\r\n\uff1d\uff0b\uff0d\uff20")]
    with (tmp_path / "csv" / "scores.csv").open(newline="") as file:
        assert [row["value"] for row in csv.DictReader(file)] == ["-3"]
    with (tmp_path / "csv" / "ratings.csv").open(newline="", encoding="utf-8") as file:
        assert [row["value"] for row in csv.DictReader(file)] == ["'" + text for text in texts]
    assert [line["value"] for line in objects_of(tmp_path / "jsonl" / "ratings.jsonl")] == texts
    empty_the_database()
    export_study(import_study(tmp_path / "csv").study, tmp_path / "again")
    assert bytes_of(tmp_path / "again") == bytes_of(tmp_path / "jsonl")


def test_check_59_rows_counts_and_manifest_agree_and_two_exports_are_the_same(rated, tmp_path):
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


def test_the_command_says_what_it_cannot_do(rated, tmp_path):
    with pytest.raises(CommandError, match="does not write parquet"):
        call_command("export_study", "study", "--out", str(tmp_path / "out"), "--format", "parquet")
    with pytest.raises(CommandError, match="no study called 'nothing'"):
        call_command("export_study", "nothing", "--out", str(tmp_path / "out"))
    call_command("export_study", "study", "--out", str(tmp_path / "out"))
    assert (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.django_db(transaction=True)
def test_an_export_reads_one_moment_and_holds_nobody_up(tmp_path, django_db_blocker):
    from concurrent.futures import ThreadPoolExecutor

    from reports.exporting.snapshot import snapshot

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
