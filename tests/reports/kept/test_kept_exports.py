"""Kept exports: taken, started, limited, removed; what an erasure and a killed worker leave."""

import hashlib
import io
import json
import os
import signal
import zipfile
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit, undo
from annotation.members.membership import rater_for
from annotation.members.rater_erasure import erase_rater
from annotation.models import Item, JudgeRun, Rater, Rating, Study
from annotation.studies.steered_items import restore, withdraw
from annotation.studies.study_erasure import erase_study
from config.background.claiming import process_row
from config.background.rows import Status
from files.reading import add_to_study, import_study
from judges.run_states import replace_run
from reports.background import export_work
from reports.background.export_upkeep import clean_up
from reports.kept.freezing import freeze
from reports.kept.kept_exports import folder_of, place_of, request_export
from reports.kept.kept_reports import compute_here, kept_report
from reports.models import KeptExport, KeptReport
from reports.report_kinds.agreement import agreement_choices
from reports.report_kinds.meta_evaluation import comparison_choices
from tests.conftest import live_study
from tests.processes import child
from tests.reports.compared_study import imported

pytestmark = pytest.mark.django_db
ANSWER = {"q-follows": ["true"], "q-how_well": ["5"]}


@pytest.fixture
def study(tmp_path, settings):
    settings.VAR = tmp_path / "var"
    return imported(tmp_path / "in", item_count=6)


def exported(study, form="jsonl", person=None):
    """The kept export after a worker has written it, if it had to be."""
    row = request_export(study, form, person, "test")
    if row.is_waiting:
        assert process_row("export", row.pk)
        row.refresh_from_db()
    return row


