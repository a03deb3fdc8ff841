"""Dry runs of revision sessions: made-up answers, rated and edited through the sessions' own pages."""

import json

import pytest
from django.urls import reverse

from accounts.models import Person
from annotation.models import Annotation, Assignment, Study
from config.background.claiming import due_keys, process_row, run_waiting
from files.reading import import_study
from files.writing import export_study
from llm import door
from llm.models import Call
from managing.building.template_library import study_templates
from parts.dry_runs import dry_run_steps
from parts.dry_runs.background import filling
from parts.dry_runs.dry_run_steps import remove_dry_run, start_dry_run
from parts.dry_runs.models import StudyDryRun
from parts.way_in.models import StepPassage
from retrieval.background.index_building import WORK as INDEXING
from sessions.background.answer_writing import WORK as WRITING
from sessions.models import RevisionSession, Turn
from sessions.workflow import BAD, GOOD
from tests.sessions.conftest import PAPERS, STUDY

pytestmark = pytest.mark.django_db
SETTINGS = {"raters": 3, "accuracy": 1.0, "bias": 0.0, "seconds": 90.0, "seed": 3, "items": None}
MODELS = ["scripted/one", "scripted/two"]


@pytest.fixture(autouse=True)
def _answers_come_while_the_raters_wait(monkeypatch):
    """As from other workers: the index for the searches, then the answers."""

    def work(seconds):
        for kind in (INDEXING, WRITING):
            for pk in due_keys(kind, 100):
                process_row(kind.key, pk)

    monkeypatch.setattr(filling, "sleep", work)


@pytest.fixture(autouse=True)
def _nothing_is_sent(monkeypatch):
    def send(*given, **more):
        raise AssertionError("A dry run asked a language model.")

    monkeypatch.setattr(door, "ask", send)


def sessions_study(owner, folder, **body):
    folder.mkdir()
    (folder / "study.json").write_text(json.dumps({**STUDY, **body}))
    asked = [{"id": name, "question": f"When does {name} sail?", "documents": PAPERS} for name in ("q1", "q2", "q3")]
    (folder / "items.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    return import_study(folder, owner=owner).study


def run(study, owner, **more):
    """Run it in steps, as workers do."""
    row = start_dry_run(study, {**SETTINGS, **more}, owner)
    for _ in range(200):
        run_waiting(1)
        row.refresh_from_db()
        if row.status not in ("queued", "running"):
            break
    assert (row.status, row.reason) == ("done", "")
    return row


@pytest.mark.thorough
def test_synthetic_people_instruct_rate_and_edit_and_a_press_removes_all_of_it(owner, tmp_path):
    source = sessions_study(owner, tmp_path / "in", options={"models": MODELS, "passages": 2, "max_turns": 4})
    row = run(source, owner)
    copy = row.study
    sessions = RevisionSession.objects.filter(study=copy)
    assert sessions.count() == 6
    assert set(sessions.values_list("model", flat=True)) == {"extractive/dry-run", "extractive/dry-run-2"}
    assert set(sessions.values_list("status", flat=True)) <= {"satisfied", "max_turns"}
    turns = Turn.objects.filter(session__study=copy)
    rated = turns.filter(number__gt=0)
    assert row.answers == rated.count() == Annotation.objects.filter(rater__study=copy, status="submitted").count()
    assert {one.annotation.active_seconds for one in rated} == {90.0}
    assert {one.kind for one in turns} == {"first", "information", "style"}
    for turn in rated:
        rating = turn.annotation.answers["rating"]
        if turn.number < 4:  # rating the last turn ends the session
            assert (turn.edited_answer is not None) == (rating == BAD)
    for session in sessions:
        last = session.turns.order_by("-number").first()
        assert last.annotation.answers["rating"] == GOOD or last.number == 4
    assert all("made up in a dry run" in turn.answer.lower() for turn in rated if turn.kind == "style")
    assert set(Call.objects.filter(study=copy).values_list("endpoint", flat=True)) == {"extractive"}
    assert not RevisionSession.objects.filter(study=source).exists()
    assert source.options.get("models", None) == MODELS
    remove_dry_run(row, owner)
    run_waiting()
    assert [*Study.objects.all()] == [source]
    for model in (RevisionSession, Turn, StudyDryRun):
        assert not model.objects.exists(), model
    assert not Person.objects.filter(is_synthetic=True, is_active=True).exists()


@pytest.mark.thorough
def test_the_seed_decides_and_the_export_is_marked(owner, tmp_path):
    options = {"models": MODELS[:1], "passages": 2, "max_turns": 2}
    source = sessions_study(owner, tmp_path / "in", redundancy=3, options=options)
    given = []
    for number in range(2):
        copy = run(source, owner, accuracy=0.5, items=1).study
        export_study(copy, tmp_path / f"out{number}", "jsonl", None, "test")
        assert "made-up answers of synthetic raters" in (tmp_path / f"out{number}" / "README.md").read_text()
        given.append(dict(map(rating_given, Turn.objects.filter(session__study=copy, number__gt=0))))
    assert given[0] == given[1] != {}


def rating_given(turn):
    """Who rated which turn, and how."""
    session = turn.session
    rater = session.rater.person.full_name
    return (rater, session.item.key, session.model, turn.number), turn.annotation.answers["rating"]


@pytest.mark.thorough
def test_those_of_kiwi_do_the_pilot_go_on_and_rate_turns_of_others(owner, tmp_path, client):
    body = {**study_templates()["kiwi_recruiting"].body, "slug": "kiwi"}
    body["options"] = {**body["options"], "models": MODELS[:1], "max_turns": 2, "second_ratings": {"count": 2}}
    source = sessions_study(owner, tmp_path / "in", **body)
    row = run(source, owner)
    copy = row.study
    pilots = StepPassage.objects.filter(rater__study=copy, step="pilot")
    assert set(pilots.values_list("outcome", flat=True)) == {"passed"}
    given = Annotation.objects.filter(rater__study=copy, status="submitted").count()
    assert given == row.answers == Turn.objects.filter(session__study=copy, number__gt=0).count() + 2
    client.force_login(owner)
    report = client.get(f"/studies/{copy.slug}/report/").content.decode()
    assert "made-up answers of synthetic raters" in report
    assert client.get(f"/studies/{copy.slug}/sessions/").status_code == 200
    session = RevisionSession.objects.filter(study=copy).first()
    own = Assignment.objects.get(rater=session.rater, task=session.task_id)
    client.force_login(session.rater.person)
    shown = client.get(reverse("revision_sessions:session", args=[own.key])).content.decode()
    assert "made-up answers of synthetic raters" in shown


def test_protocols_with_unknown_pages_are_refused(owner, tmp_path, monkeypatch):
    study = sessions_study(owner, tmp_path / "in")
    monkeypatch.setattr(dry_run_steps, "VISITORS", {})
    with pytest.raises(dry_run_steps.StudyRefusedError, match="do not know the pages"):
        start_dry_run(study, SETTINGS, owner)
