"""A study with every kind of rating, study folders on disk, and the contents of an exported folder."""

import json
import uuid
from datetime import UTC, datetime

import pytest

from annotation.desk.submitting import Effort, Submission, flag, skip, submit, undo
from annotation.members.membership import rater_for
from annotation.models import (
    Annotation,
    Assignment,
    DraftConflict,
    Guideline,
    Invitation,
    Item,
    JudgeRun,
    Membership,
    Output,
    Question,
    Rater,
    Rating,
    Slot,
    Study,
    Task,
    TaskOutput,
    WrittenExample,
)
from config.erasure import open_erasure

TREE = (
    Rating, Annotation, DraftConflict, Assignment, Slot, TaskOutput, Task, Output, Item, JudgeRun, Rater,
    WrittenExample, Membership, Invitation, Question, Guideline, Study,
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


def empty_the_database(*first):
    with open_erasure("everything"):
        JudgeRun.objects.update(replaced_by=None)
        for model in (*first, *TREE):
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
    """The live study, rated by three people, one more than wanted, and scored by a model."""
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