def left(study):
    folder = folder_of(study.pk)
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["jsonl", pytest.param("csv", marks=pytest.mark.thorough)])
def test_the_file_holds_what_the_command_writes(derived_tables, study, owner, tmp_path, form):
    row = exported(study, form, owner)
    assert (row.status, row.has_file, row.reason) == (Status.DONE, True, "")
    data = place_of(row).read_bytes()
    assert (row.size, row.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    call_command("export_study", study.slug, "--out", str(tmp_path / "out"), "--format", form, stdout=io.StringIO())
    with zipfile.ZipFile(place_of(row)) as archive:
        found = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    out = tmp_path / "out"
    assert found == {
        path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()
    }  # fmt: skip
    digests = {one["name"]: (one["bytes"], one["sha256"]) for one in row.contents}
    assert digests == {name: (len(text), hashlib.sha256(text).hexdigest()) for name, text in found.items()}


def test_an_unchanged_study_gives_the_kept_file_and_a_changed_one_a_new_one(study, owner):
    first = exported(study, person=owner)
    again = request_export(study, "jsonl", owner, "test")
    assert again.pk == first.pk
    other = exported(study, "csv")
    assert other.pk != first.pk
    entries = AuditEntry.objects.filter(action="export requested").order_by("pk")
    assert [entry.new["taken"] for entry in entries] == [False, True, False]
    withdraw(study.items.last(), "Broken.", owner)
    assert request_export(study, "jsonl", owner, "test").pk not in (first.pk, other.pk)


def test_two_exports_of_an_unchanged_study_have_the_same_bytes(study):
    first = exported(study)
    KeptExport.objects.filter(pk=first.pk).update(state="of another release")
    second = exported(study)
    assert second.pk != first.pk
    assert place_of(first).read_bytes() == place_of(second).read_bytes()


def test_a_format_is_written_once_at_a_time(study):
    first = request_export(study, "jsonl", None, "test")
    assert request_export(study, "jsonl", None, "test").pk == first.pk
    assert request_export(study, "csv", None, "test").pk != first.pk


def test_number_and_age_are_limited(study, settings):
    settings.KEPT_EXPORTS = 2
    rows = [exported(study, form) for form in ("jsonl", "csv")]
    KeptExport.objects.filter(pk=rows[0].pk).update(state="older")
    rows.append(exported(study))
    found = {row.pk: row for row in KeptExport.objects.all()}
    assert [found[row.pk].has_file for row in rows] == [False, True, True]
    assert "Newer exports" in found[rows[0].pk].removed_for
    KeptExport.objects.filter(pk=rows[1].pk).update(ended_at=timezone.now() - timedelta(days=31))
    clean_up()
    rows[1].refresh_from_db()
    assert not rows[1].has_file
    assert left_after_commit(study) == [f"{rows[2].key}.zip"]


def left_after_commit(study):
    """The files when what waits for the commit is done; the upkeep deletes what it finds without a row."""
    clean_up()
    return left(study)


def test_upkeep_deletes_what_belongs_to_no_row_and_nothing_else(study):
    row = exported(study)
    waiting = request_export(study, "csv", None, "test")
    folder = folder_of(study.pk)
    (folder / "3f0c.work" / "inner").mkdir(parents=True)
    (folder / "3f0c.work" / "inner" / "items.jsonl").write_text("{}")
    (folder / "3f0c.part").write_text("PK")
    place_of(waiting).write_text("PK")
    clean_up()
    assert left(study) == sorted([f"{row.key}.zip", f"{waiting.key}.zip"])


def test_an_erased_rater_leaves_tombstones_and_no_file(study, owner, django_capture_on_commit_callbacks):
    row, waiting = exported(study, person=owner), request_export(study, "csv", owner, "test")
    before = place_of(row).read_bytes()
    assert names_ann(row)
    ann = Rater.objects.get(study=study, name="ann")
    with django_capture_on_commit_callbacks(execute=True):
        erase_rater(ann, owner, keep_answers=False)
    row.refresh_from_db()
    assert (row.has_file, row.sha256) == (False, hashlib.sha256(before).hexdigest())
    assert "erased" in row.removed_for
    assert not KeptExport.objects.filter(pk=waiting.pk).exists()
    assert left(study) == []
    assert not names_ann(exported(study))


def names_ann(row):
    with zipfile.ZipFile(place_of(row)) as archive:
        return any(b'"ann"' in archive.read(name) for name in archive.namelist())


def test_what_is_being_written_while_answers_are_erased_is_not_kept(study, owner, monkeypatch):
    write = export_work.export_with_figures

    def erase_meanwhile(*arguments, **more):
        made = write(*arguments, **more)
        ann = Rater.objects.filter(study=study, name="ann").first()
        if ann is not None:
            erase_rater(ann, None, keep_answers=False)
        return made

    monkeypatch.setattr(export_work, "export_with_figures", erase_meanwhile)
    row = request_export(study, "jsonl", owner, "test")
    process_row("export", row.pk)
    assert not KeptExport.objects.filter(has_file=True).exists()
    assert left(study) == []


def test_what_is_being_written_while_an_item_is_withdrawn_is_written_again(study, owner, monkeypatch):
    write = export_work.export_with_figures

    def withdraw_meanwhile(*arguments, **more):
        made = write(*arguments, **more)
        withdraw(study.items.first(), "Broken.", owner)
        return made

    row = request_export(study, "jsonl", owner, "test")
    with monkeypatch.context() as patched:
        patched.setattr(export_work, "export_with_figures", withdraw_meanwhile)
        process_row("export", row.pk)
    row.refresh_from_db()
    assert (row.status, row.has_file, left(study)) == (Status.QUEUED, False, [])
    KeptExport.objects.update(due_at=timezone.now() - timedelta(minutes=1))
    assert process_row("export", row.pk)
    row.refresh_from_db()
    assert row.has_file


def test_a_withdrawn_item_leaves_tombstones_of_exports_and_frozen_reports(study, owner):
    row = exported(study)
    choices = comparison_choices(kinds=frozenset({"model"}))
    compute_here(study, "meta_evaluation", choices)
    frozen = freeze(kept_report(study, "meta_evaluation", choices), owner)
    item = study.items.first()
    assert Rating.objects.filter(item=item).exists()
    withdraw(item, "Broken.", owner)
    for one in (row, frozen):
        one.refresh_from_db()
        assert "withdrawn" in one.removed_for
        assert one.removed_at is not None
    assert (row.has_file, frozen.figures, frozen.frozen_as is None) == (False, "", False)
    restore(Item.objects.get(pk=item.pk), "Not broken.", owner)
    assert not KeptReport.objects.exclude(figures="").exclude(frozen_as=None).exists()


def test_a_frozen_report_without_answers_to_the_item_stays(study, owner):
    choices = comparison_choices(kinds=frozenset({"model"}))
    compute_here(study, "meta_evaluation", choices)
    frozen = freeze(kept_report(study, "meta_evaluation", choices), owner)
    new = Item.objects.create(study=study, key="new", digest="new", document="D", instruction="I")
    withdraw(new, "Broken.", owner)
    frozen.refresh_from_db()
    assert frozen.removed_at is None
    assert frozen.figures


def test_a_study_takes_its_files_with_it(study, owner):
    exported(study)
    folder = folder_of(study.pk)
    erase_study(Study.objects.get(pk=study.pk), owner)
    assert not folder.exists()
    assert not KeptExport.objects.exists()


def test_a_full_disk_is_a_failure_that_says_so(study, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_work, "zip_folder", full)
    row = request_export(study, "jsonl", None, "test")
    process_row("export", row.pk)
    row.refresh_from_db()
    assert (row.status, left(study)) == (Status.FAILED, [])
    assert "No space left on device" in row.reason


def test_a_kept_file_is_imported_again(study, tmp_path):
    row = exported(study)
    with zipfile.ZipFile(place_of(row)) as archive:
        archive.extractall(tmp_path / "out")
    folder = tmp_path / "out" / study.slug
    text = (folder / "study.yaml").read_text().replace(f"slug: {study.slug}", "slug: again")
    (folder / "study.yaml").write_text(text)
    import_study(folder)
    counts = [Rating.objects.filter(study__slug=slug).count() for slug in (study.slug, "again")]
    assert counts[0] == counts[1] > 0


DYING = """
from reports.background import export_work
from config.background.claiming import process_row
import os, signal
zip_folder = export_work.zip_folder
def die(folder, target):
    zip_folder(folder, target)
    print("written", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
export_work.zip_folder = die
process_row("export", int(sys.argv[1]))
"""


@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_s_export_is_written_by_another(study):
    row = request_export(study, "jsonl", None, "test")
    with child(DYING, row.pk) as process:
        assert process.stdout.readline().strip() == "written", process.stderr.read()
        assert process.wait(60) == -signal.SIGKILL
    row.refresh_from_db()
    assert (row.status, row.has_file) == (Status.RUNNING, False)
    assert len(left(study)) == 2
    clean_up()
    assert len(left(study)) == 2, "a running row's files stay"
    KeptExport.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert process_row("export", row.pk)
    row.refresh_from_db()
    assert (row.status, row.attempt, row.has_file) == (Status.DONE, 2, True)
    clean_up()
    assert left(study) == [f"{row.key}.zip"]
    assert os.path.getsize(place_of(row)) == row.size


def test_an_answer_taken_back_leaves_tombstones_of_what_was_read_after_it(owner, rater, settings, tmp_path):
    settings.VAR = tmp_path / "var"
    study = live_study(owner, rater)
    assignment = next_assignment(study, rater_for(study, rater))
    before = exported(study)
    form = {"q-follows": ["true"], "q-how_well": ["5"]}
    submit(assignment, Submission(form=form, revision=0, guidelines_version=1))
    row = exported(study)
    assert (before.has_file, row.has_file) == (True, True)
    compute_here(study, "agreement", agreement_choices())
    frozen = freeze(kept_report(study, "agreement", agreement_choices()), owner)
    undo(assignment, Submission(form={}, revision=1, guidelines_version=1))
    for one in (before, row, frozen):
        one.refresh_from_db()
    assert (before.has_file, row.has_file, frozen.figures) == (True, False, "")
    assert "taken back" in row.removed_for
    assert "taken back" in frozen.removed_for


def taken_back_by_file(study, rater, owner, folder):
    """Import a second revision of the rater's only answer, which says that they skipped the task."""
    own = rater_for(study, rater)
    first = own.annotations.select_related("task__item").get()
    line = {
        "item": first.task.item.key, "outputs": list(first.task.outputs.values_list("key", flat=True)),
        "rater": own.name, "revision": 2, "status": "skipped", "reason": "unsure",
        "submitted_at": "2026-01-02T03:04:05Z",
    }  # fmt: skip
    path = folder / "annotations.jsonl"
    path.write_text(json.dumps(line) + "\n")
    return add_to_study(study, {"annotations": path}, owner)


def test_an_imported_revision_that_is_no_answer_leaves_tombstones_as_an_undo_does(owner, rater, settings, tmp_path):
    settings.VAR = tmp_path / "var"
    study = live_study(owner, rater)
    assignment = next_assignment(study, rater_for(study, rater))
    before = exported(study)
    submit(assignment, Submission(form=ANSWER, revision=0, guidelines_version=1))
    row = exported(study)
    compute_here(study, "agreement", agreement_choices())
    frozen = freeze(kept_report(study, "agreement", agreement_choices()), owner)
    assert taken_back_by_file(study, rater, owner, tmp_path).added["annotations"] == 1
    for one in (before, row, frozen):
        one.refresh_from_db()
    assert (before.has_file, row.has_file, frozen.figures) == (True, False, "")
    assert "taken back" in row.removed_for
    again = exported(study)
    (tmp_path / "annotations.jsonl").rename(tmp_path / "same.jsonl")
    add_to_study(study, {"annotations": tmp_path / "same.jsonl"}, owner)
    again.refresh_from_db()
    assert again.has_file, "a file that changes nothing removes nothing"


def test_an_export_written_while_a_file_takes_an_answer_back_is_written_again(
    owner, rater, settings, tmp_path, monkeypatch
):
    settings.VAR = tmp_path / "var"
    study = live_study(owner, rater)
    submit(next_assignment(study, rater_for(study, rater)), Submission(form=ANSWER, revision=0, guidelines_version=1))
    row = request_export(study, "jsonl", owner, "test")
    zip_folder = export_work.zip_folder

    def meanwhile(folder, path):
        if not AuditEntry.objects.filter(action="answers taken back").exists():
            taken_back_by_file(study, rater, owner, tmp_path)
        return zip_folder(folder, path)

    monkeypatch.setattr(export_work, "zip_folder", meanwhile)
    process_row("export", row.pk)
    row.refresh_from_db()
    assert (row.status, row.has_file) == (Status.QUEUED, False)
    KeptExport.objects.update(due_at=timezone.now() - timedelta(minutes=1))
    assert process_row("export", row.pk)
    row.refresh_from_db()
    assert row.has_file


def test_a_replaced_run_leaves_tombstones_of_what_may_have_its_answers(study, owner):
    judge = Rater.objects.filter(study=study).exclude(kind="human").first()
    run, other = (JudgeRun.objects.create(rater=judge, name=name, configuration={}) for name in ("old", "new"))
    row = exported(study)
    compute_here(study, "agreement", agreement_choices())
    frozen = freeze(kept_report(study, "agreement", agreement_choices()), owner)
    replace_run(run, other, owner)
    for one in (row, frozen):
        one.refresh_from_db()
    assert (row.has_file, frozen.figures) == (False, "")
    assert "another one has replaced" in row.removed_for
    assert "another one has replaced" in frozen.removed_for
