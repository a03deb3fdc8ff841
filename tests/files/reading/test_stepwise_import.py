"""Large imports on SQLite: moved in short steps, completed after a kill, never seen half."""

import json

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members import tokens
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Item, PendingImport, PendingRows, Rater, Rating, Study
from annotation.studies import lifecycle
from annotation.studies.locking import ImportPendingError
from annotation.studies.planning import plan_chunk
from config.write_pauses import WritePauses
from files.reading import ImportRefusedError, add_to_study, import_study, stepwise_import
from files.reading.annotation_import import AnnotationImport
from files.reading.item_import import ItemImport
from files.reading.rating_import import RatingImport
from files.reading.stepwise_import import complete_imports, resume
from files.writing import export_study
from reports.figures.agreement_report import agreement_report
from tests.processes import child, finished, said, tell

pytestmark = [
    pytest.mark.both,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="on PostgreSQL an import is one transaction"),
]

GOOD = {"q-follows": ["true"], "q-how_well": ["4"]}
YAML = """
slug: {slug}
protocol: rating
redundancy: 1
guidelines: Read everything.
questions:
  - {{key: follows, type: binary}}
  - {{key: how_well, type: likert, min: 1, max: 5}}
"""
ITEMS, OUTPUTS, RATERS = 6, ("north", "south"), ("ann", "bob")
TOTAL = ITEMS * len(OUTPUTS) * len(RATERS)
IMPORT_STEP_BY_STEP = """
from pathlib import Path
from files.reading import import_study, stepwise_import
from files.reading.rating_import import RatingImport
from config.write_pauses import WritePauses

def take(self):
    print("pause", flush=True)
    sys.stdin.readline()

stepwise_import.fits_one_step = lambda staging: False
stepwise_import.STEP_SECONDS = 0
RatingImport.batch_size = 10
WritePauses.take = take
import_study(Path(sys.argv[1]))
print("done", flush=True)
"""


class KilledError(BaseException):
    """The process dies here."""


