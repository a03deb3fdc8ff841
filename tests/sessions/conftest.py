"""A session study of two questions and two models, and a stand-in for the models that records its requests."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.desk.assigning import next_assignment, release_expired
from annotation.desk.submitting import Submission
from annotation.members.membership import add_member, rater_for
from annotation.models import Slot, Study
from annotation.studies.planning import plan_chunk
from config.background.claiming import run_waiting
from files.reading import import_study
from llm.requests import Reply
from retrieval.index_builds import ensure_index
from sessions import steps
from sessions.background import answer_writing
from sessions.models import RevisionSession
from sessions.second_ratings import sample_turns
from sessions.steps import Instruction
from sessions.transcript import session_state, turns_of

PAPERS = [
    {"id": "north", "title": "On ferries", "authors": ["A. One", "B. Two"], "year": 2020,
     "url": "https://example.org/ferries",
     "paragraphs": ["The ferry to the island sails at nine.", "In winter the ferry does not sail at all."]},
    {"id": "south", "title": "On trains", "authors": ["C. Three"],
     "paragraphs": ["The train to the harbour takes an hour.", "Trains run through the winter."]},
    {"id": "west", "title": "On fares", "paragraphs": ["A ticket for the ferry costs twelve crowns."]},
]  # fmt: skip
STUDY = {
    "slug": "revising",
    "title": "Revising",
    "protocol": "session",
    "redundancy": 1,
    "guidelines": "Be strict.",
    "questions": [
        {"key": "rating", "type": "category", "choices": ["good", "neutral", "bad"], "text": "Followed?"},
        {"key": "comment", "type": "text", "text": "Why?"},
        {"key": "fluent", "type": "likert", "min": 1, "max": 3, "text": "Fluent?", "required": False},
    ],
    "options": {"models": ["scripted/one", "scripted/two"], "passages": 2},
}


def question(name, category="travel", **more):
    return {"id": name, "question": f"When does {name} sail?", "documents": PAPERS, "category": category, **more}


@pytest.fixture
def folder(tmp_path):
    """A function that writes a study's folder."""

    def write(items=None, *, name="in", files=None, **study):
        made = tmp_path / name
        made.mkdir()
        (made / "study.json").write_text(json.dumps(STUDY | study))
        tables = {"items": items or [question("q1"), question("q2")], **(files or {})}
        for table, lines in tables.items():
            (made / f"{table}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return made

    return write


def live(study, *people):
    for person in people:
        add_member(study, person, "annotator", None)
    while plan_chunk(study):
        pass
    study.refresh_from_db()
    study.status = Study.Status.LIVE
    study.save()
    return study


@pytest.fixture
def study(folder, rater, owner):
    study = live(import_study(folder(), owner=owner).study, rater)
    ensure_index(study)
    run_waiting()
    return study


class Models:
    """Replaces the door to the models: records each request, and replies or fails as scripted."""

    def __init__(self):
        self.requests, self.charges, self.script = [], [], []

    def __call__(self, request, charge, *, on_text=None, stopped=None, **_):
        self.requests.append(request)
        self.charges.append(charge)
        said = self.script.pop(0) if self.script else f"Answer {len(self.requests)} [0]."
        if callable(said):
            said = said(on_text=on_text, stopped=stopped)
        if isinstance(said, BaseException):
            raise said
        if on_text is not None:
            on_text(said[: len(said) // 2])
        return Reply(said, "stop", "scripted", None, None, "", None, None)

    @property
    def asked(self):
        """What the last request was made from."""
        return self.requests[-1]


@pytest.fixture
def models(monkeypatch):
    models = Models()
    monkeypatch.setattr(answer_writing, "complete", models)
    return models


@pytest.fixture
def session(study, rater, models):
    """A session with its first answer."""
    session = begun(study, rater)
    run_waiting()
    return session


def begun(study, person):
    assignment = next_assignment(study, rater_for(study, person))
    return RevisionSession.objects.get(task=assignment.task, rater=assignment.rater)


def expire(session):
    """End the session's lease, so that its question is free for others."""
    Slot.objects.filter(task=session.task_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    release_expired(session.study, timezone.now())


def where(session):
    """Return the session's current state."""
    session = RevisionSession.objects.select_related("study").get(pk=session.pk)
    return session_state(session, turns_of(session))


def instruct(session, text, kind="style", number=None, key=None):
    number = where(session).number if number is None else number
    return steps.instruct(session, Instruction(kind, text, number, key or uuid4()))


def rate(session, rating, comment="Because.", number=None, revision=0, key=None, **more):
    number = where(session).number if number is None else number
    form = {"q-rating": [rating], "q-comment": [comment], **more}
    return steps.rate(session, number, Submission(form, revision, 1, key or uuid4()))


def turned(session, text, rating, kind="style", edited=None):
    """Complete a turn: instruction, answer, rating, and an edit if given."""
    turn = instruct(session, text, kind)
    run_waiting()
    rate(session, rating, number=turn.number)
    if edited is not None:
        steps.edit(session, turn.number, edited, 0)
    turn.refresh_from_db()
    return turn


def second_task(session, person, instruction="Shorter."):
    """End the session after a turn, and give this person its second rating."""
    turned(session, instruction, "good")
    steps.finish(session)
    sample_turns(session.study, count=1)
    add_member(session.study, person, "annotator", None)
    Slot.objects.filter(state="open").exclude(task__variant__startswith="turn:").delete()
    return next_assignment(session.study, rater_for(session.study, person))