@pytest.fixture
def folder(tmp_path):
    """A function that writes the folder of a study with items, and ratings of them all."""

    def write(slug="harbours", **tables):
        path = tmp_path / slug
        path.mkdir()
        (path / "study.yaml").write_text(YAML.format(slug=slug))
        items = [
            {"id": f"item-{number}", "outputs": [{"id": key, "text": f"At {number}."} for key in OUTPUTS]}
            for number in range(ITEMS)
        ]
        ratings = [
            {"item": f"item-{number}", "output": key, "rater": rater, "question": "how_well", "value": 1 + number % 5}
            for number in range(ITEMS) for key in OUTPUTS for rater in RATERS
        ]  # fmt: skip
        for table, lines in {"items": items, "ratings": ratings, **tables}.items():
            (path / f"{table}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return write


@pytest.fixture
def killed_at(monkeypatch):
    """A function that lets the process die at a pause, by its number or `when` a condition holds; pauses take no
    time."""
    monkeypatch.setattr(stepwise_import, "fits_one_step", lambda staging: False)
    monkeypatch.setattr(stepwise_import, "STEP_SECONDS", 0)
    monkeypatch.setattr(ItemImport, "batch_size", 5)
    monkeypatch.setattr(AnnotationImport, "batch_size", 5)
    monkeypatch.setattr(RatingImport, "batch_size", 10)

    def arrange(number=0, when=lambda: False):
        taken = []

        def take(self):
            taken.append(self)
            if len(taken) == number or when():
                raise KilledError

        monkeypatch.setattr(WritePauses, "take", take)

    arrange()
    return arrange


@pytest.fixture
def live(transactional_db, folder, killed_at, owner, rater):
    """A live study of six items with one annotator, and the folder that would add ratings to it."""
    path = folder()
    import_study(path / "study.yaml", {"items": path / "items.jsonl"}, owner=owner)
    study = Study.objects.get()
    add_member(study, rater, "annotator", owner)
    lifecycle.prepare(study, 10)
    lifecycle.make_live(study, owner)
    return study, path


@pytest.fixture
def pending(live, killed_at):
    """A live study whose import of ratings was interrupted in the middle."""
    study, path = live
    killed_at(when=Rating.objects.exists)
    with pytest.raises(KilledError):
        import_study(path)
    killed_at()
    study.refresh_from_db()
    assert study.pending_import is not None
    assert 0 < Rating.objects.count() < TOTAL
    return study


def visible(slug):
    """What a reader of the study's figures gets: how many ratings there are, or "refused"."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        return "absent"
    try:
        return sum(agreement_report(study)["guidelines"]["ratings"].values())
    except ImportPendingError:
        return "refused"


def test_an_import_killed_at_any_step_is_absent_or_complete(transactional_db, folder, killed_at):
    seen, number = [], 0
    while "complete" not in seen:
        number += 1
        slug = f"harbours-{number}"
        path = folder(slug)
        killed_at(number)
        try:
            import_study(path)
            seen.append("complete")
        except KilledError:
            seen.append(visible(slug))
        killed_at()
        complete_imports()
        rows = Item.objects.filter(study__slug=slug).count(), Rating.objects.filter(study__slug=slug).count()
        assert (visible(slug), *rows) in (("absent", 0, 0), (TOTAL, ITEMS, TOTAL))
    assert {*seen} == {"absent", "refused", "complete"}
    assert seen == sorted(seen, key=("absent", "refused", "complete").index)
    assert AuditEntry.objects.filter(action="study imported").count() == len(seen) - seen.count("absent")
    assert not Study.objects.filter(pending_import__isnull=False).exists()


@pytest.mark.thorough
def test_an_import_killed_for_real_is_completed_by_the_next_command(transactional_db, folder):
    path = folder()
    with child(IMPORT_STEP_BY_STEP, path) as importing:
        while Study.objects.filter(pending_import__isnull=False).count() == 0:
            assert said(importing) == "pause"
            tell(importing)
        importing.kill()
        importing.wait()
    assert visible("harbours") == "refused"
    call_command("agreement", "harbours")
    assert visible("harbours") == TOTAL
    assert not PendingImport.objects.exists()


def test_others_write_between_any_two_steps_without_waiting(live, rater, monkeypatch):
    study, path = live
    mine = rater_for(study, rater)
    answers = 0
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0)
    with child(IMPORT_STEP_BY_STEP, path) as importing:
        while (line := said(importing)) == "pause":
            assignment = next_assignment(study, mine)
            if assignment is not None:
                submit(assignment, Submission(GOOD, revision=0, guidelines_version=1))
                answers += 1
            tell(importing)
        assert line == "done"
        finished(importing)
    assert answers > 4
    assert Annotation.objects.count() == answers
    assert Rating.objects.filter(annotation=None).count() == visible_imported(study) == TOTAL


def visible_imported(study):
    return agreement_report(study)["guidelines"]["ratings"]["none"]


def test_nobody_reads_or_changes_a_whole_study_while_an_import_is_pending(pending, owner, tmp_path):
    for act in (
        lambda: agreement_report(pending),
        lambda: export_study(pending, tmp_path / "out"),
        lambda: plan_chunk(pending),
        lambda: lifecycle.close(pending, owner),
        lambda: lifecycle.publish_guidelines(pending, "Read twice.", owner),
    ):
        with pytest.raises(ImportPendingError):
            act()


def test_pages_of_a_study_with_a_pending_import_ask_to_try_again(client, pending, owner):
    client.force_login(owner)
    for path in ("/studies/harbours/", "/studies/harbours/report/", "/studies/harbours/people/"):
        response = client.get(path)
        assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
        assert "An import into this study is being completed" in response.content.decode()
    assert client.get("/").status_code == 200
    complete_imports()
    assert client.get("/studies/harbours/report/").status_code == 200


def test_a_problem_document_says_when_to_try_again(client, pending, owner):
    secret = tokens.issue_token(pending, owner, name="script", scope="write")
    for path in ("/api/studies/", "/api/studies/harbours/agreement/", "/api/studies/harbours/export/"):
        response = client.get(path, headers={"Authorization": f"Bearer {secret}"})
        assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
        assert response.headers["Content-Type"] == "application/problem+json"
        assert "is being completed" in response.json()["detail"]


def test_raters_keep_working_while_an_import_is_pending(client, pending, rater):
    client.force_login(rater)
    assignment = next_assignment(pending, rater_for(pending, rater))
    response = client.post(f"/work/{assignment.key}/submit/", {"revision": "0", "q-follows": "true", "q-how_well": "4"})
    assert response.status_code == 302
    assert Annotation.objects.count() == 1


def test_a_person_whose_answers_are_imported_waits_until_they_are_complete(live, folder, killed_at, rater, client):
    study, path = live
    mine = rater_for(study, rater)
    assignment = next_assignment(study, mine)
    lines = [
        {"item": f"item-{number}", "outputs": ["south"], "rater": mine.name, "revision": 1, "status": "submitted",
         "answers": {"follows": True, "how_well": 2}}
        for number in range(ITEMS)
    ]  # fmt: skip
    (path / "annotations.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    killed_at(when=Annotation.objects.exists)
    with pytest.raises(KilledError):
        import_study(path)
    killed_at()
    assert Rater.objects.get(pk=mine.pk).import_pending
    client.force_login(rater)
    form = {"revision": "0", "q-follows": "true", "q-how_well": "4"}
    response = client.post(f"/work/{assignment.key}/submit/", form)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    complete_imports()
    assert not Rater.objects.get(pk=mine.pk).import_pending
    assert client.post(f"/work/{assignment.key}/submit/", form).status_code in (302, 409)
    assert Annotation.objects.filter(rater=mine, is_current=True).count() >= ITEMS


def test_workers_complete_an_import_only_if_nobody_else_is_moving_it(pending):
    resume(10)
    assert visible("harbours") == "refused"
    PendingImport.objects.update(moved_at=timezone.now() - stepwise_import.RESUMED_AFTER * 2)
    resume(10)
    assert visible("harbours") == TOTAL


def test_the_next_import_completes_an_interrupted_one(pending, owner, tmp_path):
    more = tmp_path / "items.jsonl"
    more.write_text(json.dumps({"id": "one more", "outputs": [{"id": "north", "text": "At ten."}]}))
    add_to_study(pending, {"items": more}, owner)
    assert (visible("harbours"), Item.objects.count()) == (TOTAL, ITEMS + 1)


def test_rows_of_an_undecided_import_are_removed(live, killed_at):
    _, path = live
    killed_at(2)
    with pytest.raises(KilledError):
        import_study(path)
    killed_at()
    assert (visible("harbours"), PendingRows.objects.exists()) == (0, True)
    resume(10)
    assert PendingRows.objects.exists()  # it may still be alive
    PendingImport.objects.update(moved_at=timezone.now() - stepwise_import.ABANDONED_AFTER * 2)
    resume(10)
    assert not PendingRows.objects.exists()
    killed_at(2)
    with pytest.raises(KilledError):
        import_study(path)
    killed_at()
    import_study(path)
    assert (visible("harbours"), PendingImport.objects.count(), PendingRows.objects.count()) == (TOTAL, 0, 0)


def test_a_refused_import_of_many_rows_leaves_nothing(live, folder):
    _, path = live
    with (path / "ratings.jsonl").open("a") as file:
        file.write('{"item": "nothing"}\n')
    with pytest.raises(ImportRefusedError):
        import_study(path)
    assert not PendingImport.objects.exists()
    assert not Rating.objects.exists()


def test_a_start_completes_imports(pending, capsys):
    call_command("complete_imports")
    assert capsys.readouterr().out == "Completed 1 import.\n"
    assert visible("harbours") == TOTAL
